"""Which marginals a strategy measures, and with what share of the budget: OPT_M (McKenna et al. 2018).

OPT_M weighs all 2^d marginals. Measuring one that is wider than any of the workload's can pay: noise on it is averaged
over its cells, and where attributes have few levels, one wide marginal says a little of many narrow ones. Here the
candidates are the subsets of the workload's marginals and, beyond them, the wider sets of `wider_candidates`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from pmwpub.mechanisms.baselines.matrix.residuals import MAX_NOISY_CELLS, ResidualSpaces, Subset
from pmwpub.records import Floats

STEPS = 2_000
GAP = 1e-3
LEAST_SHARE = 1e-7
"""Marginals with less of the budget than this are not measured."""

MORE_ATTRIBUTES = 2
"""So many attributes a candidate has beyond the widest marginal of the workload."""

WIDER_CELLS = 250_000
"""The most cells of all wider candidates together: seven seconds of noise, were all of them measured."""

MAX_LISTED = 200_000
"""Sets of a size are candidates only where there are no more than this of them."""


@dataclass(frozen=True, eq=False)
class Weights:
    """Shares of a budget.

    spaces  with the wider marginals that get a share
    omega   float64 (tables,), of `spaces.tables`; sums to one
    excess  how far the sum of variances can be above the least that any shares of the candidates give, as a share
    """

    spaces: ResidualSpaces
    omega: Floats
    excess: float


def wider_candidates(spaces: ResidualSpaces) -> tuple[Subset, ...]:
    """Marginals that are no subset of the workload's: those of fewest cells, by a rule that is public.

    Sets of attributes that the workload names, with at most two more than its widest marginal. Sizes with over 200,000
    sets are left out; of the others the sets of fewest cells come in, then in lexicographic order, until one more would
    make all of them together more than 250,000 cells, or what is measured more than can be drawn.
    """
    attributes = [subset[0] for subset in spaces.subsets if len(subset) == 1]
    widest = len(spaces.subsets[-1])
    found = [
        subset
        for size in range(1, widest + MORE_ATTRIBUTES + 1)
        if math.comb(len(attributes), size) <= MAX_LISTED
        for subset in itertools.combinations(attributes, size)
        if subset not in spaces.place
    ]
    found.sort(key=lambda subset: (spaces.cells(subset), len(subset), subset))
    room = min(WIDER_CELLS, MAX_NOISY_CELLS - sum(map(spaces.cells, spaces.subsets)))
    ends = itertools.accumulate(map(spaces.cells, found))
    return tuple(subset for subset, end in zip(found, ends, strict=True) if end <= room)


@lru_cache(maxsize=8)
def best_weights(spaces: ResidualSpaces) -> Weights:
    """The shares that make the sum of variances least.

    Minimise F = sum over A of w_A/lambda_A, lambda_A = sum over S above A of omega_S/(product over S - A of m_i), over
    omega >= 0 that sum to one. Multiplicative steps omega_S *= sqrt(-dF/domega_S) lower F each time (the A-optimality
    algorithm of design theory); F^2/max(-dF/domega) is a lower bound of all F, as F is convex and F(c omega) = F/c.
    Wider candidates that hardly lower F are dropped half way, so that no noise is drawn for them; they stay in the
    bound.
    """
    task = _Task.of(replace(spaces, wider=wider_candidates(spaces)))
    omega = task.stepped(np.full(len(task.candidates), 1 / len(task.candidates)), GAP / 2)
    omega = task.stepped(task.thinned(omega), GAP)
    measured = np.flatnonzero(omega)
    wider = tuple(task.candidates[place] for place in measured if place >= len(spaces.subsets))
    shares = np.concatenate([omega[: len(spaces.subsets)], omega[measured[measured >= len(spaces.subsets)]]])
    shares.flags.writeable = False
    return Weights(replace(spaces, wider=wider), shares, task.excess(omega))


@dataclass(frozen=True, eq=False)
class _Task:
    """F and its gradient.

    above  sparse (A, S): 1/(product over S - A of m_i) where A lies in S
    loss   float64 (A,): w_A
    """

    candidates: tuple[Subset, ...]
    narrow: int
    above: Any
    loss: Floats

    @classmethod
    def of(cls, spaces: ResidualSpaces) -> _Task:
        from scipy.sparse import csr_matrix

        rows, columns, values = [], [], []
        for place, subset in enumerate(spaces.tables):
            for inner in spaces.needed(subset):
                rows.append(spaces.place[inner])
                columns.append(place)
                values.append(spaces.cells(inner) / spaces.cells(subset))
        above = csr_matrix((values, (rows, columns)), (len(spaces.subsets), len(spaces.tables)))
        return cls(spaces.tables, len(spaces.subsets), above, spaces.loss_weights)

    def gains(self, omega: Floats) -> Floats:
        """-dF/domega_S over F, float64 (S,): the mean of these by omega is 1."""
        precision = self.above @ omega
        gains: Floats = self.above.T @ (self.loss / precision**2) / (self.loss / precision).sum()
        return gains

    def excess(self, omega: Floats) -> float:
        return float(self.gains(omega).max() - 1)

    def stepped(self, omega: Floats, gap: float) -> Floats:
        """Until the excess is at most `gap`; shares of 0 stay."""
        for _ in range(STEPS):
            gains = self.gains(omega)
            if gains.max() - 1 <= gap:
                break
            omega = omega * np.sqrt(gains)
            omega /= omega.sum()
        return omega

    def thinned(self, omega: Floats) -> Floats:
        """Without tiny shares, and without the wider candidates that make up the last thousandth of F."""
        parts = omega * self.gains(omega)
        wider = self.narrow + np.argsort(parts[self.narrow :], kind="stable")
        kept = np.where(omega < LEAST_SHARE, 0.0, omega)
        kept[wider[np.cumsum(parts[wider]) <= GAP]] = 0.0
        return kept / kept.sum() if (self.above @ kept).min() > 0 else omega
