"""Noisy numbers of a stored release, each held against a bar: how a budget is shared by them, and what they say.

The number is sold and the verdict derived: a criterion is passed only where the noisy number and its half-width
together lie within the bar.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np

from pmwpub.errors import BudgetError, PlanError
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import MAX_VALUE, SECURE, NoiseSource
from pmwpub.privacy.vector_gaussian import VectorGaussian

CONFIDENCE = Fraction(95, 100)
"""Of the interval around each number, taken alone."""

DEVIATIONS = Fraction(49, 25)
"""1.96: discrete Gaussian noise is at most so many deviations, rounded up to whole steps, in 95 % of draws or more."""

MOST_DOUBLINGS = 80

Verdict = Literal["passed", "open", "missed"]
"""Of a number: evidently within its bar, not evidently on either side of it, evidently beyond it."""


@dataclass(frozen=True)
class SoldNumber:
    """A whole number of private rows and the bar that it is held against; all but the number itself is public.

    sensitivity  the most that one person's rows move it, in its own steps
    bar          in steps, rounded down: the number is good where it is at most so large
    rounding     the steps by which it may be smaller than what it stands for, since that was rounded to whole steps
    reach        a number of steps that it cannot exceed in size, whatever the rows are

    Raises PlanError for a bar of less than a step, or a number that noise could not be added to.
    """

    sensitivity: int
    bar: int
    rounding: int
    reach: int

    def __post_init__(self) -> None:
        if self.sensitivity < 1 or self.rounding < 0:
            raise PlanError("A number that is sold moves by a step or more, and its rounding is no less than none.")
        if self.bar < 1:
            raise PlanError("The bar of a criterion is narrower than can be measured; take a wider one.")
        if max(self.reach, self.sensitivity) > MAX_VALUE:
            raise PlanError("The numbers of a criterion are too large to be summed; take a larger unit.")

    def half_width(self, noise: VectorGaussian) -> int:
        """h steps: 1.96 sigma rounded up, and the rounding.

        P(|Z| > ceil(1.96 sigma)) is at most 5 %: a discrete Gaussian Z has P(Z >= t) at most that of a normal value of
        scale sigma from t - 1 on (Canonne, Kamath, Steinke 2020, Proposition 25).
        """
        return math.ceil(DEVIATIONS * noise.scale) + self.rounding


@dataclass(frozen=True)
class AcceptanceNoise:
    """The noise of several numbers that are sold together at one budget; a function of public facts alone.

    Each number's share is such that all half-widths are one part of their bars, but for rounding: the share of number
    i is in proportion to (sensitivity_i/bar_i)^2. Shares are rounded down to whole units of rho.

    Raises PlanError for no number, BudgetError where a share would be zero or its noise cannot be drawn.
    """

    numbers: tuple[SoldNumber, ...]
    budget: ZCDP

    def __post_init__(self) -> None:
        if not self.numbers:
            raise PlanError("A purchase of criteria holds one or more numbers against bars; none was named.")
        _ = self.noises

    @cached_property
    def noises(self) -> tuple[VectorGaussian, ...]:
        """Of each number: the least scale, to 40 bits, that costs at most the number's share of the budget."""
        weights = [_weight(one) for one in self.numbers]
        total = sum(weights, Fraction(0))
        shares = [ZCDP(math.floor(self.budget.units * weight / total)) for weight in weights]
        return tuple(
            VectorGaussian.costing(share, Fraction(one.sensitivity**2))
            for share, one in zip(shares, self.numbers, strict=True)
        )

    @property
    def rho(self) -> ZCDP:
        """The sum of sensitivity_i^2/(2 sigma_i^2), each rounded up; at most the budget."""
        return sum((noise.rho for noise in self.noises), ZCDP(0))

    @property
    def half_widths(self) -> tuple[int, ...]:
        """In steps, of the 95 % interval around each number."""
        return tuple(one.half_width(noise) for one, noise in zip(self.numbers, self.noises, strict=True))

    def reaches(self, part: Fraction) -> bool:
        """Whether every half-width is at most such a part of its bar."""
        return all(width <= part * one.bar for width, one in zip(self.half_widths, self.numbers, strict=True))


def least_budget(numbers: Sequence[SoldNumber], part: Fraction = Fraction(1)) -> ZCDP | None:
    """The least rho, to a millionth, whose half-widths are all at most such a part of their bars; None where none has.

    Half-widths are 1.96 sigma or more, so rho is at least the sum of (1.96 sensitivity_i/(part bar_i))^2/2.
    """
    if any(one.rounding + 1 > part * one.bar for one in numbers):
        return None
    sold = tuple(numbers)
    low = max(1, math.floor(sum(map(_weight, numbers), Fraction(0)) * (DEVIATIONS / part) ** 2 / 2 * 10**15))
    high = low
    for _ in range(MOST_DOUBLINGS):
        if _holds(sold, high, part):
            break
        low, high = high, 2 * high
    else:
        return None
    while high - low > max(1, high >> 20):
        middle = (low + high) // 2
        low, high = (low, middle) if _holds(sold, middle, part) else (middle, high)
    return ZCDP(high)


def _holds(numbers: tuple[SoldNumber, ...], units: int, part: Fraction) -> bool:
    try:
        return AcceptanceNoise(numbers, ZCDP(units)).reaches(part)
    except BudgetError:
        return False


def _weight(number: SoldNumber) -> Fraction:
    return Fraction(number.sensitivity, number.bar) ** 2


def acceptance_release(values: Sequence[int], law: AcceptanceNoise, *, noise: NoiseSource = SECURE) -> tuple[int, ...]:
    """The noisy numbers, in their own steps; neither clamped nor rounded. Charge `law.rho` first.

    values  of the law's numbers, exact

    Raises PlanError for another number of values, or one beyond what its number may be.

    Privacy: neighbours replace one person's at most k of n rows by as many, n public (or all rows of one ID, of which k
    are counted: see tabular.coding.kept_rows).
    (1) Which numbers are asked, their bars, sensitivities and noise are fixed by the plan, from stored bytes and public
        facts: the release is an earlier output, and given it they are constants.
    (2) Each value is a whole number that moves by at most its sensitivity between neighbours: `acceptance_steps` proves
        it of shares of rows, `mean_sums` of sums of numbers.
    (3) Integer Gaussian noise of scale sigma_i on value i costs rho_i = sensitivity_i^2/(2 sigma_i^2) in zCDP
        (`VectorGaussian`). The noises are independent and nothing is chosen between them, so together they cost the sum
        of the rho_i, rounded up each.
    (4) Half-widths and verdicts are functions of the noisy numbers and of public ones.
    That the release came from the same table is the composition that the ledger adds up. Not covered: time.
    """
    if len(values) != len(law.numbers) or any(
        abs(value) > one.reach for value, one in zip(values, law.numbers, strict=True)
    ):
        raise PlanError("The private numbers belong to other criteria than those of the plan.")
    return tuple(
        int(own.measure(np.array([value], dtype=object), noise=noise)[0])
        for value, own in zip(values, law.noises, strict=True)
    )


def verdict(noisy: int, half_width: int, bar: int) -> Verdict:
    """What a noisy number says of its bar, all in steps: passed only where even its upper end is within.

    A number beyond its bar is passed in at most one draw of forty: its noise would have to be below -half_width.
    """
    if noisy + half_width <= bar:
        return "passed"
    return "missed" if noisy - half_width > bar else "open"
