"""Errors against a truth that may be looked at, and sweeps over epsilon, rounds, runs and candidates.

Nothing here is private: it is for public data, for simulations, and for a steward's own eyes. The noise is
the mechanism's own secure noise, so a sweep shows what a release would do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean, stdev

import numpy as np

from pmwpub.mechanisms.pmw_pub import Schedule, pmw_pub
from pmwpub.privacy.budget import ApproxDP, as_fraction, split, zcdp_of
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem, quantise
from pmwpub.records import Dataset, Distribution, Ints

PMW_PUB = "pmw-pub"
UNCHANGED = "unchanged"
METHODS = (PMW_PUB, UNCHANGED)


@dataclass(frozen=True)
class Errors:
    """|q(D) - q(A)| over the workload's queries, as shares of n."""

    max_error: float
    mean_error: float
    rms_error: float


@dataclass(frozen=True)
class SimulatedError:
    """One run of a sweep; `seed` numbers the run."""

    method: str
    candidate: str
    epsilon: float
    rounds: int
    seed: int
    max_error: float
    mean_error: float
    rms_error: float


@dataclass(frozen=True)
class Summary:
    """The mean max error of several runs, and its standard error (0 for one run)."""

    method: str
    candidate: str
    epsilon: float
    rounds: int
    runs: int
    mean: float
    standard_error: float


def errors(counts: PrivateCounts, sums: Ints, total: int) -> Errors:
    """Compare exact counts with answers sums/total.

    sums  int64 (Q,)

    Privacy: none; a steward's or a simulation's number.
    """
    gaps = np.abs(counts.counts / counts.n - sums / total)
    return Errors(float(gaps.max()), float(gaps.mean()), float(math.sqrt(np.mean(gaps * gaps))))


def errors_of(counts: PrivateCounts, problem: PublicProblem, distribution: Distribution) -> Errors:
    """The errors of a distribution on the problem's support."""
    quantised = quantise(distribution.weights, counts.n)
    return errors(counts, problem.sums(quantised.values), quantised.total)


def resampled(dataset: Dataset, rows: int, seed: int) -> Dataset:
    """`rows` rows drawn with replacement from a public table, to play a private table of that size."""
    picked = np.random.Generator(np.random.PCG64(seed)).integers(len(dataset), size=rows)
    return Dataset(dataset.domain, dataset.codes[picked])


def halves(dataset: Dataset, seed: int) -> tuple[Dataset, Dataset]:
    """A public table cut in two at random: one half to play the truth, one the candidate."""
    order = np.random.Generator(np.random.PCG64(seed)).permutation(len(dataset))
    cut = len(order) // 2
    return Dataset(dataset.domain, dataset.codes[order[:cut]]), Dataset(dataset.domain, dataset.codes[order[cut:]])


def simulate(
    counts: PrivateCounts,
    problems: Mapping[str, PublicProblem],
    *,
    epsilons: Sequence[float],
    delta: Fraction,
    rounds: Sequence[int],
    runs: int,
    rows_per_person: int = 1,
    methods: Sequence[str] = METHODS,
    first_seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[SimulatedError]:
    """Every candidate at every epsilon and every number of rounds, `runs` times; and the table unchanged.

    Privacy: none; the counts must belong to data that may be looked at.
    """
    results: list[SimulatedError] = []
    steps = [(name, eps, t, run) for name in problems for eps in epsilons for t in rounds for run in range(runs)]
    for name, problem in problems.items():
        if UNCHANGED in methods:
            start = errors(counts, problem.start_sums, problem.support.rows)
            results += [SimulatedError(UNCHANGED, name, eps, 0, first_seed, *_values(start)) for eps in epsilons]
    for done, (name, eps, t, run) in enumerate(steps if PMW_PUB in methods else ()):
        progress(done, len(steps))
        seed = first_seed + run
        found = _one_run(counts, problems[name], ApproxDP(as_fraction(eps), delta), t, rows_per_person, seed)
        results.append(SimulatedError(PMW_PUB, name, eps, t, seed, *_values(found)))
    return results


def _one_run(
    counts: PrivateCounts, problem: PublicProblem, budget: ApproxDP, rounds: int, rows_per_person: int, seed: int
) -> Errors:
    share = split(zcdp_of(budget), rounds, rows_per_person=rows_per_person)
    schedule = Schedule(rounds, share, sensitivity=rows_per_person, replay_seed=seed)
    return errors_of(counts, problem, pmw_pub(counts, problem, schedule).distribution)


def _values(found: Errors) -> tuple[float, float, float]:
    return found.max_error, found.mean_error, found.rms_error


def summarise(results: Sequence[SimulatedError]) -> list[Summary]:
    """Mean max error and standard error of each method, candidate, epsilon and number of rounds."""
    groups: dict[tuple[str, str, float, int], list[float]] = {}
    for result in results:
        key = (result.method, result.candidate, result.epsilon, result.rounds)
        groups.setdefault(key, []).append(result.max_error)
    return [
        Summary(*key, len(values), fmean(values), stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0)
        for key, values in groups.items()
    ]
