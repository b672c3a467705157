"""Table fit with more than all 1-way and 2-way tables, tried: 3-way tables, and a small adaptive end.

    python benchmarks/beyond_pairs.py [--seeds 3] [--first 2101] [--cases adult+0.2 ...] [--epsilons 0.25 1]
        [--ways base all:0.25 ...] [--out beyond_pairs.csv] [--show]

Each way gives a share of rho to what it adds, and the rest to the 1-way and 2-way tables; all is fitted together. Ways:

    base                     nothing is added
    all:SHARE                all 3-way tables of the workload
    simulated:SHARE:K        the K of them with the largest errors where another public table plays the private one
    oracle:SHARE:K           the K with the largest errors on the truth, for free: a limit, no mechanism
    marginals:SHARE:T        T of them by the exponential mechanism on their largest cell's error, half of the share for
                             the choice and half for their cells; all T are chosen before any is measured
    queries:SHARE:T          T single cells in the same way
    stepwise:SHARE:T         as `marginals`, one after the other, each fitted before the next is chosen

A simulation with seeded float noise on rows that may be looked at: no mechanism that could be released. The noise of
equal tables is the same in all ways but for its scale. Data: as for benchmarks/adult.py and benchmarks/census_table.py.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import math
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from statistics import fmean, stdev

import census_table
import numpy as np
import sharper
from full_scale import domain, rows_of

from pmwpub.evaluation import errors_of, resampled
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_fit import LEAST_SWEEPS, _Steps, after_noise, estimates_of
from pmwpub.mechanisms.table_fit.table_fit_kernels import LANES, sweep
from pmwpub.mechanisms.table_fit.table_reweighting import TABLES_A_TOLERANCE
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule, schedule
from pmwpub.privacy.budget import ZCDP, ApproxDP, as_fraction, zcdp_of
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem, quantise
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.records import Dataset, Distribution, Floats, Ints, Support

OUT = Path(__file__).parents[1] / "docs" / "results" / "beyond_pairs.csv"
EPSILONS = (0.25, 1.0)
FIRST_SEED = 2101
WAYS = (
    "base", "all:0.25", "simulated:0.15:8", "simulated:0.15:32", "oracle:0.15:8", "oracle:0.15:32",
    "marginals:0.15:8", "queries:0.15:16", "stepwise:0.15:8",
)  # fmt: skip
LEFT_OUT = 1e9
"""The variance of a cell that nobody measured."""


@dataclass(frozen=True)
class Case:
    """A private table, its candidate, the public table that plays the private one, and a workload."""

    private: Dataset
    public: Dataset
    playing: Dataset
    workload: Workload


def adult_case(bias: float, other: float, seed: int, columns: int = 0) -> Case:
    """ADULT; with `columns`, all 3-way marginals of its first so many columns."""
    table, workload = sharper._adult()
    private, public = sharper.adult.split_adult(table, bias, seed)
    playing = sharper.adult.split_adult(table, other, seed + 5_000)[1]
    if not columns:
        return Case(private, public, playing, workload)
    shape = table.domain.project([one.name for one in table.domain.attributes[:columns]])
    few = [Dataset(shape, one.codes[:, :columns]) for one in (private, public, playing)]
    return Case(few[0], few[1], few[2], Workload.all_kway(shape, 3))


@cache
def census_case(private: str, public: str, playing: str, most_levels: int = 0, way: int = 3) -> Case:
    """The census; with `most_levels`, its attributes of at most so many."""
    tables = [census_table.table_of(name) for name in (private, public, playing)]
    if most_levels:
        kept = [i for i, one in enumerate(tables[0].domain.attributes) if 2 <= one.size <= most_levels]
        shape = tables[0].domain.project([tables[0].domain.attributes[i].name for i in kept])
        tables = [Dataset(shape, table.codes[:, kept]) for table in tables]
    return Case(tables[0], tables[1], tables[2], Workload.all_kway(tables[0].domain, way))


@cache
def generated_case(attributes: int, rows: int) -> Case:
    """The generated rows of benchmarks/full_scale.py: 12 hidden classes, whose mix moved."""
    shape = domain(attributes)
    made = [rows_of(shape, n, tilt, seed) for n, tilt, seed in ((rows, 0.0, 2), (20_000, 0.3, 3), (20_000, 0.15, 4))]
    return Case(made[0], made[1], made[2], Workload.all_kway(shape, 3))


def case_of(name: str, seed: int) -> Case:
    """One of the cases by name."""
    cases = {
        "adult+0": lambda: adult_case(0.0, 0.2, seed),
        "adult+0.2": lambda: adult_case(0.2, 0.0, seed),
        "adult+0.45": lambda: adult_case(0.45, 0.2, seed),
        "adult+0.2, 6 columns": lambda: adult_case(0.2, 0.0, seed, 6),
        "adult+0.2, 9 columns": lambda: adult_case(0.2, 0.0, seed, 9),
        "oh_2018<-oh_2012": lambda: census_case("oh_2018", "oh_2012", "oh_2015"),
        "oh_2018<-il_2018": lambda: census_case("oh_2018", "il_2018", "oh_2015"),
        "il_2018<-il_2015": lambda: census_case("il_2018", "il_2015", "il_2012"),
        "oh_2018<-oh_2012, 12 columns": lambda: census_case("oh_2018", "oh_2012", "oh_2015", 4),
        "oh_2018<-oh_2012, sets of 5": lambda: census_case("oh_2018", "oh_2012", "oh_2015", 4, 5),
        "generated, 8 columns, n = 10^6": lambda: generated_case(8, 1_000_000),
        "generated, 16 columns, n = 10^6": lambda: generated_case(16, 1_000_000),
    }
    return cases[name]()


CASES = (
    "adult+0", "adult+0.2", "adult+0.45", "oh_2018<-oh_2012", "oh_2018<-il_2018", "il_2018<-il_2015",
    "adult+0.2, 6 columns", "adult+0.2, 9 columns", "oh_2018<-oh_2012, 12 columns", "oh_2018<-oh_2012, sets of 5",
    "generated, 8 columns, n = 10^6", "generated, 16 columns, n = 10^6",
)  # fmt: skip


class Bench:
    """Releases of one private table with one candidate."""

    def __init__(self, workload: Workload, rows: Dataset, support: Support) -> None:
        self.workload, self.support, self.n = workload, support, len(rows)
        self.tables = measured_tables(workload)
        triples = {t for one in workload.marginals for t in itertools.combinations(one.attributes, 3)}
        self.triples = Workload(workload.domain, tuple(map(Marginal, sorted(triples))))
        self.counts = count(self.tables, rows)
        self.cells = count(self.triples, rows)
        same = self.triples == workload
        self.exact: PrivateCounts = self.cells if same else count(workload, rows)
        self.problem = PublicProblem(workload, support)
        self.thirds = self.problem if same else PublicProblem(self.triples, support)

    def gaps(self, weights: Floats) -> Floats:
        """float64 (cells of the 3-way tables,): exact counts minus the fit's, in rows."""
        whole = quantise(weights, self.n)
        return self.cells.counts - self.thirds.sums(whole.values) * (self.n / whole.total)


