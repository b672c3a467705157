"""AIM and MST on ADULT, on the same workload and splits as figure_adult.py; needs the extra `peers`.

    python benchmarks/paper/peers.py [--seeds 5] [--methods mst aim] [--epsilons 0.1 0.25 1]

Written to docs/results/peers.csv, a line for each run as it ends, with its seconds and how many marginals it measured;
runs that stand there are not made again.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path

from common import EPSILONS, OUT
from figure_adult import pair

from pmwpub.evaluation.answering import errors_of_answers
from pmwpub.mechanisms.baselines.graphical.aim import AimPlan, aim
from pmwpub.mechanisms.baselines.graphical.mst import MstPlan, mst
from pmwpub.mechanisms.baselines.matrix.residual_planner import MarginalAnswers
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import NoiseSource
from pmwpub.privacy.seeded_noise import SimulationNoise
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset

COLUMNS = ("method", "epsilon", "seed", "max_error", "mean_error", "rms_error", "measured", "seconds")
MECHANISMS: dict[str, Callable[[Dataset, Workload, ZCDP, NoiseSource], MarginalAnswers]] = {
    "mst": lambda rows, workload, rho, noise: mst(rows, workload, MstPlan(rho), noise=noise),
    "aim": lambda rows, workload, rho, noise: aim(rows, workload, AimPlan(rho), noise=noise),
}


def main() -> None:
    """One run of each method, epsilon and seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--methods", nargs="+", choices=list(MECHANISMS), default=list(MECHANISMS))
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    parsed = parser.parse_args()
    path = OUT / "peers.csv"
    known = finished(path)
    for method in parsed.methods:
        for seed in range(parsed.seeds):
            for epsilon in parsed.epsilons:
                if (method, f"{epsilon:g}", str(seed)) not in known:
                    add(path, line(method, epsilon, seed))


def line(method: str, epsilon: float, seed: int) -> list[str]:
    """One run, by `COLUMNS`."""
    stage = pair(0.0, seed)
    assert stage.rows is not None
    began, noise = time.perf_counter(), SimulationNoise(f"{method}\n{epsilon!r}\n{seed}")
    found = MECHANISMS[method](stage.rows, stage.workload, stage.terms(epsilon).budget, noise)
    taken = time.perf_counter() - began
    made = errors_of_answers(stage.counts, found.answers / stage.counts.n)
    errors = [f"{value:.6g}" for value in (made.max_error, made.mean_error, made.rms_error)]
    return [method, f"{epsilon:g}", str(seed), *errors, str(found.measured), f"{taken:.0f}"]


def finished(path: Path) -> set[tuple[str, str, str]]:
    """(method, epsilon, seed) of the runs that stand in the file."""
    if not path.is_file():
        return set()
    with path.open(newline="", encoding="utf-8") as stream:
        return {(row["method"], row["epsilon"], row["seed"]) for row in csv.DictReader(stream)}


def add(path: Path, found: list[str]) -> None:
    """One more line, below a header."""
    path.parent.mkdir(parents=True, exist_ok=True)
    begins = not path.is_file()
    with path.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerows([COLUMNS, found] if begins else [found])
    print(*found, flush=True)


if __name__ == "__main__":
    main()
