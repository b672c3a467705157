"""Getting ready: the loops are compiled, or loaded from disk, and each kind of work that must not fail is tried."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from pmwpub.domain import Attribute, Domain
from pmwpub.errors import PlanError
from pmwpub.mechanisms.best_mixture.descent import Descent
from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.mechanisms.misfits.misfit_noise import MisfitNoise
from pmwpub.mechanisms.pmw_pub.algorithm import Schedule
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.pool_weights import POOL_DEFAULTS
from pmwpub.mechanisms.table_fit.table_schedule import schedule as table_schedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.round_share import split
from pmwpub.progress import Progress
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Distribution, Support
from pmwpub.tasks.choice_work import BestWork, best
from pmwpub.tasks.mechanism_work import (
    AssessmentWork,
    ErrorWork,
    MisfitWork,
    PoolFitWork,
    PublicInput,
    ReleaseWork,
    TableFitWork,
    assess,
    error,
    fit_pool,
    fit_tables,
    misfits,
    release,
)

TRIED = ("release", "table-fit", "table-fit-pool", "assess", "error", "best", "misfits")
"""The tasks that take private counts, by name."""
_ROUNDS = 2


def warm(payload: object, progress: Progress) -> None:
    """Run kinds of work that take private counts on a made-up table, each possible row once, and keep nothing.

    payload  the names of the tasks that are to be tried, in a tuple; None for every kind

    Numba then finds every loop of theirs in its cache on disk, where there is a place for one, from this process and
    from any other of the same version.
    """
    wanted = TRIED if payload is None else payload
    if not isinstance(wanted, tuple) or not set(wanted) <= set(TRIED):
        raise PlanError(f"What can be tried is {', '.join(TRIED)}; something else came.")
    table, source, counts = _made_up()
    workload, part = source.workload, (source, counts, Fraction(10))
    if "release" in wanted:
        release(ReleaseWork(source, counts, Schedule(_ROUNDS, split(ZCDP.at_most(1), _ROUNDS))), progress)
    if {"table-fit", "table-fit-pool"} & set(wanted):
        source.problem().sums(np.ones(len(source.support), dtype=np.int64))  # as the report does
        tables = measured_tables(workload)
        schedule = table_schedule(tables, source.support, ZCDP.at_most(1), rows_per_person=1, complete=True)
        fit_tables(TableFitWork(source, count(tables, table), schedule), progress)
        if "table-fit-pool" in wanted:
            pool = (source.support, Support.of(table))
            fit_pool(PoolFitWork(pool, count(tables, table), schedule, POOL_DEFAULTS), progress)
    if {"assess", "best"} & set(wanted):
        _solve(source, counts)
    if "assess" in wanted:
        assess(AssessmentWork(1, part, part), progress)
    if "error" in wanted:
        error(ErrorWork(workload, Distribution.empirical(source.support), counts, Fraction(10), 1), progress)
    if "misfits" in wanted:
        none = PrivateCounts(np.zeros(2, dtype=np.int64), 100)
        misfits(MisfitWork(none, MisfitNoise(1, 100, 1, Fraction(1, 10))), progress)
    if "best" in wanted:
        best(BestWork((source, source), counts, Fraction(10), 1), progress)


def _made_up() -> tuple[Dataset, PublicInput, PrivateCounts]:
    """A private table of each possible row once, a public problem with every other one, and its queries' counts."""
    levels = (("0", "1"), ("0", "1", "2"), tuple(str(level) for level in range(100)))
    domain = Domain(tuple(Attribute(f"a{j}", own) for j, own in enumerate(levels)))
    rows = np.array(list(itertools.product(*(range(size) for size in domain.shape))))
    marginals = [*Workload.all_kway(domain, 2).marginals, *Workload.all_kway(domain, 3).marginals]
    table, workload = Dataset(domain, rows), Workload(domain, tuple(marginals))
    return table, PublicInput("warm", workload, Support.of(Dataset(domain, rows[::2]))), count(workload, table)


def _solve(source: PublicInput, counts: PrivateCounts) -> None:
    """Run both solvers of a best-mixture error: which of them a plan takes depends on its size and on its noise."""
    BestMixture(counts, source.workload, source.support).refine()
    Descent(counts, source.problem()).run(2, 0.0)
