"""The mean of a numeric column, held against the released one by two sums of private numbers.

With m the released mean and x the part that the private one may be off, the mean lies in [(1 - x) m, (1 + x) m] where
the sum of v - (1 - x) m over the rows with a number v, and that of (1 + x) m - v, are both zero or more. Both are
linear, so how many rows have a number need not be known. Numbers are whole units of the column; the ends of the
interval around m are in thousandths of a unit, and so are the sums: all of it is whole numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import PlanError
from pmwpub.mechanisms.acceptance.acceptance_noise import SoldNumber
from pmwpub.privacy.noise import MAX_VALUE

STEPS_PER_UNIT = 1_000
"""So fine that rounding (1 - x) m hardly narrows a bar, also where a unit is a large part of the mean."""


@dataclass(frozen=True)
class MeanSums:
    """The two sums of one column; public.

    low, high  numbers are clipped to these, in whole units
    released   m, the mean that the release has, in units
    within     x, a fraction of |m|
    rows       the rows with a number that the release has of n: what a bar is made from

    Raises PlanError for a clip that is none, or a mean that lies beyond it.
    """

    low: int
    high: int
    released: Fraction
    within: Fraction
    rows: int

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise PlanError("The numbers of a mean are clipped to two ends, the lower one first; take others.")
        if not self.low <= self.released <= self.high:
            raise PlanError("The released mean lies beyond the ends that numbers are clipped to; take wider ones.")

    @property
    def least(self) -> int:
        """(1 - x) m in thousandths of a unit, rounded up: a bar is never wider than it says."""
        return math.ceil(STEPS_PER_UNIT * (self.released - self.within * abs(self.released)))

    @property
    def most(self) -> int:
        """(1 + x) m, rounded down."""
        return math.floor(STEPS_PER_UNIT * (self.released + self.within * abs(self.released)))

    @property
    def bars(self) -> tuple[int, int]:
        """What the two sums would be, rounded down, if the private mean were the released one, over as many rows."""
        return (
            math.floor(self.rows * (STEPS_PER_UNIT * self.released - self.least)),
            math.floor(self.rows * (self.most - STEPS_PER_UNIT * self.released)),
        )

    def numbers(self, n: int, rows_per_person: int) -> tuple[SoldNumber, SoldNumber]:
        """The two numbers that are sold: how far each sum falls short of its bar, in thousandths of a unit.

        A number at most as large as its bar is a sum of zero or more. The first, over rows |m|, is how far the private
        mean lies below the released one, and the second how far above it, as long as `rows` have a number.

        Raises PlanError where a bar is narrower than a thousandth of a unit, or a sum might not fit 62 bits.
        """
        below, above = self.bars
        low, high = STEPS_PER_UNIT * self.low, STEPS_PER_UNIT * self.high
        check_summable(self.low, self.high, n)
        return (
            self._number(below, (low - self.least, high - self.least), n, rows_per_person),
            self._number(above, (self.most - high, self.most - low), n, rows_per_person),
        )

    def values(self, total: int, count: int) -> tuple[int, int]:
        """The exact numbers of a private table.

        total, count  the sum of its clipped numbers in whole units, and how many rows have one

        Privacy: non-private. The first sum is one of a term a row: 1000 v - least, between 1000 low - least and 1000
        high - least, or 0 of a row without a number. A row that is replaced changes the sum by at most the range of the
        term, 0 included, and k rows by at most k times that; of the second sum, of most - 1000 v, alike. The bars are
        constants.
        """
        below, above = self.bars
        steps = STEPS_PER_UNIT * total
        return below - (steps - count * self.least), above - (count * self.most - steps)

    @staticmethod
    def _number(bar: int, term: tuple[int, int], n: int, rows_per_person: int) -> SoldNumber:
        spread = max(0, *term) - min(0, *term)
        return SoldNumber(rows_per_person * spread, bar, 0, n * spread + bar)


def check_summable(low: int, high: int, n: int) -> None:
    """PlanError unless n numbers between two ends, in whole units, can be summed in 62 bits."""
    if n * STEPS_PER_UNIT * max(abs(low), abs(high)) > MAX_VALUE:
        raise PlanError("The numbers of a mean are too large to be summed; take a larger unit.")
