"""Advice on the engine and on T from public pairs, judged on the truth that the pairs did not know.

    python benchmarks/advice.py [--seeds 5] [--fits 2] [--epsilons 0.25 0.5 1] [--cases 0 1 ...] [--out advice.csv]
        [--show]

Ten cases. In each, other tables play the private one and the candidate is released to them, as the program does it
before a release (`tasks/engine_work.py`; part of the workload). Then the candidate is released to the real private
table over the whole workload: by PMW^Pub at every T of the grid up to 113, by table fit (the first seeds, `--fits`),
and as it is. "Oracle" is the T of the grid that was best on the truth, chosen and judged by the same runs, which
flatters it: so it is also asked what an oracle reaches that chooses by three runs and is judged by the others, all such
splits in turn, and the advice by the same others. Everything is a simulation with seeded noise on rows that may be
looked at; the seeds of the truth's runs were used for nothing before. Runs that stand in the file of --out are not
repeated. Data: as for benchmarks/adult.py and benchmarks/census_table.py.
"""

from __future__ import annotations

import argparse
import csv
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from pathlib import Path
from statistics import fmean

import census_table
import sharper

from pmwpub.evaluation import PMW_PUB, TABLE_FIT, UNCHANGED, Run, Stage, resampled
from pmwpub.evaluation.runs import play
from pmwpub.progress import unwatched
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.service.simulations.engine_trials import MOST_MARGINALS, MOST_TRUTHS, RUNS, SEED
from pmwpub.tasks.engine_work import ROUNDS, EngineWork, try_engines

OUT = Path(__file__).parents[1] / "docs" / "results" / "advice.csv"
EPSILONS = (0.25, 0.5, 1.0)
FIRST_SEED = 7310
GRID = tuple(rounds for rounds in ROUNDS if rounds <= 113)
SPLIT = 71
"""The seed of ADULT's samples."""

ADULT = ((0.0, (0.2, -0.2, 0.45)), (0.2, (0.0, 0.45, -0.2)), (0.45, (0.2, 0.0, -0.2)), (-0.2, (0.05, 0.2, 0.45)))
"""The candidate's bias, and those of the tables which may play the private one: the first `MOST_TRUTHS` do."""

CENSUS = (
    ("oh_2018", "oh_2015", "oh_2012"), ("oh_2018", "oh_2012", "oh_2015"), ("oh_2018", "il_2018", "oh_2015"),
    ("il_2018", "il_2015", "il_2012"), ("il_2018", "oh_2018", "il_2015"), ("oh_2015", "il_2015", "oh_2012"),
)  # fmt: skip
"""Private table, candidate, and the first table which plays the private one; then the others of `TABLES`."""
TABLES = ("il_2012", "il_2015", "il_2018", "oh_2012", "oh_2015", "oh_2018")
CHOOSING = 3
"""The runs by which an oracle chooses that is judged by the others."""


@dataclass(frozen=True)
class Case:
    """One private table with its candidate, and the public tables that play it, by name."""

    private: str
    public: str
    rows: Dataset
    candidate: Dataset
    playing: Mapping[str, Dataset]
    workload: Workload

    @property
    def other(self) -> str:
        return " + ".join(self.playing)


@dataclass(frozen=True)
class Line:
    """One run on the truth, or one way of a trial, whose error is a mean over runs and whose seed is -1."""

    private: str
    public: str
    other: str
    epsilon: float
    method: str
    rounds: int
    seed: int
    max_error: float


def cases() -> Iterator[Case]:
    """Four of ADULT, six of the census."""
    table, workload = sharper._adult()
    for bias, others in ADULT:
        rows, candidate = sharper.adult.split_adult(table, bias, SPLIT)
        drawn = {
            f"Δ = {other:+g}": sharper.adult.split_adult(table, other, SPLIT + 1)[1] for other in others[:MOST_TRUTHS]
        }
        yield Case("adult", f"Δ = {bias:+g}", rows, candidate, drawn, workload)
    for private, public, first in CENSUS:
        names = [first, *(name for name in TABLES if name not in (private, public, first))][:MOST_TRUTHS]
        rows, candidate, *playing = map(census_table.table_of, (private, public, *names))
        yield Case(private, public, rows, candidate, dict(zip(names, playing, strict=True)), census_table._workload())


