"""Scores over both levels: by hand, in exact numbers, and moved by one household by at most H."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.households.toy_households import Home, homes, households, tables, vectors
from support.planting import plant

from pmwpub.errors import DomainError
from pmwpub.mechanisms.households import household_scores as scores
from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdCounts, count_households
from pmwpub.mechanisms.households.household_scores import HouseholdProblem, score_units
from pmwpub.records import Ints

H = 3
PUBLIC: list[Home] = [((0, 0, 0), (0, 1, 1)), ((1, 1, 0),), ((0, 0, 0), (0, 1, 1))]
BIG, SMALL = ((0, 0, 0),) * H, ((1, 1, 1),)


def problem(public: Sequence[Home], largest: int = H) -> HouseholdProblem:
    return HouseholdProblem(tables(largest), HouseholdAtoms.of(households(public, largest)))


def counted(some: Sequence[Home], largest: int = H) -> HouseholdCounts:
    return count_households(tables(largest), households(some, largest))


def flat(home: Home, largest: int) -> list[int]:
    """The household's own vector over the cells of both levels, by loops."""
    return [cell for level in vectors(home, largest) for table in level for cell in table]


def by_hand(some: Sequence[Home], public: Sequence[Home], largest: int, steps: int) -> list[int]:
    """u_q by fractions, the public households each once."""
    counts = [sum(column) for column in zip(*(flat(home, largest) for home in some), strict=True)]
    sums = [sum(column) for column in zip(*(flat(home, largest) for home in public), strict=True)]
    units = [1] * tables(largest).persons.queries + [largest] * tables(largest).own.queries
    rounded = [(Fraction(steps * len(some) * one, len(public)) + Fraction(1, 2)).__floor__() for one in sums]
    return [unit * abs(steps * c - r) for unit, c, r in zip(units, counts, rounded, strict=True)]


@given(st.lists(homes(H), min_size=1, max_size=4), st.sampled_from([1, 64, 2**40, 2**60]))
def test_scores_are_those_of_fractions_by_hand(some: list[Home], steps: int) -> None:
    of = problem(PUBLIC)
    references = of.references(of.atoms.multiplicity, len(some), steps)
    assert scores.household_scores(counted(some), references, steps).tolist() == by_hand(some, PUBLIC, H, steps)


def test_a_household_of_one_against_the_largest_by_hand() -> None:
    """Two homes of three children that own, against one such and one renting adult, n = 1: two in three of each cell.

    r of children is floor(1 * (3 + 3)/3 + 1/2) = 2 where the private home of one adult has none: u = 2. Of homes that
    own, r = floor(2/3 + 1/2) = 1 and c = 0: u = H * 1 = 3.
    """
    of = problem([BIG, BIG, SMALL])
    references = of.references(of.atoms.multiplicity, 1)
    found = scores.household_scores(counted([SMALL]), references)
    child, owns = 2, tables(H).persons.queries + 3
    assert (references[child], found[child], references[owns], found[owns]) == (2, 2, 1, 3)
    assert found.max() == 3


def test_the_unit_of_a_household_s_query_is_the_largest_household() -> None:
    units = score_units(tables(H), H)
    assert units.tolist() == [1] * tables(H).persons.queries + [H] * tables(H).own.queries


def assert_one_household_moves_scores_by_at_most_h(
    ours: Home, theirs: Home, rest: Sequence[Home], references: Ints, largest: int, steps: int
) -> None:
    mine, other = (scores.household_scores(counted([one, *rest], largest), references, steps) for one in (ours, theirs))
    moved = max(abs(int(a) - int(b)) for a, b in zip(mine, other, strict=True))
    assert moved <= steps * largest, "a score moves by more than H"
    assert abs(int(mine.max()) - int(other.max())) <= steps * largest


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 5), st.sampled_from([1, 64]), st.data())
def test_no_household_moves_a_score_or_the_largest_by_more_than_h(
    largest: int, steps: int, data: st.DataObject
) -> None:
    rest = data.draw(st.lists(homes(largest), max_size=3))
    public = data.draw(st.lists(homes(largest, no_level=False).filter(lambda home: len({p[0] for p in home}) == 1),
                                min_size=1, max_size=3))  # fmt: skip
    of = problem(public, largest)
    weights = np.array(data.draw(st.lists(st.integers(1, 9), min_size=len(of.atoms), max_size=len(of.atoms))))
    references = of.references(weights, len(rest) + 1, steps)
    ours, theirs = data.draw(homes(largest)), data.draw(homes(largest))
    assert_one_household_moves_scores_by_at_most_h(ours, theirs, rest, references, largest, steps)


