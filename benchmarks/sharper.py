"""Table fit by a fixed protocol: against PMW^Pub, against the public table unchanged, at the paper's size.

    python benchmarks/sharper.py tables [--seeds 5]     five tables at four epsilons
    python benchmarks/sharper.py pairs [--seeds 5]      twelve census pairs at epsilon 0.05 and 0.1
    python benchmarks/sharper.py size [--seeds 3]       67 attributes, 10^5 atoms: errors, seconds, MB, growth

Writes docs/results/sharper_tables.csv, _pairs.csv and _size.csv, which benchmarks/paper/report.py makes the page of. A
run that stands there is not repeated. The engine's constants are those of `FitConstants`; seeds were used for
nothing before. Everything is a simulation with seeded noise on rows that may be looked at; ADULT's split has
the seed of the run. Data: as for benchmarks/adult.py and benchmarks/census_table.py.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from functools import cache
from pathlib import Path

import adult
import census_table
from full_scale import Size, domain, peak_mb, resident_mb, rows_of

from pmwpub.evaluation import TABLE_FIT, UNCHANGED, Run, Stage, errors, errors_of
from pmwpub.evaluation.runs import play
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule, schedule
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

OUT = Path(__file__).parents[1] / "docs" / "results"
FIRST_SEED, FIRST_OF_TABLES = 2026, 2031
"""The five before were spent on the tables once, when their 1-way part had 15 per cent of the budget at the least."""

EPSILONS = (0.1, 0.25, 0.5, 1.0)
BIASES = (0.0, 0.2, 0.45)
CENSUS = (("oh_2018", "oh_2012"), ("oh_2018", "il_2018"))
PAIRS = (
    ("oh_2018", "oh_2015"), ("oh_2018", "oh_2012"), ("oh_2015", "oh_2012"),
    ("il_2018", "il_2015"), ("il_2018", "il_2012"), ("il_2015", "il_2012"),
    ("oh_2018", "il_2018"), ("oh_2015", "il_2015"), ("oh_2012", "il_2012"),
    ("il_2018", "oh_2018"), ("il_2015", "oh_2015"), ("oh_2018", "il_2015"),
)  # fmt: skip
SMALL = (0.05, 0.1)
TILTS = (0.5, 0.15)


@dataclass(frozen=True)
class Line:
    """One run, or the public table unchanged.

    variation  the mean over marginals of the total variation distance
    processor  seconds of one core, of the run and its comparison with the truth
    """

    private: str
    public: str
    method: str
    epsilon: float
    seed: int
    max_error: float
    mean_error: float
    rms_error: float
    variation: float
    processor: float


def run_of(stage: Stage, private: str, public: str, method: str, epsilon: float, seed: int) -> Line:
    """One run of a stage with one candidate."""
    began = time.process_time()
    found = play(stage, Run(public, method, epsilon, 0, seed))
    workload = stage.workload
    variation = found.mean_error * workload.queries / (2 * len(workload.marginals))
    errors = (found.max_error, found.mean_error, found.rms_error, variation)
    return Line(private, public, method, epsilon, seed, *errors, round(time.process_time() - began, 3))


def stage_of(workload: Workload, private: Dataset, public: str, rows: Dataset) -> Stage:
    n = len(private)
    return Stage(workload, count(workload, private), {public: Support.of(rows)}, Fraction(1, n * n), rows=private)


@cache
def _adult() -> tuple[Dataset, Workload]:
    schema = adult.Schema.from_json((adult.DATA / "schema.json").read_bytes())
    table = adult.encode_public(adult.read_table(adult.DATA / "adult.csv.gz"), schema).dataset
    return table, Workload.sampled(schema.domain, 3, 256, 0)


@cache
def of_adult(bias: float, seed: int) -> Stage:
    table, workload = _adult()
    private, public = adult.split_adult(table, bias, seed)
    return stage_of(workload, private, f"Δ = {bias:+g}", public)


@cache
def of_census(private: str, public: str) -> Stage:
    workload = census_table._workload()
    return stage_of(workload, census_table.table_of(private), public, census_table.table_of(public))


Wanted = tuple[Callable[[], Stage], str, str, str, float, int]


def tables(seeds: int) -> Iterator[Wanted]:
    """ADULT at three biases, the census from two tables."""
    for seed in range(FIRST_OF_TABLES, FIRST_OF_TABLES + seeds):
        for bias in BIASES:
            yield from _cells(lambda b=bias, s=seed: of_adult(b, s), "adult", f"Δ = {bias:+g}", EPSILONS, seed)
        for private, public in CENSUS:
            yield from _cells(lambda a=private, b=public: of_census(a, b), private, public, EPSILONS, seed)


def pairs(seeds: int) -> Iterator[Wanted]:
    """Twelve pairs of census tables at small budgets."""
    for private, public in PAIRS:
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            yield from _cells(lambda a=private, b=public: of_census(a, b), private, public, SMALL, seed)


def _cells(
    stage: Callable[[], Stage], private: str, public: str, epsilons: tuple[float, ...], seed: int
) -> Iterator[Wanted]:
    for epsilon in epsilons:
        yield stage, private, public, TABLE_FIT, epsilon, seed
    yield stage, private, public, UNCHANGED, epsilons[0], seed


def make(name: str, wanted: Iterator[Wanted]) -> None:
    """Each run that is missing from a file, added to it."""
    path = OUT / f"sharper_{name}.csv"
    done = set()
    if path.is_file():
        with path.open(newline="", encoding="utf-8") as stream:
            done = {
                (row["private"], row["public"], row["method"], float(row["epsilon"]), int(row["seed"]))
                for row in csv.DictReader(stream)
            }
    for stage, private, public, method, epsilon, seed in wanted:
        if (private, public, method, epsilon, seed) in done:
            continue
        line = run_of(stage(), private, public, method, epsilon, seed)
        add(path, [field.name for field in fields(Line)], asdict(line))
        print(f"{private} <- {public} {method} {epsilon:g}: {line.max_error:.4f}", flush=True)


def add(path: Path, names: list[str], row: dict[str, object]) -> None:
    """One line of a file, with its head where it is the first."""
    fresh = not path.is_file()
    with path.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, names)
        if fresh:
            writer.writeheader()
        writer.writerow(row)


@dataclass(frozen=True)
class Grown:
    """One run at the paper's size or near it.

    processor  seconds of one core, noise in the simulations' sampler included
    megabytes  the most that the process held beyond the loaded problem
    """

    atoms: int
    marginals: int
    rows: int
    tilt: float
    epsilon: float
    seed: int
    start: float
    max_error: float
    mean_error: float
    processor: float
    megabytes: float
    attributes: int


def grown(size: Size, wanted: list[tuple[float, int]]) -> list[Grown]:
    """Releases on a generated problem, by epsilon and seed; compiled code is made before the clock starts."""
    shape = domain(size.attributes)
    workload = Workload.sampled(shape, 3, size.marginals, size.seed)
    private = rows_of(shape, size.rows, 0.0, 2)
    support = Support.of(rows_of(shape, size.atoms, size.tilt, 3))
    measured, problem, delta = measured_tables(workload), PublicProblem(workload, support), Fraction(1, size.rows**2)
    counts, exact = count(measured, private), count(workload, private)
    stage = Stage(workload, exact, {}, delta)
    start = errors(exact, problem.start_sums, support.rows).max_error
    table_fit(
        counts, _few(support), _plan(measured, support, 1.0, size.rows), noise=stage.noise(Run("", "", 1.0, 0, 0))
    )
    found = []
    for epsilon, seed in wanted:
        plan = _plan(measured, support, epsilon, size.rows)
        before, began = resident_mb(), time.process_time()
        release = table_fit(counts, support, plan, noise=stage.noise(Run("", "", epsilon, 0, seed)))
        spent, most = time.process_time() - began, peak_mb() - before
        end = errors_of(exact, problem, release.distribution)
        problem_of = (len(support), size.marginals, size.rows, size.tilt)
        errors_found = (start, end.max_error, end.mean_error)
        cost = (round(spent, 2), round(most, 1), size.attributes)
        found.append(Grown(*problem_of, epsilon, seed, *errors_found, *cost))
        print(found[-1], flush=True)
    return found


def _plan(measured: Workload, support: Support, epsilon: float, n: int) -> TableSchedule:
    delta = Fraction(1, n * n)
    budget = zcdp_of(ApproxDP(as_fraction(epsilon), delta))
    constants = FitConstants.advised(measured, budget, n=n, delta=delta)
    return schedule(measured, support, budget, rows_per_person=1, complete=False, constants=constants)


def _few(support: Support) -> Support:
    """Ten atoms, to compile on."""
    return Support(support.domain, support.codes[:10], support.multiplicity[:10])


SIZES = (
    *(Size(atoms=atoms) for atoms in (25_000, 50_000)),
    Size(marginals=1_024),
    Size(rows=1_000_000),
    *(Size(attributes=attributes) for attributes in (34, 48)),
)
"""What is varied, one thing at a time, beside the paper's size."""


