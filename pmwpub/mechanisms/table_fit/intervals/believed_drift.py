"""How far the private table is believed to lie from the public one, in public rows: what intervals are built on.

The fit's own strengths are cautious: they keep to the public table where nothing is evident. An interval has to say
how far off that caution may be, so it has strengths of its own: the mean of 1/N over what the noisy tables leave
likely, and never more than the sampling error of both tables allows. Where the noisy tables say little of the drift,
a mean is not enough: the cells of one release err together, so that half of those whose drift is larger than the mean
would be covered too little as a whole. There it is widened until such releases are covered as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from pmwpub.errors import tried
from pmwpub.mechanisms.table_fit.intervals.likely_drift import LikelyDrift
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables, answers_of
from pmwpub.mechanisms.table_fit.one_way_estimates import OneWayEstimates, scales
from pmwpub.mechanisms.table_fit.prior_strength import DIGITS, PriorEvidence
from pmwpub.mechanisms.table_fit.table_fit import TableRelease, refit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.mechanisms.table_fit.widest_cells import WidestCells
from pmwpub.records import Bools, Floats, Support

SPREAD = 1.0
"""The deviation of the logarithm of an attribute's own strength about that of all."""

LEAST_SHARE, MOST_SHARE = 0.001, 0.9
"""2-way cells of such shares bear on the strength of 2-way tables."""

LEAST_LEFT = 0.05
"""The least part of a 2-way cell's variance that its two 1-way cells are taken to leave."""


Rows = int | Callable[[], int] | None


@dataclass(frozen=True)
class BelievedDrift:
    """Strengths N: drift of the private from the public table has the covariance of a sample of N public rows.

    ones      one for each attribute that was measured, in the domain's order
    pairs     of what 2-way and larger tables add
    wider     by what the variances of 1-way drift, and of what larger tables add, are multiplied, so that single
              releases are covered too; (1, 1) for releases of before
    believed  whether these were worked out; else they are the least ones, because that failed
    """

    ones: tuple[float, ...]
    pairs: float
    wider: tuple[float, float] = (1.0, 1.0)
    believed: bool = True

    @classmethod
    def of(cls, release: TableRelease, schedule: TableSchedule, n: int, rows: Rows = None) -> BelievedDrift:
        """By the marginal likelihood of the noisy tables: a function of a release, of its schedule and public rows.

        For attributes that the fit let move freely, the strength is that freedom's. Where a likelihood cannot be
        computed, the least strength of the grid is taken, which makes the widest intervals: a release that is drawn
        is never lost for its intervals, and says that they are such.

        n     private rows, or the units that they weigh together
        rows  of public people that the release's atoms stand for, or what counts them; by default what their
              multiplicities add up to
        """

        def believed() -> BelievedDrift:
            people = release.distribution.support.rows if rows is None else rows() if callable(rows) else rows
            return _believed(release, schedule, n, people)

        found, _ = tried(believed)
        if found and all(math.isfinite(number) and number > 0 for number in (*found.ones, found.pairs, *found.wider)):
            return found
        least = schedule.constants.least_strength
        return cls((least,) * len(schedule.attributes), least, believed=False)

    def of_ones(self, places: Sequence[int]) -> float:
        """The variance of 1-way drift of some attributes, in those of a sample of one row: its mean over them.

        places  positions among the attributes that were measured
        """
        return self.wider[0] * fmean(1.0 / self.ones[place] for place in places)

    @property
    def of_pairs(self) -> float:
        """The variance of what larger tables add, in that of a sample of one row."""
        return self.wider[1] / self.pairs


def _believed(release: TableRelease, schedule: TableSchedule, n: int, rows: int) -> BelievedDrift:
    tables, prior = released_tables(release, schedule, n), release.distribution.support
    found, cap = likely_drift(release, schedule, tables, rows), _cap(release, schedule, n, rows)
    all_ones, pairs = found.means
    moved = _moved(release, schedule)
    own = np.minimum(_own(schedule, prior, tables.estimates, _grid(schedule), all_ones, moved), min(all_ones, cap))
    own[list(moved)] = schedule.constants.moved_strength
    one, other = found.wider
    return BelievedDrift(tuple(map(_rounded, own)), _rounded(pairs), (_rounded(one), _rounded(other)))


def likely_drift(release: TableRelease, schedule: TableSchedule, tables: ReleasedTables, rows: int) -> LikelyDrift:
    """What is likely of the strengths.

    tables  of the release, by `released_tables`
    rows    as in `BelievedDrift.of`
    """
    prior, n = release.distribution.support, tables.n
    grid, moved, choices = _grid(schedule), _moved(release, schedule), release.choices
    evidence = PriorEvidence(schedule, WidestCells.of(schedule, prior), tables.estimates)
    ones = np.array([evidence.likelihood(moved, strength) for strength in grid])
    without_pairs = replace(choices, sweeps=(*choices.sweeps[:2], 0), grown=())  # the atoms have the added rows
    first = answers_of(refit(prior, schedule, release.noisy, without_pairs, n, release.coarse), schedule.tables)
    return LikelyDrift.of(grid, ones, _of_pairs(tables, first, grid), _cap(release, schedule, n, rows))


