"""How the error of a release follows from floor and start of its public table: a law for each engine.

Both laws are fitted to simulated pairs and were fixed before they were judged (docs/measured.md). PMW^Pub repairs a
part of what lies between floor and start; table fit leaves noise that is nearly the same for all tables of one truth,
and about as much again as the floor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from pmwpub.evaluation import TABLE_FIT

SLOPE, SLOPE_WEIGHT = 0.5, 1.0
SLOPES = tuple(place / 20 for place in range(21))
FACTORS = tuple(0.001 * 1.05**place for place in range(160))
"""Of a: from 0.001 to more than 2."""
LEAST = 1e-6

NOISE = 0.12
"""What a mean of three simulated errors is off by, as a share of it."""
FLOOR_PART, START_PART = (1.0, 0.5), (0.03, 0.02)
"""What table fit leaves of a floor and of a start: what is likely before any pair is looked at, and how far from it."""
TRUTH_SPREAD = 0.25
"""How far apart the noise of table fit is on two truths, as a share of it."""
LEAST_BASE = 0.1
"""The least noise of table fit, as a share of the errors."""


@dataclass(frozen=True)
class PublicPair:
    """A public table that plays the truth, a candidate, and what came of it; errors as shares of the rows.

    floor  the certified best-mixture error, its upper end
    start  of the candidate unchanged
    error  of a release, the mean over its runs
    rounds T of PMW^Pub at the simulated epsilon that is nearest; 0 for table fit
    """

    truth: str
    candidate: str
    floor: float
    start: float
    error: float
    rounds: int = 0


class ErrorLaw(Protocol):
    """The error of a release by floor and start."""

    @property
    def own_weight(self) -> float:
        """How many pairs that keep to the law a candidate's own pairs are set against."""

    def error(self, floor: float, start: float) -> float:
        """What a release leaves on a truth of which nothing is known."""

    def at_truth(self, pair: PublicPair) -> float:
        """What the law says of a pair, with what it knows of the pair's truth."""


def law_of(engine: str, pairs: Sequence[PublicPair]) -> ErrorLaw:
    """The law of an engine, "pmw-pub" or "table-fit", that fits pairs best."""
    return LinearLaw.fitted(tuple(pairs)) if engine == TABLE_FIT else RootLaw.fitted(tuple(pairs))


@dataclass(frozen=True)
class RootLaw:
    """E = F + a (S - F)^b."""

    a: float
    b: float
    own_weight: float = 1.0

    @classmethod
    @lru_cache(maxsize=64)  # a page asks for the same ones on each run, and all that goes in is public
    def fitted(cls, pairs: tuple[PublicPair, ...]) -> RootLaw:
        """The least squares of the logarithms, with what draws b towards 1/2, over a grid of both."""
        return min((cls(a, b) for b in SLOPES for a in FACTORS), key=lambda law: law._misfit(pairs))

    def _misfit(self, pairs: Sequence[PublicPair]) -> float:
        misfits = (math.log(max(pair.error, LEAST) / self.at_truth(pair)) for pair in pairs)
        return sum(misfit**2 for misfit in misfits) + SLOPE_WEIGHT * (self.b - SLOPE) ** 2

    def error(self, floor: float, start: float) -> float:
        return floor + self.a * max(start - floor, LEAST) ** self.b

    def at_truth(self, pair: PublicPair) -> float:
        return self.error(pair.floor, pair.start)


@dataclass(frozen=True)
class LinearLaw:
    """E = A + A_t + k F + l S, on a truth t; A_t is 0 for one that no pair has.

    base     A
    truths   (t, A_t)
    of_floor, of_start  k and l
    """

    base: float
    truths: tuple[tuple[str, float], ...]
    of_floor: float
    of_start: float
    own_weight: float = 4.0

    @classmethod
    @lru_cache(maxsize=64)  # as above
    def fitted(cls, pairs: tuple[PublicPair, ...]) -> LinearLaw:
        """The least squares of relative errors, with what is likely of k, l and each A_t as further observations."""
        truths = list(dict.fromkeys(pair.truth for pair in pairs))
        errors = np.array([max(pair.error, LEAST) for pair in pairs])
        typical = float(np.exp(np.log(errors).mean()))
        known = np.array([[1.0, *(pair.truth == one for one in truths), pair.floor, pair.start] for pair in pairs])
        spreads = np.array([*(TRUTH_SPREAD * typical for _ in truths), FLOOR_PART[1], START_PART[1]])
        likely = np.array([*(0.0 for _ in truths), FLOOR_PART[0], START_PART[0]])
        before = np.hstack([np.zeros((len(spreads), 1)), np.diag(NOISE / spreads)])
        left = np.vstack([known / errors[:, None], before])
        right = np.concatenate([np.ones(len(pairs)), likely * NOISE / spreads])
        base, *by_truth, of_floor, of_start = map(float, np.linalg.lstsq(left, right, rcond=None)[0])
        named = tuple(zip(truths, by_truth, strict=True))
        return cls(max(base, LEAST_BASE * typical), named, max(of_floor, 0.0), max(of_start, 0.0))

    def error(self, floor: float, start: float) -> float:
        return self.base + self.of_floor * floor + self.of_start * start

    def at_truth(self, pair: PublicPair) -> float:
        least = LEAST_BASE * max(pair.error, LEAST)
        return max(self.error(pair.floor, pair.start) + dict(self.truths).get(pair.truth, 0.0), least)
