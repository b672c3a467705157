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
    the strength N1, the mean over the attributes; what larger tables add has N2: G/N1 + (C - G)/N2.

    attributes  positions in the domain, all of them measured
    table       float64, the released marginal, one axis an attribute
    """
    order, parts, shares = len(attributes), subsets(len(attributes)), parts_of(table)
    covariance = np.empty((len(shares), len(parts), len(parts)))
    for i, one in enumerate(parts):
        for j, other in enumerate(parts):
            both = parts.index(tuple(sorted({*one, *other})))
            covariance[:, i, j] = shares[:, both] - shares[:, i] * shares[:, j]
    explained = _explained(covariance, order)
    own = np.array([drift.ones[release.attributes.index(a)] for a in attributes])
    ones = 1.0 / float(np.mean(1.0 / own))
    choices, moved = release.choices, any(a in release.choices.moved for a in attributes)
    used = min(release.constants.moved_strength, choices.strength) if moved else choices.strength
    left = covariance - explained
    return Beliefs(explained / ones + left / drift.pairs, explained / used + left / choices.pair_strength)


def _explained(covariance: Floats, order: int) -> Floats:
    """C[:, 1..k] C[1..k, 1..k]^-1 C[1..k, :]: all of it where there is one attribute."""
    if order == 1:
        return covariance
    among = covariance[:, :order, :order].copy()
    own = np.arange(order)
    among[:, own, own] += RIDGE + RELATIVE_RIDGE * covariance[:, own, own]
    explained: Floats = covariance[:, :, :order] @ np.linalg.solve(among, covariance[:, :order, :])
    return explained


def mean_squared_errors(
    believed: Beliefs, measured: Sequence[int], noise: Floats, least: Floats, target: int = -1
) -> Floats:
    """float64 (cells,): the error of the released share of each cell, where drift and noise are as believed.

    The release is taken as public share + g'(noisy parts - public parts), with the weights g that a fit with the
    fit's own beliefs U gives: g = (U_mm + diag(max(noise, least)))^-1 U_mt. Its error then has the mean square
    V_tt - 2 g'V_mt + g'(V_mm + diag(noise))g under the believed drift V. With U = V this is a posterior variance; what
    it is larger by is the price of the fit's caution.

    measured  which parts were measured
    noise     float64 (cells, measured parts): the variance of the noise on each
    least     float64, alike: the variance that the fit took at least
    """
    chosen = list(measured)
    drift, rows = believed.drift, np.arange(len(chosen))
    among = drift[:, chosen][:, :, chosen].copy()
    among[:, rows, rows] += noise
    fitted = believed.fit[:, chosen][:, :, chosen].copy()
    fitted[:, rows, rows] += np.maximum(noise, least)
    weights = np.linalg.solve(fitted, believed.fit[:, chosen, target][..., None])[..., 0]
    missed = np.einsum("cm,cm->c", drift[:, chosen, target], weights)
    spread = np.einsum("cm,cmp,cp->c", weights, among, weights)
    errors: Floats = np.maximum(drift[:, target, target] - 2.0 * missed + spread, 0.0)
    return errors
