"""The mean squared error that is believed of each released cell of a marginal, in closed form."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables
from pmwpub.records import Floats

LARGEST_ORDER = 3
RIDGE, RELATIVE_RIDGE = 1e-9, 1e-6
"""Added to the variances of 1-way indicators, so that a level that all rows have divides nothing by zero."""

Subset = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Covariances of the indicators of a cell and of its parts, for each cell of a marginal.

    drift  float64 (cells, parts, parts): of what the private table has more than the public one
    fit    float64, alike: as the fit took it
    """

    drift: Floats
    fit: Floats


def subsets(order: int) -> list[Subset]:
    """The parts of a cell: its 1-way cells, its 2-way cells, at last itself.

    >>> subsets(2)
    [(0,), (1,), (0, 1)]
    """
    return [part for size in range(1, order + 1) for part in itertools.combinations(range(order), size)]


def parts_of(table: Floats) -> Floats:
    """float64 (cells, parts): the share of each part of each cell of a marginal.

    table  float64, one axis an attribute
    """
    axes = range(table.ndim)
    return np.stack(
        [
            np.broadcast_to(table.sum(axis=tuple(a for a in axes if a not in part), keepdims=True), table.shape).ravel()
            for part in subsets(table.ndim)
        ],
        axis=1,
    )


def beliefs(release: ReleasedTables, drift: BelievedDrift, attributes: Subset, table: Floats) -> Beliefs:
    """Covariances under the released weights, scaled to what is believed, and to what the fit believed.

    Of the covariance C of the parts' indicators, G is what the 1-way indicators explain. Drift of the 1-way tables has
    the strength N1, the mean over the attributes; what larger tables add has N2: G/N1 + (C - G)/N2, each times what
    widens it.

    attributes  positions in the domain, all of them measured
    table       float64, the released marginal, one axis an attribute
    """
    order, parts, shares = len(attributes), subsets(len(attributes)), parts_of(table)
    covariance = np.empty((len(shares), len(parts), len(parts)))
    for i, one in enumerate(parts):
        for j, other in enumerate(parts):
            both = parts.index(tuple(sorted({*one, *other})))
            covariance[:, i, j] = shares[:, both] - shares[:, i] * shares[:, j]
    return scaled_beliefs(release, drift, attributes, covariance, order)


def scaled_beliefs(
    release: ReleasedTables, drift: BelievedDrift, attributes: Subset, covariance: Floats, ones: int
) -> Beliefs:
    """Covariances of features under the released weights, scaled to what is believed and to what the fit believed.

    attributes  positions in the domain of those that the features are about
    covariance  float64 (any, features, features): of the features under the released weights
    ones        how many of the features are 1-way indicators; they come first
    """
    explained = _explained(covariance, ones)
    moved_by = drift.of_ones([release.attributes.index(a) for a in attributes])
    choices, moved = release.choices, any(a in release.choices.moved for a in attributes)
    used = min(release.constants.moved_strength, choices.strength) if moved else choices.strength
    left = covariance - explained
    return Beliefs(explained * moved_by + left * drift.of_pairs, explained / used + left / choices.pair_strength)


def _explained(covariance: Floats, ones: int) -> Floats:
    """C[:, 1..k] C[1..k, 1..k]^-1 C[1..k, :]: all of it where there are no features but 1-way ones."""
    if ones == covariance.shape[-1]:
        return covariance
    among = covariance[:, :ones, :ones].copy()
    own = np.arange(ones)
    among[:, own, own] += RIDGE + RELATIVE_RIDGE * covariance[:, own, own]
    explained: Floats = covariance[:, :, :ones] @ np.linalg.solve(among, covariance[:, :ones, :])
    return explained


