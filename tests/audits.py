"""Audits of an event that is fixed beforehand, on laws that are known: how often a right and a wrong mechanism pass."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import stats
from statistical import ALPHA, AUDIT, CONFIDENCE, Array, epsilon_at_least

from pmwpub.privacy.budget import ZCDP, epsilon_of

DELTA = Fraction(1, 10)
"""A charge of rho holds at every delta. At a large one the claimed epsilon is so near what the law gives that few runs
of a mechanism with half the noise are beyond it."""

LEAST_SHOWN = 0.8


@dataclass(frozen=True)
class Audit:
    """Runs on two neighbours count how often an event happens; what that proves must lie between two gates.

    ours, theirs  the event's exact probability on either neighbour
    rho           what these neighbours cost, or what is charged: the upper gate is its epsilon at DELTA
    runs          on each neighbour
    """

    ours: float
    theirs: float
    rho: ZCDP
    runs: int = 3_000 * AUDIT

    @classmethod
    def of_normal(cls, apart: float, rho: ZCDP, cut: float = 1.25) -> Audit:
        """Of the event that a normal value is `cut` deviations or more above the mean that `theirs` has.

        apart  the two means' distance, in deviations
        """
        return cls(float(stats.norm.sf(cut - apart)), float(stats.norm.sf(cut)), rho)

    @property
    def least(self) -> float:
        """The lower gate: 0.8 of what hits as frequent as expected prove."""
        hits, neighbour_hits = round(self.ours * self.runs), round(self.theirs * self.runs)
        return LEAST_SHOWN * epsilon_at_least(hits, neighbour_hits, self.runs, delta=float(DELTA))

    @property
    def most(self) -> float:
        """The upper gate."""
        return epsilon_of(self.rho, DELTA)

    def assert_passed(self, hits: int, neighbour_hits: int) -> None:
        shown = epsilon_at_least(hits, neighbour_hits, self.runs, delta=float(DELTA))
        assert shown <= self.most, f"neighbours show an epsilon of {shown:.3g}, beyond {self.most:.3g}"
        assert shown >= self.least, f"neighbours show an epsilon of {shown:.3g}; the law gives {self.least:.3g} or more"

    def passing(self, ours: float, theirs: float) -> float:
        """The probability that a mechanism passes whose event has these probabilities, to 1e-9: all pairs of hits."""
        (ours_hits, ours_mass), (theirs_hits, theirs_mass) = self._likely(ours), self._likely(theirs)
        tail = (1 - CONFIDENCE) / 2
        low = stats.beta.ppf(tail, np.maximum(ours_hits, 1e-9), self.runs - ours_hits + 1) - float(DELTA)
        high = stats.beta.ppf(1 - tail, theirs_hits + 1, np.maximum(self.runs - theirs_hits, 1e-9))
        shown = np.log(np.maximum(low, 1e-300))[:, None] - np.log(high)[None, :]
        within = (shown >= self.least) & (shown <= self.most)
        return float(ours_mass @ within @ theirs_mass)

    def _likely(self, probability: float) -> tuple[Array, Array]:
        first, last = stats.binom.ppf(1e-10, self.runs, probability), stats.binom.isf(1e-10, self.runs, probability)
        hits = np.arange(first, last + 1)
        return hits, stats.binom.pmf(hits, self.runs, probability)

    def assert_sharp(self, ours: float, theirs: float) -> None:
        """The right mechanism fails, and one whose event has these probabilities passes, once in a million at most."""
        assert 1 - self.passing(self.ours, self.theirs) < ALPHA
        assert self.passing(ours, theirs) < ALPHA
