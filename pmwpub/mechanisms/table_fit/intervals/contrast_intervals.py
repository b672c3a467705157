"""95 % intervals for what is made of cells: shares within a column, differences of two cells, means of a column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pmwpub.errors import WorkloadError
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift
from pmwpub.mechanisms.table_fit.intervals.cell_errors import (
    MeasuredParts,
    Subset,
    beliefs,
    errors_of_functionals,
    least_variance,
    parts_of,
    scaled_beliefs,
    subsets,
)
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import (
    DEVIATIONS,
    Basis,
    CellIntervals,
    MarginalIntervals,
)
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables, marginal_of
from pmwpub.records import Bools, Floats

SURE = 5.0
"""Shares within a column are covered where the column's own share is at least so many of its believed errors: then the
error of the ratio is that of a sum, but for a part in twenty-five."""


@dataclass(frozen=True)
class Contrast:
    """One number with its interval.

    value      what is answered
    released   what the released weights answer
    low, high  the ends; None where nothing is covered
    """

    value: float
    released: float
    low: float | None
    high: float | None
    basis: Basis


@dataclass(frozen=True)
class _Corner:
    """A part of a cell of a marginal: positions of its columns among the marginal's, and its codes."""

    part: Subset
    codes: Subset


class ContrastIntervals:
    """Intervals of one release for numbers that are made of the cells of one marginal.

    They rest on what the intervals of single cells rest on, with the covariance of their errors: see `CellIntervals`.

    Privacy: a function of the release and the public table alone.
    """

    def __init__(self, release: ReleasedTables, drift: BelievedDrift) -> None:
        self._release, self._drift, self._cells = release, drift, CellIntervals(release, drift)

    def within(self, attributes: Sequence[int], given: Sequence[int]) -> MarginalIntervals:
        """Each cell of a marginal as a share of the rows that have its levels of some of the columns.

        attributes  positions in the domain, ascending
        given       some of them, not all: within whose levels

        To first order the error of a ratio r = p/P is that of the sum (p - r P)/P. Not covered: where rows evidently
        lack a level of a column, columns that were not measured, cells without public rows, and where P is too
        uncertain (`SURE`).

        Raises WorkloadError as `CellIntervals.of`, and for columns that are not some of the marginal's.
        """
        wanted, parents = tuple(attributes), tuple(given)
        if not parents or not set(parents) < set(wanted) or list(parents) != sorted(set(parents)):
            raise WorkloadError("Shares are within some of the marginal's columns, and not within all of them.")
        cells = self._cells.of(wanted)
        table, release = cells.released, self._release
        shares = parts_of(table)
        parent = subsets(len(wanted)).index(tuple(wanted.index(a) for a in parents))
        total = shares[:, parent]
        ratio = np.divide(shares[:, -1], total, out=np.zeros_like(total), where=total > 0)
        low, high = np.full(len(ratio), math.nan), np.full(len(ratio), math.nan)
        if set(wanted) <= set(release.attributes) and not set(wanted) & set(release.choices.lacking):
            half, sure = self._of_ratios(wanted, table, parent, ratio)
            covered = sure & (ratio > 0) & (ratio < 1)
            low[covered] = np.maximum(ratio - half, 0.0)[covered]
            high[covered] = np.minimum(ratio + half, 1.0)[covered]
        basis = np.where(np.isnan(low), Basis.NONE, Basis.MODEL).astype(object)
        shaped = [one.reshape(table.shape) for one in (ratio, ratio, low, high, basis)]
        return MarginalIntervals(wanted, *shaped)

    def _of_ratios(self, attributes: Subset, table: Floats, parent: int, ratio: Floats) -> tuple[Floats, Bools]:
        """Half widths, and whether the parents' shares are sure enough; each (cells,)."""
        release, found = self._release, MeasuredParts.of(self._release, attributes, table.shape)
        believed = beliefs(release, self._drift, attributes, table)
        target = np.zeros(believed.drift.shape[:2])
        target[:, parent] = 1.0
        squared = errors_of_functionals(believed, target, found.chosen, found.noise, found.least)
        squared = squared + self._excess(len(subsets(len(attributes))[parent]))
        target[:, parent], target[:, -1] = -ratio, 1.0
        errors = errors_of_functionals(believed, target, found.chosen, found.noise, found.least)
        errors = errors + self._excess(len(attributes)) * (1.0 + ratio**2)
        total = np.maximum(parts_of(table)[:, parent], 1e-300)
        sure: Bools = total >= SURE * np.sqrt(squared)
        return DEVIATIONS * np.sqrt(errors) / total, sure

    def difference(self, attributes: Sequence[int], first: Subset, second: Subset) -> Contrast:
        """The share of one cell of a marginal less that of another.

        attributes     positions in the domain, ascending
        first, second  the cells: a code for each column

        What two noisy cells say is answered where that is sharper, and in columns of which rows evidently lack levels.

        Raises WorkloadError as `CellIntervals.of`, and for cells that are none of the marginal's, or the same.
        """
        wanted = tuple(attributes)
        cells = self._cells.of(wanted)
        table = cells.released
        for cell in (first, second):
            if len(cell) != table.ndim or any(not 0 <= c < s for c, s in zip(cell, table.shape, strict=False)):
                raise WorkloadError("A difference is of two cells of the marginal.")
        if first == second:
            raise WorkloadError("A difference is of two different cells.")
        released, release = float(table[first] - table[second]), self._release
        direct = self._direct(wanted, table.shape, first, second)
        measured = set(wanted) <= set(release.attributes) and not set(wanted) & set(release.choices.lacking)
        error = self._model(wanted, table, first, second) if measured and table[first] > 0 < table[second] else math.inf
        if direct is not None and direct[1] <= error:
            return _about(*direct, released, Basis.NOISY)
        if math.isinf(error):
            return Contrast(released, released, None, None, Basis.NONE)
        return _about(released, error, released, Basis.MODEL)

    def _direct(self, attributes: Subset, shape: Subset, first: Subset, second: Subset) -> tuple[float, float] | None:
        """The difference of two noisy cells, and its variance."""
        own = self._release.cells_of(attributes)
        if own is None:
            return None
        places = [int(np.ravel_multi_index(cell, shape)) for cell in (first, second)]
        values, variances = (part[own][places] for part in (self._release.measured, self._release.variances))
        return float(values[0] - values[1]), float(variances.sum())

    def _model(self, attributes: Subset, table: Floats, first: Subset, second: Subset) -> float:
        """The mean squared error that is believed of the difference of two released cells."""
        release, order = self._release, table.ndim
        corners = [_Corner(part, tuple(c[a] for a in part)) for part in subsets(order) for c in (first, second)]
        corners = list(dict.fromkeys(corners))
        inside = np.stack([_indicator(corner, table.shape) for corner in corners])
        shares = inside @ table.ravel()
        covariance = (inside * table.ravel()) @ inside.T - np.outer(shares, shares)
        ones = sum(len(corner.part) == 1 for corner in corners)
        believed = scaled_beliefs(release, self._drift, attributes, covariance[None], ones)
        target = np.array([[1.0 * (c.codes == first) - 1.0 * (c.codes == second) for c in corners]])
        places, noise, least = [], [], []
        for place, corner in enumerate(corners):
            cells = release.cells_of([attributes[a] for a in corner.part])
            if cells is not None:
                at = np.ravel_multi_index(corner.codes, [table.shape[a] for a in corner.part])
                places.append(place)
                noise.append(release.variances[cells][int(at)])
                least.append(least_variance(release, len(corner.part)))
        errors = errors_of_functionals(believed, target, places, np.array([noise]), np.array([least]))
        return float(errors[0]) + 2.0 * self._excess(order)

    def mean(self, attribute: int, values: Sequence[float | None]) -> Contrast:
        """The mean of a column's values over the rows that have one, by its noisy 1-way table alone.

        values  one a level; None for a level that stands for no number

        With s the deviation of a cell's estimate, P the share of rows with a number and u = value - mean for these, 0
        for others, the mean has the variance s^2 (sum u^2 - (sum u)^2/levels)/P^2, for the estimates are centred to the
        sum 1. Not covered: columns that were not measured or of which rows evidently lack levels, and where P is too
        uncertain (`SURE`). What the model believes of a mean is not offered: on close pairs it covers too little.
        """
        release = self._release
        counts = np.array([value is not None for value in values])
        released = mean_of(marginal_of(release.released, (attribute,)), values)
        cells = release.cells_of((attribute,))
        if cells is None or attribute in release.choices.lacking or not counts.any():
            return Contrast(released, released, None, None, Basis.NONE)
        shares, variance = release.measured[cells], float(release.variances[cells].max())
        total, among = float(shares[counts].sum()), int(counts.sum())
        spread = among - among**2 / len(counts)  # of the sum of these cells, in units of the variance
        if total <= SURE * math.sqrt(variance * spread):
            return Contrast(released, released, None, None, Basis.NONE)
        numbers, unit = _scaled(values)
        value = float(shares[counts] @ numbers[counts]) / total
        u = np.where(counts, numbers - value, 0.0)
        error = variance * float(u @ u - u.sum() ** 2 / len(u)) / total**2
        half, known = DEVIATIONS * math.sqrt(max(error, 0.0)), numbers[counts]
        least, most = float(known.min()), float(known.max())
        nearest = min(max(value, least), most)
        ends = (nearest, max(nearest - half, least), min(nearest + half, most))
        value, low, high = (math.ldexp(one, unit) for one in ends)
        return Contrast(value, released, low, high, Basis.NOISY)

    def _excess(self, order: int) -> float:
        return self._cells.misfit.excess[min(order, 3) - 1]


