"""Sums of noisy cells and ratios of two of them, with intervals by the law of the noise alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pmwpub.mechanisms.table_fit.intervals.cell_intervals import DEVIATIONS

HALF_A_COUNT = 0.5
"""Added to half the width of every interval: noise is whole, and a normal law of the same scale is not."""

Ends = tuple[float, float]


@dataclass(frozen=True)
class NoisySum:
    """A true sum of counts with noise that is known.

    value      the true sum plus noise
    deviation  of that noise: sigma of each cell, times the root of the sum of its factors' squares

    Let the noise be sums of independent discrete Gaussians with factors f, which has the law of a normal one of
    deviation sigma |f| rounded to a lattice, but for a difference that is below 1e-8 from sigma = 1 on. The lattice's
    step is 1 at most, as factors here are whole, or whole less their mean. So P(|noise| <= z deviation + 1/2) is at
    least the normal law's P(|noise| <= z deviation) = 0.95, at z = DEVIATIONS.
    """

    value: float
    deviation: float

    @property
    def reach(self) -> float:
        """How far the true sum lies from the value at most, in 95 of 100 draws."""
        return DEVIATIONS * self.deviation + HALF_A_COUNT

    def interval(self, least: float, most: float) -> Ends:
        """The ends of the interval of 95 %, within what the true sum can be."""
        return _within((self.value - self.reach, self.value + self.reach), least, most)

    def over(self, bottom: NoisySum, least: float, most: float) -> Ends | None:
        """The interval of the ratio of two true sums by Fieller's theorem; None where the lower one may be zero.

        bottom  a sum whose noise is independent of this one's

        With x = X + U over y = Y + V, and r = X/Y the true ratio, x - r y = U - r V has noise alone: its deviation is
        sqrt(s^2 + r^2 t^2), whatever X and Y are. So the r' with |x - r' y| <= sqrt(a^2 + r'^2 b^2), for the reaches a
        and b of the two, hold the true r in 95 of 100 draws: no approximation is made of a ratio, as the delta method
        makes one. (Half a count in each reach is what the lattices take, which have steps of 1 and r.) They lie between
        the roots of
        (y^2 - b^2) r^2 - 2 x y r + x^2 - a^2 where y > b. Elsewhere they have no end, so the caller says `least` to
        `most`, which always holds r: so at least 95 of 100 draws are covered in all.
        """
        x, y, a, b = self.value, bottom.value, self.reach, bottom.reach
        if y <= b:
            return None
        scale = y * y - b * b
        root = math.sqrt(max(x * x * b * b + a * a * scale, 0.0))  # (x y)^2 - scale (x^2 - a^2)
        return _within(((x * y - root) / scale, (x * y + root) / scale), least, most)


def _within(ends: Ends, least: float, most: float) -> Ends:
    low, high = (min(max(end, least), most) for end in ends)
    return low, high
