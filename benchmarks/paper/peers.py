"""AIM and MST on ADULT, by the same workload and seeds as figure_adult.py; needs the extra `peers`.

    python benchmarks/paper/peers.py [--seeds 5] [--methods mst aim]

Written to docs/results/peers.csv with the seconds that each run took on this machine.
"""

from __future__ import annotations

import argparse
import csv
import time

from common import OUT, rounds_sweep, run
from figure_adult import pair

from pmwpub.evaluation import baseline_of


def main() -> None:
    """One run of each method, epsilon and seed; finished ones are kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--methods", nargs="+", default=["mst", "aim"])
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 0.25, 1.0])
    parsed = parser.parse_args()
    lines = []
    for method in parsed.methods:
        print(method, baseline_of(method).remark, flush=True)
        for seed in range(parsed.seeds):
            stage = pair(0.0, seed)
            for epsilon in parsed.epsilons:
                began = time.perf_counter()
                for one in run(f"peers-{method}-{seed}", stage, rounds_sweep((method,), seed, (epsilon,))).errors:
                    taken = time.perf_counter() - began
                    errors = [f"{value:.6g}" for value in (one.max_error, one.mean_error, one.rms_error)]
                    lines.append([method, epsilon, seed, *errors, f"{taken:.0f}"])
                    print(*lines[-1], flush=True)
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / "peers.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["method", "epsilon", "seed", "max_error", "mean_error", "rms_error", "seconds"])
        writer.writerows(lines)


if __name__ == "__main__":
    main()
