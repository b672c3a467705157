"""Coverage of the 95 % intervals of table fit: how often a cell's interval holds the private table's own share.

    python benchmarks/intervals.py [--pairs adult k3 sample census new lacking wide] [--epsilons 0.1 ...] [--seeds 5]
    python benchmarks/intervals.py --table      the table of docs/intervals.md, of the lines that are there
    python benchmarks/intervals.py --speed 10000   how long the intervals of so many cells take

Writes docs/results/intervals.csv, a line a release and order of marginal; a release that stands there is not made
again. Cells count whose released share is at least 1 %. Of 3-way marginals some hundred are looked at, drawn by a
public seed, and so of the 2-way marginals of the 67 attributes. The rule of the intervals was fixed before the seeds
were used. Everything is a simulation with seeded noise on rows that may be looked at; ADULT's split has the seed of the
run. Data: as for benchmarks/sharper.py; the sample tables are those of sample_data/; "lacking" blanks private cells of
some columns, under a schema that gives them no level; "wide" has the generated rows of benchmarks/full_scale.py.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from statistics import fmean

import full_scale
import numpy as np
import sharper

from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift, released_tables
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import CellIntervals
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_fit import TableRelease, table_fit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule, schedule
from pmwpub.privacy.budget import ZCDP, ApproxDP, as_fraction, zcdp_of
from pmwpub.privacy.seeded_noise import SimulationNoise
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.records import Dataset, Support
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

OUT = Path(__file__).parents[1] / "docs" / "results" / "intervals.csv"
SAMPLE = Path(__file__).parents[1] / "sample_data"
FIRST_SEED = 3101
EPSILONS = (0.1, 0.25, 0.5, 1.0)
LARGE = 0.01
TRIPLES = 150
LACKING = (0.05, 0.075, 0.1)
"""The share of private cells without a level, of one column of five after another; they do not depend on the level."""
WIDE_ROWS = 30_000
WIDE_TILTS = (0.15, 0.5)
BIASES = (0.0, 0.2, 0.45)
CENSUS = (
    ("oh_2018", "oh_2012"), ("oh_2018", "il_2018"), ("oh_2015", "oh_2012"), ("oh_2018", "oh_2015"),
    ("il_2015", "il_2012"),
)  # fmt: skip
NEW = (
    ("il_2018", "oh_2018"), ("il_2015", "oh_2015"), ("oh_2012", "il_2012"), ("oh_2015", "il_2012"),
    ("il_2018", "il_2015"),
)  # fmt: skip
"""Pairs that nothing was tried on while the rule was made."""

LACKING_PAIRS = (("oh_2018", "oh_2012"), ("il_2015", "oh_2015"))

Tables = tuple[Dataset, Dataset]


@dataclass(frozen=True)
class Line:
    """Intervals of one release for marginals of one order.

    covered   of the cells of at least 1 %, the share whose interval holds the private share
    width     the median width of these intervals
    noisy     the median width of the noisy cells' own, 0 where there are none
    alone     the width for one question that has the whole budget
    direct    the share of intervals that are the noisy cell's
    cells     how many there are
    seconds   of one core, for all intervals of the release
    """

    private: str
    public: str
    epsilon: float
    rows_per_person: int
    seed: int
    order: int
    covered: float
    width: float
    noisy: float
    alone: float
    direct: float
    cells: int
    misfit: float
    seconds: float


@cache
def _sample(name: str) -> Dataset:
    schema = Schema.from_json((SAMPLE / "schema.json").read_bytes())
    return encode_public(read_table(SAMPLE / f"{name}.csv"), schema).dataset


@cache
def _adult(bias: float, seed: int) -> Tables:
    return sharper.adult.split_adult(sharper._adult()[0], bias, seed)


@cache
def _census(private: str, public: str) -> Tables:
    return sharper.census_table.table_of(private), sharper.census_table.table_of(public)


def blanked(table: Dataset) -> Dataset:
    """The table with some cells of every fifth column taken out of all levels, by a public seed."""
    codes, draws = table.codes.copy(), np.random.default_rng(5)
    for place, attribute in enumerate(range(0, codes.shape[1], 5)):
        gone = draws.random(len(codes)) < LACKING[place % len(LACKING)]
        codes[gone, attribute] = table.domain.shape[attribute]
    return Dataset(table.domain, codes)


@cache
def _lacking(private: str, public: str) -> Tables:
    tables = _census(private, public)
    return blanked(tables[0]), tables[1]


@cache
def _wide(tilt: float) -> Tables:
    shape = full_scale.domain()
    return full_scale.rows_of(shape, WIDE_ROWS, 0.0, 2), full_scale.rows_of(shape, WIDE_ROWS, tilt, 3)


def pairs_of(kinds: Sequence[str]) -> list[tuple[str, str, int, Callable[[int], Tables]]]:
    """(private, public, k, tables by seed)."""
    found: list[tuple[str, str, int, Callable[[int], Tables]]] = []
    for kind in kinds:
        if kind == "adult":
            found += [("adult", f"Δ = {bias:+g}", 1, partial(_adult, bias)) for bias in BIASES]
        elif kind == "k3":
            found += [("adult", "Δ = +0.2", 3, partial(_adult, 0.2))]
        elif kind == "sample":
            found += [("state_a", one, 1, lambda _, b=one: (_sample("state_a"), _sample(b))) for one in _STATES]  # type: ignore[misc]
        elif kind == "lacking":
            found += [
                (f"{a}, cells without a level", b, k, lambda _, a=a, b=b: _lacking(a, b))  # type: ignore[misc]
                for (a, b), k in itertools.product(LACKING_PAIRS, (1, 3))
            ]
        elif kind == "wide":
            found += [
                ("67 attributes", f"tilt {tilt:g}", k, lambda _, t=tilt: _wide(t))  # type: ignore[misc]
                for tilt, k in itertools.product(WIDE_TILTS, (1, 3))
            ]
        else:
            pairs = CENSUS if kind == "census" else NEW
            found += [(a, b, 1, lambda _, a=a, b=b: _census(a, b)) for a, b in pairs]  # type: ignore[misc]
    return found


_STATES = ("state_b", "state_c", "state_d")


def simulated(tables: Tables, epsilon: float, k: int, seed: int) -> tuple[TableRelease, TableSchedule, int, ZCDP]:
    """A simulated release, its schedule, how many private rows there are, and the budget."""
    private, public = tables
    n, support = len(private), Support.of(public)
    measured = measured_tables(Workload.all_kway(private.domain, 2))
    delta = Fraction(1, n * n)
    budget = zcdp_of(ApproxDP(as_fraction(epsilon), delta))
    constants = FitConstants.advised(measured, budget, n=n, delta=delta, rows_per_person=k)
    complete = bool((private.codes < np.array(private.domain.shape)).all())
    plan = schedule(measured, support, budget, rows_per_person=k, complete=complete, constants=constants)
    found = table_fit(count(measured, private), support, plan, noise=SimulationNoise(f"intervals {epsilon} {k} {seed}"))
    return found, plan, n, budget


def released(
    tables: Tables, epsilon: float, k: int, seed: int
) -> tuple[ReleasedTables, Callable[[], BelievedDrift], float]:
    """A simulated release, and the width of the interval of one question that has all of the budget."""
    found, plan, n, budget = simulated(tables, epsilon, k, seed)
    answers = released_tables(found, plan, n)
    return answers, lambda: BelievedDrift.of(found, plan, n), 2 * 1.96 * k / math.sqrt(2 * float(budget.rho)) / n


def scored(name: tuple[str, str, int], tables: Tables, epsilon: float, seed: int) -> list[Line]:
    """A line an order."""
    private, k = tables[0], name[2]
    answers, drift, alone = released(tables, epsilon, k, seed)
    began = time.process_time()
    intervals = CellIntervals(answers, drift())
    found = {order: [intervals.of(one) for one in marginals_of(private, order)] for order in (1, 2, 3)}
    seconds = time.process_time() - began
    lines = []
    for order, of_all in found.items():
        workload = Workload(private.domain, tuple(Marginal(one.attributes) for one in of_all))
        truth = count(workload, private).counts / len(private)
        low, high, answered, basis = (
            np.concatenate([getattr(one, part).ravel() for one in of_all])
            for part in ("low", "high", "released", "basis")
        )
        large = (answered >= LARGE) & ~np.isnan(low)
        covered = ((truth >= low) & (truth <= high))[large]
        own = [answers.cells_of(one.attributes) for one in of_all]
        noise = [np.sqrt(answers.variances[cells]) for cells in own if cells is not None]
        noisy = 2 * 1.96 * float(np.median(np.concatenate(noise)[large])) if noise else 0.0
        misfit = intervals.misfit.ratios[min(order, 2) - 1]
        lines.append(
            Line(
                *name[:2], epsilon, k, seed, order, round(float(covered.mean()), 4),
                round(float(np.median((high - low)[large])), 6), round(noisy, 6), round(alone, 6),
                round(float(np.mean(basis[large] == "noisy cell")), 4), int(large.sum()), round(misfit, 3),
                round(seconds, 3),
            )
        )  # fmt: skip
    return lines


def marginals_of(table: Dataset, order: int, most: int = TRIPLES) -> list[tuple[int, ...]]:
    """The marginals of an order that are looked at: all 2-way ones of few attributes, else `most`."""
    every = list(itertools.combinations(range(len(table.domain.attributes)), order))
    few = order < 3 and len(every) <= 500 and most == TRIPLES
    return every if few or len(every) <= most else sorted(random.Random(0).sample(every, most))


def table(lines: Sequence[dict[str, str]]) -> str:
    """Coverage by pair and epsilon in Markdown: 1-, 2- and 3-way cells, the worst release; the width over that of a
    lone question, and the same of the noisy 1- and 2-way cells.

    lines  of the file
    """
    runs = sorted({(one["private"], one["public"], int(one["rows_per_person"])) for one in lines})
    epsilons = sorted({float(one["epsilon"]) for one in lines})
    page = [f"| private <- public | {' | '.join(f'ε = {epsilon:g}' for epsilon in epsilons)} |"]
    page.append("|---" * (len(epsilons) + 1) + "|")
    for private, public, k in runs:
        cells = []
        for epsilon in epsilons:
            own = [
                one
                for one in lines
                if (one["private"], one["public"], int(one["rows_per_person"]), float(one["epsilon"]))
                == (private, public, k, epsilon)
            ]
            cells.append(_cell(own) if own else "")
        name = f"{private} <- {public}" + (f", k = {k}" if k > 1 else "")
        page.append(f"| {name.replace('_', ' ')} | {' | '.join(cells)} |")
    return "\n".join(page) + "\n"


def _cell(lines: Sequence[dict[str, str]]) -> str:
    covered, wide, noisy = [], [], []
    for order in (1, 2, 3):
        own = [one for one in lines if int(one["order"]) == order]
        covered.append(f"{fmean(float(one['covered']) for one in own):.3f}")
        wide.append(f"{fmean(float(one['width']) / float(one['alone']) for one in own):.1f}")
        if order < 3:
            noisy.append(f"{fmean(float(one['noisy']) / float(one['alone']) for one in own):.0f}")
    worst = min(float(one["covered"]) for one in lines)
    return f"{' / '.join(covered)} (worst {worst:.2f}; x {' / '.join(wide)}; noisy {' / '.join(noisy)})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", nargs="+", default=["adult", "k3", "sample", "census", "new", "lacking", "wide"])
    parser.add_argument("--epsilons", nargs="+", type=float, default=EPSILONS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--speed", type=int, metavar="CELLS", help="print how long so many cells take instead")
    wanted = parser.parse_args()
    if wanted.table:
        with wanted.out.open(newline="", encoding="utf-8") as stream:
            print(table(list(csv.DictReader(stream))), end="")
        return
    if wanted.speed:
        print(speed(wanted.speed))
        return
    for name, tables, epsilon, seed in to_do(wanted):
        for line in scored(name, tables, epsilon, seed):
            sharper.add(wanted.out, [field.name for field in fields(Line)], asdict(line))
            print(asdict(line), flush=True)


def to_do(wanted: argparse.Namespace) -> Iterator[tuple[tuple[str, str, int], Tables, float, int]]:
    """What is not in the file yet: private, public and k; the tables; epsilon; the seed."""
    done = set()
    if wanted.out.is_file():
        with wanted.out.open(newline="", encoding="utf-8") as stream:
            done = {tuple(row[part] for part in _KEY) for row in csv.DictReader(stream)}
    for private, public, k, tables in pairs_of(wanted.pairs):
        for epsilon in wanted.epsilons:
            for seed in range(wanted.first_seed, wanted.first_seed + wanted.seeds):
                if (private, public, str(epsilon), str(k), str(seed)) not in done:
                    yield (private, public, k), tables(seed), epsilon, seed


def speed(wanted: int) -> str:
    """Seconds of one core for at least so many cells of 2-way and 3-way marginals of a census release, in words.

    With all that a fresh reader of the release needs beside its strengths, which lie in its files; the best of three.
    """
    tables = _census(*CENSUS[0])
    answers, drift, _ = released(tables, 1.0, 1, FIRST_SEED)
    believed, asked, cells = drift(), list[tuple[int, ...]](), 0
    for one in itertools.chain(*zip(marginals_of(tables[0], 2), marginals_of(tables[0], 3), strict=False)):
        if cells < wanted:
            asked.append(one)
            cells += math.prod(tables[0].domain.shape[a] for a in one)
    times = []
    for _ in range(3):
        fresh = replace(answers, n=answers.n)  # nothing of it is computed yet
        began = time.process_time()
        intervals = CellIntervals(fresh, believed)
        for one in asked:
            intervals.of(one)
        times.append(time.process_time() - began)
    return f"{cells:,} cells of {len(asked)} marginals: {min(times):.2f} s of one core"


_KEY = ("private", "public", "epsilon", "rows_per_person", "seed")

if __name__ == "__main__":
    main()
