"""How much of a floor over the whole workload one over 64 of its marginals keeps: chosen by public tables, or sampled.

    python benchmarks/floor_parts.py [--passes 150]

Ten pairs of a truth and a candidate: five of census tables over all 3,654 3-way marginals, five of ADULT over all 286.
The part is chosen as the app does it, by the case's three candidates, without the truth. A floor is the lower end of
its certified interval after so many refinements at most. Writes docs/results/floor_parts.csv; a pair that stands there
is not repeated. Data: as for benchmarks/adult.py and benchmarks/census_table.py.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

import choosing_cases as cases

from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.plan_inputs import FAST_MARGINALS, FAST_SEED, floor_workload
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Support
from pmwpub.service.choosing.floor_part import chosen_part

OUT = Path(__file__).parents[1] / "docs" / "results" / "floor_parts.csv"
COLUMNS = ("case", "candidate", "full", "full_high", "part", "sample", "seconds_full", "seconds_part")
WANTED, NEAR, GOOD = 10, 0.9, 8


def floor(case: cases.Case, candidate: Support, workload: Workload, passes: int) -> tuple[float, float, float]:
    """The certified interval, and the seconds of one core that it took."""
    began = time.process_time()
    state = BestMixture(count(workload, case.truth), workload, candidate)
    for _ in range(passes):
        interval = state.interval
        if state.exhausted or interval.upper - interval.lower <= interval.lower / 50:
            break
        state.refine()
    return float(state.interval.lower), float(state.interval.upper), time.process_time() - began


def pair(name: str, case: cases.Case, passes: int) -> tuple[object, ...]:
    """One line: the first candidate of a case."""
    full = Workload.all_kway(case.truth.domain, 3)
    supports = [Support.of(table) for table in case.candidates.values()]
    part = floor_workload(full, "part", chosen_part(full, supports))
    low, high, seconds = floor(case, supports[0], full, passes)
    chosen, _, short = floor(case, supports[0], part, passes)
    sampled, _, _ = floor(case, supports[0], full.restricted(FAST_MARGINALS, FAST_SEED), passes)
    return name, next(iter(case.candidates)), low, high, chosen, sampled, round(seconds, 1), round(short, 1)


def main() -> None:
    """Make what is missing, then count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passes", type=int, default=150)
    parsed = parser.parse_args()
    every = cases.cases()
    names = [*list(every)[:5], *list(every)[6:11]]
    fresh = not OUT.is_file()
    done = set() if fresh else {line["case"] for line in csv.DictReader(OUT.open(newline="", encoding="utf-8"))}
    with OUT.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        if fresh:
            writer.writerow(COLUMNS)
        for name in names:
            if name not in done:
                writer.writerow(pair(name, every[name](), parsed.passes))
                stream.flush()
    lines = list(csv.DictReader(OUT.open(newline="", encoding="utf-8")))
    for line in lines:
        full = float(line["full"])
        shares = [float(line[way]) / full if full else 1.0 for way in ("part", "sample")]
        print(f"| {line['case']} | {line['candidate']} | {full:.4f} | {shares[0]:.0%} | {shares[1]:.0%} |")
    good = sum(float(line["part"]) >= NEAR * float(line["full"]) for line in lines)
    print(f"{good} of {len(lines)} keep {NEAR:.0%}; {GOOD} of {WANTED} are wanted")


if __name__ == "__main__":
    main()