@dataclass(frozen=True)
class Added:
    """One more table: cells start, ... of the 3-way tables' cells; or one cell of it alone."""

    marginal: int
    cell: int
    answers: Floats
    deviation: float


class Base:
    """The 1-way and 2-way tables with their noise, and the fit as it stands before all tables are fitted."""

    def __init__(self, bench: Bench, budget: ZCDP, delta: Fraction, noise: Floats) -> None:
        self.bench = bench
        constants = FitConstants.advised(bench.tables, budget, n=bench.n, delta=delta)
        self.plan: TableSchedule = schedule(
            bench.tables, bench.support, budget, rows_per_person=1, complete=False, constants=constants
        )
        sigma = np.repeat([float(one.scale) for one in self.plan.noises], np.diff(bench.tables.offsets))
        self.noisy = bench.counts.counts + np.rint(sigma * noise).astype(np.int64)
        released = after_noise(bench.support, bench.support.rows, self.plan, self.noisy, bench.n)
        self.weights, self.choices = released.distribution.weights, released.choices
        estimates = estimates_of(self.plan, self.noisy, bench.n, self.choices.lacking)
        steps = _Steps(bench.support, self.plan, self.noisy, estimates, bench.n, None)
        first, second, _ = self.choices.sweeps
        self.centred = steps.run(replace(self.choices, sweeps=(first, second, 0)), adaptive=False)[0]
        self.sigma = sigma / bench.n

    def with_more(self, added: Sequence[Added]) -> Floats:
        """All tables fitted together, and these."""
        bench, constants = self.bench, self.plan.constants
        columns, places = list(bench.support.columns.astype(np.uint16)), {}
        firsts = [one.attributes[0] for one in bench.tables.marginals]
        seconds = [one.attributes[-1] for one in bench.tables.marginals]
        sizes = np.array(bench.tables.domain.shape, dtype=np.int64)
        steps = list(np.where(bench.tables.arity == 2, sizes[seconds], 0))
        answers = [self.noisy / bench.n]
        variances = [self.choices.pair_strength * self.sigma**2]
        lengths = list(np.diff(bench.tables.offsets))
        for one in added:
            a, b, c = bench.triples.marginals[one.marginal].attributes
            together = columns[a] * np.uint16(sizes[b]) + columns[b]
            variance = self.choices.pair_strength * one.deviation**2
            if one.cell < 0:
                if (a, b) not in places:
                    places[a, b] = len(columns)
                    columns.append(together)
                firsts, seconds, steps = [*firsts, places[a, b]], [*seconds, c], [*steps, sizes[c]]
                answers.append(one.answers)
                variances.append(np.full(len(one.answers), variance))
                lengths.append(len(one.answers))
            else:
                inside = together.astype(np.int64) * sizes[c] + columns[c] == one.cell
                columns.append(inside.astype(np.uint16))
                firsts, seconds, steps = [*firsts, len(columns) - 1], [*seconds, len(columns) - 1], [*steps, 0]
                answers.append(np.array([0.0, one.answers[0]]))
                variances.append(np.array([LEFT_OUT, variance]))
                lengths.append(2)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return _fit(
            self.centred, np.stack(columns), np.array(firsts, np.int64), np.array(seconds, np.int64),
            np.array(steps, np.int64), starts, np.concatenate(answers),
            np.maximum(np.concatenate(variances), constants.least_variance), constants,
        )  # fmt: skip


