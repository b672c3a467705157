"""What noisy tables leave likely of the drift between two tables, and how far intervals are widened for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmwpub.records import Floats

RATIOS = (1.0, 2.0, 4.0, 8.0)
"""How many times stronger the public table may be in what 2-way tables add to 1-way tables; equally likely."""

SURE = 0.99
"""How sure a single release is to be covered well, over what the noisy tables leave likely."""

ALLOWED = 1.8537614835101117
"""By so much a variance may be larger than is believed until 1.96 believed deviations hold .85 of a normal law: the
square of the normal quantiles of .975 and .925 over each other."""


@dataclass(frozen=True, eq=False)
class LikelyDrift:
    """What the noisy tables leave likely of the strengths that all attributes share.

    ones, pairs  float64 (any,): 1/N1 and 1/N2
    likely       float64 (any,): how likely both are together; sums to one
    """

    ones: Floats
    pairs: Floats
    likely: Floats

    @classmethod
    def of(cls, grid: Floats, ones: Floats, pairs: Floats, cap: float) -> LikelyDrift:
        """By log likelihoods on a grid: N1 alike likely on it, N2/N1 among `RATIOS`; both at most the cap."""
        first = np.repeat(grid, len(RATIOS))
        second = np.minimum(np.outer(grid, RATIOS).ravel(), cap)
        log = np.repeat(ones, len(RATIOS)) + np.interp(np.log(second), np.log(grid), pairs)
        weight = np.exp(log - log.max())
        return cls(1.0 / np.minimum(first, cap), 1.0 / second, weight / weight.sum())

    @property
    def means(self) -> tuple[float, float]:
        """1/E[1/N1] and 1/E[1/N2]."""
        return 1.0 / float(self.likely @ self.ones), 1.0 / float(self.likely @ self.pairs)

    @property
    def wider(self) -> tuple[float, float]:
        """What makes `ALLOWED` times the mean of 1/N1, and of 1/N2, as large as it is with probability `SURE`."""
        one, other = (self._most(drift) / (ALLOWED * float(self.likely @ drift)) for drift in (self.ones, self.pairs))
        return max(one, 1.0), max(other, 1.0)

    def _most(self, drift: Floats) -> float:
        order = np.argsort(drift, kind="stable")
        return float(np.interp(SURE, np.cumsum(self.likely[order]), drift[order]))
