"""Replicate weights of a release by table fit: how survey software gets at the intervals' standard errors.

Each replicate is the released rows with other weights. The variance of a cell over the replicates, about the released
share, is the squared standard error of that cell's interval, for all 1-way and 2-way cells of the measured attributes.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import (
    DEVIATIONS,
    LARGE_CELL,
    Basis,
    CellIntervals,
    MarginalIntervals,
)
from pmwpub.mechanisms.table_fit.replicates.error_draws import ErrorDraws
from pmwpub.mechanisms.table_fit.replicates.raked_replicates import NEAR, TableSpread, deviations_of, raked
from pmwpub.mechanisms.table_fit.replicates.support_cells import SupportCells
from pmwpub.progress import Progress, unwatched
from pmwpub.records import Floats

REPLICATES = 40
FEWEST, MOST, LARGEST_SEED = 20, 400, 2**31 - 1
"""How many replicates there may be: fewer have no room for the deviations of all tables."""


@dataclass(frozen=True)
class Reproduced:
    """How well replicate weights reproduce standard errors of intervals, of cells of at least `LARGE_CELL`.

    cells   how many such cells there are in 1-way and 2-way tables
    near    of these, the share whose standard error is reproduced within `NEAR`
    median  the median of the replicates' standard error over the interval's; 1 where there are no cells
    """

    cells: int
    near: float
    median: float


@dataclass(frozen=True, eq=False)
class ReplicateWeights:
    """Replicates of a release's weights.

    weights     float64 (m, replicates): none negative, each column sums to one; atoms in the release's order
    reproduced  how well they reproduce the intervals' standard errors
    """

    weights: Floats = field(repr=False)
    reproduced: Reproduced


def replicate_weights(
    intervals: CellIntervals, *, replicates: int = REPLICATES, seed: int = 0, progress: Progress = unwatched
) -> ReplicateWeights:
    """Replicate weights of a release: a function of what it publishes and of a public seed.

    Raises PlanError as `check_asked` does.

    Privacy: post-processing; costs nothing.
    """
    check_asked(replicates, seed)
    release = intervals.release
    support, weights = release.released.support, release.released.weights
    draws = ErrorDraws(release, intervals.drift, replicates=replicates, seed=f"replicate weights {seed}")
    spreads = []
    for order in (2, 1):
        for attributes in itertools.combinations(release.attributes, order):
            if support.domain.related(attributes) is not None:
                continue
            progress(0, 1)
            cells, answered = SupportCells.of(support, attributes), intervals.of(attributes)
            errors = standard_errors(answered).ravel()
            spreads.append(TableSpread(cells, answered.released.ravel(), errors, partial(draws.of, cells)))
    made = raked(weights, spreads, replicates=replicates, progress=progress)
    return ReplicateWeights(made, reproduced(weights, made, spreads))


def check_asked(replicates: int, seed: int) -> None:
    """Raise PlanError unless FEWEST <= replicates <= MOST and 0 <= seed <= LARGEST_SEED."""
    if not FEWEST <= replicates <= MOST:
        raise PlanError(f"Between {FEWEST} and {MOST} replicates can be made; {replicates:,} were asked for.")
    if not 0 <= seed <= LARGEST_SEED:
        raise PlanError(f"A seed is a whole number between 0 and {LARGEST_SEED:,}; {seed:,} came.")


def standard_errors(found: MarginalIntervals) -> Floats:
    """The standard error behind each interval; NaN where there is none, or an upper end alone.

    An interval is cut off at 0 and 1; the end that is not has the whole half-width.
    """
    half = np.maximum(found.high - found.shares, found.shares - found.low)
    known = (found.basis == Basis.MODEL) | (found.basis == Basis.NOISY)
    return np.where(known, half / DEVIATIONS, np.nan)


def reproduced(weights: Floats, made: Floats, spreads: list[TableSpread]) -> Reproduced:
    """How well replicates reproduce the standard errors of tables.

    weights  float64 (m,): released; made  float64 (m, replicates)
    """
    ratios = [np.zeros(0)]
    for spread in spreads:
        large = (spread.shares >= LARGE_CELL) & (spread.deviations > 0)
        ratios.append(deviations_of(weights, made, spread.cells)[large] / spread.deviations[large])
    every = np.concatenate(ratios)
    if not len(every):
        return Reproduced(0, 1.0, 1.0)
    return Reproduced(len(every), float(np.mean(np.abs(every - 1) <= NEAR)), float(np.median(every)))
