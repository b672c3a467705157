"""120 simulated runs on ADULT on every core: 4 candidates x 6 epsilon x 5 runs, 256 marginals, T = 100.

    python benchmarks/sweep.py [--workers 2] [--dask tcp://HOST:8786] [--rounds 100] [--runs 5] [--marginals 256]

Candidates are samples of 10 % of the rows, biased by 0, +0.2, +0.45 and -0.2 in `sex`, as in Liu et al. (2021); the
truth is 90 % of the rows, so this is a simulation in which public rows overlap the private ones. Progress goes to a
terminal's stderr; stdout has the table of max errors, and the time by the wall clock from before the workers start
until the last run is in.
Data: UCI Machine Learning Repository, ADULT (folder given by PMWPUB_DATA, else ../shared/data).
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from fractions import Fraction

from adult import DATA, split_adult

from pmwpub.evaluation import (
    UNCHANGED,
    Here,
    LocalProcesses,
    Simulation,
    Stage,
    Sweep,
    Workers,
    cores,
    simulate,
    summarise,
)
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Support
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
BIASES = (0.0, 0.2, 0.45, -0.2)


def stage(marginals: int) -> Stage:
    """ADULT, with four candidates of different bias."""
    schema = Schema.from_json((DATA / "schema.json").read_bytes())
    table = encode_public(read_table(DATA / "adult.csv.gz"), schema).dataset
    workload = Workload.sampled(schema.domain, 3, marginals, 0)
    private, _ = split_adult(table, 0.0, 0)
    candidates = {f"bias {bias:+.2f}": Support.of(split_adult(table, bias, 0)[1]) for bias in BIASES}
    counts = count(workload, private)
    return Stage(workload, counts, candidates, Fraction(1, counts.n**2))


def workers(parsed: argparse.Namespace) -> Workers:
    """Where the runs are made."""
    if parsed.dask:
        from pmwpub.evaluation.dask_cluster import DaskCluster

        return DaskCluster(parsed.dask)
    return LocalProcesses(parsed.workers) if parsed.workers > 1 else Here()


def progress(began: float, done: int, total: int) -> None:
    """One line that is written over, with the time that is left at the pace so far."""
    if not sys.stderr.isatty():
        return
    spent = time.perf_counter() - began
    left = f", about {spent * (total - done) / done:.0f} s left" if 0 < done < total else ""
    print(f"\r{done}/{total} runs, {spent:.1f} s{left}   ", end="", file=sys.stderr, flush=True)


def report(found: Simulation) -> None:
    """Max error, mean and standard error, of each candidate at each epsilon."""
    lines = {(line.candidate, line.epsilon, line.method == UNCHANGED): line for line in summarise(found.errors)}
    print(f"{'candidate':12} {'unchanged':>10} " + " ".join(f"{f'epsilon {epsilon:g}':>17}" for epsilon in EPSILONS))
    for name in dict.fromkeys(line.candidate for line in found.errors):
        start = lines[name, EPSILONS[0], True].mean
        runs = [lines[name, epsilon, False] for epsilon in EPSILONS]
        print(f"{name:12} {start:10.4f} " + " ".join(f"{run.mean:.4f} ± {run.standard_error:.4f}" for run in runs))


def main() -> None:
    """Sweep, and say how long it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=cores())
    parser.add_argument("--dask", help="address of a Dask cluster's scheduler")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--marginals", type=int, default=256)
    parsed = parser.parse_args()
    shared = stage(parsed.marginals)
    sweep = Sweep(EPSILONS, (parsed.rounds,), parsed.runs, floors=False)
    began, first = time.perf_counter(), time.process_time()
    found = simulate(shared, sweep, workers=workers(parsed), progress=lambda done, total: progress(began, done, total))
    wall = time.perf_counter() - began
    where = f"Dask at {parsed.dask}" if parsed.dask else f"{parsed.workers} processes, one thread each"
    runs = len([line for line in found.errors if line.method != UNCHANGED])
    print(f"\n{runs} runs of T = {parsed.rounds}, Q = {shared.workload.queries:,}, n = {shared.counts.n:,}")
    print(
        f"{where}: {wall:.1f} s by the clock, of which this process itself worked {time.process_time() - first:.1f} s"
    )
    print(f"results {hashlib.sha256(found.to_bytes()).hexdigest()[:16]}, the same on any workers")
    report(found)


if __name__ == "__main__":
    main()