def trial(case: Case, epsilon: float) -> Iterator[Line]:
    """What the program would say before a release."""
    part, n = case.workload.restricted(MOST_MARGINALS, SEED), len(case.rows)
    stages, supports = {}, {case.public: Support.of(case.candidate)}
    for name, table in case.playing.items():
        rows = resampled(table, n, 0)
        stages[name] = Stage(part, count(part, rows), supports, Fraction(1, n * n), rows=rows)
    for way in try_engines(EngineWork(stages, case.public, epsilon, RUNS), unwatched):
        yield Line(case.private, case.public, case.other, epsilon, way.engine, way.rounds, -1, way.mean)


def truth(case: Case, epsilon: float, seeds: range, fits: int, stage: Stage) -> Iterator[Line]:
    """Every way to release, on the private table itself."""
    wanted = [(PMW_PUB, rounds, seed) for rounds in GRID for seed in seeds]
    wanted += [(TABLE_FIT, 0, seed) for seed in seeds if seed < fits] + ([(UNCHANGED, 0, 0)] if 0 in seeds else [])
    for method, rounds, seed in wanted:
        found = play(stage, Run(case.public, method, epsilon, rounds, FIRST_SEED + seed))
        yield Line(case.private, case.public, case.other, epsilon, method, rounds, FIRST_SEED + seed, found.max_error)


def read(path: Path) -> list[Line]:
    """What stands in the file."""
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as stream:
        return [
            Line(
                row["private"], row["public"], row["other"], float(row["epsilon"]), row["method"], int(row["rounds"]),
                int(row["seed"]), float(row["max_error"]),
            )
            for row in csv.DictReader(stream)
        ]  # fmt: skip


def make(path: Path, seeds: int, fits: int, epsilons: Sequence[float], places: Sequence[int]) -> None:
    """What is missing of each case and epsilon from the file, added to it.

    places  of the only cases that are made
    """
    done = {(line.private, line.public, line.epsilon, line.seed - FIRST_SEED) for line in read(path)}
    for place, case in enumerate(cases()):
        if place not in places:
            continue
        stage = sharper.stage_of(case.workload, case.rows, case.public, case.candidate)
        for epsilon in epsilons:
            there = [seed for seed in range(seeds) if (case.private, case.public, epsilon, seed) in done]
            due = range(len(there), seeds)
            for line in [*(() if there else trial(case, epsilon)), *truth(case, epsilon, due, fits, stage)]:
                sharper.add(path, [field.name for field in fields(Line)], asdict(line))
            print(f"{case.private} <- {case.public} at {epsilon:g}", flush=True)


Runs = Mapping[int, Mapping[int, float]]
"""T -> seed -> error."""


def best_of(runs: Runs, seeds: Sequence[int]) -> int:
    """The T of the least mean error over some runs."""
    return min(runs, key=lambda rounds: fmean(runs[rounds][seed] for seed in seeds))


def apart(runs: Runs, advised: int) -> tuple[float, float]:
    """The error over the least one of any T, of the advised T and of the one that `CHOOSING` runs choose: judged by the
    runs that are left, in the mean over all such splits; of too few runs nothing, 0."""
    seeds = sorted(runs[advised])
    own: list[tuple[float, float]] = []
    for choosing in itertools.combinations(seeds, CHOOSING) if len(seeds) > CHOOSING else ():
        judging = [seed for seed in seeds if seed not in choosing]
        errors = {rounds: fmean(found[seed] for seed in judging) for rounds, found in runs.items()}
        least = min(errors.values())
        own.append((errors[advised] / least, errors[best_of(runs, choosing)] / least))
    return (fmean(one for one, _ in own), fmean(other for _, other in own)) if own else (0.0, 0.0)


