"""95 % intervals for the cells of any marginal of up to three attributes of a release by table fit."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pmwpub.errors import PlanError, WorkloadError
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift
from pmwpub.mechanisms.table_fit.intervals.cell_errors import (
    LARGEST_ORDER,
    MeasuredParts,
    Subset,
    beliefs,
    mean_squared_errors,
    measured_parts,
    spread_over,
    subsets,
)
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables, marginal_of
from pmwpub.records import Bools, Floats

Bases = npt.NDArray[np.object_]
"""A `Basis` a cell."""

CONFIDENCE = 0.95
DEVIATIONS = 1.959963984540054
"""The normal quantile of (1 + CONFIDENCE)/2."""

LARGE_CELL = 0.01
"""Cells of at least so large a released share are asked whether the release misses them by more than noise."""


class Basis(StrEnum):
    """What an interval rests on."""

    MODEL = "model"
    NOISY = "noisy cell"
    UPPER = "upper end"
    NONE = "not covered"


@dataclass(frozen=True, eq=False)
class MarginalIntervals:
    """The cells of one marginal, each with an interval; arrays have one axis an attribute.

    attributes  positions in the domain, ascending
    released    what the released weights answer
    shares      what is answered: the released share, or the noisy one where that is sharper
    low, high   the ends, within [0, 1]; NaN where nothing is covered
    basis       a `Basis` a cell
    """

    attributes: Subset
    released: Floats
    shares: Floats
    low: Floats
    high: Floats
    basis: Bases


@dataclass(frozen=True)
class Misfit:
    """Whether the release answers its own tables within their noise.

    ratios  1-way, 2-way, and 3-way where such tables were measured: root mean square of (noisy - released)/sigma over
            cells of at least `LARGE_CELL`; about 1 where the rows can answer the tables, and larger where the support
            is too thin
    excess  of cells of one, two and three columns: the mean squared error beyond noise, less two of its own standard
            errors; at least 0. Of three columns it is that of 2-way tables, or of 3-way ones where that is larger
    """

    ratios: tuple[float, ...]
    excess: tuple[float, float, float]


class CellIntervals:
    """Intervals of one release.

    Raises PlanError where the strengths are those of other columns.

    They cover this private table's own shares (not a wider population's), on average over the cells of a table and
    over releases, where drift is of the kind that the noisy tables show. They are no part of the privacy guarantee.

    Privacy: a function of the release and the public table alone.
    """

    def __init__(self, release: ReleasedTables, drift: BelievedDrift) -> None:
        self._release, self._drift = release, drift
        if len(drift.ones) != len(release.attributes):
            raise PlanError("The believed strengths are those of other columns.")

    @property
    def release(self) -> ReleasedTables:
        """The release whose cells they are of."""
        return self._release

    @property
    def drift(self) -> BelievedDrift:
        """The strengths that they rest on."""
        return self._drift

    @cached_property
    def misfit(self) -> Misfit:
        """How the release answers its own tables."""
        return _misfit(self._release)

    def of(self, attributes: Sequence[int]) -> MarginalIntervals:
        """The intervals of a marginal, by ascending positions in the domain.

        Raises WorkloadError for none, more than three, a repeated or an unknown attribute.
        """
        release, wanted = self._release, tuple(attributes)
        sizes = release.tables.domain.shape
        if not 1 <= len(wanted) <= LARGEST_ORDER or list(wanted) != sorted(set(wanted)) or max(wanted) >= len(sizes):
            raise WorkloadError(f"Intervals are for marginals of one to {LARGEST_ORDER} different columns.")
        table = marginal_of(release.released, wanted)
        if not set(wanted) <= set(release.attributes):
            return _uncovered(wanted, table)
        if set(wanted) & set(release.choices.lacking):
            return self._direct(wanted, table)
        return self._by_model(wanted, table)

    def _by_model(self, attributes: Subset, table: Floats) -> MarginalIntervals:
        release, order = self._release, len(attributes)
        found = MeasuredParts.of(release, attributes, table.shape)
        believed = beliefs(release, self._drift, attributes, table)
        errors = mean_squared_errors(believed, found.chosen, found.noise, found.least)
        errors = errors + self.misfit.excess[order - 1]
        shares, half = table.ravel().copy(), DEVIATIONS * np.sqrt(errors)
        basis = np.full(len(shares), Basis.MODEL, dtype=object)
        own = release.cells_of(attributes)
        if own is not None:
            direct: Bools = (release.variances[own] < errors) | (shares <= 0)
            shares[direct] = release.measured[own][direct]
            half[direct] = DEVIATIONS * np.sqrt(release.variances[own][direct])
            basis[direct] = Basis.NOISY
        shares, low, high = _within(shares, half)
        if own is None:
            self._bound(attributes, table, basis, low, high)
        return _shaped(attributes, table, shares, low, high, basis)

    def _bound(self, attributes: Subset, table: Floats, basis: Bases, low: Floats, high: Floats) -> None:
        """Where no public row is in a cell that was not measured, only an upper end: the least of its parts' ones."""
        empty = table.ravel() <= 0
        least = _least_upper_ends(self._release, attributes, table.shape)
        low[empty], high[empty] = 0.0, least[empty]
        basis[empty] = np.where(np.isfinite(least[empty]), Basis.UPPER, Basis.NONE)
        low[~np.isfinite(high)] = np.nan
        high[~np.isfinite(high)] = np.nan

    def _direct(self, attributes: Subset, table: Floats) -> MarginalIntervals:
        """Where rows evidently lack levels, what was measured alone: the fit spreads over levels what has none."""
        release, own = self._release, self._release.cells_of(attributes)
        if own is None:
            shares, least = table.ravel().copy(), _least_upper_ends(release, attributes, table.shape)
            known = np.isfinite(least)
            low, high = np.where(known, 0.0, np.nan), np.where(known, least, np.nan)
            basis = np.where(known, Basis.UPPER, Basis.NONE).astype(object)
            return _shaped(attributes, table, shares, low, high, basis)
        ends = _within(release.measured[own], DEVIATIONS * np.sqrt(release.variances[own]))
        return _shaped(attributes, table, *ends, np.full(table.size, Basis.NOISY, dtype=object))