def _fit(prior, columns, firsts, seconds, steps, starts, answers, variances, constants) -> Floats:  # type: ignore[no-untyped-def]
    """The fit of `table_reweighting`, on tables of any kind."""
    weights, tilts = prior / prior.sum(), np.zeros(len(answers))
    lanes = np.zeros((LANES, int(np.diff(starts).max())))
    affordable = constants.most_updates // (len(firsts) * len(weights))
    most = min(constants.pair_sweeps, max(LEAST_SWEEPS, affordable - (affordable + 1) % 2))
    order = np.arange(len(firsts))
    for swept in range(1, most + 1):
        turned = order[::-1].copy() if swept % 2 else order
        moved = sweep(columns, firsts, seconds, steps, starts, turned, answers, variances, tilts, weights, lanes)
        if swept % 2 and moved < constants.tolerance * max(1.0, len(firsts) / TABLES_A_TOLERANCE):
            break
    return weights / weights.sum()


class Draw:
    """One noise, shared by the ways of one private table, candidate, epsilon and seed."""

    def __init__(self, name: str, bench: Bench, epsilon: float, seed: int) -> None:
        self.bench, self.delta = bench, Fraction(1, bench.n**2)
        self.budget = zcdp_of(ApproxDP(as_fraction(epsilon), self.delta))
        self.key = [seed, zlib.crc32(name.encode()), round(1_000 * epsilon)]
        rng = np.random.default_rng(self.key)
        self.noise = rng.standard_normal(bench.tables.queries)
        self.thirds = rng.standard_normal(bench.triples.queries)
        self.bases: dict[float, Base] = {}

    def base(self, share: float) -> Base:
        if share not in self.bases:
            kept = ZCDP.at_most(self.budget.rho * (1 - as_fraction(share)))
            self.bases[share] = Base(self.bench, kept, self.delta, self.noise)
        return self.bases[share]

    def released(self, way: str, ranked: Ints) -> Floats:
        """The weights of one way; `ranked`: the 3-way tables by their error in the simulation, worst first."""
        kind, *numbers = way.split(":")
        if kind == "base":
            return self.base(0.0).weights
        share, rng = float(numbers[0]), np.random.default_rng([*self.key, zlib.crc32(way.encode())])
        base, rho = self.base(share), share * float(self.budget.rho)
        tables = np.arange(len(self.bench.triples.marginals))
        if kind == "all":
            return base.with_more([self.table(t, rho / len(tables)) for t in tables])
        number = min(int(numbers[1]), len(tables))
        if kind in ("simulated", "oracle"):
            chosen = ranked if kind == "simulated" else self.by_error(self.base(0.0).weights)
            return base.with_more([self.table(t, rho / number) for t in chosen[:number]])
        if kind == "stepwise":
            return self.stepwise(base, rho, number, rng)
        score = np.abs(self.bench.gaps(base.weights))
        if kind == "marginals":
            score = self.largest(score)
        rate = math.sqrt(8 * (rho / 2) / number)
        chosen = np.argsort(-(rate * score / 2 + rng.gumbel(size=len(score))))[:number]
        made = self.table if kind == "marginals" else self.query
        return base.with_more([made(int(one), rho / 2 / number) for one in chosen])

    def stepwise(self, base: Base, rho: float, number: int, rng: np.random.Generator) -> Floats:
        weights, added = base.weights, []
        rate = math.sqrt(8 * (rho / 2) / number)
        for _ in range(number):
            score = rate * self.largest(np.abs(self.bench.gaps(weights))) / 2
            score[[one.marginal for one in added]] = -np.inf
            added.append(self.table(int(np.argmax(score + rng.gumbel(size=len(score)))), rho / 2 / number))
            weights = base.with_more(added)
        return weights

    def by_error(self, weights: Floats) -> Ints:
        """The 3-way tables by their largest error, worst first."""
        return np.argsort(-self.largest(np.abs(self.bench.gaps(weights))), kind="stable")

    def largest(self, gaps: Floats) -> Floats:
        """The largest of each 3-way table's cells."""
        return np.maximum.reduceat(gaps, self.bench.triples.offsets[:-1])

    def table(self, t: int, rho: float) -> Added:
        """A whole 3-way table for so much: its L2 sensitivity is the root of two."""
        cells = slice(self.bench.triples.offsets[t], self.bench.triples.offsets[t + 1])
        sigma = 1 / math.sqrt(rho)
        noisy = self.bench.cells.counts[cells] + np.rint(sigma * self.thirds[cells])
        return Added(t, -1, noisy / self.bench.n, sigma / self.bench.n)

    def query(self, q: int, rho: float) -> Added:
        """One cell for so much."""
        t = int(np.searchsorted(self.bench.triples.offsets, q, side="right")) - 1
        sigma = 1 / math.sqrt(2 * rho)
        noisy = self.bench.cells.counts[q] + round(sigma * self.thirds[q])
        return Added(t, q - int(self.bench.triples.offsets[t]), np.array([noisy / self.bench.n]), sigma / self.bench.n)