def _grid(schedule: TableSchedule) -> Floats:
    constants = schedule.constants
    return np.geomspace(constants.least_strength, constants.most_strength, constants.strengths)


def _moved(release: TableRelease, schedule: TableSchedule) -> tuple[int, ...]:
    return tuple(i for i, a in enumerate(schedule.attributes) if a in release.choices.moved)


def _cap(release: TableRelease, schedule: TableSchedule, n: int, rows: int) -> float:
    """No strength may exceed what the two tables' own sampling errors allow.

    The public rows count as much as the weights left of them (Kish's effective sample size). So do private rows that
    are weighed: with weights of at most W that sum up to T, T^2 over the sum of their squares is at least T/W, which is
    public.
    """
    prior, weights = release.distribution.support, release.distribution.weights
    return 1.0 / (schedule.cap / n + prior.rows / rows * float(np.sum(weights**2 / prior.multiplicity)))


def released_tables(release: TableRelease, schedule: TableSchedule, n: int) -> ReleasedTables:
    """A release as its own files will tell of it."""
    return ReleasedTables(
        schedule.tables,
        scales(schedule, n),
        release.noisy,
        release.distribution,
        release.choices,
        schedule.constants,
        n,
        schedule.complete,
        schedule.coarse,
        release.coarse,
    )


def _rounded(strength: float) -> float:
    return float(f"{strength:.{DIGITS}g}")


def _of_pairs(release: ReleasedTables, first: Floats, grid: Floats) -> Floats:
    """float64 (grid,): the log likelihood of each strength for what the noisy 2-way tables say beyond the 1-way ones.

    Cells count as if they were independent: r = noisy share - share after the 1-way fit has the variance
    sigma^2 + g/N, where g is what its two 1-way indicators leave of the variance of the cell's own.

    first  float64 (cells,): what the weights answered before the 2-way tables were looked at
    """
    residuals, variances, left = [np.zeros(0)], [np.zeros(0)], [np.zeros(0)]
    tables = release.tables
    for t, marginal in enumerate(tables.marginals):
        if len(marginal.attributes) == 2:
            cells = slice(int(tables.offsets[t]), int(tables.offsets[t + 1]))
            share = first[cells].reshape([tables.domain.shape[a] for a in marginal.attributes])
            used, remaining = _left_by_ones(share)
            residuals.append((release.measured[cells].reshape(share.shape) - share)[used])
            variances.append(release.variances[cells].reshape(share.shape)[used])
            left.append(remaining[used])
    r, s, g = map(np.concatenate, (residuals, variances, left))
    found = []
    for strength in grid:
        variance = s + g / strength
        found.append(-0.5 * float(np.sum(np.log(variance) + r**2 / variance)))
    return np.array(found)


def _left_by_ones(share: Floats) -> tuple[Bools, Floats]:
    """Which cells of a 2-way table count, and what their 1-way indicators leave of their variance."""
    rows, columns = share.sum(axis=1, keepdims=True), share.sum(axis=0, keepdims=True)
    variance = share * (1.0 - share)
    explained = (share * (1.0 - rows)) ** 2 / np.maximum(rows * (1.0 - rows), 1e-9)
    explained = explained + (share * (1.0 - columns)) ** 2 / np.maximum(columns * (1.0 - columns), 1e-9)
    used: Bools = (share >= LEAST_SHARE) & (share <= MOST_SHARE)
    return used, np.maximum(variance - explained, LEAST_LEFT * variance)


def _own(
    schedule: TableSchedule,
    support: Support,
    estimates: OneWayEstimates,
    grid: Floats,
    centre: float,
    moved: tuple[int, ...],
) -> Floats:
    """float64 (attributes,): each attribute's own strength, log-normal about `centre`, by its own 1-way residuals."""
    cells = WidestCells.of(schedule, support)
    residual = estimates.shares[cells.chosen] - cells.shares
    lacking = [i for i, attribute in enumerate(schedule.attributes) if attribute in estimates.lacking]
    covariance = cells.covariance
    if lacking:
        residual = cells.without_totals(residual[:, None], lacking)[:, 0]
        covariance = cells.without_totals(cells.without_totals(covariance, lacking).T, lacking)
    tilts = covariance[:, np.isin(cells.owner, moved)]
    prior = -((np.log(grid) - math.log(centre)) ** 2) / (2.0 * SPREAD**2)
    found = np.empty(len(schedule.attributes))
    for place in range(len(found)):
        own = cells.owner == place
        noise = np.diag(estimates.deviations[cells.chosen[own]] ** 2) + tilts[own] @ tilts[own].T
        among = covariance[np.ix_(own, own)]
        log = prior + np.array([_normal(residual[own], among / strength + noise) for strength in grid])
        weight = np.exp(log - log.max())
        found[place] = float(weight.sum()) / float(weight @ (1.0 / grid))
    return found


def _normal(residual: Floats, covariance: Floats) -> float:
    """The log density of a normal law, up to a constant."""
    if not len(residual):
        return 0.0
    factor = np.linalg.cholesky((covariance + covariance.T) / 2)
    scaled = np.linalg.solve(factor, residual)
    return -float(np.log(np.diag(factor)).sum()) - float(scaled @ scaled) / 2
