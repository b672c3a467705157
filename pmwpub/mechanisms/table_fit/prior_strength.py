"""How many rows the public table is worth as a prior, and which attributes evidently moved: empirical Bayes.

Everything here is a function of noisy tables and public data. It need not come out to the bit: what a release takes
from it is recorded, and read from the record when the release is rebuilt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pmwpub.mechanisms.table_fit.fit_constants import EvidenceRule, FitConstants
from pmwpub.mechanisms.table_fit.one_way_estimates import OneWayEstimates
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.mechanisms.table_fit.widest_cells import WidestCells
from pmwpub.records import Floats, Ints, Support

LARGER = (1.0, 2.0, 5.0, 20.0)
"""Once an attribute moved freely, the rest of the table may be worth so many times more rows than before."""

DIGITS = 4
"""Of a strength: so that what the last bits of a matrix product are does not show."""


@dataclass(frozen=True)
class PriorStrength:
    """What the evidence says.

    rows   N0: against the 1-way tables, the public table counts as much as so many rows
    moved  positions in the domain of the attributes that evidently moved, in the order in which they were found
    """

    rows: float
    moved: tuple[int, ...]


def prior_strength(schedule: TableSchedule, support: Support, estimates: OneWayEstimates) -> PriorStrength:
    """N0 and the attributes that moved, by the marginal likelihood of the 1-way estimates.

    The model: their distance r from the public table's own 1-way tables is normal with mean zero and covariance
    K/N + sum over moved attributes a of K_a K_a^T + diag(sigma^2), where K is the covariance under the public table of
    the indicators of all 1-way cells, and K_a its columns of attribute a (a free log-tilt of deviation 1).
    """
    constants = schedule.constants
    evidence = PriorEvidence(schedule, WidestCells.of(schedule, support), estimates)
    grid = _grid(constants)
    moved: tuple[int, ...] = ()
    best, at = _best(evidence, moved, grid)
    needed = math.log(len(schedule.attributes)) + constants.moved_gain
    while len(moved) < min(constants.most_moved, len(schedule.attributes)):
        gains = evidence.with_one_more(moved, [at * times for times in LARGER])
        found = max(gains, key=lambda attribute: gains[attribute])
        if gains[found] - best < needed:
            break
        moved = (*moved, found)
        best, at = _best(evidence, moved, grid)
    likelihoods = np.array([evidence.likelihood(moved, strength) for strength in grid])
    rows = _chosen(grid, likelihoods, constants)
    return PriorStrength(float(f"{rows:.{DIGITS}g}"), tuple(schedule.attributes[i] for i in moved))


def log_evidence(schedule: TableSchedule, cells: WidestCells, estimates: OneWayEstimates) -> float:
    """How likely a public table with these cells makes the 1-way estimates, up to a constant, where no attribute moved.

    Each strength of the grid was as likely as any other beforehand. Sums of likelihoods, so logarithms of sums.
    """
    evidence = PriorEvidence(schedule, cells, estimates)
    likelihoods = np.array([evidence.likelihood((), strength) for strength in _grid(schedule.constants)])
    return float(np.logaddexp.reduce(likelihoods)) - math.log(len(likelihoods))


def _grid(constants: FitConstants) -> Floats:
    return np.geomspace(constants.least_strength, constants.most_strength, constants.strengths)


def _best(evidence: PriorEvidence, moved: tuple[int, ...], grid: Floats) -> tuple[float, float]:
    return max((evidence.likelihood(moved, strength), strength) for strength in grid)


def _chosen(grid: Floats, likelihoods: Floats, constants: FitConstants) -> float:
    if constants.evidence is EvidenceRule.LARGEST_WITHIN_MARGIN:
        return float(grid[likelihoods >= likelihoods.max() - constants.margin].max())
    posterior = np.exp(likelihoods - likelihoods.max())
    return math.exp(float(posterior @ np.log(grid)) / float(posterior.sum()))


class PriorEvidence:
    """Marginal likelihoods, where K and the noise are diagonal. Attributes go by their place in the schedule."""

    def __init__(self, schedule: TableSchedule, cells: WidestCells, estimates: OneWayEstimates) -> None:
        deviations = estimates.deviations[cells.chosen]
        residual, covariance = estimates.shares[cells.chosen] - cells.shares, cells.covariance
        lacking = [i for i, attribute in enumerate(schedule.attributes) if attribute in estimates.lacking]
        if lacking:
            residual = cells.without_totals(residual[:, None], lacking)[:, 0]
            covariance = cells.without_totals(cells.without_totals(covariance, lacking).T, lacking)
        residual, covariance = residual / deviations, covariance / deviations[:, None]
        values, basis = np.linalg.eigh(covariance / deviations)
        self._values = np.maximum(values, 0.0)
        self._residual = basis.T @ residual
        self._tilts = basis.T @ covariance
        self._owned = [np.flatnonzero(cells.owner == i) for i in range(len(schedule.attributes))]

    def likelihood(self, moved: tuple[int, ...], strength: float) -> float:
        """The log likelihood where these attributes moved, up to a constant."""
        diagonal = 1.0 + self._values / strength
        scaled = self._residual / diagonal
        alone = -0.5 * (float(np.log(diagonal).sum()) + float(self._residual @ scaled))
        if not moved:
            return alone
        tilts = self._tilts[:, self._of(moved)]
        return alone + _gain(tilts.T @ (tilts / diagonal[:, None]), tilts.T @ scaled)

    def with_one_more(self, moved: tuple[int, ...], strengths: list[float]) -> dict[int, float]:
        """The largest log likelihood over the strengths, for each attribute that is not among the moved ones."""
        found = {i: -math.inf for i in range(len(self._owned)) if i not in moved}
        for strength in strengths:
            diagonal = 1.0 + self._values / strength
            base = self.likelihood(moved, strength)
            pull = self._tilts.T @ (self._residual / diagonal)
            shift = np.zeros((0, len(pull)))
            if moved:
                mine = self._of(moved)
                cross = self._tilts[:, mine].T @ (self._tilts / diagonal[:, None])
                factor = np.linalg.cholesky(np.eye(len(mine)) + _symmetric(cross[:, mine]))
                shift = np.linalg.solve(factor, cross)
                pull = pull - shift.T @ np.linalg.solve(factor, pull[mine])
            for i in found:
                own = self._owned[i]
                tilts = self._tilts[:, own]
                spread = tilts.T @ (tilts / diagonal[:, None]) - shift[:, own].T @ shift[:, own]
                found[i] = max(found[i], base + _gain(spread, pull[own]))
        return found

    def _of(self, moved: tuple[int, ...]) -> Ints:
        return np.concatenate([self._owned[i] for i in moved])


def _gain(spread: Floats, pull: Floats) -> float:
    """What free directions add to a log likelihood: -1/2 log det(I + spread) + 1/2 pull^T (I + spread)^-1 pull."""
    factor = np.linalg.cholesky(np.eye(len(pull)) + _symmetric(spread))
    explained = np.linalg.solve(factor, pull)
    return float(explained @ explained) / 2 - float(np.log(np.diag(factor)).sum())


def _symmetric(matrix: Floats) -> Floats:
    return (matrix + matrix.T) / 2