def size(seeds: int) -> None:
    """The paper's size at five epsilons and two tilts, then growth; a process for each problem.

    A problem of which some run stands in the file is not made again.
    """
    path, numbers = OUT / "sharper_size.csv", range(FIRST_SEED, FIRST_SEED + seeds)
    wanted = [(Size(tilt=tilt), [(e, seed) for e in (0.05, *EPSILONS) for seed in numbers]) for tilt in TILTS]
    wanted += [(other, [(1.0, FIRST_SEED)]) for other in SIZES]
    context = multiprocessing.get_context("spawn")
    made = _made(path)
    for size, runs in wanted:
        if (size.marginals, size.rows, size.tilt, size.attributes, size.atoms) in made:
            continue
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            for found in pool.submit(grown, size, runs).result():
                add(path, [field.name for field in fields(Grown)], asdict(found))


def _made(path: Path) -> set[tuple[int, int, float, int, int]]:
    """The problems of which runs stand in the file: marginals, private rows, distance, attributes, atoms."""
    if not path.is_file():
        return set()
    with path.open(newline="", encoding="utf-8") as stream:
        return {
            (int(row["marginals"]), int(row["rows"]), float(row["tilt"]), int(row["attributes"]), int(row["atoms"]))
            for row in csv.DictReader(stream)
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("tables", "pairs", "size"))
    parser.add_argument("--seeds", type=int, default=5)
    parsed = parser.parse_args()
    if parsed.part == "size":
        size(parsed.seeds)
    else:
        make(parsed.part, {"tables": tables, "pairs": pairs}[parsed.part](parsed.seeds))


if __name__ == "__main__":
    main()
