"""Errors of ranges, prefixes, quantiles and means of ordered columns, at equal epsilon, by how they are released.

    python benchmarks/ranges.py [--tables adult oh_2018] [--epsilons 0.25 1] [--seeds 5] [--methods table-fit ...]

Writes docs/results/ranges.csv, a line a release and column; a release that stands there is not made again.
benchmarks/paper/ranges_report.py makes the page of it. ADULT has eight columns, three of them in fine bins: age by the
year, hours by the hour, capital gain in thirty-four bins; the census (Ohio 2018 from Ohio 2012) nine, of which six are
incomes and the like in as many levels as the source gives. The workload is all pairs. All methods have the same epsilon
at delta = 1/n^2, for neighbours that replace one person.

    unchanged     the public table
    pmw-pub       T = 25 rounds on the cells; +prefixes: on the prefixes of the ordered columns too
    table-fit     1-way and 2-way tables; +coarse: coarse tables of the ordered columns too, by the plan's defaults;
                  +prefixes: a vector of prefixes in their place, at the sensitivity that it has
    noisy         the noisy table of the column itself in such a release, which is what is answered with an interval

Constants and T were fixed with other seeds. Everything is a simulation with seeded noise on rows that may be looked at.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

import adult
import census_table
import numpy as np
import sharper

from pmwpub.domain import Attribute, Domain
from pmwpub.mechanisms.pmw_pub.algorithm import Schedule, pmw_pub
from pmwpub.mechanisms.table_fit.coarse_tables import CoarseSchedule, RangeTables, without_ranges
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.intervals.believed_drift import released_tables
from pmwpub.mechanisms.table_fit.intervals.noisy_columns import noisy_column
from pmwpub.mechanisms.table_fit.intervals.range_intervals import quantile_in
from pmwpub.mechanisms.table_fit.intervals.released_tables import marginal_of
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_fit import TableRelease, after_noise, measure, table_fit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule, schedule
from pmwpub.privacy.budget import ZCDP, ApproxDP, as_fraction, zcdp_of
from pmwpub.privacy.round_share import split
from pmwpub.privacy.seeded_noise import SimulationNoise
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Distribution, Floats, Ints, Support
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

OUT = Path(__file__).parents[1] / "docs" / "results" / "ranges.csv"
FIRST_SEED = 7101
EPSILONS = (0.25, 1.0)
ROUNDS = 25
PARTS = (0.25, 0.5, 0.75)
GAINS = (
    0, 0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000, 5500, 6000, 6500, 7000, 7500, 8000, 8500, 9000,
    9500, 10000, 11000, 12000, 13000, 14000, 15000, 16000, 18000, 20000, 25000, 28000, 35000, 50000, 100000,
)  # fmt: skip
NUMBERS = {
    "age": tuple(range(17, 92)),
    "hours-per-week": tuple(range(1, 101)),
    "capital-gain": GAINS,
    "education-num": tuple(range(1, 18)),
}
OTHERS = ("sex", "race", "marital-status", "income")
CENSUS = ("AGE", "EDUC", "INCTOT", "INCWAGE", "INCEARN", "POVERTY", "SEX", "RACE", "MARST")
CENSUS_ORDERED = CENSUS[:6]
Problem = tuple[Dataset, Dataset, dict[str, tuple[float, ...]]]
"""Private rows, public rows, and the edges of each ordered column."""


@dataclass(frozen=True)
class Line:
    """One column of one release.

    range_max, range_mean    errors of the shares of all ranges
    prefix_max, prefix_mean  of all prefixes, each less than the whole
    rank                     how far, in the share of rows, the released quartiles lie from theirs; the mean of three
    value                    how far they lie in the column's own unit
    mean_error               of the mean of the bins' middles, in the column's own unit
    variation                the mean over all pairs of columns of the total variation distance
    """

    private: str
    public: str
    column: str
    method: str
    epsilon: float
    seed: int
    range_max: float
    range_mean: float
    prefix_max: float
    prefix_mean: float
    rank: float
    value: float
    mean_error: float
    variation: float


@cache
def _fine_adult() -> tuple[Dataset, dict[str, tuple[float, ...]]]:
    """ADULT in fine bins."""
    own = {c["name"]: c for c in Schema.from_json((adult.DATA / "schema.json").read_bytes()).model_dump()["columns"]}
    columns = [{"name": n, "kind": "numeric", "edges": list(e), "outside": "clip"} for n, e in NUMBERS.items()]
    columns += [{"name": n, "kind": "categorical", "levels": list(own[n]["levels"])} for n in OTHERS]
    table = read_table(adult.DATA / "adult.csv.gz")
    left = [{"name": n, "kind": "ignore"} for n in table.header if n not in (*NUMBERS, *OTHERS)]
    schema = Schema.from_json(json.dumps({"version": 2, "columns": [*columns, *left]}).encode())
    return encode_public(table, schema).dataset, {n: tuple(map(float, e)) for n, e in NUMBERS.items()}


def _adult(bias: float, seed: int) -> Problem:
    table, edges = _fine_adult()
    return (*adult.split_adult(table, bias, seed), edges)


@cache
def _census_tables() -> Problem:
    tables = [census_table.table_of(name) for name in ("oh_2018", "oh_2012")]
    places = [tables[0].domain.index(name) for name in CENSUS]
    attributes = [tables[0].domain.attributes[place] for place in places]
    domain = Domain(tuple(Attribute(a.name, a.levels, a.size * (a.name in CENSUS_ORDERED)) for a in attributes))
    rows = [Dataset(domain, table.codes[:, places]) for table in tables]
    edges = {a.name: tuple(map(float, range(a.size + 1))) for a in domain.attributes if a.ordered}
    return rows[0], rows[1], edges


PROBLEMS: dict[tuple[str, str], Callable[[int], Problem]] = {
    ("adult", "Δ = +0"): partial(_adult, 0.0),
    ("adult", "Δ = +0.2"): partial(_adult, 0.2),
    ("oh_2018", "oh_2012"): lambda _: _census_tables(),
}


@dataclass(frozen=True)
class Prefixes(CoarseSchedule):
    """A vector of prefixes of each ordered column in the place of coarse tables, for comparison alone.

    A prefix is taken into the fit as two cells, below and above, of which the second is n less the first; each with
    twice the variance, which is the same. A person who moves over all levels moves all L - 1 prefixes: the squared
    sensitivity is k^2 (L - 1), or k^2 L where a row may lack a level.
    """

    @property
    def laws(self) -> tuple[VectorGaussian, ...]:
        each = [sum(t.attribute == table.attribute for t in self.tables) for table in self.tables]
        return tuple(
            VectorGaussian.costing(share, self.sensitivity**2 * many)
            for share, many in zip(self.shares, each, strict=True)
        )

    @property
    def noises(self) -> tuple[VectorGaussian, ...]:
        return tuple(replace(law, scale=law.scale * Fraction(2**0.5)) for law in self.laws)


@dataclass(frozen=True)
class Prefix:
    """The first `width` levels of an ordered attribute, and the others."""

    attribute: int
    width: int

    def cell_of(self, domain: Domain) -> Ints:
        return (np.arange(domain.attributes[self.attribute].size) >= self.width).astype(np.int64)


def prefix_schedule(domain: Domain, plan: RangeTables, budget: ZCDP) -> Prefixes:
    """The prefixes of the columns of a plan, each column with an equal part of the plan's share."""
    places = [domain.index(name) for name in plan.columns]
    tables = [Prefix(a, width) for a in sorted(places) for width in range(1, domain.attributes[a].ordered)]
    each = ZCDP(math.floor(budget.units * plan.share) // len(places))
    return Prefixes(domain, tuple(tables), (each,) * len(tables), 1)  # type: ignore[arg-type]


def measure_prefixes(counts: PrivateCounts, tables: Workload, made: Prefixes, noise: SimulationNoise) -> Ints:
    """int64 (2 prefixes,): each noisy prefix, and n less it."""
    found = []
    for prefix, law in zip(made.tables, made.laws, strict=True):
        begin = int(tables.offsets[prefix.attribute])
        below = law.measure(counts.counts[begin : begin + prefix.width].sum(keepdims=True), noise=noise)
        found += [int(below[0]), counts.n - int(below[0])]
    return np.array(found, dtype=np.int64)


def by_tables(
    problem: Problem, budget: ZCDP, ranges: RangeTables | None, noise: SimulationNoise, *, prefixes: bool = False
) -> tuple[TableRelease, TableSchedule]:
    """A release by table fit on all pairs."""
    private, public, _ = problem
    n, support = len(private), Support.of(public)
    tables = measured_tables(Workload.all_kway(private.domain, 2))
    left = without_ranges(budget, ranges)
    constants = FitConstants.advised(tables, left, n=n, delta=Fraction(1, n * n))
    made = partial(schedule, tables, support, rows_per_person=1, complete=True, constants=constants)
    counts = count(tables, private)
    if not prefixes or ranges is None:
        plan = made(budget, ranges=ranges)
        return table_fit(counts, support, plan, noise=noise), plan
    plan = replace(made(left), coarse=prefix_schedule(private.domain, ranges, budget))
    noisy = measure(counts, plan, noise=noise)
    coarse = measure_prefixes(counts, tables, plan.coarse, noise)  # type: ignore[arg-type]
    return after_noise(support, support.rows, plan, noisy, n, coarse=coarse), plan


def by_rounds(problem: Problem, budget: ZCDP, seed: int, noise: SimulationNoise, *, prefixes: bool) -> Distribution:
    """A release by PMW^Pub on all pairs."""
    private, public, edges = problem
    more = {"prefixes": sorted(edges)} if prefixes else {}
    workload = Workload.all_kway(private.domain, 2, **more)
    plan = Schedule(ROUNDS, split(budget, ROUNDS), replay_seed=seed)
    counts, start = count(workload, private), PublicProblem(workload, Support.of(public))
    return pmw_pub(counts, start, plan, noise=noise).distribution


Answers = Callable[[int], Floats]
"""A column's place -> the answered share of each level."""


def answers_of(problem: Problem, method: str, epsilon: float, seed: int) -> tuple[Answers, Distribution]:
    """What a method answers, and its weights."""
    private, public, edges = problem
    n = len(private)
    budget = zcdp_of(ApproxDP(as_fraction(epsilon), Fraction(1, n * n)))
    noise = SimulationNoise(f"ranges {method.removeprefix('noisy ')} {epsilon} {seed}")
    if method == "unchanged":
        weights = Distribution.empirical(Support.of(public))
    elif method.startswith("pmw-pub"):
        weights = by_rounds(problem, budget, seed, noise, prefixes="prefixes" in method)
    else:
        ranges = RangeTables(tuple(sorted(edges))) if "+" in method else None
        release, plan = by_tables(problem, budget, ranges, noise, prefixes="prefixes" in method)
        weights = release.distribution
        if method.startswith("noisy"):
            tables = released_tables(release, plan, n)
            return lambda a: noisy_column(tables, a).shares, weights  # type: ignore[union-attr]
    return lambda a: marginal_of(weights, (a,)), weights


METHODS = (
    "unchanged", "pmw-pub", "table-fit", "table-fit+coarse", "table-fit+prefixes",
    "noisy table-fit", "noisy table-fit+coarse",
)  # fmt: skip


def scored(name: tuple[str, str], problem: Problem, method: str, epsilon: float, seed: int) -> list[Line]:
    """A line an ordered column."""
    private, _, edges = problem
    answered, weights = answers_of(problem, method, epsilon, seed)
    pairs = Workload.all_kway(private.domain, 2)
    released = PublicProblem(pairs, weights.support)
    apart = np.abs(count(pairs, private).counts / len(private) - _shares_of(released, weights))
    variation = round(float(apart.sum()) / 2 / len(pairs.marginals), 6)
    lines = []
    for column, cuts in edges.items():
        place = private.domain.index(column)
        truth = np.bincount(private.codes[:, place], minlength=private.domain.shape[place]) / len(private)
        lines.append(Line(*name, column, method, epsilon, seed, *errors(truth, answered(place), cuts), variation))
    return lines


def _shares_of(problem: PublicProblem, weights: Distribution) -> Floats:
    from pmwpub.queries.incidence import quantise

    whole = quantise(weights.weights, 1)
    shares: Floats = problem.sums(whole.values) / whole.total
    return shares


def errors(truth: Floats, answered: Floats, cuts: Sequence[float]) -> list[float]:
    """The seven errors of a column, in the order of `Line`; its levels are the bins between the cuts."""
    off = np.concatenate([[0.0], np.cumsum(answered - truth)])
    ranges = np.abs(off[:, None] - off[None, :])[np.triu_indices(len(off), 1)]
    prefixes = np.abs(off[1:-1])
    ranks, values = [], []
    for part in PARTS:
        own, found = (_quantile(shares, part, cuts) for shares in (truth, answered))
        values.append(abs(found - own))
        below, reached = _ranks(truth, found, cuts)
        ranks.append(max(below - part, part - reached, 0.0))
    middles = (np.array(cuts[:-1]) + np.array(cuts[1:])) / 2
    mean = abs(float(middles @ answered) / float(answered.sum()) - float(middles @ truth) / float(truth.sum()))
    found_errors = [ranges.max(), ranges.mean(), prefixes.max(), prefixes.mean(), np.mean(ranks), np.mean(values), mean]
    return [float(f"{one:.6g}") for one in found_errors]


def _quantile(shares: Floats, part: float, cuts: Sequence[float]) -> float:
    place, inside = quantile_in(shares, part)
    assert place is not None
    return cuts[place] + inside * (cuts[place + 1] - cuts[place])


def _ranks(truth: Floats, value: float, cuts: Sequence[float]) -> tuple[float, float]:
    """The shares of rows below a value, and up to it, where rows lie evenly in each bin that is no spike."""
    low, high = np.array(cuts[:-1]), np.array(cuts[1:])
    wide = high > low
    inside = np.clip((value - low) / np.where(wide, high - low, 1.0), 0.0, 1.0)
    below, reached = (np.where(wide, inside, spike) for spike in (value > low, value >= low))
    return float(truth @ below) / float(truth.sum()), float(truth @ reached) / float(truth.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tables", nargs="+", default=("adult", "oh_2018"), help="private tables")
    parser.add_argument("--epsilons", nargs="+", type=float, default=EPSILONS)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--out", type=Path, default=OUT)
    wanted = parser.parse_args()
    done = set()
    if wanted.out.is_file():
        with wanted.out.open(newline="", encoding="utf-8") as stream:
            done = {tuple(row[part] for part in _KEY) for row in csv.DictReader(stream)}
    for name, tables in ((name, make) for name, make in PROBLEMS.items() if name[0] in wanted.tables):
        for seed in range(wanted.first_seed, wanted.first_seed + wanted.seeds):
            for epsilon in wanted.epsilons:
                for method in wanted.methods:
                    if (*name, method, str(epsilon), str(seed)) not in done:
                        for line in scored(name, tables(seed), method, epsilon, seed):
                            sharper.add(wanted.out, [field.name for field in fields(Line)], asdict(line))
                        print(*name, method, epsilon, seed, flush=True)


_KEY = ("private", "public", "method", "epsilon", "seed")

if __name__ == "__main__":
    main()
