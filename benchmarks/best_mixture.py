"""How fast best-mixture errors are certified, released and ranked, beside the recipe of the paper's plots.

    python benchmarks/best_mixture.py [--marginals 0] [--passes 400] [--recipe 0] [--draws 20] [--unforced 2500]

Private OH-2018, candidates OH-2012, IL-2018, OH-2015 (American Community Survey, from IPUMS USA; the NIST temporal map
challenge), read from $PMWPUB_DATA or ../shared/data; and the bundled sample. Everything printed is an exact function
of rows that may be looked at: a measurement of the program, not a release. `--marginals 0` takes all 3,654 marginals.

Each candidate is solved once, and the intervals on the way are kept. A draw of the noise then runs the real release on
these intervals, in order, which shows after how many passes and how much time it would have resolved: the refinement
does not depend on the noise, so that is what as many full solves would show.

The recipe is multiplicative weights on the worst query, best iterate kept: one pass is one sweep of all marginals over
all atoms. A pass of the descent is two, and is counted as two where the passes are compared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import best_mixture_cases as cases
import numpy as np

from pmwpub.mechanisms.best_mixture.bounds import MixtureInterval
from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.mechanisms.noisy_error.assessment import FLOOR_SHARE, NoisyError, floor_release_under, half_width
from pmwpub.mechanisms.noisy_error.choose_best import Best, best_release
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plan_inputs import FAST_MARGINALS, FAST_SEED
from pmwpub.privacy.lattice_noise import LatticeLaplace
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem, quantise
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.service.bought.best_candidate import too_close

EPSILONS = (Fraction(1, 100), Fraction(1, 20))
RANKED = Fraction(1, 20)
MANY = 1_000
"""Draws that show a rate, beside the few that the gate names."""


@dataclass(frozen=True)
class Moment:
    """An interval, and the work until then: passes of the descent, seconds of one core, seconds of wall time."""

    interval: MixtureInterval
    passes: int
    seconds: float
    wall: float


@dataclass
class Replay:
    """A solve that was kept, to be gone through again: a Refinable whose refinements cost nothing."""

    moments: Sequence[Moment]
    private_rows: int
    place: int = 0

    @property
    def interval(self) -> MixtureInterval:
        return self.moments[self.place].interval

    @property
    def exhausted(self) -> bool:
        return self.place == len(self.moments) - 1

    def refine(self) -> MixtureInterval:
        self.place += 1
        return self.interval


def main() -> None:
    options = _options()
    tables = cases.census()
    private = tables["oh_2018"]
    full = Workload.all_kway(private.domain, 3)
    workload = full.restricted(options.marginals, options.seed) if options.marginals else full
    print(f"{len(workload.marginals):,} marginals, {workload.queries:,} queries, n = {len(private):,}")
    solved = solve_all(private, workload, _candidates(tables), options)
    draw_best(solved, options.draws)
    fast = full.restricted(FAST_MARGINALS, FAST_SEED)
    print(f"Fast setting on the census, {len(fast.marginals)} marginals")
    rank(solve_all(private, fast, _candidates(tables), options), "oh_2012", options.draws)
    sample, workload, candidates = cases.sample()
    fast = workload.restricted(FAST_MARGINALS, FAST_SEED)
    print(f"Fast setting on the sample data, {len(fast.marginals)} marginals")
    rank(solve_all(sample, fast, candidates, options), "state_d", options.draws)
    for name in cases.UNFORCED if options.unforced else ():
        private, workload, support = cases.unforced(name, options.unforced)
        print(f"No empty cell decides: {len(support):,} atoms, {len(workload.marginals):,} marginals")
        solve(name, count(workload, private), workload, support, options.passes)


def _candidates(tables: Mapping[str, Dataset]) -> dict[str, Support]:
    return {name: Support.of(tables[name]) for name in cases.CANDIDATES}


def solve_all(
    private: Dataset, workload: Workload, candidates: Mapping[str, Support], options: argparse.Namespace
) -> dict[str, Replay]:
    """Certify each candidate, then compare with the recipe and draw floors."""
    counts, solved = count(workload, private), {}
    for name, support in candidates.items():
        moments = solve(name, counts, workload, support, options.passes)
        solved[name] = Replay(moments, counts.n)
        if options.recipe:
            recipe(counts, PublicProblem(workload, support), moments, options.recipe)
        for epsilon in EPSILONS:
            draw_floors(solved[name], epsilon, options.draws)
    return solved


def solve(name: str, counts: PrivateCounts, workload: Workload, support: Support, passes: int) -> list[Moment]:
    """Refine up to so many passes; print the interval as it closes."""
    cpu, wall = time.process_time(), time.perf_counter()
    state = BestMixture(counts, workload, support)
    moments = [Moment(state.interval, 0, time.process_time() - cpu, time.perf_counter() - wall)]
    _line(name, moments[-1])
    shown = 0
    while not state.exhausted and state.passes < passes:
        interval = state.refine()
        moments.append(Moment(interval, state.passes, time.process_time() - cpu, time.perf_counter() - wall))
        if state.passes // 50 > shown:
            shown = state.passes // 50
            _line(name, moments[-1])
    _line(name, moments[-1])
    return moments


def recipe(counts: PrivateCounts, problem: PublicProblem, moments: Sequence[Moment], limit: int) -> None:
    """Multiplicative weights with the paper's step until its error is the solve's last, or so many passes are over."""
    began, answers, target = time.process_time(), counts.counts / counts.n, float(moments[-1].interval.upper)
    weights = problem.support.multiplicity / problem.support.rows
    best, done = 1.0, 0
    while best > target and done < limit:
        done += 1
        whole = quantise(weights, counts.n)
        residual = answers - problem.sums(whole.values) / whole.total
        worst = int(np.argmax(np.abs(residual)))
        best = min(best, abs(float(residual[worst])))
        weights = weights.copy()
        weights[problem.members(worst)] *= np.exp(residual[worst] / 2)
        weights /= weights.sum()
    seconds = time.process_time() - began
    same = next((moment for moment in moments if moment.interval.upper <= best * (1 + 1e-12)), moments[-1])
    print(
        f"    error {best:.6f}: the recipe after {done} sweeps, {seconds:.1f} s; the descent after {2 * same.passes} "
        f"sweeps ({same.passes} passes), {same.seconds:.1f} s: {2 * same.passes / done:.3f} of the sweeps",
        flush=True,
    )


def draw_floors(kept: Replay, epsilon: Fraction, draws: int) -> None:
    """Release the floor so many times along the kept intervals; print how many resolved, and after how much work."""
    law, ends, resolved = LatticeLaplace(epsilon), [], 0
    for _ in range(draws):
        replay = Replay(kept.moments, kept.private_rows)
        resolved += isinstance(floor_release_under(law, replay), NoisyError)
        ends.append(replay.moments[replay.place])
    seconds, wall = ([getattr(end, part) for end in ends] for part in ("seconds", "wall"))
    print(
        f"    epsilon {float(epsilon):g}: {resolved} of {draws} resolved; work {np.median(seconds):.1f} s median, "
        f"{max(seconds):.1f} s longest (wall {max(wall):.1f} s); {max(end.passes for end in ends)} passes at most",
        flush=True,
    )


def draw_best(solved: Mapping[str, Replay], draws: int) -> None:
    """Choose the best so many times along the kept intervals."""
    for epsilon in (*EPSILONS, Fraction(1, 2)):
        winners, seconds, resolved = [], [], 0
        for _ in range(draws):
            replays = [Replay(kept.moments, kept.private_rows) for kept in solved.values()]
            found = best_release(replays, epsilon, private_rows=replays[0].private_rows)
            if isinstance(found, Best):
                winners.append(list(solved)[found.candidate])
            resolved += isinstance(found, Best)
            seconds.append(sum(replay.moments[replay.place].seconds for replay in replays))
        won = ", ".join(f"{name} {winners.count(name)}" for name in solved)
        print(
            f"best of {len(solved)} at epsilon {float(epsilon):g}: {resolved} of {draws} resolved, work "
            f"{np.median(seconds):.1f} s median, {max(seconds):.1f} s longest; {won}",
            flush=True,
        )


def rank(solved: Mapping[str, Replay], poor: str, draws: int) -> None:
    """Noisy floors at epsilon = 0.05 each, with and without a start beside them: how often the poor support is last."""
    for share, bought in ((Fraction(1), "floor alone"), (FLOOR_SHARE, "floor and start")):
        law = LatticeLaplace(RANKED * share)
        bar = float(half_width(law, solved[poor].private_rows))
        ends = {name: float(kept.moments[-1].interval.upper) for name, kept in solved.items()}
        gap = ends[poor] - max(end for name, end in ends.items() if name != poor)
        few, many = (_ranked(solved, poor, law, times) for times in (draws, MANY))
        print(
            f"ranked at epsilon 0.05 each, {bought} (gap {gap:.4f}, error bar {bar:.4f}): {poor} last in {few[0]} of "
            f"{draws} draws, told apart in {few[1]}; of {MANY:,}: {many[0] / MANY:.1%} and {many[1] / MANY:.1%}",
            flush=True,
        )


def _ranked(solved: Mapping[str, Replay], poor: str, law: LatticeLaplace, draws: int) -> tuple[int, int]:
    """In how many draws the poor support is last, and in how many it is not too close to call with any other."""
    last = clear = 0
    for _ in range(draws):
        replays = {name: Replay(kept.moments, kept.private_rows) for name, kept in solved.items()}
        found = {name: floor_release_under(law, replay) for name, replay in replays.items()}
        noisy = {name: each for name, each in found.items() if isinstance(each, NoisyError)}
        if len(noisy) < len(solved):
            continue
        last += max(noisy, key=lambda name: noisy[name].value) == poor
        numbers = [NoisyInterval(float(e.value), float(e.low), float(e.high), 0.95, "") for e in noisy.values()]
        clear += too_close(numbers)[list(noisy).index(poor)] is None
    return last, clear


def _line(name: str, moment: Moment) -> None:
    interval = moment.interval
    print(
        f"{name}  {moment.seconds:6.1f} s of one core, {moment.wall:6.1f} s wall  {moment.passes:4d} passes  "
        f"[{float(interval.lower):.7f}, {float(interval.upper):.7f}]  width {float(interval.width):.2e}",
        flush=True,
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--marginals", type=int, default=0, help="of a public sub-workload; 0 for all")
    parser.add_argument("--seed", type=int, default=0, help="of the sub-workload")
    parser.add_argument("--passes", type=int, default=400, help="of the descent, at most")
    parser.add_argument("--recipe", type=int, default=0, help="passes of the early-stopped recipe, at most")
    parser.add_argument("--draws", type=int, default=20, help="noisy floors at each epsilon")
    parser.add_argument("--unforced", type=int, default=2_500, help="atoms of made-up cases; 0 leaves them out")
    return parser.parse_args()


if __name__ == "__main__":
    main()
