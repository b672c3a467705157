"""How much of a floor over the whole workload one over a part keeps: chosen by public tables, or sampled.

    python benchmarks/floor_parts.py [--passes 150]

Ten pairs of a truth and a candidate: the census cases of benchmarks/choosing_cases.py with their first two candidates,
over all 3,654 3-way marginals.
The part is chosen as the app does it, by the case's three candidates, without the truth. A floor is the lower end of
its certified interval after so many refinements at most. Writes docs/results/floor_parts.csv; a pair that stands there
is not repeated. Data: as for benchmarks/census_table.py.
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


def pair(name: str, candidate: str, case: cases.Case, passes: int) -> tuple[object, ...]:
    """One line: one candidate of a case."""
    full = Workload.all_kway(case.truth.domain, 3)
    supports = {other: Support.of(table) for other, table in case.candidates.items()}
    part = floor_workload(full, "part", chosen_part(full, list(supports.values())))
    low, high, seconds = floor(case, supports[candidate], full, passes)
    chosen, _, short = floor(case, supports[candidate], part, passes)
    sampled, _, _ = floor(case, supports[candidate], full.restricted(FAST_MARGINALS, FAST_SEED), passes)
    return name, candidate, low, high, chosen, sampled, round(seconds, 1), round(short, 1)


def main() -> None:
    """Make what is missing, then count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passes", type=int, default=150)
    parsed = parser.parse_args()
    every = cases.cases()
    wanted = [(name, place) for name in list(every)[:5] for place in (0, 1)]
    fresh = not OUT.is_file()
    done = (
        set()
        if fresh
        else {(line["case"], line["candidate"]) for line in csv.DictReader(OUT.open(newline="", encoding="utf-8"))}
    )
    with OUT.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        if fresh:
            writer.writerow(COLUMNS)
        for name, place in wanted:
            candidate = cases.CENSUS[name][1][place]
            if (name, candidate) not in done:
                writer.writerow(pair(name, candidate, every[name](), parsed.passes))
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
