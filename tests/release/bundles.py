"""A release of real public CSVs under a schema whose names and levels are hostile."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from support import tables

from pmwpub.mechanisms.pmw_pub.algorithm import Output, Replay, Start, pmw_pub
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans import PublicInputs, ReleasePlan, WorkloadChoice
from pmwpub.plans.criteria import Criterion
from pmwpub.privacy.budget import epsilon_of
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.records import Support
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificates.certificate_parts import Candidate, LedgerTotal, Provenance, decimal_rho
from pmwpub.release.report import AssessedPrior, Choices
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.coding.public_values import PublicValues
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.schema.table_schema import Schema

N = 200
DELTA = Fraction(1, N * N)
SCRIPT = "<script>document.title='run'</script>"
IMAGE = "<img src=x onerror=\"document.title='run'\">"
FORMULA = "=HYPERLINK(1)"
SCHEMA_JSON = {
    "version": 1,
    "missing_tokens": ["", "NA"],
    "columns": [
        {"name": "sex", "kind": "categorical", "levels": ["F", "M"]},
        {"name": "=age", "kind": "numeric", "edges": [0, 18, 65, 120], "outside": "clip", "missing": True},
        {"name": SCRIPT, "kind": "categorical", "levels": [FORMULA, IMAGE, "**bold** [a](javascript:1)", "@x"]},
    ],
}


def public_csv(rows: int, seed: int) -> bytes:
    """A public table that the hostile schema knows."""
    rng = np.random.default_rng(seed)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["sex", "=age", SCRIPT])
    for _ in range(rows):
        age = "NA" if rng.random() < 0.1 else str(rng.integers(0, 121))
        writer.writerow(["FM"[rng.integers(2)], age, SCHEMA_JSON["columns"][2]["levels"][rng.integers(4)]])
    return buffer.getvalue().encode()


@dataclass(frozen=True, eq=False)
class Made:
    """A bundle with the public tables that it was made from."""

    bundle: Bundle
    publics: tuple[bytes, ...]

    def write(self, folder: Path, **drawn: object) -> Path:
        """Write the bundle's files and the public tables; returns the folder of the release."""
        out = folder / "out"
        out.mkdir()
        for name, body in self.bundle.files(**drawn).items():  # type: ignore[arg-type]
            (out / name).write_bytes(body)
        for number, body in enumerate(self.publics):
            (folder / f"public{number}.csv").write_bytes(body)
        return out


def make(
    publics: Sequence[bytes],
    *,
    output: Output = Output.LAST,
    start: Start = Start.PUBLIC,
    replay: Replay = Replay.HALF,
    rounds: int = 6,
    remarks: tuple[str, ...] = (),
    read_as: str | None = None,
    plan_says_so: bool = True,
    criteria: tuple[Criterion, ...] = (),
) -> Made:
    """Run PMW^Pub on random private rows and bundle it as the service does.

    read_as       how all public tables are read
    plan_says_so  whether the plan says so, which those of earlier versions did not
    """
    options = None if read_as is None else ReadOptions.parse(read_as)
    schema = Schema.from_json(json.dumps(SCHEMA_JSON))
    choice = WorkloadChoice(k=2)
    workload = choice.build(schema.domain)
    named = sorted((hashlib.sha256(body).hexdigest(), body) for body in publics)
    supports = [Support.of(encode_public(read_table(body, options=options), schema).dataset) for _, body in named]
    support = supports[0] if len(supports) == 1 else Support.union(*supports)
    plan = ReleasePlan(
        n=N,
        rows_per_person=1,
        inputs=PublicInputs(
            schema_sha256=schema.sha256,
            workload_sha256=workload.sha256,
            workload=choice,
            candidates=tuple(sha256 for sha256, _ in named),
            read_as=tuple((sha256, read_as) for sha256, _ in named) if read_as and plan_says_so else (),
        ),
        rho_units=10**14,
        rounds=rounds,
        output=output,
        start=start,
        replay=replay,
        criteria=criteria,
    )
    private = tables.table(schema.domain, N, 2)
    release = pmw_pub(count(workload, private), PublicProblem(workload, support), plan.schedule())
    epsilon = epsilon_of(release.rho, DELTA)
    provenance = Provenance(
        population=f"people {IMAGE}",
        epsilon=epsilon,
        delta="0.000025",
        charge_id=7,
        repeat=0,
        ledger_total=LedgerTotal(rho=decimal_rho(release.rho.units), epsilon=epsilon),
        candidates=tuple(
            Candidate(name=f"{IMAGE}{i}.csv", sha256=sha256, **({} if read_as is None else {"read_as": read_as}))
            for i, (sha256, _) in enumerate(named)
        ),
        unit="one <b>person</b>",
        charged_at="2024-01-02T03:04:05+00:00",
        remarks=remarks,
        attempts=3 if criteria else None,
    )
    floor = NoisyInterval(0.012, 0.004, 0.02, 0.95, "1/25")
    choices = Choices((AssessedPrior(IMAGE, True, "", floor, None), AssessedPrior("other", False)), f"Words {SCRIPT}")
    values = PublicValues.of([read_table(body, options=options) for _, body in named], schema)
    return Made(Bundle.of(plan, release, workload, schema, provenance, choices, values), tuple(publics))
