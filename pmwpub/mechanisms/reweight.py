"""One multiplicative-weights step, and the replay of past measurements."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from pmwpub.queries.incidence import PublicProblem
from pmwpub.records import Floats, Ints


def reweight(weights: Floats, satisfied: Ints, gap: float) -> Floats:
    """One multiplicative-weights step (Liu et al. 2021, Algorithm 1): A_t(x) ∝ A_{t-1}(x) exp(q_t(x) gap / 2).

    weights    float64 (m,)  A_{t-1}; sums to one
    satisfied  int64 (s,)    atoms x with q_t(x) = 1
    gap        a_t - q_t(A_{t-1}), in [-1, 1]

    Returns A_t, a new float64 (m,). If no atom satisfies the query, or all do, nothing changes.
    """
    from pmwpub.queries.kernels import scale

    moved = weights.copy()
    if 0 < len(satisfied) < len(weights):
        scale(moved, satisfied, math.exp(gap / 2.0))
    return moved


@dataclass
class Measured:
    """All noisy counts of one query so far; their mean is the inverse-variance average, the scales being equal."""

    satisfied: Ints
    noisy_counts: list[int] = field(default_factory=list)

    def answer(self, n: int) -> float:
        """The averaged answer, clamped to [0, 1]."""
        return min(1.0, max(0.0, sum(self.noisy_counts) / len(self.noisy_counts) / n))

    def mass(self, weights: Floats) -> float:
        """q(A) for the current weights."""
        from pmwpub.queries.kernels import mass

        return float(mass(weights, self.satisfied))

    def gap(self, weights: Floats, n: int) -> float:
        """a - q(A): what a step should make up for."""
        return self.answer(n) - self.mass(weights)


class Memory:
    """The measurements of a run, in the order in which each query was first measured."""

    def __init__(self, problem: PublicProblem, n: int, replay_seed: int) -> None:
        self._problem = problem
        self._n = n
        self._order = random.Random(replay_seed)
        self._measured: dict[int, Measured] = {}

    def add(self, query: int, noisy_count: int) -> Measured:
        """Record a noisy count; a query measured again gains one, it loses none."""
        if query not in self._measured:
            self._measured[query] = Measured(self._problem.members(query))
        self._measured[query].noisy_counts.append(noisy_count)
        return self._measured[query]

    def step(self, weights: Floats, measured: Measured) -> Floats:
        """One multiplicative-weights step towards a measurement."""
        return reweight(weights, measured.satisfied, measured.gap(weights, self._n))

    def replay(self, weights: Floats, newest: Measured) -> Floats:
        """Steps for all measurements whose estimated error is at least half the newest one's, in random order.

        Errors are |q_i(A_t) - a_i| after the newest step; each replayed step computes q(A) afresh
        (Liu et al. 2021, "Empirical Optimizations"). The order comes from a public seed.

        Privacy: post-processing of noisy measurements and public data.
        """
        threshold = abs(newest.gap(weights, self._n)) / 2.0
        due = [past for past in self._measured.values() if abs(past.gap(weights, self._n)) >= threshold]
        self._order.shuffle(due)
        for past in due:
            weights = self.step(weights, past)
        return weights