def _within(shares: Floats, half: Floats) -> tuple[Floats, Floats, Floats]:
    """Shares, low and high ends in [0, 1]: about the nearest share that there is, so never narrower than the noise."""
    nearest = np.clip(shares, 0.0, 1.0)
    return nearest, np.maximum(nearest - half, 0.0), np.minimum(nearest + half, 1.0)


def _misfit(release: ReleasedTables) -> Misfit:
    """Each order of tables by itself: noisier tables of three columns would hide a misfit of pairs."""
    pairs = release.tables.offsets[int((release.tables.arity <= 2).sum())]
    edges = [0, release.one_way_cells, int(pairs)]
    edges += [release.tables.queries] if release.tables.queries > pairs else []
    found = [_misfit_of(release, slice(begin, end)) for begin, end in itertools.pairwise(edges)]
    excess = [beyond for _, beyond in found]
    return Misfit(tuple(ratio for ratio, _ in found), (excess[0], excess[1], max(excess[1:])))


def _misfit_of(release: ReleasedTables, cells: slice) -> tuple[float, float]:
    """Ratio and excess of some of the cells; none where no cell is large."""
    answers, noise = release.answers[cells], release.variances[cells]
    large = answers >= LARGE_CELL
    if not large.any():
        return 0.0, 0.0
    squared, noise = (release.measured[cells] - answers)[large] ** 2, noise[large]
    error = math.sqrt(2.0 * float(np.sum(noise**2))) / len(noise)
    return math.sqrt(float(np.mean(squared / noise))), max(0.0, float(np.mean(squared - noise)) - 2.0 * error)


def _least_upper_ends(release: ReleasedTables, attributes: Subset, shape: tuple[int, ...]) -> Floats:
    """float64 (cells,): a cell is no larger than each of its parts, so than the least upper end of the noisy ones.

    Parts of two attributes where there are any. As many ends as there are parts could fail, so each is taken at a
    confidence that leaves CONFIDENCE for all. Infinite where no part was measured.
    """
    parts = subsets(len(attributes))
    found = [(parts[i], cells) for i, cells in measured_parts(release, attributes)]
    found = [(part, cells) for part, cells in found if len(part) == 2] or found
    if not found:
        return np.full(math.prod(shape), math.inf)
    deviations = _one_sided(len(found))
    ends = [
        (part, _within(release.measured[cells], deviations * np.sqrt(release.variances[cells]))[2])
        for part, cells in found
    ]
    least: Floats = spread_over(shape, ends).min(axis=1)
    return least


def _one_sided(ends: int) -> float:
    from scipy.special import ndtri

    return float(ndtri(1.0 - (1.0 - CONFIDENCE) / ends))


def _uncovered(attributes: Subset, table: Floats) -> MarginalIntervals:
    none = np.full(table.size, np.nan)
    basis = np.full(table.size, Basis.NONE, dtype=object)
    return _shaped(attributes, table, table.ravel().copy(), none, none.copy(), basis)


def _shaped(
    attributes: Subset, table: Floats, shares: Floats, low: Floats, high: Floats, basis: Bases
) -> MarginalIntervals:
    shape = table.shape
    return MarginalIntervals(
        attributes, table, shares.reshape(shape), low.reshape(shape), high.reshape(shape), basis.reshape(shape)
    )