class Played:
    """What a simulation on public tables says: the 3-way tables by the base fit's error, worst first."""

    def __init__(self, case: Case) -> None:
        self._case = case

    @cached_property
    def _bench(self) -> Bench:
        rows = resampled(self._case.playing, len(self._case.private), 0)
        return Bench(self._case.workload, rows, Support.of(self._case.public))

    def ranked(self, epsilon: float) -> Ints:
        found = np.zeros(len(self._bench.triples.marginals))
        for seed in range(2):
            draw = Draw("played", self._bench, epsilon, seed)
            found += draw.largest(np.abs(self._bench.gaps(draw.base(0.0).weights)))
        return np.argsort(-found, kind="stable")


@dataclass(frozen=True)
class Line:
    case: str
    epsilon: float
    seed: int
    way: str
    max_error: float
    mean_error: float


def runs(name: str, epsilons: Sequence[float], seed: int, ways: Sequence[str]) -> list[Line]:
    """All ways at each epsilon with one seed."""
    case = case_of(name, seed)
    bench, played, found = Bench(case.workload, case.private, Support.of(case.public)), Played(case), []
    for epsilon in epsilons:
        draw = Draw(name, bench, epsilon, seed)
        needed = any(way.startswith("simulated") for way in ways)
        ranked = played.ranked(epsilon) if needed else np.arange(len(bench.triples.marginals))
        for way in ways:
            weights = draw.released(way, ranked)
            errors = errors_of(bench.exact, bench.problem, Distribution(bench.support, weights))
            found.append(Line(name, epsilon, seed, way, errors.max_error, errors.mean_error))
    return found


