"""Growing the support where some rows cannot be: no added row is one of these, and a rebuild adds the same ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from mechanisms.table_fit.toy_tables import CONSTANTS
from support import tables
from support.fakes import SeededNoise
from support.planting import plant

from pmwpub.domain import Domain
from pmwpub.errors import PlanError
from pmwpub.mechanisms.table_fit import support_growth
from pmwpub.mechanisms.table_fit.fit_constants import SupportGrowth
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.support_growth import GrownCell, grown_support
from pmwpub.mechanisms.table_fit.table_fit import TableRelease, refit, table_fit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule, schedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Bools, Codes, Dataset, Support

PLAIN = tables.domain(3, 2, 4)
N = 2_000


@dataclass(frozen=True)
class Excluded:
    """Rows with one of some (a0, a1, a2), None standing for any."""

    rows: tuple[tuple[int | None, int | None, int | None], ...]

    def broken(self, codes: Codes) -> Bools:
        found = np.zeros(len(codes), dtype=np.bool_)
        for row in self.rows:
            found |= np.all([codes[:, j] == code for j, code in enumerate(row) if code is not None], axis=0)
        return found


def planned(zeros: Excluded | None) -> tuple[TableSchedule, Support, Dataset]:
    """The plan, a public table without a0 = 2 and a1 = 1 and without zeros, and private rows of every kind."""
    domain = Domain(PLAIN.attributes, zeros=zeros)
    codes = tables.table(PLAIN, 600, 3).codes
    gone = (codes[:, 0] == 2) & (codes[:, 1] == 1)
    if zeros is not None:
        gone |= zeros.broken(codes)
    support = Support.of(Dataset(domain, codes[~gone]))
    plan = schedule(
        measured_tables(Workload.all_kway(domain, 3)),
        support,
        ZCDP.at_most(Fraction(5)),
        rows_per_person=1,
        complete=True,
        constants=CONSTANTS,
        growth=SupportGrowth(),
    )
    return plan, support, Dataset(domain, tables.table(PLAIN, N, 9).codes)


def released(zeros: Excluded | None) -> tuple[TableRelease, TableSchedule, Support]:
    plan, support, private = planned(zeros)
    return table_fit(count(plan.tables, private), support, plan, noise=SeededNoise(1)), plan, support


def cell_of(plan: TableSchedule) -> int:
    place = [table.attributes for table in plan.tables.marginals].index((0, 1))
    return int(plan.tables.offsets[place]) + 2 * 2 + 1


@pytest.mark.parametrize(
    "zeros",
    [
        Excluded(((2, 1, 0),)),
        Excluded(((2, 1, 0), (2, 1, 1), (2, 1, 2))),
        Excluded(((2, 0, 3), (0, 1, 3), (1, 1, 3))),
        Excluded(((2, 0, None), (2, 1, 2))),  # no public row has a0 = 2: rows are taken from all, but for the zeros
    ],
)
def test_rows_are_added_for_an_evident_cell_but_no_zero_among_them(zeros: Excluded) -> None:
    found, plan, support = released(zeros)
    atoms = found.distribution.support
    assert cell_of(plan) in [one.cell for one in found.choices.grown]
    assert not zeros.broken(atoms.codes).any()
    added = (atoms.codes[:, 0] == 2) & (atoms.codes[:, 1] == 1)
    (own,) = [one.weight for one in found.choices.grown if one.cell == cell_of(plan)]
    assert int(atoms.multiplicity[added].sum()) >= own
    again = refit(support, plan, found.noisy, found.choices, N)
    assert again.weights.tobytes() == found.distribution.weights.tobytes()
    assert again.support.codes.tobytes() == atoms.codes.tobytes()


def test_a_cell_in_which_no_row_can_be_gets_none_however_many_private_rows_are_in_it() -> None:
    found, plan, support = released(Excluded(((2, 1, None),)))
    assert found.noisy[cell_of(plan)] > N / 10
    assert cell_of(plan) not in [one.cell for one in found.choices.grown]
    with pytest.raises(PlanError, match="without breaking a rule"):
        grown_support(plan, support, [GrownCell(cell_of(plan), 100)])


def test_where_one_level_has_no_rows_to_take_the_other_has_the_whole_weight() -> None:
    """Of a0 = 2 all public rows have a2 = 3, which may not stand with a1 = 1."""
    zeros = Excluded(((2, 0, 0), (2, 0, 1), (2, 0, 2), (2, 1, 3)))
    plan, support, _ = planned(zeros)
    assert set(support.codes[support.codes[:, 0] == 2][:, 2].tolist()) == {3}
    grown = grown_support(plan, support, [GrownCell(cell_of(plan), 1_001)])
    added = (grown.codes[:, 0] == 2) & (grown.codes[:, 1] == 1)
    assert int(grown.multiplicity[added].sum()) == 1_001
    assert not zeros.broken(grown.codes).any()


def test_without_zeros_nothing_is_another() -> None:
    plain, _, support = released(None)
    free, _, _ = released(Excluded(((0, 0, 9),)))
    assert plain.choices == free.choices
    assert plain.distribution.weights.tobytes() == free.distribution.weights.tobytes()
    assert len(plain.distribution.support) > len(support)


class Looked(Excluded):
    """Zeros that remember how many rows were held against them at once."""

    def __init__(self, rows: tuple[tuple[int | None, int | None, int | None], ...], seen: list[int]) -> None:
        super().__init__(rows)
        object.__setattr__(self, "seen", seen)

    def broken(self, codes: Codes) -> Bools:
        self.seen.append(len(codes))  # type: ignore[attr-defined]
        return super().broken(codes)


def test_of_many_public_rows_of_a_level_a_bounded_number_is_looked_at_and_a_rebuild_adds_the_same_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a0 = 2 there are 4 atoms, of a1 = 1 there are 8; each level is looked at by 3 of them at most."""
    monkeypatch.setattr(support_growth, "CANDIDATES", 3)
    seen: list[int] = []
    zeros = Looked(((2, 1, 0),), seen)
    plan, support, private = planned(zeros)
    found = table_fit(count(plan.tables, private), support, plan, noise=SeededNoise(1))
    assert cell_of(plan) in [one.cell for one in found.choices.grown]
    seen.clear()
    grown = grown_support(plan, support, found.choices.grown)
    assert 0 < max(seen) <= 3
    assert not zeros.broken(grown.codes).any()
    again = refit(support, plan, found.noisy, found.choices, N)
    assert again.weights.tobytes() == found.distribution.weights.tobytes()


