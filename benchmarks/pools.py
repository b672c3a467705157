"""Pools with learnt weights by a fixed protocol: one release with several public tables, against each by itself.

    python benchmarks/pools.py [--seeds 5] [--pools NAME ...]

For each pool, epsilon and seed: the pool; table fit with each public table alone; with all of them merged into one; and
with the one that a choice bought for a tenth of rho names (exponential mechanism on the error of each table unchanged,
the release having the other nine tenths). Writes docs/results/pools.csv, which benchmarks/paper/report.py makes a
table of; a run that stands there is not repeated. The rule (`PoolConstants`, `FitConstants`) was frozen before; pools
and seeds were used for nothing before. Everything is a simulation with seeded noise on rows that may be looked at;
ADULT's split has the seed of the run. Data: as for benchmarks/adult.py and benchmarks/census_table.py.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

import adult
import census_table
import numpy as np
from sharper import _adult, add

from pmwpub.evaluation import UNCHANGED, Errors, Run, Stage, errors_of
from pmwpub.evaluation.runs import play
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.pool_fit import equal_mixture, pool_fit
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule, schedule
from pmwpub.privacy.budget import ZCDP, ApproxDP, as_fraction, zcdp_of
from pmwpub.privacy.seeded_noise import SimulationNoise
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.records import Distribution, Support

OUT = Path(__file__).parents[1] / "docs" / "results" / "pools.csv"
FIRST_SEED = 2041
EPSILONS = (0.1, 0.25, 0.5, 1.0)
CHOICE = Fraction(1, 10)
"""Of rho, for a bought choice."""

POOL, MERGED, CHOSEN = "pool", "merged", "chosen"
SINGLE = "single "

CENSUS = {
    "il_2018": ("il_2015", "il_2012", "oh_2018"),
    "il_2015": ("il_2012", "oh_2015"),
    "oh_2018": ("oh_2012", "il_2012", "il_2015", "il_2018"),
}
"""Private table, public tables: other states and other years; none of these pools was looked at while the rule was
made."""

BIASES = {"adult +0.65 -0.2": (0.65, -0.2), "adult +0.2 +0.45": (0.2, 0.45)}
"""The first has the truth between its tables; of the second no mixture does better than the nearer one."""


@dataclass(frozen=True)
class Line:
    """One run.

    method     "pool", "merged", "chosen", "single NAME", or "unchanged NAME": that public table as it is
    parts      of a pool: what each public table contributed, in thousandths; of a choice: what it chose
    processor  seconds of one core, comparison with the truth left out
    """

    pool: str
    method: str
    epsilon: float
    seed: int
    max_error: float
    mean_error: float
    rms_error: float
    parts: str
    processor: float


@cache
def of_adult(biases: tuple[float, ...], seed: int) -> Stage:
    table, workload = _adult()
    splits = {f"{bias:+g}": adult.split_adult(table, bias, seed) for bias in biases}
    private = next(iter(splits.values()))[0]
    supports = {name: Support.of(public) for name, (_, public) in splits.items()}
    return Stage(workload, count(workload, private), supports, Fraction(1, len(private) ** 2), rows=private)


@cache
def of_census(private: str) -> Stage:
    workload, rows = census_table._workload(), census_table.table_of(private)
    supports = {name: Support.of(census_table.table_of(name)) for name in CENSUS[private]}
    return Stage(workload, count(workload, rows), supports, Fraction(1, len(rows) ** 2), rows=rows)


def stages(wanted: list[str]) -> Iterator[tuple[str, Callable[[int], Stage]]]:
    """The pools of those names, or all, with what makes their data by seed."""
    for name, biases in BIASES.items():
        if not wanted or name in wanted:
            yield name, partial(of_adult, biases)
    for private in CENSUS:
        if not wanted or private in wanted:
            yield private, lambda _, private=private: of_census(private)


class Bench:
    """One pool's stage at an epsilon and seed."""

    def __init__(self, pool: str, stage: Stage, epsilon: float, seed: int) -> None:
        self.pool, self.stage, self.epsilon, self.seed = pool, stage, epsilon, seed
        self.budget = zcdp_of(ApproxDP(as_fraction(epsilon), stage.delta))
        self.tables = measured_tables(stage.workload)

    def line(self, method: str) -> Line:
        began = time.process_time()
        released, parts = self.run(method)
        spent = time.process_time() - began
        found = errors_of(self.stage.counts, PublicProblem(self.stage.workload, released.support), released)
        return self._line(method, found, parts, spent)

    def unchanged(self, name: str) -> Line:
        found = play(self.stage, Run(name, UNCHANGED, self.epsilon, 0, self.seed))
        return self._line(f"{UNCHANGED} {name}", Errors(found.max_error, found.mean_error, found.rms_error), "", 0.0)

    def _line(self, method: str, found: Errors, parts: str, spent: float) -> Line:
        errors = (found.max_error, found.mean_error, found.rms_error)
        return Line(self.pool, method, self.epsilon, self.seed, *errors, parts, round(spent, 3))

    def run(self, method: str) -> tuple[Distribution, str]:
        """The weights that a method releases, and what is to be said of it."""
        supports = self.stage.candidates
        if method == POOL:
            return self._pool()
        if method == CHOSEN:
            name = self._choice()
            return self._single(method, supports[name], ZCDP.at_most(self.budget.rho * (1 - CHOICE))), name
        one = Support.union(*supports.values()) if method == MERGED else supports[method.removeprefix(SINGLE)]
        return self._single(method, one, self.budget), ""

    def _pool(self) -> tuple[Distribution, str]:
        supports = list(self.stage.candidates.values())
        plan = self._schedule(equal_mixture(supports), self.budget)
        found = pool_fit(count(self.tables, self.stage.rows), supports, plan, noise=self._noise(POOL))
        return found.release.distribution, "/".join(map(str, found.parts))

    def _single(self, method: str, support: Support, budget: ZCDP) -> Distribution:
        plan = self._schedule(support, budget)
        return table_fit(count(self.tables, self.stage.rows), support, plan, noise=self._noise(method)).distribution

    def _schedule(self, support: Support, budget: ZCDP) -> TableSchedule:
        n, delta = self.stage.counts.n, self.stage.delta
        constants = FitConstants.advised(self.tables, budget, n=n, delta=delta)
        return schedule(self.tables, support, budget, rows_per_person=1, complete=False, constants=constants)

    def _choice(self) -> str:
        """The exponential mechanism of rho/10 on minus n times the largest error of each table unchanged."""
        epsilon = math.sqrt(8 * float(self.budget.rho * CHOICE))
        starts = {name: self.unchanged(name).max_error for name in self.stage.candidates}
        rng = np.random.default_rng([self.seed, int(1000 * self.epsilon), 5])
        scores = {name: -epsilon * self.stage.counts.n * error / 2 + rng.gumbel() for name, error in starts.items()}
        return max(scores, key=lambda name: scores[name])

    def _noise(self, method: str) -> SimulationNoise:
        return SimulationNoise("\n".join(("pools", self.pool, method, repr(self.epsilon), str(self.seed))))