@dataclass(frozen=True, eq=False)
class MeasuredParts:
    """What was measured of the parts of a marginal's cells.

    places  which parts, as `subsets` counts them, with their tables' cells
    noise   float64 (cells, places): the variance of the noise on each
    least   float64, alike: the variance that the fit took at least
    """

    places: tuple[tuple[int, slice], ...]
    noise: Floats
    least: Floats

    @classmethod
    def of(cls, release: ReleasedTables, attributes: Subset, shape: Subset) -> MeasuredParts:
        """The measured parts of the cells of one marginal; there is one at least."""
        parts = subsets(len(attributes))
        found = measured_parts(release, attributes)
        noise = spread_over(shape, [(parts[i], release.variances[cells]) for i, cells in found])
        least = [least_variance(release, len(parts[i])) for i, _ in found]
        return cls(tuple(found), noise, np.broadcast_to(least, noise.shape))

    @property
    def chosen(self) -> list[int]:
        """Which parts were measured."""
        return [i for i, _ in self.places]


def measured_parts(release: ReleasedTables, attributes: Subset) -> list[tuple[int, slice]]:
    """Which parts of a marginal's cells were measured, each with its table's cells."""
    found = []
    for i, part in enumerate(subsets(len(attributes))):
        cells = release.cells_of([attributes[j] for j in part])
        if cells is not None:
            found.append((i, cells))
    return found


def least_variance(release: ReleasedTables, order: int) -> float:
    """The noise that the fit takes a cell of so many columns to have at least."""
    strength = release.choices.strength if order == 1 else release.choices.pair_strength
    return release.constants.least_variance / strength


def spread_over(shape: Subset, tables: Sequence[tuple[Subset, Floats]]) -> Floats:
    """float64 (cells, tables): for each cell of a marginal, the value of each smaller table's cell that holds it."""
    spread = []
    for part, values in tables:
        along = [shape[a] if a in part else 1 for a in range(len(shape))]
        spread.append(np.broadcast_to(values.reshape(along), shape).ravel())
    return np.stack(spread, axis=1)


def mean_squared_errors(believed: Beliefs, measured: Sequence[int], noise: Floats, least: Floats) -> Floats:
    """float64 (cells,): the error of the released share of each cell, where drift and noise are as believed.

    measured, noise, least  as in `errors_of_functionals`
    """
    own = np.zeros(believed.drift.shape[:2])
    own[:, -1] = 1.0
    return errors_of_functionals(believed, own, measured, noise, least)


def errors_of_functionals(
    believed: Beliefs, target: Floats, measured: Sequence[int], noise: Floats, least: Floats
) -> Floats:
    """float64 (cells,): the mean squared error of a sum of released parts, where drift and noise are as believed.

    The release is taken as public sum + g'(noisy parts - public parts), with the weights g that a fit with the
    fit's own beliefs U gives: g = (U_mm + diag(max(noise, least)))^-1 U_mt. Its error then has the mean square
    V_tt - 2 g'V_mt + g'(V_mm + diag(noise))g under the believed drift V. With U = V this is a posterior variance; what
    it is larger by is the price of the fit's caution.

    target    float64 (cells, parts): t, how often each part counts in the sum
    measured  which parts were measured
    noise     float64 (cells, measured parts): the variance of the noise on each
    least     float64, alike: the variance that the fit took at least
    """
    chosen = list(measured)
    drift, rows = believed.drift, np.arange(len(chosen))
    with_target = np.einsum("cpq,cq->cp", drift, target)
    among = drift[:, chosen][:, :, chosen].copy()
    among[:, rows, rows] += noise
    fitted = believed.fit[:, chosen][:, :, chosen].copy()
    fitted[:, rows, rows] += np.maximum(noise, least)
    pull = np.einsum("cpq,cq->cp", believed.fit[:, chosen], target)
    weights = np.linalg.solve(fitted, pull[..., None])[..., 0]
    missed = np.einsum("cm,cm->c", with_target[:, chosen], weights)
    spread = np.einsum("cm,cmp,cp->c", weights, among, weights)
    own = np.einsum("cp,cp->c", target, with_target)
    errors: Floats = np.maximum(own - 2.0 * missed + spread, 0.0)
    return errors
