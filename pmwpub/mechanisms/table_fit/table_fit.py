"""Table fit: measure every table once, weigh the public table against the noise, fit. Read `table_fit` first."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pmwpub.errors import DomainError, PlanError
from pmwpub.mechanisms.table_fit.coarse_tables import CoarseCells, coarse_cells, measure_coarse
from pmwpub.mechanisms.table_fit.one_way_estimates import (
    OneWayEstimates,
    lacking_levels,
    one_way_estimates,
    scales,
)
from pmwpub.mechanisms.table_fit.prior_strength import PriorStrength, prior_strength
from pmwpub.mechanisms.table_fit.support_growth import GrownCell, check_evident, evident_cells, grown_support
from pmwpub.mechanisms.table_fit.table_reweighting import Reweighting
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.progress import Progress, unwatched
from pmwpub.queries.counts import PrivateCounts
from pmwpub.records import Distribution, Floats, Ints, Support

LEAST_SWEEPS = 3
"""Passes that a fit of all tables takes however large it is."""


@dataclass(frozen=True)
class FitChoices:
    """What was chosen by the noisy tables, and jumps where they change a little: a rebuild takes it from the record.

    strength       N0, the rows that the public table is worth against the 1-way tables
    pair_strength  N2, the same against all tables
    moved          positions in the domain of the attributes that evidently moved
    sweeps         the passes of the three fits, of what moved, of 1-way tables, of all tables; 0 where there is none
    lacking        positions in the domain of the attributes on which rows evidently lack levels
    grown          the cells that got rows, since no public row was in them

    Raises PlanError for what no release has.
    """

    strength: float
    pair_strength: float
    moved: tuple[int, ...]
    sweeps: tuple[int, int, int]
    lacking: tuple[int, ...] = ()
    grown: tuple[GrownCell, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "grown", tuple(self.grown))
        object.__setattr__(self, "moved", tuple(self.moved))
        object.__setattr__(self, "lacking", tuple(self.lacking))
        object.__setattr__(self, "sweeps", tuple(self.sweeps))
        if not 0 < self.strength < float("inf") or not 0 < self.pair_strength < float("inf"):
            raise PlanError("The strengths of a prior are positive.")
        if len({one.cell for one in self.grown}) != len(self.grown):
            raise PlanError("A cell gets rows once.")
        if len(self.sweeps) != 3 or min(self.sweeps) < 0:
            raise PlanError("A release of table fit has three numbers of passes.")


@dataclass(frozen=True, eq=False)
class TableRelease:
    """What table fit hands out: atoms, weights, noisy tables, choices. Nothing in it is private.

    distribution  on the public rows, and on those that were added where the schedule grows the support
    noisy  int64 (cells of the schedule's tables,): noisy counts of private rows, not clamped
    coarse int64 (cells of the schedule's coarse tables,): the same of these; None where none are measured
    """

    distribution: Distribution
    noisy: Ints
    choices: FitChoices
    rho: ZCDP
    coarse: Ints | None = None


def table_fit(
    counts: PrivateCounts,
    support: Support,
    schedule: TableSchedule,
    *,
    noise: NoiseSource = SECURE,
    progress: Progress = unwatched,
) -> TableRelease:
    """Measure all tables once, then fit the public table's weights to them.

    counts  of `schedule.tables` on the private table

    Raises PlanError if the counts belong to other tables, DomainError if the support has another domain.

    Privacy: neighbours replace one person's at most k rows (n fixed). Which tables are measured, with which noise, is
    a function of public facts. A table moves by u - v, where u and v hold, for each cell, how many of the rows taken
    out and put in it has: whole numbers, not negative, that sum to at most k each, since a row is in one cell of a
    table, or in none where it lacks a level. So |u - v|^2 <= |u|^2 + |v|^2 <= 2 k^2, and noise of scale sigma_j costs
    2 k^2/(2 sigma_j^2) = k^2/sigma_j^2 <= rho_j (`VectorGaussian`). The tables' noises are independent and nothing is
    chosen between them: by composition the measurement is (sum of the charges)-zCDP, `schedule.rho`. After it the
    counts are not looked at again: evidence and fits are post-processing of noisy tables and public data. Coarse tables
    of ordered columns, where the schedule has them, are measured behind the others by the same law (`measure_coarse`);
    their charges are in `schedule.rho`.
    """
    noisy = measure(counts, schedule, noise=noise, progress=progress)
    coarse = None
    if schedule.coarse is not None:
        coarse = measure_coarse(counts, schedule.tables, schedule.coarse, noise)
    return _fitted(support, schedule, noisy, counts.n, progress, coarse)


def measure(
    counts: PrivateCounts, schedule: TableSchedule, *, noise: NoiseSource = SECURE, progress: Progress = unwatched
) -> Ints:
    """int64 (cells,): every cell of every table with the noise of its table. The only look at private counts.

    Privacy: `schedule.rho` of zCDP; see `table_fit`.
    """
    edges = schedule.tables.offsets
    if len(counts.counts) != edges[-1]:
        raise PlanError("The private counts belong to other tables.")
    noisy = np.empty(len(counts.counts), dtype=np.int64)
    for t, law in enumerate(schedule.noises):
        progress(t, steps_of(schedule))
        cells = slice(edges[t], edges[t + 1])
        noisy[cells] = law.measure(counts.counts[cells], noise=noise)
    return noisy


def refit(
    support: Support, schedule: TableSchedule, noisy: Ints, choices: FitChoices, n: int, coarse: Ints | None = None
) -> Distribution:
    """The released distribution again, from public data, the noisy tables and the recorded choices; bit for bit.

    Raises PlanError for noisy tables or choices that do not belong to the schedule, DomainError for another domain.
    """
    _check(support, schedule, noisy)
    if not {*choices.moved, *choices.lacking} <= set(schedule.attributes):
        raise PlanError("An attribute that is said to have moved, or to lack levels, is in no table.")
    check_evident(schedule, support, noisy, choices.grown, n)
    support = grown_support(schedule, support, choices.grown)
    steps = _Steps(support, schedule, noisy, estimates_of(schedule, noisy, n, choices.lacking), n, coarse)
    return Distribution(support, steps.run(choices, adaptive=False)[0])


def steps_of(schedule: TableSchedule) -> int:
    """What the progress of `table_fit` counts up to: a step a table for its noise, and one for each part of the fit."""
    return len(schedule.tables.marginals) + 2


def _fitted(
    support: Support,
    schedule: TableSchedule,
    noisy: Ints,
    n: int,
    progress: Progress = unwatched,
    coarse: Ints | None = None,
) -> TableRelease:
    return after_noise(support, support.people, schedule, noisy, n, progress, coarse)


def after_noise(
    support: Support,
    rows: int,
    schedule: TableSchedule,
    noisy: Ints,
    n: int,
    progress: Progress = unwatched,
    coarse: Ints | None = None,
) -> TableRelease:
    """What follows from the noisy tables. It takes no private count.

    rows    of public people that the support stands for: the public table is worth no more against all tables
    coarse  the noisy coarse tables, where the schedule has them
    """
    _check(support, schedule, noisy)
    estimates = estimates_of(schedule, noisy, n, lacking_levels(schedule, noisy, n))
    progress(steps_of(schedule) - 2, steps_of(schedule))
    cells = evident_cells(schedule, support, noisy, estimates, n)
    grown = grown_support(schedule, support, cells)
    prior = prior_strength(schedule, grown, estimates)
    progress(steps_of(schedule) - 1, steps_of(schedule))
    most = replace(_most(schedule, grown, rows, prior, estimates.lacking), grown=cells)
    weights, sweeps = _Steps(grown, schedule, noisy, estimates, n, coarse).run(most, adaptive=True)
    progress(steps_of(schedule), steps_of(schedule))
    return TableRelease(Distribution(grown, weights), noisy, replace(most, sweeps=sweeps), schedule.rho, coarse)


def estimates_of(schedule: TableSchedule, noisy: Ints, n: int, lacking: tuple[int, ...]) -> OneWayEstimates:
    """The 1-way estimates of noisy counts; `lacking` as `lacking_levels` gives it, or as it is recorded."""
    return one_way_estimates(schedule.tables, scales(schedule, n), noisy, n, lacking)


def _most(
    schedule: TableSchedule, support: Support, rows: int, prior: PriorStrength, lacking: tuple[int, ...]
) -> FitChoices:
    """The choices, with the most passes that the fits may take.

    N2 is some times N0, but no more than the public rows are worth, `rows`.
    """
    once, pairs = schedule.constants.one_way_sweeps, len(schedule.shares) > schedule.one_way
    sweeps = (once if prior.moved else 0, once, _pair_sweeps(schedule, support) if pairs else 0)
    pair_strength = min(schedule.constants.pair_factor * prior.rows, float(rows))
    return FitChoices(prior.rows, pair_strength, prior.moved, sweeps, lacking)


def _pair_sweeps(schedule: TableSchedule, support: Support) -> int:
    """The most passes of the fit of all tables, odd; by public sizes alone."""
    affordable = schedule.constants.most_updates // (len(schedule.shares) * len(support))
    return min(schedule.constants.pair_sweeps, max(LEAST_SWEEPS, affordable - (affordable + 1) % 2))


class _Steps:
    """The three fits. Each has the one before as its prior."""

    def __init__(
        self,
        support: Support,
        schedule: TableSchedule,
        noisy: Ints,
        estimates: OneWayEstimates,
        n: int,
        coarse: Ints | None,
    ) -> None:
        if (coarse is None) != (schedule.coarse is None):
            raise PlanError("Noisy coarse tables belong to a schedule that has such tables.")
        self._schedule, self._support = schedule, support
        self._reweighting = Reweighting(schedule, support)
        self._tables = noisy / n
        self._deviations = np.repeat(scales(schedule, n), np.diff(schedule.tables.offsets))
        self._estimates = estimates
        self._coarse = np.zeros(0, dtype=np.int64)
        self._coarse_cells = CoarseCells(np.zeros(0), np.zeros(0))
        if schedule.coarse is not None and coarse is not None:
            self._coarse = np.array([table.attribute for table in schedule.coarse.tables], dtype=np.int64)
            self._coarse_cells = coarse_cells(schedule.coarse, coarse, n, estimates.lacking)

    def _with_coarse(self, answers: Floats, deviations: Floats) -> tuple[Floats, Floats]:
        """Numbers of cells of all tables: those that are given, and those of the coarse tables behind all others."""
        if not len(self._coarse):
            return answers, deviations
        gap = np.ones(len(self._tables) - len(answers))
        found = self._coarse_cells
        return (
            np.concatenate([answers, gap, found.shares]),
            np.concatenate([deviations, gap, found.deviations]),
        )

    def run(self, choices: FitChoices, *, adaptive: bool) -> tuple[Floats, tuple[int, int, int]]:
        """float64 (m,), and the passes taken: at most those of `choices`, exactly those where not adaptive."""
        schedule, constants = self._schedule, self._schedule.constants
        weights = Distribution.empirical(self._support).weights
        ones = self._with_coarse(self._estimates.shares, self._estimates.deviations)
        twos = self._with_coarse(self._tables, self._deviations)
        every = np.arange(len(schedule.shares))
        moved = np.array([i for i, a in enumerate(schedule.attributes) if a in choices.moved], dtype=np.int64)
        coarse = len(schedule.shares) + np.arange(len(self._coarse))
        theirs = coarse[np.isin(self._coarse, choices.moved)]
        parts = (
            (np.concatenate([moved, theirs]), *ones, constants.moved_strength),
            (np.concatenate([every[: schedule.one_way], coarse]), *ones, choices.strength),
            (np.concatenate([every, coarse]), *twos, choices.pair_strength),
        )
        swept = []
        for (chosen, answers, deviations, strength), most in zip(parts, choices.sweeps, strict=True):
            passes = 0
            if most:
                variances = np.maximum(strength * deviations**2, constants.least_variance)
                tolerance = constants.tolerance if adaptive else -1.0
                weights, passes = self._reweighting.fit(
                    weights, answers, variances, chosen, most=most, tolerance=tolerance
                )
            swept.append(passes)
        return weights, (swept[0], swept[1], swept[2])


def _check(support: Support, schedule: TableSchedule, noisy: Ints) -> None:
    if support.domain != schedule.tables.domain:
        raise DomainError("The support and the tables were made with different schemas.")
    if noisy.shape != (schedule.tables.queries,):
        raise PlanError(f"Noisy tables of {schedule.tables.queries:,} cells are needed; {noisy.shape} came.")
