"""Getting ready: the loops are compiled, or loaded from disk, and each kind of work that must not fail is tried."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from pmwpub.domain import Attribute, Domain
from pmwpub.errors import PlanError
from pmwpub.mechanisms.acceptance.acceptance_noise import AcceptanceNoise, SoldNumber
from pmwpub.mechanisms.best_mixture.descent import Descent
from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdTables, count_households
from pmwpub.mechanisms.households.household_rounds import household_rounds
from pmwpub.mechanisms.households.household_schedule import household_schedule, household_tables
from pmwpub.mechanisms.misfits.misfit_noise import MisfitNoise
from pmwpub.mechanisms.pmw_pub.algorithm import Schedule
from pmwpub.mechanisms.table_fit.coarse_tables import RangeTables
from pmwpub.mechanisms.table_fit.fit_constants import DEFAULTS, THREE_WAY_SHARE
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.pool_weights import POOL_DEFAULTS
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.mechanisms.table_fit.table_schedule import schedule as table_schedule
from pmwpub.mechanisms.weight_totals.total_noise import TotalNoise
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.round_share import split
from pmwpub.progress import Progress
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.records import Dataset, Distribution, Support
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tasks.choice_work import BestWork, best
from pmwpub.tasks.household_questions_work import (
    HouseholdAssessmentWork,
    HouseholdBestWork,
    HouseholdErrorWork,
    assess_households,
    choose_households,
    error_of_households,
)
from pmwpub.tasks.household_work import HouseholdRoundWork, HouseholdWork, fit_households, run_household_rounds
from pmwpub.tasks.mechanism_work import (
    AcceptanceWork,
    AssessmentWork,
    ErrorWork,
    MisfitWork,
    PoolFitWork,
    PublicInput,
    ReleaseWork,
    TableFitWork,
    TotalWork,
    accept,
    assess,
    error,
    fit_pool,
    fit_tables,
    misfits,
    release,
    weight_total,
)

_ROUNDS = 2
_EPSILON = Fraction(10)
_ORDERED = ("a2",)
"""The column of most levels, of which prefixes and coarse tables are tried."""
_WIDE = 256
"""Levels for whose codes a byte is not enough, see `loop_type`."""


@dataclass(frozen=True, eq=False)
class MadeUp:
    """A private table of each possible row once, and a public problem with every other one of them.

    rest  a second public table: the rows that the first lacks
    """

    table: Dataset
    source: PublicInput
    rest: Support
    counts: PrivateCounts

    @classmethod
    def of(cls, *sizes: int, beside: int = 0) -> MadeUp:
        """Columns of so many levels, with all marginals of two and three of them.

        beside  the levels of one more column, which has the same one in every row and is asked nothing; 0: none
        """
        asked, sizes = len(sizes), (*sizes, *([beside] if beside else []))
        domain = Domain(tuple(Attribute(f"a{j}", tuple(map(str, range(size))), size) for j, size in enumerate(sizes)))
        rows = np.array(list(itertools.product(*map(range, sizes[:asked]))))
        rows = np.pad(rows, ((0, 0), (0, len(sizes) - asked)))
        marginals = [Marginal(some) for ways in (2, 3) for some in itertools.combinations(range(asked), ways)]
        table, workload = Dataset(domain, rows), Workload(domain, tuple(marginals))
        first, rest = (Support.of(Dataset(domain, rows[place::2])) for place in range(2))
        return cls(table, PublicInput(f"made up of {sizes}", workload, first), rest, count(workload, table))


def warm(payload: object, progress: Progress) -> None:
    """Run kinds of work that take private counts on made-up tables, and keep nothing.

    Once with codes of a byte, and once with the wide codes that one column of many levels gives all of a table: loops
    are compiled for each.

    payload  the names of the tasks that are to be tried, in a tuple; None for every kind

    Numba then finds every loop of theirs in its cache on disk, where there is a place for one, from this process and
    from any other of the same version.

    Raises PlanError for a task that is not in `TRIED`.
    """
    wanted = tuple(TRIED) if payload is None else payload
    if not isinstance(wanted, tuple) or not set(wanted) <= set(TRIED):
        raise PlanError(f"What can be tried is {', '.join(TRIED)}; something else came.")
    for made_up in (MadeUp.of(2, 3, 100), MadeUp.of(2, 3, 50, beside=_WIDE)):
        for name in wanted:
            TRIED[name](made_up, progress)


def _release(made_up: MadeUp, progress: Progress) -> None:
    """Over cells alone, and with prefixes of an ordered column among them."""
    schedule, source = Schedule(_ROUNDS, split(ZCDP.at_most(1), _ROUNDS)), made_up.source
    release(ReleaseWork(source, made_up.counts, schedule), progress)
    asked = source.workload.with_prefixes(_ORDERED)
    with_prefixes = PublicInput(f"{source.key} with prefixes", asked, source.support)
    release(ReleaseWork(with_prefixes, count(asked, made_up.table), schedule), progress)


def _schedule(
    made_up: MadeUp, three_way: Fraction | None = None, ranges: RangeTables | None = None
) -> tuple[PrivateCounts, TableSchedule]:
    """What table fit takes; what its report asks of the public problem is tried too."""
    made_up.source.problem().sums(np.ones(len(made_up.source.support), dtype=np.int64))
    tables = measured_tables(made_up.source.workload, three_way=three_way is not None)
    schedule = table_schedule(
        tables,
        made_up.source.support,
        ZCDP.at_most(1),
        rows_per_person=1,
        complete=True,
        three_way_share=three_way,
        ranges=ranges,
    )
    return count(tables, made_up.table), schedule


def _table_fit(made_up: MadeUp, progress: Progress) -> None:
    for share in (None, THREE_WAY_SHARE):
        fit_tables(TableFitWork(made_up.source, *_schedule(made_up, share)), progress)
    fit_tables(TableFitWork(made_up.source, *_schedule(made_up, ranges=RangeTables(_ORDERED))), progress)


def _pool_fit(made_up: MadeUp, progress: Progress) -> None:
    fit_pool(PoolFitWork((made_up.source.support, made_up.rest), *_schedule(made_up), POOL_DEFAULTS), progress)


def _assess(made_up: MadeUp, progress: Progress) -> None:
    _solve(made_up)
    part = (made_up.source, made_up.counts, _EPSILON)
    assess(AssessmentWork(1, part, part), progress)


def _best(made_up: MadeUp, progress: Progress) -> None:
    _solve(made_up)
    best(BestWork((made_up.source, made_up.source), made_up.counts, _EPSILON, 1), progress)


def _solve(made_up: MadeUp) -> None:
    """Run both solvers of a best-mixture error: which of them a plan takes depends on its size and on its noise."""
    source = made_up.source
    BestMixture(made_up.counts, source.workload, source.support).refine()
    Descent(made_up.counts, source.problem()).run(2, 0.0)


def _error(made_up: MadeUp, progress: Progress) -> None:
    released = Distribution.empirical(made_up.source.support)
    error(ErrorWork(made_up.source.workload, released, made_up.counts, _EPSILON, 1), progress)


def _misfits(made_up: MadeUp, progress: Progress) -> None:
    nobody = PrivateCounts(np.zeros(2, dtype=np.int64), 100)
    misfits(MisfitWork(nobody, MisfitNoise(1, 100, 1, Fraction(1, 10))), progress)


def _weight_total(made_up: MadeUp, progress: Progress) -> None:
    weight_total(TotalWork(1, TotalNoise(100, 2, 2, ZCDP.at_most(1))), progress)


def _acceptance(made_up: MadeUp, progress: Progress) -> None:
    """With the counts that it is made from, which are taken before the charge."""
    made_up.source.problem().sums(np.ones(len(made_up.source.support), dtype=np.int64))
    nobody = SoldNumber(sensitivity=64, bar=6_400, rounding=1, reach=64_000)
    accept(AcceptanceWork((0,), AcceptanceNoise((nobody,), ZCDP.at_most(1))), progress)


def _households(made_up: MadeUp, progress: Progress) -> None:
    tables, some = _homes(made_up)
    number = len(some)
    made = household_schedule(tables, some, ZCDP.at_most(1), n=number, constants=DEFAULTS, own_constants=DEFAULTS)
    fit_households(HouseholdWork(HouseholdAtoms.of(some), count_households(tables, some), made), progress)


def _homes(made_up: MadeUp) -> tuple[HouseholdTables, Households]:
    """Each two rows of the table are a household."""
    number = len(made_up.table) // 2
    sizes = Dataset(Domain((Attribute("size", ("1", "2"), 2),)), np.ones((number, 1), dtype=np.int64))
    persons = Dataset(made_up.table.domain, made_up.table.codes[: 2 * number])
    some = Households(persons, 2 * np.arange(number + 1), sizes, 2)
    return household_tables(made_up.source.workload, Workload.all_kway(sizes.domain, 1)), some


def _asked_of_homes(made_up: MadeUp, progress: Progress) -> None:
    """Floor, start, choice and error: all are of numbers that one problem makes."""
    tables, some = _homes(made_up)
    atoms, counts = HouseholdAtoms.of(some), count_households(tables, some)
    assess_households(HouseholdAssessmentWork(tables, atoms, counts, {"start": _EPSILON, "floor": _EPSILON}), progress)
    choose_households(HouseholdBestWork(tables, (atoms, atoms), counts, _EPSILON, "start"), progress)
    error_of_households(HouseholdErrorWork(tables, atoms, atoms.multiplicity, counts, _EPSILON), progress)


def _household_rounds(made_up: MadeUp, progress: Progress) -> None:
    tables, some = _homes(made_up)
    made = household_rounds(ZCDP.at_most(1), 2, n=len(some), largest=some.largest)
    counts = count_households(tables, some)
    run_household_rounds(HouseholdRoundWork(HouseholdAtoms.of(some), tables, counts, made), progress)


TRIED: Mapping[str, Callable[[MadeUp, Progress], None]] = MappingProxyType(
    {
        "release": _release,
        "table-fit": _table_fit,
        "table-fit-pool": _pool_fit,
        "assess": _assess,
        "error": _error,
        "misfits": _misfits,
        "weight-total": _weight_total,
        "acceptance": _acceptance,
        "best": _best,
        "households": _households,
        "households-pmw-pub": _household_rounds,
        "household-assessment": _asked_of_homes,
        "household-best": _asked_of_homes,
        "household-error": _asked_of_homes,
    }
)
"""The tasks that take private counts, by name, and how each is tried."""