def test_the_bound_is_reached_at_both_levels() -> None:
    """Three children in, one adult out: children by 3; "has a child" by one household, 3 units."""
    of = tables(H)
    nothing = np.zeros(of.cells, dtype=np.int64)
    moved = scores.household_scores(counted([BIG]), nothing) - scores.household_scores(counted([SMALL]), nothing)
    assert moved[2] == H
    assert np.abs(moved[of.persons.queries :]).max() == H


@pytest.mark.fault("a household's query scored as if a household were H of it twice")
def test_units_that_are_squared_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, scores, "household_scores", "gaps * units", "gaps * units * units")
    with pytest.raises(AssertionError, match="more than H"):
        assert_one_household_moves_scores_by_at_most_h(
            BIG, SMALL, [SMALL], np.zeros(tables(H).cells, dtype=np.int64), H, 1
        )


@pytest.mark.fault("references of scores from the private number of persons")
def test_references_that_follow_the_private_persons_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scaled to the persons of the private table, r_q is no constant: of these neighbours it moves by more than c_q."""
    plant(
        monkeypatch, scores, "household_scores", "references.astype(kind)",
        "references.astype(kind) * int(counts.persons[:2].sum())",
    )  # fmt: skip
    of = problem([BIG] * 3)
    references = of.references(of.atoms.multiplicity, 2)
    with pytest.raises(AssertionError, match="more than H"):
        assert_one_household_moves_scores_by_at_most_h(SMALL, ((0, 2, 0),) * H, [SMALL], references, H, 1)


def test_what_does_not_belong_together_is_refused() -> None:
    of, counts = problem(PUBLIC), counted([SMALL])
    with pytest.raises(DomainError, match="other queries"):
        scores.household_scores(counts, np.zeros(3, dtype=np.int64))
    with pytest.raises(DomainError, match="another number of households"):
        scores.household_scores(counts, of.references(of.atoms.multiplicity, 4))
    for weights in (np.array([1]), np.full(2, 2**61)):
        with pytest.raises(DomainError, match="fits an int64"):
            of.sums(weights)
    with pytest.raises(DomainError, match="No weight"):
        of.references(np.zeros(2, dtype=np.int64), 1)
    with pytest.raises(DomainError, match="different schemas"):
        HouseholdProblem(tables(H + 1), HouseholdAtoms.of(households(PUBLIC, H)))


@pytest.mark.parametrize("weights", [[2**63 - 1, 2**63 - 1, 10], [2**63 - 1, 1, 0], [-1, 3, 3]])
def test_weights_are_summed_as_whole_numbers_before_they_are_taken(weights: list[int]) -> None:
    """An int64 has the first three as a sum of 8, and the second three as a negative one."""
    of = problem([BIG, SMALL, ((0, 2, 0),)])
    for ask in (of.sums, lambda given: of.references(given, 1)):
        with pytest.raises(DomainError, match=r"fits an int64|not negative"):
            ask(np.array(weights, dtype=np.int64))


def test_weights_of_the_largest_sum_are_taken() -> None:
    """The most that fits: H S < 2^63 <= H (S + 1), all of it on the three children; r = floor(H + 1/2) = H."""
    of, most = problem([BIG, SMALL]), (2**63 - 1) // H
    weights = np.where(np.diff(of.atoms.households.starts) == H, most, 0)
    assert int(of.sums(weights).max()) == H * most
    assert int(of.references(weights, 1).max()) == H
    with pytest.raises(DomainError, match="fits an int64"):
        of.sums(weights + 1)
