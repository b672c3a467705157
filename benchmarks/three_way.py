"""Table fit with tables of three columns, against itself without them: where it pays, and whether public tables tell.

    python benchmarks/three_way.py [--seeds 5] [--cases ...] [--epsilons ...] [--out three_way.csv]

Each release is simulated on the real private table, and beforehand twice where another public table, drawn again to the
private one's n, plays it: "told" takes 3-way tables where the program would advise them, by the mean of the largest
error of these two runs (`PAYS`).
Seeds were used for nothing before; ADULT's split has the seed of the run. A run that stands in the file is not
repeated; benchmarks/paper/report.py makes a table of the file. A simulation on rows that may be looked at, with seeded
float noise of the engine's scales: the exact sampler takes 40 microseconds a cell, and there are millions. Data: as for
benchmarks/adult.py and benchmarks/census_table.py.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import fmean

import numpy as np
import sharper
from beyond_pairs import Bench, Draw, case_of

from pmwpub.evaluation import TABLE_FIT, TABLE_FIT_THREE_WAY, Errors, errors_of, resampled
from pmwpub.records import Distribution, Support

OUT = Path(__file__).parents[1] / "docs" / "results" / "three_way.csv"
CASES = (
    "adult+0.2, 6 columns", "adult+0.2, 9 columns", "adult+0", "adult+0.2", "adult+0.45",
    "generated, 8 columns, n = 10^6", "generated, 16 columns, n = 10^6", "oh_2018<-oh_2012, 12 columns",
    "oh_2018<-oh_2012", "oh_2018<-il_2018",
)  # fmt: skip
EPSILONS = (0.1, 0.25, 0.5, 1.0)
WAYS = {TABLE_FIT: "base", TABLE_FIT_THREE_WAY: "all:0.25"}
FIRST_SEED, TRIALS = 2151, 2


@dataclass(frozen=True)
class Line:
    """One run of one way, and the mean of the largest errors where a public table played the private one."""

    case: str
    epsilon: float
    seed: int
    method: str
    max_error: float
    mean_error: float
    expected: float


def make(name: str, seed: int, epsilons: Sequence[float], path: Path) -> None:
    """The runs of a case with one seed."""
    case = case_of(name, seed)
    support = Support.of(case.public)
    real = Bench(case.workload, case.private, support)
    played = Bench(case.workload, resampled(case.playing, len(case.private), seed), support)
    for epsilon in epsilons:
        draw = Draw(name, real, epsilon, seed)
        trials = [Draw("played", played, epsilon, seed + 9_000 * (t + 1)) for t in range(TRIALS)]
        for method, way in WAYS.items():
            found = errors_by(draw, way)
            expected = fmean(errors_by(trial, way).max_error for trial in trials)
            line = Line(name, epsilon, seed, method, found.max_error, found.mean_error, expected)
            sharper.add(path, [field.name for field in fields(Line)], asdict(line))


def errors_by(draw: Draw, way: str) -> Errors:
    weights = draw.released(way, np.arange(len(draw.bench.triples.marginals)))
    return errors_of(draw.bench.exact, draw.bench.problem, Distribution(draw.bench.support, weights))


def read(path: Path) -> list[Line]:
    if not path.is_file():
        return []
    kinds = {"case": str, "method": str, "seed": int}
    with path.open(newline="", encoding="utf-8") as stream:
        return [Line(**{k: kinds.get(k, float)(v) for k, v in row.items()}) for row in csv.DictReader(stream)]  # type: ignore[arg-type]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--cases", nargs="+", default=list(CASES))
    parser.add_argument("--epsilons", type=float, nargs="+", default=list(EPSILONS))
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    for name in asked.cases:
        done = {line.seed for line in read(asked.out) if line.case == name}
        for seed in range(FIRST_SEED, FIRST_SEED + asked.seeds):
            if seed not in done:
                make(name, seed, asked.epsilons, asked.out)
        print(name, flush=True)


if __name__ == "__main__":
    main()
