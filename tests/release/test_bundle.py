"""A release as files: what the certificate says, that hashes hold, that bytes repeat, that nothing private is in it."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from support import tables

from pmwpub.mechanisms.pmw_pub.algorithm import pmw_pub, rebuild
from pmwpub.plans import PublicInputs, ReleasePlan, WorkloadChoice
from pmwpub.privacy.budget import ZCDP, epsilon_of
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.release.bundle import (
    CERTIFICATE,
    MEASUREMENTS,
    REBUILD,
    REPORT,
    SCHEMA,
    SYNTHETIC,
    WEIGHTS,
    Bundle,
    pack,
    rebuild_script,
)
from pmwpub.release.certificates.certificate_parts import Candidate, LedgerTotal, Provenance, decimal_rho
from pmwpub.tabular.schema.table_schema import Schema

SCHEMA_JSON = {
    "version": 1,
    "missing_tokens": ["", "NA"],
    "columns": [
        {"name": "sex", "kind": "categorical", "levels": ["F", "M"]},
        {"name": "=age", "kind": "numeric", "edges": [0, 18, 65, 120], "outside": "clip"},
        {"name": "job", "kind": "categorical", "levels": ["=HYPERLINK(1)", "<b>x</b>"], "missing": True},
    ],
}


@pytest.fixture(scope="module")
def parts() -> tuple[Bundle, ReleasePlan, PublicProblem]:
    schema = Schema.from_json(json.dumps(SCHEMA_JSON))
    choice = WorkloadChoice(k=2)
    workload = choice.build(schema.domain)
    problem = PublicProblem(workload, tables.support(schema.domain, 30, 1))
    inputs = PublicInputs(
        schema_sha256=schema.sha256, workload_sha256=workload.sha256, workload=choice, candidates=("c" * 64,)
    )
    plan = ReleasePlan(n=200, rows_per_person=1, inputs=inputs, rho_units=10**14, rounds=6)
    release = pmw_pub(count(workload, tables.table(schema.domain, 200, 2)), problem, plan.schedule())
    provenance = Provenance(
        population="p",
        epsilon=epsilon_of(release.rho, Fraction(1, 40_000)),
        delta="0.000025",
        charge_id=7,
        repeat=0,
        ledger_total=LedgerTotal(rho="0.1", epsilon=1.5),
        candidates=(Candidate(name="b.csv", sha256="c" * 64),),
    )
    return Bundle.of(plan, release, workload, schema, provenance), plan, problem


def test_stored_bytes_are_equal_for_equal_releases_and_survive_the_round_trip(parts: tuple) -> None:
    bundle = parts[0]
    stored = bundle.to_bytes()
    assert stored == bundle.to_bytes() == Bundle.from_bytes(stored).to_bytes()


def test_the_certificate_names_each_file_by_its_hash(parts: tuple) -> None:
    files = parts[0].files(rows=50, seed=4)
    certificate = json.loads(files[CERTIFICATE])
    assert set(certificate["files"]) == {SYNTHETIC, WEIGHTS, SCHEMA, MEASUREMENTS, REPORT, REBUILD}
    for name, expected in certificate["files"].items():
        assert hashlib.sha256(files[name]).hexdigest() == expected
    assert (certificate["rows"], certificate["row_seed"]) == (50, 4)


def test_the_certificate_says_what_was_spent_and_how(parts: tuple) -> None:
    bundle, plan, problem = parts
    certificate = json.loads(bundle.files()[CERTIFICATE])
    needed = {
        "epsilon", "delta", "rho", "neighbours", "n", "rows_per_person", "mechanism", "rounds", "selection", "output",
        "workload", "schema_sha256", "candidate", "transcript", "charge_id", "ledger_total", "files", "versions",
    }  # fmt: skip
    assert needed <= set(certificate)
    assert certificate["rho"] == decimal_rho(plan.schedule().rho.units)
    assert Fraction(certificate["rho"]) <= plan.budget.rho
    assert certificate["epsilon"] == epsilon_of(plan.schedule().rho, Fraction(1, 40_000))
    assert len(certificate["transcript"]) == plan.rounds
    for line in certificate["transcript"]:
        assert line["query"] == problem.workload.labels(line["number"])
        assert line["noisy_answer"] == min(1.0, max(0.0, line["noisy_count"] / 200))


def test_weights_sum_to_one_one_row_an_atom_and_read_back_exactly(parts: tuple) -> None:
    bundle, _, problem = parts
    rows = list(csv.reader(io.StringIO(bundle.weights.decode())))
    assert rows[0] == ["sex", "'=age", "job", "weight"]
    assert len(rows) == 1 + len(problem.support)
    assert abs(sum(float(row[-1]) for row in rows[1:]) - 1) < 1e-12
    again = bundle.distribution()
    assert again.support.codes.tolist() == problem.support.codes.tolist()
    assert [repr(float(w)) for w in again.weights] == [row[-1] for row in rows[1:]]


def test_the_certificate_rebuilds_the_weights_byte_for_byte(parts: tuple) -> None:
    bundle, plan, problem = parts
    from pmwpub.mechanisms.pmw_pub.algorithm import Measurement

    transcript = tuple(Measurement(line.number, line.noisy_count) for line in bundle.certificate.transcript)
    again = rebuild(problem, plan.schedule(), transcript, plan.n)
    assert again.weights.tobytes() == np.array(bundle.distribution().weights).tobytes()


def test_the_synthetic_table_has_the_asked_rows_and_only_atoms_of_the_support(parts: tuple) -> None:
    bundle, _, _ = parts
    default = list(csv.reader(io.StringIO(bundle.synthetic().decode())))
    assert len(default) == 201
    assert default[0] == ["sex", "'=age", "job"]
    atoms = {tuple(row[:-1]) for row in csv.reader(io.StringIO(bundle.weights.decode()))}
    assert {tuple(row) for row in default[1:]} <= atoms
    assert len(list(csv.reader(io.StringIO(bundle.synthetic(17).decode())))) == 18
    assert bundle.synthetic(17) == bundle.synthetic(17)


def test_no_cell_of_a_file_is_a_formula(parts: tuple) -> None:
    files = parts[0].files()
    for name in (SYNTHETIC, WEIGHTS, MEASUREMENTS):
        for row in csv.reader(io.StringIO(files[name].decode())):
            for cell in row:
                assert cell[:1] not in ("=", "+", "@", "\t", "\r")


def test_a_bundle_of_an_earlier_version_opens_and_keeps_its_bytes(parts: tuple) -> None:
    """It has no report, script or measurements, and its certificate lacks the plan and whatever came later."""
    newer = parts[0]
    body = json.loads(newer.parts[CERTIFICATE])
    for key in ("plan", "unit", "charged_at", "cells"):
        del body[key]
    body["files"] = {name: body["files"][name] for name in (SCHEMA, WEIGHTS)}
    old = (json.dumps(body, indent=1, ensure_ascii=False) + "\n").encode()
    stored = pack({WEIGHTS: newer.weights, SCHEMA: newer.parts[SCHEMA], CERTIFICATE: old})
    bundle = Bundle.from_bytes(stored)
    assert bundle.to_bytes() == stored
    assert bundle.certificate.to_bytes() == old
    files = bundle.files(rows=20, seed=1)
    assert set(files) == {SYNTHETIC, WEIGHTS, SCHEMA, CERTIFICATE}
    stated = json.loads(files[CERTIFICATE])
    assert set(stated) == set(body)
    assert (stated["rows"], stated["row_seed"]) == (20, 1)
    assert files[SYNTHETIC] == newer.files(rows=20, seed=1)[SYNTHETIC]


def test_the_same_request_gives_the_same_bytes(parts: tuple) -> None:
    bundle = parts[0]
    reopened = Bundle.from_bytes(bundle.to_bytes())
    assert pack(bundle.files(40, 3, "numbers")) == pack(reopened.files(40, 3, "numbers"))
    assert json.loads(bundle.files(40, 3, "numbers")[CERTIFICATE])["cells"] == "numbers"
    assert json.loads(bundle.files(40, 3)[CERTIFICATE])["cells"] == "labels"


def test_the_script_in_the_bundle_is_the_module_itself(parts: tuple) -> None:
    from pmwpub.release import rebuild as script

    assert parts[0].parts[REBUILD] == rebuild_script() == Path(script.__file__).read_bytes()


def test_rho_is_printed_exactly() -> None:
    assert decimal_rho(1) == "0.000000000000001"
    assert decimal_rho(12 * 10**15 + 5 * 10**14) == "12.500000000000000"
    assert ZCDP.at_most(Fraction(decimal_rho(123456789))).units == 123456789
