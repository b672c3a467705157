"""What a look at the fit says of ADULT with typing errors, at what price, and what the errors cost a release.

    python benchmarks/misfits.py [--share 0.05] [--epsilon 1] [--half-width 0.01] [--seeds 3]

Private: 90 % of the rows; public: the others, from which the schema is drafted, so that its equivalences (case, white
space, numbers) are on. In `share` of the private cells of some text columns one letter is left out, doubled or swapped
with the next: no equivalence mends that. The look is bought as the command line buys it, of a grant of epsilon at
delta = 1/n^2. Beside it PMW^Pub (256 sampled 3-way marginals, T = 25) runs on the clean and on the mistyped table; both
are held against the clean one. A simulation, and not private: exact shares are printed.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import fmean

import numpy as np
import pandas as pd

from pmwpub.evaluation import errors_of
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.mechanisms.pmw_pub.algorithm import Schedule, pmw_pub
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.privacy.round_share import split
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Support
from pmwpub.service import Service, purchases
from pmwpub.service.bought import misfit_shares
from pmwpub.service.inputs import reviewing, study_store
from pmwpub.service.purchases import MisfitPurchase
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import open_table, read_table
from pmwpub.tabular.misfit_pass import misfits
from pmwpub.tabular.private_pass import encode_private, survey
from pmwpub.tabular.schema.table_schema import Schema

DATA = Path(os.environ.get("PMWPUB_DATA", Path(__file__).parents[1].parent / "shared" / "data")) / "adult"
ROUNDS = 25
NAME = "adult"


@dataclass(frozen=True, eq=False)
class Case:
    """A private table as CSV, clean and mistyped, and the public one."""

    clean: bytes
    typed: bytes
    public: bytes
    n: int


def mistyped(text: str, draw: random.Random) -> str:
    """A text with one of its letters left out, doubled, or swapped with the next."""
    place = draw.randrange(len(text))
    left_out = text[:place] + text[place + 1 :]
    doubled = text[:place] + text[place] + text[place:]
    swapped = text[:place] + text[place + 1 : place + 2] + text[place] + text[place + 2 :]
    return draw.choice([one for one in (left_out, doubled, swapped) if one and one != text])


def case_of(table: pd.DataFrame, columns: Sequence[str], share: float, seed: int) -> Case:
    """Private and public rows of one seed, and errors in a share of the private cells of these columns."""
    draw, order = random.Random(seed), np.random.default_rng(seed).permutation(len(table))
    clean, public = table.iloc[order[: int(0.9 * len(table))]], table.iloc[order[int(0.9 * len(table)) :]]
    typed = clean.copy()
    for column in columns:
        typed[column] = [mistyped(cell, draw) if draw.random() < share else cell for cell in clean[column]]
    return Case(*(one.to_csv(index=False).encode() for one in (clean, typed, public)), n=len(clean))


def look(case: Case, epsilon: str, half_width: str) -> Schema:
    """Buy a look at all risky columns and print it beside the exact shares; the schema that was drafted."""
    with tempfile.TemporaryDirectory() as folder, Ledger.open(f"sqlite:///{folder}/ledger.sqlite3") as ledger:
        service = Service(ledger, InlineEngine())
        ledger.register(Population(NAME, case.n, 1, "one person", as_fraction(epsilon), Fraction(1, case.n**2)))
        study_store.add_candidate(service, NAME, "public.csv", case.public, attested=True)
        study_store.save_schema(service, NAME, study_store.draft_schema(service, NAME))
        current = study_store.study(service, NAME)
        schema = current.schema
        if schema is None:
            raise SystemExit("No schema was drafted.")
        columns = [risk.column for risk in reviewing.risky(service, current)]
        offer = purchases.misfit_offer(current, columns, half_width)
        width, part = float(offer.half_width), float(offer.part)
        print(f"  n = {case.n:,}; {len(columns)} risky columns at ±{width:.4f}: {part:.2%} of epsilon {epsilon} in rho")
        if offer.refusal:
            print(f"  {offer.refusal}")
            return schema
        private = study_store.load_private(service, NAME, case.typed)
        plan = misfit_shares.misfit_plan(current, columns, half_width=half_width)
        (outcome,) = purchases.buy(service, private, [MisfitPurchase(plan)])
        seen = misfit_shares.fit_seen(service, outcome.booking)
        truth = exact_shares(case.typed, schema, columns)
        for share, words in zip((*seen.columns, seen.overall), seen.words, strict=True):
            exact = truth[share.column] if share is not None else 0.0
            print(f"  {words}  [exact: {exact:.2%}]")
        return schema


def exact_shares(content: bytes, schema: Schema, columns: Sequence[str]) -> dict[str | None, float]:
    """The exact share of rows with a misfit in each column, and under None in any."""
    found = survey(open_table(content), schema, n=1)
    counts = misfits(open_table(content), schema, columns, digest=found.digest, n=found.n, rows_per_person=1)
    return dict(zip((*columns, None), (counts / found.n).tolist(), strict=True))


def released_errors(case: Case, schema: Schema, epsilon: str, seed: int) -> list[float]:
    """The largest error, against the clean table, of releases made from the clean and from the mistyped one, and of the
    public table unchanged."""
    workload = Workload.sampled(schema.domain, 3, 256, 0)
    problem = PublicProblem(workload, Support.of(encode_public(read_table(case.public), schema).dataset))
    clean, typed = (
        count(workload, encode_private(read_table(content), schema, n=case.n).dataset)
        for content in (case.clean, case.typed)
    )
    share = split(zcdp_of(ApproxDP(as_fraction(epsilon), Fraction(1, case.n**2))), ROUNDS)
    schedule = Schedule(ROUNDS, share, replay_seed=seed)
    runs = [pmw_pub(counts, problem, schedule).distribution for counts in (clean, typed)]
    unchanged = float(np.abs(clean.counts / case.n - problem.start_sums / problem.support.rows).max())
    return [*(errors_of(clean, problem, one).max_error for one in runs), unchanged]


def main() -> None:
    """Print, for errors in one column and in all text columns, the look and what a release loses."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--half-width", default="0.01")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--data", default=str(DATA / "adult.csv.gz"))
    parsed = parser.parse_args()
    content = read_table(Path(parsed.data)).header
    table = pd.read_csv(parsed.data, dtype=str, keep_default_na=False)[list(content)]
    texts = [name for name in table.columns if table[name].str.contains("[A-Za-z]").mean() > 0.5]
    for columns in (["sex"], texts):
        print(f"\ntyping errors in {parsed.share:.0%} of the cells of {', '.join(columns)}")
        errors = []
        for seed in range(parsed.seeds):
            case = case_of(table, columns, parsed.share, seed)
            schema = look(case, parsed.epsilon, parsed.half_width)
            errors.append(released_errors(case, schema, parsed.epsilon, seed))
        means = [fmean(column) for column in zip(*errors, strict=True)]
        labels = ("release of the clean table", "of the mistyped one", "public table unchanged")
        print("  largest error: " + "; ".join(f"{label} {mean:.4f}" for label, mean in zip(labels, means, strict=True)))


if __name__ == "__main__":
    main()
