"""What preparing is worth: releases of a table with careless spellings, and of one whose columns name tables and rows.

    python benchmarks/prepared_tables.py [--seeds 5] [--epsilon 1] [--rounds 25] [--only spellings names]

Spellings: ADULT, cut in two (private 90 %, public 10 %), the schema drafted from the public part. In 5 % of the private
cells the case is changed, white space added, or a number written with ".0". Released are the clean table and the noisy
one under the drafted schema, and the noisy one under the same schema without its equivalences (`same`).

Names: Ohio 2018 (private) with Ohio 2012 and 2015 (public), twelve columns, and two more as a panel survey has them:
the wave, and person numbers that go on from wave to wave. One schema has both as attributes, the other is as drafted,
which leaves them out. Compared are the marginals of the twelve columns alone, and how many of the rounds went
elsewhere.

All 2-way marginals, delta = 1/n^2, both engines; noise with the seed of the run: simulations, and not private. Data as
for benchmarks/adult.py and benchmarks/census_table.py.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean, stdev

import pandas as pd
from public_values import DATA, _text

from pmwpub.evaluation import Errors, errors, errors_of
from pmwpub.mechanisms.pmw_pub.algorithm import Schedule, pmw_pub
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.mechanisms.table_fit.table_schedule import schedule
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.privacy.round_share import split
from pmwpub.privacy.seeded_noise import SimulationNoise
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Distribution, Support
from pmwpub.tabular.coding.encode import Encoder, encode_public
from pmwpub.tabular.files.reading import TextTable, from_frame
from pmwpub.tabular.review.without_suspects import drafted
from pmwpub.tabular.schema.table_schema import Schema

ENGINES = ("PMW^Pub", "table fit")
NOISE = 0.05
COLUMNS = ("SEX", "AGE", "MARST", "RACE", "HISPAN", "HCOVANY", "EDUC", "EMPSTAT", "LABFORCE", "INCTOT", "INCWAGE", "GQ")


@dataclass(frozen=True, eq=False)
class Task:
    """Private and public rows of one domain, and the truth that answers are compared with.

    asked   the marginals that a run answers
    judged  those of them that are compared; of `truth`, which may be cleaner than what the run counts
    """

    private: Dataset
    truth: Dataset
    public: Dataset
    asked: Workload
    judged: Workload


@dataclass(frozen=True)
class Played:
    """One run against the truth, and how many of its rounds went into marginals that are not judged."""

    errors: Errors
    elsewhere: int


def private_rows(table: TextTable, schema: Schema) -> Dataset:
    """As a private table is read: a cell without a level stays, and its row counts in n."""
    return Dataset(schema.domain, Encoder(table.header, schema).codes(table.cells).T)


def careless(frame: pd.DataFrame, seed: int, share: float = NOISE) -> pd.DataFrame:
    """The table with a share of its cells written otherwise: in capitals, with white space, with ".0"."""
    draw = random.Random(seed)
    return frame.apply(lambda column: [_otherwise(cell, draw) if draw.random() < share else cell for cell in column])


def _otherwise(cell: str, draw: random.Random) -> str:
    if cell.isdigit():
        return draw.choice([f"{cell}.0", f" {cell}", f"{cell} "])
    return draw.choice([cell.upper(), cell.lower(), f" {cell}", f"{cell} "])


def spellings(seed: int) -> Iterator[tuple[str, Task]]:
    """Clean, careless, and careless without equivalences."""
    frame = _text(DATA / "adult" / "adult.csv.gz").sample(frac=1, random_state=seed)
    cut = len(frame) // 10
    public, clean = from_frame(frame.iloc[:cut]), from_frame(frame.iloc[cut:])
    noisy = from_frame(careless(frame.iloc[cut:], seed))
    schema = drafted([public]).schema
    plain = Schema.of([column.changed(same=()) for column in schema.columns], schema.missing_tokens, 2)
    workload = Workload.all_kway(schema.domain, 2)
    for name, private, rules in (("clean", clean, schema), ("5 %", noisy, schema), ("5 %, no same", noisy, plain)):
        truth, rows = private_rows(clean, rules), encode_public(public, rules).dataset
        yield name, Task(private_rows(private, rules), truth, rows, workload, workload)


def panel(year: int, first_person: int) -> pd.DataFrame:
    """Twelve columns of a census table with its wave and person numbers."""
    frame = _text(DATA / "acs_il_oh" / f"oh_{year}.csv.gz")[list(COLUMNS)]
    numbers = [str(first_person + place) for place in range(len(frame))]
    return frame.assign(wave=str(year), person=numbers)


def names(seed: int) -> Iterator[tuple[str, Task]]:
    """With the wave and the person numbers as attributes, and as drafted. Every seed has the same tables."""
    tables = [from_frame(panel(year, first)) for year, first in ((2012, 1), (2015, 100_000), (2018, 200_000))]
    for name, keep in (("wave, person", ("wave", "person")), ("drafted", ())):
        schema = drafted(tables[:2], keep=keep).schema
        rows = [encode_public(table, schema).dataset.codes for table in tables[:2]]
        public = Dataset(schema.domain, [*rows[0], *rows[1]])
        private = private_rows(tables[2], schema)
        asked = Workload.all_kway(schema.domain, 2)
        own = {schema.domain.index(column) for column in COLUMNS}
        judged = Workload(schema.domain, tuple(one for one in asked.marginals if own.issuperset(one.attributes)))
        yield name, Task(private, private, public, asked, judged)


def played(task: Task, engine: str, epsilon: str, rounds: int, noise: SimulationNoise) -> Played:
    """One run of an engine."""
    support = Support.of(task.public)
    n = len(task.private)
    terms = ApproxDP(as_fraction(epsilon), Fraction(1, n * n))
    elsewhere = 0
    if engine == "PMW^Pub":
        plan = Schedule(rounds, split(zcdp_of(terms), rounds, rows_per_person=1))
        found = pmw_pub(count(task.asked, task.private), PublicProblem(task.asked, support), plan, noise=noise)
        hit = [task.asked.query(one.query)[0] for one in found.transcript]
        elsewhere = sum(marginal not in set(task.judged.marginals) for marginal in hit)
        distribution = found.distribution
    else:
        distribution = _fitted(task, support, terms, noise)
    return Played(
        errors_of(count(task.judged, task.truth), PublicProblem(task.judged, support), distribution), elsewhere
    )


def _fitted(task: Task, support: Support, terms: ApproxDP, noise: SimulationNoise) -> Distribution:
    tables, budget, n = measured_tables(task.asked), zcdp_of(terms), len(task.private)
    constants = FitConstants.advised(tables, budget, n=n, delta=terms.delta, rows_per_person=1)
    plan = schedule(tables, support, budget, rows_per_person=1, complete=False, constants=constants)
    return table_fit(count(tables, task.private), support, plan, noise=noise).distribution


def unchanged(task: Task) -> Errors:
    """The public table as it is."""
    problem = PublicProblem(task.judged, Support.of(task.public))
    return errors(count(task.judged, task.truth), problem.start_sums, problem.support.rows)


CASES = {"spellings": spellings, "names": names}


def compared(case: str, seeds: Sequence[int], epsilon: str, rounds: int) -> dict[tuple[str, str], list[Played]]:
    """(schema or table, engine) -> its runs; the public table as it is stands as an engine, too."""
    runs: dict[tuple[str, str], list[Played]] = {}
    for seed in seeds:
        for name, task in CASES[case](seed):
            runs.setdefault((name, "unchanged"), []).append(Played(unchanged(task), 0))
            for engine in ENGINES:
                noise = SimulationNoise(f"{case} {engine} {epsilon} {seed}")
                runs.setdefault((name, engine), []).append(played(task, engine, epsilon, rounds, noise))
    return runs


def report(case: str, runs: dict[tuple[str, str], list[Played]], rounds: int) -> None:
    """Mean and spread over the seeds."""
    print(f"\n{case:<16}{'engine':<12}{'largest error':>22}{'mean error':>22}   rounds elsewhere")
    for (name, engine), found in runs.items():
        largest, mean = (_spread([getattr(one.errors, key) for one in found]) for key in ("max_error", "mean_error"))
        spent = f"{fmean(one.elsewhere for one in found):.1f} of {rounds}" if engine == "PMW^Pub" else ""
        print(f"{name:<16}{engine:<12}{largest:>22}{mean:>22}   {spent}", flush=True)


def _spread(values: Sequence[float]) -> str:
    return f"{fmean(values):.5f} ± {stdev(values) if len(values) > 1 else 0:.5f}"


def main() -> None:
    """Print a table for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--only", nargs="+", choices=list(CASES), default=list(CASES))
    chosen = parser.parse_args()
    for case in chosen.only:
        report(case, compared(case, range(1, chosen.seeds + 1), chosen.epsilon, chosen.rounds), chosen.rounds)


if __name__ == "__main__":
    main()
