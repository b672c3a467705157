"""The table of run time: seconds a round of PMW^Pub and MWEM, on the reduced and on the full problem, on one core.

    python benchmarks/paper/table_run_time.py [--seeds 5] [--again]

Wall and processor time of whole runs divided by T, of table fit, which has no rounds, undivided; secure noise; public
parts are built before. Problems and methods that stand in the file are not run again, unless all are: with `--again`,
about a minute on a quiet machine, so that the methods are compared in one sitting. The paper's own numbers (one core of
an i5-4690K at 3.5 GHz): reduced 0.185 s and 0.919 s, full 2.021 s for PMW^Pub.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import time
from fractions import Fraction

import figure_census
import figure_reduced
from common import OUT

from pmwpub.evaluation import TABLE_FIT, Stage
from pmwpub.mechanisms.baselines.mwem import full_problem, mwem
from pmwpub.mechanisms.pmw_pub.algorithm import Schedule, pmw_pub
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.mechanisms.table_fit.table_schedule import schedule
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.privacy.round_share import split
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem

ROUNDS = 50


def seconds(stage: Stage, method: str, epsilon: float) -> tuple[float, float]:
    """Wall and processor seconds a round, or of table fit a release."""
    if method == TABLE_FIT:
        return fit_seconds(stage, epsilon)
    budget = zcdp_of(ApproxDP(as_fraction(epsilon), Fraction(1, stage.counts.n**2)))
    rounds = Schedule(ROUNDS, split(budget, ROUNDS))
    problem = full_problem(stage.workload) if method == "mwem" else stage.problem(next(iter(stage.candidates)))
    assert isinstance(problem, PublicProblem)
    release = mwem if method == "mwem" else pmw_pub
    release(stage.counts, problem, Schedule(1, split(budget, 1)))  # compiles and warms up
    wall, processor = time.perf_counter(), time.process_time()
    release(stage.counts, problem, rounds)
    return (time.perf_counter() - wall) / ROUNDS, (time.process_time() - processor) / ROUNDS


def fit_seconds(stage: Stage, epsilon: float) -> tuple[float, float]:
    """Wall and processor seconds of a release by table fit, in one thread; a first one compiles and warms up."""
    support, n = next(iter(stage.candidates.values())), stage.counts.n
    tables, delta = measured_tables(stage.workload), Fraction(1, n**2)
    budget = zcdp_of(ApproxDP(as_fraction(epsilon), delta))
    constants = FitConstants.advised(tables, budget, n=n, delta=delta)
    plan = schedule(tables, support, budget, rows_per_person=1, complete=False, constants=constants)
    assert stage.rows is not None
    counts = count(tables, stage.rows)
    table_fit(counts, support, plan)
    wall, processor = time.perf_counter(), time.process_time()
    table_fit(counts, support, plan)
    return time.perf_counter() - wall, time.process_time() - processor


def main() -> None:
    """Write docs/results/run_time.csv."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="repeats of each run")
    parser.add_argument("--again", action="store_true", help="measure anew what stands in the file, too")
    made, path = parser.parse_args(), OUT / "run_time.csv"
    lines: list[list[str]] = []
    if path.is_file() and not made.again:
        with path.open(newline="", encoding="utf-8") as stream:
            lines = list(csv.reader(stream))[1:]
    done = {(line[0], line[1]) for line in lines}
    for label, module, methods in (
        ("reduced", figure_reduced, ("pmw-pub", "mwem", TABLE_FIT)),
        ("census", figure_census, ("pmw-pub", TABLE_FIT)),
    ):
        stage = module.stage("oh_2018", ("oh_2015",))
        for method in (method for method in methods if (label, method) not in done):
            for epsilon in (0.1, 1.0):
                for _ in range(made.seeds):
                    wall, processor = seconds(stage, method, epsilon)
                    lines.append([label, method, str(epsilon), f"{wall:.5f}", f"{processor:.5f}"])
                    print(*lines[-1], flush=True)
    OUT.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["problem", "method", "epsilon", "wall", "processor"])
        writer.writerows(lines)
    print(f"{platform.machine()}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