Key = tuple[str, str, float, int]


def finished() -> set[Key]:
    """The runs that stand in the file."""
    if not OUT.is_file():
        return set()
    with OUT.open(newline="", encoding="utf-8") as stream:
        lines = list(csv.DictReader(stream))
    return {(line["pool"], line["method"], float(line["epsilon"]), int(line["seed"])) for line in lines}


def wanted(pool: str, stage: Stage, seed: int, done: set[Key], *, others: bool) -> Iterator[Line]:
    """The missing runs of a pool and seed: the pool and each table alone, or what else stands beside them."""
    methods = (MERGED, CHOSEN) if others else (POOL, *(SINGLE + name for name in stage.candidates))
    for epsilon in EPSILONS:
        bench = Bench(pool, stage, epsilon, seed)
        yield from (bench.line(method) for method in methods if (pool, method, epsilon, seed) not in done)
    for name in stage.candidates if others else ():
        if (pool, f"{UNCHANGED} {name}", EPSILONS[0], seed) not in done:
            yield Bench(pool, stage, EPSILONS[0], seed).unchanged(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--pools", nargs="*", default=[], help="some of the five, by name")
    parsed = parser.parse_args()
    for others in (False, True):
        for seed in range(FIRST_SEED, FIRST_SEED + parsed.seeds):
            for pool, stage_of in stages(parsed.pools):
                for line in wanted(pool, stage_of(seed), seed, finished(), others=others):
                    add(OUT, [field.name for field in fields(Line)], asdict(line))
                    print(line, flush=True)


if __name__ == "__main__":
    main()
