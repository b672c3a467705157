"""Getting ready: the loops are compiled, or loaded from disk, and each kind of work that must not fail is tried."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from pmwpub.domain import Attribute, Domain
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
from pmwpub.records import Dataset, Support
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

_ROUNDS = 2


def warm(payload: object, progress: Progress) -> None:
    """Run each kind of work that takes private counts on a made-up table, each possible row once, and keep nothing.

    Numba then finds every loop in its cache on disk, where there is a place for one, from this process and from any
    other of the same version.
    """
    levels = (("0", "1"), ("0", "1", "2"), tuple(str(level) for level in range(100)))
    domain = Domain(tuple(Attribute(f"a{j}", own) for j, own in enumerate(levels)))
    rows = np.array(list(itertools.product(*(range(size) for size in domain.shape))))
    marginals = [*Workload.all_kway(domain, 2).marginals, *Workload.all_kway(domain, 3).marginals]
    table, workload = Dataset(domain, rows), Workload(domain, tuple(marginals))
    counts = count(workload, table)
    source = PublicInput("warm", workload, Support.of(Dataset(domain, rows[::2])))
    share = split(ZCDP.at_most(1), _ROUNDS)
    released = release(ReleaseWork(source, counts, Schedule(_ROUNDS, share)), progress)
    tables = measured_tables(workload)
    schedule = table_schedule(tables, source.support, ZCDP.at_most(1), rows_per_person=1, complete=True)
    fit_tables(TableFitWork(source, count(tables, table), schedule), progress)
    pool = (source.support, Support.of(Dataset(domain, rows[1::2])))
    fit_pool(PoolFitWork(pool, count(tables, table), schedule, POOL_DEFAULTS), progress)
    part = (source, counts, Fraction(10))
    assess(AssessmentWork(1, part, part), progress)
    error(ErrorWork(workload, released.distribution, counts, Fraction(10), 1), progress)
    misfits(
        MisfitWork(PrivateCounts(np.zeros(2, dtype=np.int64), 100), MisfitNoise(1, 100, 1, Fraction(1, 10))), progress
    )
    best(BestWork((source, source), counts, Fraction(10), 1), progress)
