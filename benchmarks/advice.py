"""Advice on the engine and on T from public pairs, judged on the truth that the pairs did not know.

    python benchmarks/advice.py [--seeds 3] [--epsilons 0.25 0.5 1] [--out docs/results/advice.csv] [--show]

Ten cases. In each, a third table plays the private one and the candidate is released to it, as the program does it
before a release (`tasks/engine_work.py`; part of the workload, three runs of each kind). Then the candidate is released
to the real private table over the whole workload: by PMW^Pub at every T of the grid up to 113, by table fit, and as it
is. "Oracle" is the T of the grid that was best on the truth. Everything is a simulation with seeded noise on rows that
may be looked at; the seeds of the truth's runs were used for nothing before. Runs that stand in the file of --out are
not repeated. Data: as for benchmarks/adult.py and benchmarks/census_table.py.
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
WITHIN = 1.1
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


def truth(case: Case, epsilon: float, seeds: int, stage: Stage) -> Iterator[Line]:
    """Every way to release, on the private table itself."""
    wanted = [(PMW_PUB, rounds, seed) for rounds in GRID for seed in range(seeds)]
    wanted += [(TABLE_FIT, 0, seed) for seed in range(seeds)] + [(UNCHANGED, 0, 0)]
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


def make(path: Path, seeds: int, epsilons: list[float]) -> None:
    """Each case and epsilon that is missing from the file, added to it."""
    done = {(line.private, line.public, line.epsilon) for line in read(path)}
    for case in cases():
        due = [epsilon for epsilon in epsilons if (case.private, case.public, epsilon) not in done]
        if not due:
            continue
        stage = sharper.stage_of(case.workload, case.rows, case.public, case.candidate)
        for epsilon in due:
            for line in [*trial(case, epsilon), *truth(case, epsilon, seeds, stage)]:
                sharper.add(path, [field.name for field in fields(Line)], asdict(line))
            print(f"{case.private} <- {case.public} at {epsilon:g}", flush=True)


def show(lines: list[Line]) -> bool:
    """A table in Markdown, a row for each case and epsilon; whether the advised T is within a tenth everywhere."""
    print("| private ← public (pair: its truth) | ε | advised T | its error / the oracle's | oracle's T |", end="")
    print(" advised | expected | on the truth | best on the truth |\n|---|---|---|---|---|---|---|---|---|")
    ratios, lost = [], []
    for key in dict.fromkeys((line.private, line.public, line.other, line.epsilon) for line in lines):
        own = [line for line in lines if (line.private, line.public, line.other, line.epsilon) == key]
        expected = {line.method: line for line in own if line.seed == -1}
        there: dict[tuple[str, int], float] = {}
        for way in {(line.method, line.rounds) for line in own if line.seed >= 0}:
            errors = [line.max_error for line in own if line.seed >= 0 and (line.method, line.rounds) == way]
            there[way] = fmean(errors)
        rounds = expected[PMW_PUB].rounds
        oracle = min((way for way in there if way[0] == PMW_PUB), key=there.__getitem__)
        best = min(expected.values(), key=lambda line: line.max_error)
        ways = {way: there[way] for way in there if way[0] != PMW_PUB or way[1] == rounds}
        really = min(ways, key=ways.__getitem__)
        ratios.append(there[PMW_PUB, rounds] / there[oracle])
        lost.append(ways[best.method, best.rounds] / ways[really])
        print(
            f"| {key[0]} ← {key[1]} ({key[2]}) | {key[3]:g} | {rounds} | {ratios[-1]:.2f} | {oracle[1]} | "
            f"{best.method} | {best.max_error:.4f} | {ways[best.method, best.rounds]:.4f} | {really[0]} |"
        )
    print(f"\nAdvised T: {fmean(ratios):.3f} times the oracle's error in the mean, {max(ratios):.2f} at most; ", end="")
    print(f"advised engine: {max(lost):.2f} times the better one's at most, in {len(ratios)} cells.")
    return max(ratios) <= WITHIN


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epsilons", type=float, nargs="+", default=list(EPSILONS))
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--show", action="store_true", help="only show what stands in the file")
    parsed = parser.parse_args()
    if not parsed.show:
        make(parsed.out, parsed.seeds, parsed.epsilons)
    show(read(parsed.out))


if __name__ == "__main__":
    main()
