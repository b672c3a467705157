"""Table fit with several public tables as its prior, whose weights the noisy tables themselves say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.mechanisms.table_fit.one_way_estimates import lacking_levels
from pmwpub.mechanisms.table_fit.pool_weights import POOL_DEFAULTS, PoolConstants, learnt_parts, mixed
from pmwpub.mechanisms.table_fit.table_fit import TableRelease, after_noise, estimates_of, measure
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.progress import Progress, unwatched
from pmwpub.queries.counts import PrivateCounts
from pmwpub.records import Ints, Support


@dataclass(frozen=True, eq=False)
class PoolRelease:
    """What a pool with learnt weights hands out. Nothing in it is private.

    release  as table fit has it, on the rows of the tables that have a part
    parts    each public table's part of the prior, in thousandths; they sum to 1,000
    """

    release: TableRelease
    parts: tuple[int, ...]


def equal_mixture(supports: Sequence[Support]) -> Support:
    """What a pool's schedule is made from: all its tables alike, for how they differ in weight is not known before."""
    return mixed(supports, [1] * len(supports))


def pool_fit(
    counts: PrivateCounts,
    supports: Sequence[Support],
    schedule: TableSchedule,
    *,
    constants: PoolConstants = POOL_DEFAULTS,
    noise: NoiseSource = SECURE,
    progress: Progress = unwatched,
) -> PoolRelease:
    """Measure all tables once, learn the public tables' weights from the noise, fit the mixture to the noisy tables.

    counts    of `schedule.tables` on the private table
    supports  the public tables of the pool, at most MOST_TABLES, in the plan's order
    schedule  made from their `equal_mixture`

    With one public table this is `table_fit`, to the bit.
    Raises PlanError if the counts belong to other tables, DomainError if a support has another domain.

    Privacy: `schedule.rho` of zCDP, that of the one measurement, by the proof of `table_fit`: neighbours replace one
    person's at most k rows (n fixed), a table moves by at most k sqrt 2 in L2, and which tables are measured with which
    noise follows from the public tables alone. How many public tables take part changes nothing in it: weights, fall
    back to a single table, evidence and fits are post-processing of noisy tables and public data.
    """
    noisy = measure(counts, schedule, noise=noise, progress=progress)
    return _after_noise(supports, schedule, noisy, counts.n, constants, progress)


def _after_noise(
    supports: Sequence[Support],
    schedule: TableSchedule,
    noisy: Ints,
    n: int,
    constants: PoolConstants,
    progress: Progress = unwatched,
) -> PoolRelease:
    """What follows from the noisy tables. It takes no private count."""
    estimates = estimates_of(schedule, noisy, n, lacking_levels(schedule, noisy, n))
    parts = learnt_parts(schedule, supports, estimates, constants)
    rows = sum(support.people for support, part in zip(supports, parts, strict=True) if part)
    return PoolRelease(after_noise(mixed(supports, parts), rows, schedule, noisy, n, progress), parts)
