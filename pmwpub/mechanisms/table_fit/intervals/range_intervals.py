"""95 % intervals for sums of cells of one column: shares of a range of levels, and quantiles, by its noisy table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pmwpub.mechanisms.table_fit.intervals.cell_intervals import DEVIATIONS, Basis
from pmwpub.mechanisms.table_fit.intervals.contrast_intervals import SURE, Contrast
from pmwpub.mechanisms.table_fit.intervals.noisy_columns import NoisyColumn, noisy_column
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables, marginal_of
from pmwpub.records import Distribution, Floats

ALMOST = 1e-12
"""Running sums of shares that reach a part but for so little reach it."""


@dataclass(frozen=True)
class QuantileBins:
    """Which levels hold a quantile: places among the levels that were asked about, in their order.

    released     by the released weights; None where no released row has one of these levels
    inside       how far into that level the quantile lies, where its rows lie evenly: 0 to 1
    first, last  the ends of the interval, both included; None where nothing is covered
    """

    released: int | None
    inside: float
    first: int | None
    last: int | None


class RangeIntervals:
    """Intervals of one release by table fit for sums of levels of one column, by noise alone.

    What the noisy tables say of a column is unbiased, with Gaussian noise whose law is known, so the intervals cover by
    that law, whatever drifted and whatever the fit made of it. What the model of the cells' intervals believes of a sum
    of levels is not offered: no law says how often that covers (docs/intervals.md).

    released  the weights that were published
    tables    what a release by table fit publishes of its tables; None of any other, of which nothing is covered

    Privacy: a function of the release and the public table alone.
    """

    def __init__(self, released: Distribution, tables: ReleasedTables | None) -> None:
        self._released, self._tables = released, tables
        self._shares: dict[int, Floats] = {}
        self._columns: dict[int, NoisyColumn | None] = {}

    def _share_of(self, attribute: int) -> Floats:
        if attribute not in self._shares:
            self._shares[attribute] = marginal_of(self._released, (attribute,))
        return self._shares[attribute]

    def _noisy(self, attribute: int) -> NoisyColumn | None:
        if self._tables is not None and attribute not in self._columns:
            self._columns[attribute] = noisy_column(self._tables, attribute)
        return self._columns.get(attribute)

    def share(self, attribute: int, levels: Sequence[int]) -> Contrast:
        """The share of all rows that have one of these levels.

        attribute  position in the domain
        levels     codes, each once
        """
        chosen = np.zeros(self._released.support.domain.shape[attribute])
        chosen[list(levels)] = 1.0
        released = float(self._share_of(attribute) @ chosen)
        found = self._noisy(attribute)
        if found is None:
            return Contrast(released, released, None, None, Basis.NONE)
        nearest = min(max(float(found.shares @ chosen), 0.0), 1.0)
        half = DEVIATIONS * math.sqrt(found.variance_of(chosen))
        return Contrast(nearest, released, max(nearest - half, 0.0), min(nearest + half, 1.0), Basis.NOISY)

    def quantile(self, attribute: int, levels: Sequence[int], part: float) -> QuantileBins:
        """Which of the levels, in this order, holds the quantile of the rows that have one of them.

        part  p, of these rows, in (0, 1)

        With C_j the share of rows in the first j levels and P that in all, the number D_j = C_j - p P is a sum of
        cells: its noise has a known law. The quantile lies at an edge j with D_j = 0, or inside a level over which D
        passes 0. A level is in the interval where, at one of its edges, |D_j| is at most 1.96 deviations of its noise,
        or D changes its sign over it. Inside a level D is linear where its rows lie evenly, and its deviation, the norm
        of a linear function, is convex: no point inside is within 1.96 deviations where neither edge is and the sign
        stays. So the level of the private rows' own quantile is left out with a probability of at most 5 %. (Woodruff
        1952, with the variance at each edge.) Not covered: a column that was not measured, or where P is no more than
        `SURE` deviations.
        """
        chosen = list(levels)
        place, inside = quantile_in(self._share_of(attribute)[chosen], part)
        found = self._noisy(attribute)
        if found is None:
            return QuantileBins(place, inside, None, None)
        every = np.zeros(len(found.shares))
        every[chosen] = 1.0
        if float(found.shares @ every) <= SURE * math.sqrt(found.variance_of(every)):
            return QuantileBins(place, inside, None, None)
        near, above = [], []
        for reached in range(len(chosen) + 1):
            times = -part * every
            times[chosen[:reached]] += 1.0
            below = float(found.shares @ times)
            near.append(abs(below) <= DEVIATIONS * math.sqrt(found.variance_of(times)))
            above.append(below > 0)
        held = [j for j in range(len(chosen)) if near[j] or near[j + 1] or above[j] != above[j + 1]]
        return QuantileBins(place, inside, held[0], held[-1])


def quantile_in(shares: Floats, part: float) -> tuple[int | None, float]:
    """The first level at which the running sum reaches a part of the total, and how far into it, in [0, 1].

    shares  float64 (levels,), none negative

    >>> quantile_in(np.array([0.1, 0.3, 0.4]), 0.25)
    (1, 0.333...)
    """
    total = float(shares.sum())
    if total <= 0:
        return None, 0.0
    sums = np.cumsum(shares)
    place = int(np.argmax(sums >= part * total - ALMOST))
    before = float(sums[place - 1]) if place else 0.0
    inside = (part * total - before) / float(shares[place]) if shares[place] > 0 else 0.0
    return place, min(max(inside, 0.0), 1.0)
