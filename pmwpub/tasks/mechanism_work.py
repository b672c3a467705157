"""What workers do with private counts: PMW^Pub, assessments, errors, misfits, acceptances.

Private counts come by pipe, only releases leave.

Each function takes (payload, progress) and returns bytes or a picklable value; `progress(done, total)` raises
JobCancelled when the job should stop.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import JobUnresolved
from pmwpub.mechanisms.acceptance.acceptance_noise import AcceptanceNoise, acceptance_release
from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.mechanisms.misfits.misfit_noise import MisfitNoise, misfit_release
from pmwpub.mechanisms.noisy_error.assessment import NoisyError, Unresolved, floor_release, start_release
from pmwpub.mechanisms.noisy_error.release_error import error_release
from pmwpub.mechanisms.pmw_pub.algorithm import Release, Schedule, pmw_pub
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift
from pmwpub.mechanisms.table_fit.pool_fit import PoolRelease, pool_fit
from pmwpub.mechanisms.table_fit.pool_weights import PoolConstants, effective_rows
from pmwpub.mechanisms.table_fit.table_fit import TableRelease, table_fit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.mechanisms.weight_totals.total_noise import TotalNoise, total_release
from pmwpub.progress import Progress
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution, Ints, Support
from pmwpub.tasks.public_cache import public

THREADS = min(4, os.cpu_count() or 1)
"""The threads of one release; the released weights do not depend on their number."""


@dataclass(frozen=True, eq=False)
class PublicInput:
    """A public problem as it travels to a worker, with the content key under which the worker keeps it."""

    key: str
    workload: Workload
    support: Support

    def problem(self) -> PublicProblem:
        """The problem, which each worker builds once and keeps."""
        return public(self.key, lambda: PublicProblem(self.workload, self.support))


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseWork:
    """One run of PMW^Pub. Privacy: it holds private counts; its repr shows nothing."""

    public: PublicInput
    counts: PrivateCounts
    schedule: Schedule


@dataclass(frozen=True, eq=False, repr=False)
class TableFitWork:
    """One run of table fit. Privacy: holds private counts; its repr shows nothing.

    counts  of the schedule's tables
    """

    public: PublicInput
    counts: PrivateCounts
    schedule: TableSchedule


@dataclass(frozen=True, eq=False, repr=False)
class PoolFitWork:
    """One run of table fit on a pool with learnt weights. Privacy: holds private counts; its repr shows nothing.

    supports  the public tables, in the plan's order
    counts    of the schedule's tables
    """

    supports: tuple[Support, ...]
    counts: PrivateCounts
    schedule: TableSchedule
    constants: PoolConstants


@dataclass(frozen=True, eq=False)
class FittedTables:
    """A release by table fit, and what its intervals rest on. Nothing in it is private."""

    found: TableRelease | PoolRelease
    drift: BelievedDrift


@dataclass(frozen=True, eq=False, repr=False)
class AssessmentWork:
    """One candidate's floor and start, each on its own workload.

    Privacy: it holds private counts; its repr shows nothing.

    floor, start  the problem, the counts and the epsilon of each part that is bought
    """

    rows_per_person: int
    floor: tuple[PublicInput, PrivateCounts, Fraction] | None
    start: tuple[PublicInput, PrivateCounts, Fraction] | None


@dataclass(frozen=True, eq=False, repr=False)
class ErrorWork:
    """The largest error of released weights, to be measured.

    Privacy: it holds private counts; its repr shows nothing.
    """

    workload: Workload
    released: Distribution
    counts: PrivateCounts
    epsilon: Fraction
    rows_per_person: int


@dataclass(frozen=True, eq=False, repr=False)
class MisfitWork:
    """Rows that the schema does not fit, to be counted with noise.

    Privacy: it holds private counts; its repr shows nothing.
    """

    counts: PrivateCounts
    law: MisfitNoise


@dataclass(frozen=True, eq=False, repr=False)
class AcceptanceWork:
    """Numbers of private rows that are held against bars, to be drawn with noise.

    Privacy: it holds exact numbers; its repr shows nothing.
    """

    values: tuple[int, ...]
    law: AcceptanceNoise


@dataclass(frozen=True, eq=False, repr=False)
class TotalWork:
    """The sum of all weights, in units.

    Privacy: it holds an exact number; its repr shows nothing.
    """

    total: int
    law: TotalNoise


def release(work: ReleaseWork, progress: Progress) -> Release:
    """Run PMW^Pub once, with the secure noise source.

    Privacy: one mechanism, charged before: see `pmw_pub`.
    """
    return pmw_pub(work.counts, work.public.problem(), work.schedule, progress=progress, threads=THREADS)


def fit_tables(work: TableFitWork, progress: Progress) -> FittedTables:
    """Run table fit once, with the secure noise source.

    Privacy: one mechanism, charged before: see `table_fit`. The strengths of intervals are post-processing.
    """
    support = work.public.support
    found = table_fit(work.counts, support, work.schedule, progress=progress)
    return FittedTables(found, BelievedDrift.of(found, work.schedule, work.counts.n, support.people))


def fit_pool(work: PoolFitWork, progress: Progress) -> FittedTables:
    """Run table fit once on a pool with learnt weights, with the secure noise source.

    Privacy: one mechanism, charged before: see `pool_fit`. The strengths of intervals are post-processing.
    """
    found = pool_fit(work.counts, work.supports, work.schedule, constants=work.constants, progress=progress)
    drift = BelievedDrift.of(
        found.release, work.schedule, work.counts.n, lambda: effective_rows(work.supports, found.parts)
    )
    return FittedTables(found, drift)


def assess(work: AssessmentWork, progress: Progress) -> dict[str, NoisyError]:
    """Draw the noisy floor and start that were bought; JobUnresolved where the floor cannot be resolved.

    Privacy: two mechanisms in sequence, charged before: see `floor_release` and `start_release`.
    """
    found: dict[str, NoisyError] = {}
    if work.start is not None:
        source, counts, epsilon = work.start
        found["start"] = start_release(
            counts, source.workload, source.support, epsilon, rows_per_person=work.rows_per_person
        )
    if work.floor is not None:
        source, counts, epsilon = work.floor
        state = BestMixture(counts, source.workload, source.support)
        noisy = floor_release(state, epsilon, rows_per_person=work.rows_per_person, progress=progress)
        if isinstance(noisy, Unresolved):
            raise JobUnresolved("The floor could not be resolved.")
        found["floor"] = noisy
    return found


def error(work: ErrorWork, progress: Progress) -> NoisyError:
    """Draw the noisy largest error of a finished release.

    Privacy: one mechanism, charged before: see `error_release`.
    """
    progress(0, 1)
    return error_release(work.counts, work.workload, work.released, work.epsilon, rows_per_person=work.rows_per_person)


def misfits(work: MisfitWork, progress: Progress) -> Ints:
    """Draw the noisy counts of rows that the schema does not fit.

    Privacy: one mechanism, charged before: see `misfit_release`.
    """
    progress(0, 1)
    return misfit_release(work.counts, work.law)


def accept(work: AcceptanceWork, progress: Progress) -> tuple[int, ...]:
    """Draw the noisy numbers that a stored release is accepted by.

    Privacy: one mechanism a number, charged before: see `acceptance_release`.
    """
    progress(0, 1)
    return acceptance_release(work.values, work.law)


def weight_total(work: TotalWork, progress: Progress) -> int:
    """Draw the noisy total of weights.

    Privacy: one mechanism, charged before: see `total_release`.
    """
    progress(0, 1)
    return total_release(work.total, work.law)
