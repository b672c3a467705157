"""What the noisy tables of a release say of one column alone, without bias, and the law of its noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables
from pmwpub.records import Floats


@dataclass(frozen=True, eq=False)
class NoisyColumn:
    """Unbiased shares of the levels of a column, with Gaussian noise of a known covariance.

    shares      float64 (levels,), of all rows; may lie outside [0, 1]
    variance    of the noise on each
    centred     whether they were moved by one number each, so that they sum to one; else each noise is independent
    covariance  float64 (levels, levels) in the place of the two, where coarse tables tell of the column too
    """

    shares: Floats
    variance: float
    centred: bool
    covariance: Floats | None = None

    def variance_of(self, times: Floats) -> float:
        """The variance of the sum of u * share: s^2 (sum u^2 - (sum u)^2/levels) where centred, else s^2 sum u^2.

        times  float64 (levels,): u
        """
        if self.covariance is not None:
            return max(float(times @ self.covariance @ times), 0.0)
        total = float(times.sum())
        squared = float(times @ times) - (total * total / len(times) if self.centred else 0.0)
        return self.variance * max(squared, 0.0)


def noisy_column(release: ReleasedTables, attribute: int) -> NoisyColumn | None:
    """A column by its position in the domain; None where it was not measured.

    Where every private cell has a level, it is the column's 1-way estimate: its own table and the sums of the larger
    ones, moved to the total of one. Else it is the column's own table by itself, for the sums and the total would leave
    out the rows that have no level. Coarse tables of the column are taken in by their precision (generalised least
    squares).
    """
    cells = release.cells_of((attribute,))
    if cells is None:
        return None
    if release.complete:
        found = NoisyColumn(release.measured[cells], float(release.variances[cells].max()), centred=True)
    else:
        place = release.attributes.index(attribute)
        found = NoisyColumn(release.noisy[cells] / release.n, float(release.deviations[place]) ** 2, centred=False)
    return _with_coarse(found, release, attribute)


def _with_coarse(found: NoisyColumn, release: ReleasedTables, attribute: int) -> NoisyColumn:
    """The same with what coarse tables say: H = I/s^2 + sum P'P/t^2, for P of the cells of each, t of its noise."""
    coarse, noisy = release.coarse, release.noisy_coarse
    if coarse is None or noisy is None or all(table.attribute != attribute for table in coarse.tables):
        return found
    levels = len(found.shares)
    precision, pulled = np.eye(levels) / found.variance, found.shares / found.variance
    for place, (table, cell, law) in enumerate(zip(coarse.tables, coarse.cells, coarse.noises, strict=True)):
        if table.attribute == attribute:
            variance = (float(law.scale) / release.n) ** 2
            held = np.equal.outer(cell, np.arange(int(coarse.sizes[place]))).astype(np.float64)
            own = noisy[coarse.offsets[place] : coarse.offsets[place + 1]] / release.n
            precision += held @ held.T / variance
            pulled += held @ own / variance
    covariance = np.linalg.inv(precision)
    shares = covariance @ pulled
    if found.centred:  # given that the total is one
        along = covariance.sum(axis=1)
        shares -= along * (shares.sum() - 1.0) / along.sum()
        covariance -= np.outer(along, along) / along.sum()
    return NoisyColumn(shares, found.variance, found.centred, (covariance + covariance.T) / 2)
