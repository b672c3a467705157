"""Which candidate is preselected, judged by the errors of all of them: twelve cases, fixed rule.

    python benchmarks/choosing.py [--tried | --anew 1] [--only WORDS ...] [--method table-fit] [--runs 5]
                                  [--pair-runs 3] [--draws 5]

Each case has a truth that plays the private table and three candidates. Every ordered pair of candidates is simulated
(three runs), as the app does it for free; floors and starts of the truth are drawn as they are bought at epsilon
0.05; the rule of `pmwpub.service.choosing.expected_error` preselects. Then releases with every candidate are
simulated on the truth (five runs), which nobody could see, and the preselected one's mean error is set against the
best one's. Writes docs/results/choosing_runs.csv; a run that stands there is not repeated. With --anew the twelve are
drawn once more, for a rule that was made after they were looked at. Data: as for benchmarks/adult.py and
benchmarks/census_table.py, and the bundled sample.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from statistics import fmean

import choosing_cases as cases
import numpy as np

from pmwpub.evaluation import PMW_PUB, UNCHANGED, Simulation, Stage, Sweep, resampled, simulate
from pmwpub.mechanisms.noisy_error.assessment import assessment_charges, half_width, interval_about
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.privacy.lattice_noise import LatticeLaplace
from pmwpub.queries.counts import count
from pmwpub.queries.repeated_rows import RepeatedRows
from pmwpub.records import Dataset, Support
from pmwpub.service.choosing.error_laws import PublicPair
from pmwpub.service.choosing.expected_error import BoughtNumbers, expected_errors

OUT = Path(__file__).parents[1] / "docs" / "results" / "choosing_runs.csv"
EPSILONS = (0.25, 1.0)
TRUTH = "truth"
COLUMNS = ("case", "truth", "candidate", "method", "epsilon", "rounds", "seed", "value")
FLOOR_LOW, FLOOR_HIGH = "floor low", "floor high"
BOUGHT_AT = Fraction(1, 20)
GOOD = 1.1
Means = Mapping[tuple[str, str, str, float], float]
"""(truth, candidate, method, epsilon) -> the mean of a case; epsilon 0 for floors."""


def stage_of(case: cases.Case, truth: str) -> Stage:
    """The truth itself with all candidates, or a candidate that plays it with the others."""
    rows: Dataset | RepeatedRows = case.truth
    if truth != TRUTH:
        rows = resampled(case.candidates[truth], len(case.truth), 0)
    others = {name: Support.of(table) for name, table in case.candidates.items() if name != truth}
    n = len(case.truth)
    return Stage(case.workload, count(case.workload, rows), others, Fraction(1, n * n), rows=rows)


def lines_of(name: str, truth: str, found: Simulation) -> Iterator[tuple[object, ...]]:
    """A simulation as lines of the file."""
    for one in found.errors:
        yield name, truth, one.candidate, one.method, one.epsilon, one.rounds, one.seed, one.max_error
    for floor in found.floors:
        yield name, truth, floor.candidate, FLOOR_LOW, 0.0, 0, 0, floor.lower
        yield name, truth, floor.candidate, FLOOR_HIGH, 0.0, 0, 0, floor.upper


def make(
    wanted: Mapping[str, Callable[[], cases.Case]],
    runs: int,
    runs_of_pairs: int,
    methods: tuple[str, ...],
) -> None:
    """Every simulation that is missing from the file, added to it: of a way that has some runs, those after them."""
    done: Counter[tuple[str, str, str]] = Counter()
    for line in read():
        way = (line["case"], line["truth"], line["method"])
        done[way] = max(done[way], int(line["seed"]) + 1)
    fresh = not OUT.is_file()
    with OUT.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        if fresh:
            writer.writerow(COLUMNS)
        for name, build in wanted.items():
            case = build()
            for truth in (TRUTH, *case.candidates):
                for method in methods:
                    had, wanted_runs = done[name, truth, method], runs if truth == TRUTH else runs_of_pairs
                    if had >= wanted_runs:
                        continue
                    own = (method,) if done[name, truth, UNCHANGED] else (method, UNCHANGED)
                    sweep = Sweep(
                        EPSILONS, runs=wanted_runs - had, methods=own, floors=UNCHANGED in own, first_seed=had
                    )
                    writer.writerows(lines_of(name, truth, simulate(stage_of(case, truth), sweep)))
                    done.update({(name, truth, one): 1 for one in own})
                    stream.flush()
                    print(name, truth, method, flush=True)


def read() -> list[dict[str, str]]:
    """The lines of the file."""
    if not OUT.is_file():
        return []
    with OUT.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def means(case: str, runs: int) -> Means:
    """Of every way and pair of a case, from the file; of releases on the truth the first so many runs."""
    found: dict[tuple[str, str, str, float], list[float]] = defaultdict(list)
    for line in read():
        if line["case"] == case and (line["truth"] != TRUTH or int(line["seed"]) < runs):
            key = (line["truth"], line["candidate"], line["method"], float(line["epsilon"]))
            found[key].append(float(line["value"]))
    return {key: fmean(values) for key, values in found.items()}


def pairs_of(known: Means, method: str, epsilon: float) -> list[PublicPair]:
    """What the app knows for free."""
    return [
        PublicPair(
            truth,
            candidate,
            known[truth, candidate, FLOOR_HIGH, 0.0],
            known[truth, candidate, UNCHANGED, epsilon],
            error,
        )
        for (truth, candidate, way, at), error in known.items()
        if truth != TRUTH and way == method and at == epsilon
    ]


def bought(known: Means, case: cases.Case, name: str, draw: int) -> dict[str, BoughtNumbers]:
    """Noisy floor and start of each candidate, as an assessment at BOUGHT_AT has them."""
    found, n = {}, len(case.truth)
    for candidate in case.candidates:
        seed = hashlib.sha256(f"{name}\n{candidate}\n{draw}".encode()).digest()
        noise, numbers = np.random.default_rng(int.from_bytes(seed)), {}
        for share in assessment_charges(BOUGHT_AT, n, 1):
            law = LatticeLaplace(share.epsilon, 1)
            way = (FLOOR_HIGH, 0.0) if share.purpose == "floor" else (UNCHANGED, EPSILONS[0])
            value = Fraction(known[TRUTH, candidate, *way] + noise.laplace(0, 1 / (float(share.epsilon) * n)))
            low, high = interval_about(value, half_width(law, n, purpose=share.purpose))
            numbers[share.purpose] = NoisyInterval(float(value), float(low), float(high), 0.95, str(share.epsilon))
        found[candidate] = BoughtNumbers(**numbers)
    return found


def judge(wanted: Mapping[str, Callable[[], cases.Case]], method: str, draws: int, runs: int) -> None:
    """A line for each case and epsilon; how many preselections were good."""
    good: Counter[float] = Counter()
    for name, build in wanted.items():
        known, case = means(name, runs), build()
        for epsilon in EPSILONS:
            pairs = pairs_of(known, method, epsilon)
            truly = {one: known[TRUTH, one, method, epsilon] for one in case.candidates}
            best, names = min(truly.values()), list(truly)
            taken = [
                expected_errors(pairs, bought(known, case, name, draw), names, engine=method)[0].candidate
                for draw in range(draws)
            ]
            ratio = fmean(truly[one] for one in taken) / best
            good[epsilon] += ratio <= GOOD
            errors = ", ".join(f"{one} {value:.4f}" for one, value in truly.items())
            picks = ", ".join(f"{one} {times}" for one, times in Counter(taken).items())
            print(f"| {name} | {epsilon:g} | {errors} | {picks} | {ratio:.2f} |")
    print({f"epsilon {epsilon:g}": f"{number} of {len(wanted)}" for epsilon, number in good.items()})


def main() -> None:
    """Make what is missing, then judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tried", action="store_true")
    parser.add_argument("--anew", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[], help="parts of the names of cases")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pair-runs", type=int, default=3)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--method", nargs="+", default=[PMW_PUB])
    parsed = parser.parse_args()
    wanted = cases.tried() if parsed.tried else cases.anew(parsed.anew) if parsed.anew else cases.cases()
    wanted = {name: build for name, build in wanted.items() if not parsed.only or any(map(name.count, parsed.only))}
    make(wanted, parsed.runs, parsed.pair_runs, tuple(parsed.method))
    for method in parsed.method:
        judge(wanted, method, parsed.draws, parsed.runs)


if __name__ == "__main__":
    main()
