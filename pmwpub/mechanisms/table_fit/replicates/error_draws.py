"""Draws of how far released cells may be off: the model of the intervals, for all tables at once.

A draw is one drift of the private from the public table and one noise on every measured cell. What the release makes
of them in a cell is its error, so cells of different tables err together as the same drift and noise make them.
"""

from __future__ import annotations

import math

import numpy as np

from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift
from pmwpub.mechanisms.table_fit.intervals.cell_errors import (
    RELATIVE_RIDGE,
    RIDGE,
    beliefs,
    least_variance,
    parts_of,
    subsets,
)
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables
from pmwpub.mechanisms.table_fit.replicates.public_normals import PublicNormals
from pmwpub.mechanisms.table_fit.replicates.support_cells import SupportCells, places_in
from pmwpub.records import Floats


class ErrorDraws:
    """Draws of the private less the released share of cells, by the law that the intervals rest on.

    In each cell by itself the variance is that of `mean_squared_errors`: drift V = G/N1 + (C - G)/N2 of the cell and
    its parts, independent noise on the measured parts, and the fit's weights g. Across cells and tables, drift is the
    same draw on the atoms, of a sample's covariance diag(w) - ww', and so is the noise of a cell.

    replicates  how many draws
    seed        a public text

    Privacy: a function of the release and of a public seed.
    """

    def __init__(self, release: ReleasedTables, drift: BelievedDrift, *, replicates: int, seed: str) -> None:
        self._release, self._drift = release, drift
        normals, weights = PublicNormals(seed), release.released.weights
        moved = normals.draw(len(weights), replicates) * np.sqrt(weights)[:, None]
        self._moved = moved - weights[:, None] * moved.sum(axis=0)
        self._noise = normals.draw(len(release.variances), replicates) * np.sqrt(release.variances)[:, None]

    def of(self, cells: SupportCells) -> Floats:
        """float64 (cells, replicates): the errors of a table's cells; its attributes were measured."""
        release, attributes = self._release, cells.attributes
        table = cells.sums(release.released.weights[:, None]).reshape(cells.shape)
        parts, drift = subsets(table.ndim), self._drift_of(cells, table)
        own = [release.cells_of([attributes[axis] for axis in part]) for part in parts]
        measured = [(i, one, places_in(table.shape, parts[i])) for i, one in enumerate(own) if one is not None]
        variances = np.stack([release.variances[one][places] for _, one, places in measured], axis=1)
        followed = self._followed(cells, table, [i for i, _, _ in measured], variances)
        errors = drift[-1].copy()
        for (i, one, places), weight in zip(measured, followed.T, strict=True):
            errors -= weight[:, None] * (drift[i] + self._noise[one][places])
        return errors

    def _followed(self, cells: SupportCells, table: Floats, chosen: list[int], variances: Floats) -> Floats:
        """float64 (cells, chosen): how far the fit follows each measured part, g = (U_mm + noise)^-1 U_mt."""
        release, parts, rows = self._release, subsets(table.ndim), np.arange(len(chosen))
        least = [least_variance(release, len(parts[i])) for i in chosen]
        fit = beliefs(release, self._drift, cells.attributes, table).fit
        among = fit[:, chosen][:, :, chosen].copy()
        among[:, rows, rows] += np.maximum(variances, least)
        return np.linalg.solve(among, fit[:, chosen, -1][..., None])[..., 0].astype(np.float64)

    def _drift_of(self, cells: SupportCells, table: Floats) -> list[Floats]:
        """Of each part of a table's cells, float64 (cells, replicates): drift as it is believed."""
        order, replicates = table.ndim, self._moved.shape[1]
        moved = cells.sums(self._moved).reshape(*cells.shape, replicates)
        unit = []
        for part in subsets(order):
            others = tuple(axis for axis in range(order) if axis not in part)
            unit.append(moved.sum(axis=others).reshape(-1, replicates)[places_in(table.shape, part)])
        own = [self._release.attributes.index(a) for a in cells.attributes]
        first, second = math.sqrt(self._drift.of_ones(own)), math.sqrt(self._drift.of_pairs)
        if order == 1:
            return [first * unit[0]]
        explained = [
            (told[:, 0, None] * unit[0] + told[:, 1, None] * unit[1])
            for told in np.moveaxis(_told_by_ones(table), 2, 0)
        ]
        return [first * known + second * (whole - known) for known, whole in zip(explained, unit, strict=True)]


def _told_by_ones(table: Floats) -> Floats:
    """float64 (cells, 2, 3): the coefficients by which a cell's two 1-way indicators explain those of its parts."""
    shares = parts_of(table)
    one, other, both = shares.T
    among = np.empty((len(shares), 2, 3))
    among[:, 0, 0], among[:, 1, 1] = one * (1 - one), other * (1 - other)
    among[:, 0, 1] = among[:, 1, 0] = both - one * other
    among[:, 0, 2], among[:, 1, 2] = both * (1 - one), both * (1 - other)
    left = among[:, :, :2].copy()
    left[:, [0, 1], [0, 1]] += RIDGE + RELATIVE_RIDGE * among[:, [0, 1], [0, 1]]
    return np.linalg.solve(left, among).astype(np.float64)
