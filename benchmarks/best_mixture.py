"""How fast a best-mixture error is certified, beside the early-stopped recipe that the paper plots.

    python benchmarks/best_mixture.py [--marginals 64] [--passes 400] [--recipe 0] [--draws 0]

Private OH-2018, candidates OH-2012, IL-2018, OH-2015 (American Community Survey, from IPUMS USA; the NIST temporal map
challenge), read from $PMWPUB_DATA or ../shared/data. Everything printed is an exact function of rows that may be looked
at: a measurement of the program, not a release. `--marginals 0` takes all 3,654 3-way marginals.

The recipe is multiplicative weights on the worst query, best iterate kept: one pass is one sweep of all marginals over
all atoms. A pass of the descent is two.
"""

from __future__ import annotations

import argparse
import os
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

from pmwpub.mechanisms.assessment import NoisyError, floor_release
from pmwpub.mechanisms.best_mixture import BestMixture
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem, quantise
from pmwpub.queries.workload import Workload
from pmwpub.records import Support
from pmwpub.tabular.encode import encode_public
from pmwpub.tabular.reading import read_table
from pmwpub.tabular.schema import Schema

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("PMWPUB_DATA", ROOT.parent / "shared" / "data")) / "acs_il_oh"
CANDIDATES = ("oh_2012", "il_2018", "oh_2015")
EPSILONS = (Fraction(1, 100), Fraction(1, 20))


def main() -> None:
    options = _options()
    schema = Schema.from_json((DATA / "schema.json").read_bytes())
    tables = {name: encode_public(read_table(DATA / f"{name}.csv.gz"), schema).dataset for name in _names()}
    private = tables["oh_2018"]
    workload = Workload.all_kway(private.domain, 3)
    if options.marginals:
        workload = workload.restricted(options.marginals, options.seed)
    counts = count(workload, private)
    print(f"{len(workload.marginals):,} marginals, {workload.queries:,} queries, n = {len(private):,}")
    for name in CANDIDATES:
        support = Support.of(tables[name])
        reached = certify(name, counts, workload, support, options.passes)
        if options.recipe:
            recipe(counts, PublicProblem(workload, support), reached, options.recipe)
        for epsilon in EPSILONS if options.draws else ():
            draw(counts, workload, support, epsilon, options.draws)


def certify(name: str, counts: PrivateCounts, workload: Workload, support: Support, passes: int) -> float:
    """Refine up to so many passes; print the interval as it closes, and return the upper end."""
    began = time.perf_counter()
    state = BestMixture(counts, workload, support)
    _line(name, state, began)
    shown = 0
    while not state.exhausted and state.passes < passes:
        state.refine()
        if state.passes // 50 > shown or state.exhausted:
            shown = state.passes // 50
            _line(name, state, began)
    _line(name, state, began)
    return float(state.interval.upper)


def recipe(counts: PrivateCounts, problem: PublicProblem, target: float, limit: int) -> None:
    """Multiplicative weights with the paper's step until the error is at `target`, or so many passes are over."""
    began = time.perf_counter()
    answers = counts.counts / counts.n
    weights = problem.support.multiplicity / problem.support.rows
    best = 1.0
    done = 0
    while best > target and done < limit:
        done += 1
        whole = quantise(weights, counts.n)
        residual = answers - problem.sums(whole.values) / whole.total
        worst = int(np.argmax(np.abs(residual)))
        best = min(best, abs(float(residual[worst])))
        weights = weights.copy()
        weights[problem.members(worst)] *= np.exp(residual[worst] / 2)
        weights /= weights.sum()
    print(f"    early-stopped recipe: {best:.6f} after {done} passes, {time.perf_counter() - began:.1f} s")


def draw(counts: PrivateCounts, workload: Workload, support: Support, epsilon: Fraction, draws: int) -> None:
    """Release the floor so many times, each from a state of its own; print how many resolved and how long it took."""
    times, resolved = [], 0
    for _ in range(draws):
        began = time.perf_counter()
        found = floor_release(BestMixture(counts, workload, support), epsilon)
        times.append(time.perf_counter() - began)
        resolved += isinstance(found, NoisyError)
    print(
        f"    epsilon {float(epsilon):g}: {resolved} of {draws} resolved, "
        f"{np.median(times):.2f} s median, {max(times):.2f} s longest"
    )


def _line(name: str, state: BestMixture, began: float) -> None:
    interval = state.interval
    print(
        f"{name}  {time.perf_counter() - began:7.1f} s  {state.passes:4d} passes  "
        f"[{float(interval.lower):.7f}, {float(interval.upper):.7f}]  width {float(interval.width):.2e}",
        flush=True,
    )


def _names() -> tuple[str, ...]:
    return ("oh_2018", *CANDIDATES)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--marginals", type=int, default=64, help="of a public sub-workload; 0 for all")
    parser.add_argument("--seed", type=int, default=0, help="of the sub-workload")
    parser.add_argument("--passes", type=int, default=400, help="of the descent, at most")
    parser.add_argument("--recipe", type=int, default=0, help="passes of the early-stopped recipe, at most")
    parser.add_argument("--draws", type=int, default=0, help="noisy floors at each epsilon")
    return parser.parse_args()


if __name__ == "__main__":
    main()
