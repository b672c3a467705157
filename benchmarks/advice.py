"""Advice on the engine and on T from public pairs, judged on the truth that the pairs did not know.

    python benchmarks/advice.py [--seeds 3] [--epsilons 0.25 0.5 1] [--public NAME] [--out advice.csv] [--show]

Ten cases. In each, a third table plays the private one and the candidate is released to it, as the program does it
before a release (`tasks/engine_work.py`; part of the workload, three runs of each kind). Then the candidate is released
to the real private table over the whole workload: by PMW^Pub at every T of the grid up to 113, by table fit, and as it
is. "Oracle" is the T of the grid that was best on the truth: as chosen and judged by the same runs, which flatters it,
and as chosen by all runs but one and judged by that one, each in turn. Everything is a simulation with seeded noise on
rows that may be looked at; the seeds of the truth's runs were used for nothing before. Runs that stand in the file of
--out are not repeated. Data: as for benchmarks/adult.py and benchmarks/census_table.py.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
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
from pmwpub.service.simulations.engine_trials import MOST_MARGINALS, RUNS, SEED
from pmwpub.tasks.engine_work import ROUNDS, EngineWork, try_engines

OUT = Path(__file__).parents[1] / "docs" / "results" / "advice.csv"
EPSILONS = (0.25, 0.5, 1.0)
FIRST_SEED = 7300
GRID = tuple(rounds for rounds in ROUNDS if rounds <= 113)
SPLIT = 71
"""The seed of ADULT's samples."""

ADULT = ((0.0, 0.2), (0.2, 0.0), (0.45, 0.2), (-0.2, 0.05))
"""The candidate's bias, and that of the table which plays the private one."""

CENSUS = (
    ("oh_2018", "oh_2015", "oh_2012"), ("oh_2018", "oh_2012", "oh_2015"), ("oh_2018", "il_2018", "oh_2015"),
    ("il_2018", "il_2015", "il_2012"), ("il_2018", "oh_2018", "il_2015"), ("oh_2015", "il_2015", "oh_2012"),
)  # fmt: skip
"""Private table, candidate, and the table which plays the private one."""


@dataclass(frozen=True)
class Case:
    """One private table with its candidate, and the public table that plays it."""

    private: str
    public: str
    other: str
    rows: Dataset
    candidate: Dataset
    playing: Dataset
    workload: Workload


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
    for bias, other in ADULT:
        rows, candidate = sharper.adult.split_adult(table, bias, SPLIT)
        playing = sharper.adult.split_adult(table, other, SPLIT + 1)[1]
        yield Case("adult", f"Δ = {bias:+g}", f"Δ = {other:+g}", rows, candidate, playing, workload)
    for names in CENSUS:
        yield Case(*names, *map(census_table.table_of, names), census_table._workload())


def trial(case: Case, epsilon: float) -> Iterator[Line]:
    """What the program would say before a release."""
    part, n = case.workload.restricted(MOST_MARGINALS, SEED), len(case.rows)
    rows = resampled(case.playing, n, 0)
    stage = Stage(part, count(part, rows), {case.public: Support.of(case.candidate)}, Fraction(1, n * n), rows=rows)
    for way in try_engines(EngineWork({case.other: stage}, case.public, epsilon, RUNS), unwatched):
        yield Line(case.private, case.public, case.other, epsilon, way.engine, way.rounds, -1, way.mean)


def truth(case: Case, epsilon: float, seeds: range, stage: Stage) -> Iterator[Line]:
    """Every way to release, on the private table itself."""
    wanted = [(PMW_PUB, rounds, seed) for rounds in GRID for seed in seeds]
    wanted += [(TABLE_FIT, 0, seed) for seed in seeds] + ([(UNCHANGED, 0, 0)] if 0 in seeds else [])
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


def make(path: Path, seeds: int, epsilons: list[float], public: str | None) -> None:
    """What is missing of each case and epsilon from the file, added to it.

    public  the candidate of the only cases that are made; None for all
    """
    done = {(line.private, line.public, line.epsilon, line.seed - FIRST_SEED) for line in read(path)}
    for case in cases():
        if public not in (None, case.public):
            continue
        stage = sharper.stage_of(case.workload, case.rows, case.public, case.candidate)
        for epsilon in epsilons:
            there = [seed for seed in range(seeds) if (case.private, case.public, epsilon, seed) in done]
            due = range(len(there), seeds)
            for line in [*(() if there else trial(case, epsilon)), *truth(case, epsilon, due, stage)]:
                sharper.add(path, [field.name for field in fields(Line)], asdict(line))
            print(f"{case.private} <- {case.public} at {epsilon:g}", flush=True)


def judged_apart(runs: dict[int, dict[int, float]], rounds: int) -> float:
    """The error at a T over that of the oracle's T, which is chosen by all runs but one and judged by that one.

    runs  T -> seed -> error
    """
    own, best = 0.0, 0.0
    for seed in runs[rounds]:
        chosen = min(runs, key=lambda t: fmean(error for other, error in runs[t].items() if other != seed))
        own, best = own + runs[rounds][seed], best + runs[chosen][seed]
    return own / best


@dataclass(frozen=True)
class Judged:
    """One case at one epsilon.

    ratio   the error at the advised T over the oracle's; apart  the same as `judged_apart` has it
    lost    the error of the advised way over that of the best one of the three
    hoped   the expected error of the advised way over its own on the truth
    """

    advised: int
    oracle: int
    ratio: float
    apart: float
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
    return Judged(
        rounds,
        oracle[1],
        there[PMW_PUB, rounds] / there[oracle],
        judged_apart({way[1]: errors for way, errors in runs.items() if way[0] == PMW_PUB}, rounds),
        best.method,
        taken / min(ways.values()),
        best.max_error / taken,
    )


def show(lines: list[Line]) -> None:
    """A table in Markdown, a row for each case with its epsilons in ascending order, and what it comes to."""
    head = ("private ← public (its pair's truth)", "advised T", "oracle's T", "error / the oracle's", "judged apart")
    head += ("advised way", "expected / found")
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    every: list[Judged] = []
    for case in dict.fromkeys((line.private, line.public, line.other) for line in lines):
        own = [line for line in lines if (line.private, line.public, line.other) == case]
        found = [judged([one for one in own if one.epsilon == e]) for e in sorted({one.epsilon for one in own})]
        every += found
        print(
            f"| {case[0]} ← {case[1]} ({case[2]}) | {', '.join(str(one.advised) for one in found)} | "
            f"{', '.join(str(one.oracle) for one in found)} | {fmean(one.ratio for one in found):.2f} | "
            f"{fmean(one.apart for one in found):.2f} | {', '.join(sorted({one.engine for one in found}))} | "
            f"{', '.join(f'{one.hoped:.2f}' for one in found)} |"
        )
    print(
        f"\nAdvised T: {fmean(one.ratio for one in every):.2f} times the oracle's error in the mean over {len(every)} "
        f"cells, {fmean(one.apart for one in every):.2f} judged apart. "
        f"Advised way: {max(one.lost for one in every):.2f} times the best one's error at most."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epsilons", type=float, nargs="+", default=list(EPSILONS))
    parser.add_argument("--public", help="make the cases of this candidate alone")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--show", action="store_true", help="only show what stands in the file")
    parsed = parser.parse_args()
    if not parsed.show:
        make(parsed.out, parsed.seeds, parsed.epsilons, parsed.public)
    show(read(parsed.out))


if __name__ == "__main__":
    main()
