"""Audits of an event that is fixed beforehand, on laws that are known: how often a right and a wrong mechanism pass."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from support.statistical import ALPHA, AUDIT, CONFIDENCE, Array, epsilon_at_least

from pmwpub.privacy.budget import ZCDP, epsilon_of

DELTA = Fraction(1, 10)
"""A charge of rho holds at every delta. At a large one an event is so frequent that few runs tell noise for half of rho
from noise for all of it."""

LEAST_SHOWN = 0.8


@dataclass(frozen=True)
class Audit:
    """Runs on two neighbours count how often an event happens; what that proves must lie between two gates.

    ours, theirs  the event's exact probability on either neighbour
    most          the upper gate: the least epsilon at DELTA of the whole law, so over all events
    rho           what these neighbours cost, or what is charged: of that rho the claimed epsilon is no smaller
    runs          on each neighbour
    """

    ours: float
    theirs: float
    most: float
    rho: ZCDP
    runs: int = 4_000 * AUDIT

    def __post_init__(self) -> None:
        assert self.most <= epsilon_of(self.rho, DELTA), "the law itself is beyond what is charged"

    @classmethod
    def of_normal(cls, apart: float, rho: ZCDP, cut: float) -> Audit:
        """Of the event that a normal value is `cut` deviations or more above the mean that `theirs` has.

        apart  the two means' distance, in deviations
        """

        def delta_at(epsilon: float) -> float:
            far, near = epsilon / apart + apart / 2, epsilon / apart - apart / 2
            return float(stats.norm.sf(near) - math.exp(epsilon) * stats.norm.sf(far))

        return cls(float(stats.norm.sf(cut - apart)), float(stats.norm.sf(cut)), _epsilon_where(delta_at), rho)

    @classmethod
    def of_masses(cls, ours: Array, theirs: Array, event: Array, rho: ZCDP) -> Audit:
        """Of an event, as a mask, among outcomes of these probabilities on either neighbour."""

        def delta_at(epsilon: float) -> float:
            return float(np.maximum(ours - math.exp(epsilon) * theirs, 0).sum())

        return cls(float(ours[event].sum()), float(theirs[event].sum()), _epsilon_where(delta_at), rho)

    @property
    def least(self) -> float:
        """The lower gate: 0.8 of what hits as frequent as expected prove."""
        hits, neighbour_hits = round(self.ours * self.runs), round(self.theirs * self.runs)
        return LEAST_SHOWN * epsilon_at_least(hits, neighbour_hits, self.runs, delta=float(DELTA))

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


@dataclass(frozen=True)
class EventGate:
    """How often an event may happen in `runs` runs if its probability is `exact`: two-sided, the exact binomial law.

    Fewer than `fewest` hits, and more than `most`, have at most ALPHA/2 each.
    """

    exact: float
    runs: int

    @property
    def fewest(self) -> int:
        return int(stats.binom.ppf(ALPHA / 2, self.runs, self.exact))

    @property
    def most(self) -> int:
        return int(stats.binom.isf(ALPHA / 2, self.runs, self.exact))

    def passes(self, hits: int | Array) -> Array:
        """Whether so many hits are within."""
        return np.asarray((hits >= self.fewest) & (hits <= self.most))

    def assert_passed(self, hits: int) -> None:
        expected = f"{self.exact * self.runs:.0f} are expected, {self.fewest} to {self.most} are allowed"
        assert self.passes(hits), f"the event happened in {hits} of {self.runs} runs; {expected}"

    def passing(self, probability: float) -> float:
        """The probability that a mechanism passes whose event has this one."""
        below, upto = stats.binom.cdf([self.fewest - 1, self.most], self.runs, probability)
        return float(upto - below)

    def catching(self, probability: float) -> float:
        """The probability that such a mechanism fails; by itself, for one minus `passing` would round."""
        below = stats.binom.cdf(self.fewest - 1, self.runs, probability)
        return float(below + stats.binom.sf(self.most, self.runs, probability))


def _epsilon_where(delta_at: Callable[[float], float]) -> float:
    """Where a privacy profile falls to DELTA."""
    return float(brentq(lambda epsilon: delta_at(epsilon) - float(DELTA), 0, 50))
