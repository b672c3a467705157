"""The table of run time: seconds a round of PMW^Pub and MWEM, on the reduced and on the full problem, on one core.

    python benchmarks/paper/table_run_time.py [--seeds 5]

Wall and processor time of whole runs divided by T; secure noise; public parts are built before. The paper's own numbers
(one core of an i5-4690K at 3.5 GHz): reduced 0.185 s and 0.919 s, full 2.021 s for PMW^Pub.
"""

from __future__ import annotations

import csv
import os
import platform
import time
from fractions import Fraction

import figure_census
import figure_reduced
from common import OUT, options

from pmwpub.evaluation import Stage
from pmwpub.mechanisms.baselines.mwem import full_problem, mwem
from pmwpub.mechanisms.pmw_pub.algorithm import Schedule, pmw_pub
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.privacy.round_share import split
from pmwpub.queries.incidence import PublicProblem

ROUNDS = 50


def seconds(stage: Stage, method: str, epsilon: float) -> tuple[float, float]:
    """Wall and processor seconds a round."""
    budget = zcdp_of(ApproxDP(as_fraction(epsilon), Fraction(1, stage.counts.n**2)))
    schedule = Schedule(ROUNDS, split(budget, ROUNDS))
    problem = full_problem(stage.workload) if method == "mwem" else stage.problem(next(iter(stage.candidates)))
    assert isinstance(problem, PublicProblem)
    release = mwem if method == "mwem" else pmw_pub
    release(stage.counts, problem, Schedule(1, split(budget, 1)))  # compiles and warms up
    wall, processor = time.perf_counter(), time.process_time()
    release(stage.counts, problem, schedule)
    return (time.perf_counter() - wall) / ROUNDS, (time.process_time() - processor) / ROUNDS


def main() -> None:
    """Write docs/results/run_time.csv."""
    made = options(__doc__)
    lines = []
    for label, module, methods in (
        ("reduced", figure_reduced, ("pmw-pub", "mwem")),
        ("census", figure_census, ("pmw-pub",)),
    ):
        stage = module.stage("oh_2018", ("oh_2015",))
        for method in methods:
            for epsilon in (0.1, 1.0):
                for _ in range(made.seeds):
                    wall, processor = seconds(stage, method, epsilon)
                    lines.append([label, method, epsilon, f"{wall:.5f}", f"{processor:.5f}"])
                    print(*lines[-1], flush=True)
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / "run_time.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["problem", "method", "epsilon", "wall", "processor"])
        writer.writerows(lines)
    print(f"{platform.machine()}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