def mean_of(shares: Floats, values: Sequence[float | None]) -> float:
    """The mean of the numbers that levels stand for, by the levels' shares; NaN where no level with a number has any.

    values  one a level, however large; None for a level that stands for no number
    """
    counts = np.array([value is not None for value in values])
    total = float(shares[counts].sum())
    if total <= 0:
        return math.nan
    numbers, unit = _scaled(values)
    known = numbers[counts]
    value = float(shares[counts] @ known) / total
    return math.ldexp(min(max(value, float(known.min())), float(known.max())), unit)


def _scaled(values: Sequence[float | None]) -> tuple[Floats, int]:
    """Numbers as fractions of a power of two, and its exponent: their sums and squares are finite. 0 where none is."""
    numbers = np.array([0.0 if value is None else value for value in values])
    unit = math.frexp(float(np.abs(numbers).max()))[1]
    return np.ldexp(numbers, -unit), unit


def _indicator(corner: _Corner, shape: Subset) -> Floats:
    """float64 (cells of the marginal,): 1 where a cell has the corner's levels."""
    inside = np.zeros(shape)
    at: list[int | slice] = [slice(None)] * len(shape)
    for axis, code in zip(corner.part, corner.codes, strict=True):
        at[axis] = code
    inside[tuple(at)] = 1.0
    return inside.ravel()


def _about(value: float, variance: float, released: float, basis: Basis) -> Contrast:
    """A difference of two shares with its interval, within [-1, 1]."""
    nearest, half = min(max(value, -1.0), 1.0), DEVIATIONS * math.sqrt(variance)
    return Contrast(nearest, released, max(nearest - half, -1.0), min(nearest + half, 1.0), basis)