def read(path: Path) -> list[Line]:
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as stream:
        return [
            Line(
                row["case"], float(row["epsilon"]), int(row["seed"]), row["way"], float(row["max_error"]),
                float(row["mean_error"]),
            )
            for row in csv.DictReader(stream)
        ]  # fmt: skip


def show(lines: Sequence[Line]) -> None:
    """The largest error over that of the base on the same noise: geometric means over seeds, mean error in brackets."""
    base = {(one.case, one.epsilon, one.seed): one for one in lines if one.way == "base"}
    ways = [way for way in dict.fromkeys(one.way for one in lines) if way != "base"]
    print(f"| case | ε | base | {' | '.join(ways)} |\n|{'---|' * (len(ways) + 3)}")
    every: dict[tuple[str, float], list[float]] = defaultdict(list)
    for case, epsilon in dict.fromkeys((one.case, one.epsilon) for one in lines):
        own = [one for one in lines if (one.case, one.epsilon) == (case, epsilon)]
        cells = [f"{fmean(one.max_error for one in own if one.way == 'base'):.4f}"]
        for way in ways:
            runs = [(one, base[case, epsilon, one.seed]) for one in own if one.way == way]
            if not runs:
                cells.append("")
                continue
            logs = [math.log(one.max_error / other.max_error) for one, other in runs]
            means = fmean(one.mean_error / other.mean_error for one, other in runs)
            every[way, epsilon].append(fmean(logs))
            spread = f" ± {stdev(logs) / math.sqrt(len(logs)):.2f}" if len(logs) > 1 else ""
            cells.append(f"{math.exp(fmean(logs)):.2f}{spread} ({means:.2f})")
        print(f"| {case} | {epsilon:g} | {' | '.join(cells)} |")
    for way in ways:
        of_way = ", ".join(f"{e:g}: {math.exp(fmean(logs)):.2f}" for (w, e), logs in every.items() if w == way)
        print(f"{way}  {of_way}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=FIRST_SEED)
    parser.add_argument("--cases", nargs="+", default=list(CASES))
    parser.add_argument("--epsilons", type=float, nargs="+", default=list(EPSILONS))
    parser.add_argument("--ways", nargs="+", default=list(WAYS))
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    if not asked.show:
        for seed in range(asked.first, asked.first + asked.seeds):
            for name in asked.cases:
                done = {(one.epsilon, one.way) for one in read(asked.out) if (one.case, one.seed) == (name, seed)}
                due = [way for way in asked.ways if any((epsilon, way) not in done for epsilon in asked.epsilons)]
                for line in runs(name, asked.epsilons, seed, due) if due else ():
                    sharper.add(asked.out, [field.name for field in fields(Line)], asdict(line))
                print(f"{name} {seed}", flush=True)
    show(read(asked.out))


if __name__ == "__main__":
    main()