@dataclass(frozen=True)
class Judged:
    """One case at one epsilon.

    ratio         the error at the advised T over the oracle's
    apart, other  the same as `apart` has it, of the advised T and of an oracle that chooses by other runs
    lost          the error of the advised way over that of the best one of the three
    hoped         the expected error of the advised way over its own on the truth
    """

    advised: int
    oracle: int
    ratio: float
    apart: float
    other: float
    engine: str
    lost: float
    hoped: float


def judged(own: list[Line]) -> Judged:
    """What the lines of one case at one epsilon come to."""
    expected = {line.method: line for line in own if line.seed == -1}
    runs: dict[tuple[str, int], dict[int, float]] = {}
    for line in own:
        if line.seed >= 0:
            runs.setdefault((line.method, line.rounds), {})[line.seed] = line.max_error
    there = {way: fmean(errors.values()) for way, errors in runs.items()}
    rounds = expected[PMW_PUB].rounds
    oracle = min((way for way in there if way[0] == PMW_PUB), key=there.__getitem__)
    best = min(expected.values(), key=lambda line: line.max_error)
    ways = {way: error for way, error in there.items() if way[0] != PMW_PUB or way[1] == rounds}
    taken = ways[best.method, best.rounds]
    own_apart, other = apart({way[1]: errors for way, errors in runs.items() if way[0] == PMW_PUB}, rounds)
    return Judged(
        rounds,
        oracle[1],
        there[PMW_PUB, rounds] / there[oracle],
        own_apart,
        other,
        best.method,
        taken / min(ways.values()),
        best.max_error / taken,
    )


def show(lines: list[Line]) -> None:
    """A table in Markdown, a row for each case with its epsilons in ascending order, and what it comes to."""
    head = ("private ← public (who played)", "advised T", "oracle's T", "error / the oracle's", "advice, by other runs")
    head += ("oracle, by other runs", "advised way", "expected / found")
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    every: list[Judged] = []
    for case in dict.fromkeys((line.private, line.public, line.other) for line in lines):
        own = [line for line in lines if (line.private, line.public, line.other) == case]
        found = [judged([one for one in own if one.epsilon == e]) for e in sorted({one.epsilon for one in own})]
        every += found
        print(
            f"| {case[0]} ← {case[1]} ({case[2]}) | {', '.join(str(one.advised) for one in found)} | "
            f"{', '.join(str(one.oracle) for one in found)} | {fmean(one.ratio for one in found):.2f} | "
            f"{fmean(one.apart for one in found):.2f} | {fmean(one.other for one in found):.2f} | "
            f"{', '.join(sorted({one.engine for one in found}))} | "
            f"{', '.join(f'{one.hoped:.2f}' for one in found)} |"
        )
    print(
        f"\nAdvised T: {fmean(one.ratio for one in every):.2f} times the oracle's error in the mean over {len(every)} "
        f"cells; by other runs {fmean(one.apart for one in every):.2f}, and the oracle "
        f"{fmean(one.other for one in every):.2f}. "
        f"Advised way: {max(one.lost for one in every):.2f} times the best one's error at most."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--fits", type=int, default=2, help="of those, with table fit too")
    parser.add_argument("--epsilons", type=float, nargs="+", default=list(EPSILONS))
    parser.add_argument("--cases", type=int, nargs="+", default=list(range(10)), help="by their place")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--show", action="store_true", help="only show what stands in the file")
    parsed = parser.parse_args()
    if not parsed.show:
        make(parsed.out, parsed.seeds, parsed.fits, parsed.epsilons, parsed.cases)
    show(read(parsed.out))


if __name__ == "__main__":
    main()
