"""The best of several candidates at the price of one choice, when only the winner matters.

The law is that of the exponential mechanism on the exact best-mixture errors, although each error is only ever known
as an interval: the uniform threshold is drawn first, and intervals and threshold are narrowed until one candidate is
certain. Drawing a Gumbel variable for each candidate, bit by bit, and refining until one leads has the same law.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import BudgetError, PlanError
from pmwpub.mechanisms.noisy_error.assessment import Unresolved
from pmwpub.mechanisms.noisy_error.lazy_rounding import EXPECTED_STEPS, Refinable
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.exp_enclosures import exp_minus
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.selection import ExponentialMechanism
from pmwpub.progress import Progress, unwatched

FIRST_BITS = 128
"""Of the threshold: with so many, it is practically never the threshold that leaves the choice open."""
GUARD_BITS = 64
"""Weights are enclosed so much finer than the threshold."""


@dataclass(frozen=True)
class Best:
    """The candidate that was chosen: its position among those that were offered, and the charge."""

    candidate: int
    rho: ZCDP


def best_charge(epsilon: Fraction) -> ZCDP:
    """What one choice costs, among however many candidates: epsilon^2/8, rounded up."""
    return ExponentialMechanism(epsilon).rho


def shortfall(
    epsilon: Fraction, candidates: int, private_rows: int, rows_per_person: int = 1, *, missed: float = 0.05
) -> float:
    """How far the chosen floor may lie above the lowest, with probability 1 - missed, as a share of the rows.

    2 k log(K/missed)/(epsilon n), for K candidates: the others together have at most K e^(-gap epsilon n/(2k)) times
    the best one's mass. Public: known before anything is bought.
    """
    return 2 * rows_per_person * math.log(candidates / missed) / (float(epsilon) * private_rows)


def best_release(
    states: Sequence[Refinable],
    epsilon: Fraction,
    *,
    private_rows: int,
    rows_per_person: int = 1,
    noise: NoiseSource = SECURE,
    progress: Progress = unwatched,
) -> Best | Unresolved:
    """One candidate i, with probability exactly proportional to w_i = e^(-epsilon n f_i/(2k)).

    states        the best-mixture error f_i of each candidate, over one workload and one private table of n rows
    private_rows  n
    progress      called between refinements with (done, total); may raise to cancel. For the steward alone.

    With C_i = w_1 + .. + w_i and U uniform on [0, 1), the answer is the i with C_(i-1) <= U C_K < C_i. U is drawn
    first, as bits; each w_i is enclosed by whole numbers from the interval of f_i. Where these decide i it is the i
    that the real numbers would give; else the interval that leaves most open is refined, or bits are added to U.

    Privacy: the answer is a function of U and the exact f_1, .., f_K alone, so its law is the exponential mechanism's
    on the scores -n f_i, whatever the intervals were on the way. Neighbours move every f_i by at most k/n (see
    assessment.floor_release), hence every score by at most k: epsilon-DP of bounded range epsilon, rho = epsilon^2/8
    (see privacy.selection.ExponentialMechanism). No floor is released.
    Not covered: time, and the event Unresolved, which needs an interval that can be refined no further.

    Raises PlanError for fewer than two candidates, BudgetError unless k >= 1 and epsilon is positive.
    """
    if len(states) < 2:
        raise PlanError(f"A choice needs at least two candidates; {len(states)} came.")
    if rows_per_person < 1:
        raise BudgetError(f"A person owns at least one row; {rows_per_person} came.")
    mechanism = ExponentialMechanism(epsilon)
    rate = mechanism.epsilon * private_rows / (2 * rows_per_person)
    bits, step = FIRST_BITS, 0
    threshold = noise.bits(bits)
    while True:
        cells = _Cells.of(states, rate, bits)
        chosen = cells.holding(threshold)
        if chosen is not None:
            return Best(chosen, mechanism.rho)
        widest = cells.widest(states)
        if widest is not None:
            progress(step, max(EXPECTED_STEPS, step + 1))
            states[widest].refine()
            step += 1
        elif cells.open:
            return Unresolved(mechanism.rho)
        else:
            threshold = threshold << bits | noise.bits(bits)
            bits *= 2


@dataclass(frozen=True, repr=False)
class _Cells:
    """Whole numbers around the weights, lower[i] <= 2^(bits + GUARD_BITS) c w_i <= upper[i], for one c > 0.

    bits  how many bits of the threshold are known

    Privacy: exact functions of private counts; the repr shows nothing.
    """

    lower: list[int]
    upper: list[int]
    bits: int

    @classmethod
    def of(cls, states: Sequence[Refinable], rate: Fraction, bits: int) -> _Cells:
        """From the intervals as they are, in units of the largest weight that they allow: the law is that of ratios."""
        intervals = [state.interval for state in states]
        least = min(interval.lower for interval in intervals)
        precision = bits + GUARD_BITS
        lower = [exp_minus(rate * (interval.upper - least), precision)[0] for interval in intervals]
        upper = [exp_minus(rate * (interval.lower - least), precision)[1] for interval in intervals]
        return cls(lower, upper, bits)

    def holding(self, threshold: int) -> int | None:
        """The i with C_(i-1) <= U C_K < C_i for every U in [threshold, threshold + 1)/2^bits and all weights enclosed.

        C_(i-1) <= U C_K says (1 - U)(w_1 + .. + w_(i-1)) <= U (w_i + .. + w_K): hardest for the smallest U, the largest
        w_1 .. w_(i-1) and the smallest w_i .. w_K. U C_K < C_i is that of i + 1 turned round, hardest for the others.
        """
        whole = 1 << self.bits
        for i in range(len(self.lower)):
            begun = (whole - threshold) * sum(self.upper[:i]) <= threshold * sum(self.lower[i:])
            after, until = sum(self.upper[i + 1 :]), sum(self.lower[: i + 1])
            if begun and (threshold + 1) * after <= (whole - threshold - 1) * until:
                return i
        return None

    def widest(self, states: Sequence[Refinable]) -> int | None:
        """Whose refinement matters most: the largest weight left open, where that is more than the threshold's step."""
        gaps = [0 if state.exhausted else gap for gap, state in zip(self._gaps, states, strict=True)]
        largest = max(gaps)
        return gaps.index(largest) if largest > self._step else None

    @property
    def open(self) -> bool:
        """An interval, not the threshold, is what leaves the choice open."""
        return max(self._gaps) > self._step

    @property
    def _gaps(self) -> list[int]:
        return [upper - lower for lower, upper in zip(self.lower, self.upper, strict=True)]

    @property
    def _step(self) -> int:
        return sum(self.upper) >> self.bits