def test_atoms_taken_for_a_look_count_as_often_as_their_rows_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows at 1/8, 3/8, 5/8 and 7/8 of 16: two of them are the atom with 10 rows, which is from row 3 to 12."""
    monkeypatch.setattr(support_growth, "CANDIDATES", 4)
    domain = tables.domain(6)
    codes = np.repeat(np.arange(6), (1, 1, 1, 10, 1, 2))[:, None]
    support = Support.of(Dataset(domain, codes))
    atoms, often = support_growth._candidates(np.arange(6), support)
    assert (atoms.tolist(), often.tolist()) == ([2, 3, 5], [1, 2, 1])


def test_a_cell_that_its_levels_exclude_is_passed_over_and_no_public_row_is_copied_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan, support, private = planned(Excluded(((2, 1, None),)))
    tried, real = list[int](), support_growth._halves

    def halves(plan: TableSchedule, support: Support, cell: int, most: int) -> tuple[Codes, Codes]:
        tried.append(cell)
        return real(plan, support, cell, most)

    monkeypatch.setattr(support_growth, "_halves", halves)
    table_fit(count(plan.tables, private), support, plan, noise=SeededNoise(1))
    assert cell_of(plan) not in tried
    both = np.array([cell_of(plan) - 1, cell_of(plan)])
    assert support_growth._excluded(plan, support, both).tolist() == [False, True]


def test_cells_that_are_excluded_only_by_all_their_rows_are_tried_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if no row of any of 20 cells were allowed, which their two levels do not tell: TRIES times 3 are tried."""
    plan, support, _ = planned(Excluded(((0, 0, 1),)))
    tried: list[int] = []

    def none(_: object, __: object, cell: int, ___: int) -> tuple[Codes, Codes]:
        tried.append(cell)
        return support.codes[:0], support.codes[:0]

    monkeypatch.setattr(support_growth, "_halves", none)
    cells = np.arange(plan.tables.offsets[plan.one_way], dtype=np.int64)[:1] + np.arange(20)
    assert len(support_growth._possible(plan, support, cells, 3)) == 0
    assert len(tried) == support_growth.TRIES * 3


@pytest.mark.fault("added rows that break a rule")
def test_rows_added_without_a_look_at_zeros_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    check: Callable[[], None] = lambda: test_rows_are_added_for_an_evident_cell_but_no_zero_among_them(  # noqa: E731
        Excluded(((2, 1, 0),))
    )
    check()
    plant(monkeypatch, support_growth, "_halves", "support.domain.zeros is None", "support.domain.zeros != 0")
    with pytest.raises(AssertionError):
        check()
