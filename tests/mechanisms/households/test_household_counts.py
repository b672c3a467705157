"""How far one household moves what is counted: by hand, by all neighbours that hypothesis finds, and at worst."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.households.toy_households import Home, homes, households, planned, tables, vectors
from support.planting import plant

from pmwpub.errors import DomainError, PlanError
from pmwpub.mechanisms.households import household_schedule as schedules
from pmwpub.mechanisms.households.household_counts import HouseholdCounts, count_households
from pmwpub.mechanisms.households.household_fit import measure_households
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.workload import Workload
from pmwpub.records import Ints

H = 4
ALL_CHILDREN: Home = ((0, 0, 0),) * H
ALL_ADULTS: Home = ((1, 1, 1),) * H
ALONE: Home = ((1, 1, 1),)
NOBODY_PLACED: Home = ((2, 3, 2),)


def counted(some: Sequence[Home], largest: int = H) -> HouseholdCounts:
    return count_households(tables(largest), households(some, largest))


def squares(workload: Workload, one: Ints, other: Ints) -> list[int]:
    """Of each table, the squared L2 distance."""
    return [int(((one[a:b] - other[a:b]) ** 2).sum()) for a, b in pairwise(workload.offsets.tolist())]


@given(st.lists(homes(H), min_size=1, max_size=6))
def test_counts_are_the_sums_of_each_household_s_own_vectors(some: list[Home]) -> None:
    found, by_hand = counted(some), [vectors(home, H) for home in some]
    for counts, level in ((found.persons, 0), (found.own, 1)):
        own = [[cell for table in vector[level] for cell in table] for vector in by_hand]
        assert counts.tolist() == [sum(column) for column in zip(*own, strict=True)]


def test_the_number_of_persons_moves_by_one_less_than_the_largest_household() -> None:
    """Sizes 1 to H: H - 1, by the sum of a 1-way table where all have a level."""
    rest = [ALL_ADULTS, ALONE]
    ours, theirs = counted([ALONE, *rest]), counted([ALL_ADULTS, *rest])
    sexes = slice(*tables(H).persons.offsets[2:4].tolist())
    assert abs(int(ours.persons[sexes].sum()) - int(theirs.persons[sexes].sum())) == H - 1


def test_all_persons_in_one_cell_against_all_in_another_move_a_table_by_the_whole_bound() -> None:
    """By hand: 4 children out and 4 adults in move each of the six tables by 4^2 + 4^2 = 2 H^2."""
    ours, theirs = counted([ALL_CHILDREN, ALONE]), counted([ALL_ADULTS, ALONE])
    assert squares(tables(H).persons, ours.persons, theirs.persons) == [2 * H * H] * 6
    # of the households' own: their size is equal, tenure and children differ, and so does each pair
    assert squares(tables(H).own, ours.own, theirs.own) == [0, 2, 2, 2, 2, 2]


def test_a_household_of_one_replaced_by_the_largest_and_back() -> None:
    """By hand: 1 adult out, 4 children in: 1 + 16 in each person-level table; every own table by 2."""
    for one, other in ((ALONE, ALL_CHILDREN), (ALL_CHILDREN, ALONE)):
        ours, theirs = counted([one, ALONE]), counted([other, ALONE])
        assert squares(tables(H).persons, ours.persons, theirs.persons) == [17] * 6
        assert squares(tables(H).own, ours.own, theirs.own) == [2] * 6


def test_persons_without_a_level_are_in_no_cell() -> None:
    """4 children of one home against a person who is placed nowhere: 16; the home of one still has a size."""
    ours, theirs = counted([ALL_CHILDREN, ALONE]), counted([NOBODY_PLACED, ALONE])
    assert squares(tables(H).persons, ours.persons, theirs.persons) == [16] * 6
    assert squares(tables(H).own, ours.own, theirs.own) == [2, 1, 2, 1, 2, 1]


@settings(max_examples=300)
@given(st.integers(1, 5), st.data())
def test_no_household_moves_counts_tables_or_scores_by_more_than_stated(largest: int, data: st.DataObject) -> None:
    rest = data.draw(st.lists(homes(largest), max_size=4))
    ours = counted([data.draw(homes(largest)), *rest], largest)
    theirs = counted([data.draw(homes(largest)), *rest], largest)
    of = tables(largest)
    assert np.abs(ours.persons - theirs.persons).max() <= largest
    assert np.abs(ours.own - theirs.own).max() <= 1
    assert max(squares(of.persons, ours.persons, theirs.persons)) <= 2 * largest**2
    assert max(squares(of.own, ours.own, theirs.own)) <= 2
    for mine, other, moves in ((ours.persons, theirs.persons, largest), (ours.own, theirs.own, 1)):
        r = data.draw(st.integers(0, 5 * largest))
        scores = [(largest // moves) * np.abs(counts - r) for counts in (mine, other)]
        assert np.abs(scores[0] - scores[1]).max() <= largest, "in whole numbers, for both levels together"


# ---- what the measurement costs


def price_between(one: HouseholdCounts, other: HouseholdCounts, rho: ZCDP) -> tuple[Fraction, Fraction]:
    """What the draws for two neighbours cost in zCDP, exactly, and what is charged."""
    plan = schedules_of(rho)
    total = Fraction(0)
    for part, mine, theirs in ((plan.persons, one.persons, other.persons), (plan.own, one.own, other.own)):
        for law, square in zip(part.noises, squares(part.tables, mine, theirs), strict=True):
            total += Fraction(square) / (2 * law.scale**2)
    return total, plan.rho.rho


def schedules_of(rho: ZCDP) -> schedules.HouseholdSchedule:
    return planned([ALL_CHILDREN, ALL_ADULTS, ALONE, ((0, 2, 0), (0, 0, 1))], H, 2, rho)


def assert_the_worst_neighbours_cost_no_more_than_is_charged() -> None:
    same_size = counted([ALL_CHILDREN, ALONE]), counted([ALL_ADULTS, ALONE])
    from_one = counted([((0, 2, 0),), ALONE]), counted([ALL_ADULTS, ALONE])
    for pair in (same_size, from_one):
        cost, charged = price_between(*pair, ZCDP.at_most(Fraction(1, 2)))
        assert cost <= charged, "a household costs more than is charged for it"


def test_the_worst_neighbours_cost_no_more_than_is_charged_and_nearly_that() -> None:
    assert_the_worst_neighbours_cost_no_more_than_is_charged()
    rho = ZCDP.at_most(Fraction(1, 2))
    cost, charged = price_between(counted([ALL_CHILDREN, ALONE]), counted([ALL_ADULTS, ALONE]), rho)
    assert charged <= rho.rho
    assert cost > charged * Fraction(9, 10), "all persons' tables, nine tenths, are moved by their whole bound"


@pytest.mark.fault("a household replaced as one row")
def test_a_household_that_is_priced_as_one_row_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, schedules, "household_schedule", "rows_per_person=public.largest", "rows_per_person=1")
    monkeypatch.setattr("mechanisms.households.toy_households.household_schedule", schedules.household_schedule)
    with pytest.raises(AssertionError, match="costs more"):
        assert_the_worst_neighbours_cost_no_more_than_is_charged()
    with pytest.raises(PlanError, match="other terms"):
        measure_households(counted([ALONE, ALONE]), schedules_of(ZCDP.at_most(1)))


@given(st.fractions(Fraction(1, 1000), Fraction(4)))
def test_what_is_charged_is_at_most_the_budget_and_nearly_all_of_it(rho: Fraction) -> None:
    budget = ZCDP.at_most(rho)
    charged = schedules_of(budget).rho
    assert budget.units * 999 // 1000 <= charged.units <= budget.units


def test_counts_that_no_households_have_are_refused_and_the_repr_shows_nothing() -> None:
    with pytest.raises(DomainError):
        HouseholdCounts(np.array([9]), np.array([0]), 2, H)
    with pytest.raises(DomainError):
        HouseholdCounts(np.array([8]), np.array([3]), 2, H)
    assert repr(HouseholdCounts(np.array([8]), np.array([2]), 2, H)) == "HouseholdCounts(hidden)"
    assert repr(households([ALONE], H)) == "Households(hidden)"
