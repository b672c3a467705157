"""The best mixture of whole public households: proved ends against scipy, brute force and hand calculations."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.households.test_household_scores import BIG, SMALL, H, counted, flat, problem
from mechanisms.households.toy_households import Home, homes, households, tables
from scipy.optimize import linprog
from support.planting import plant

from pmwpub.errors import DomainError
from pmwpub.mechanisms.households import household_mixture as engine
from pmwpub.mechanisms.households.household_mixture import HouseholdMixture, unchanged_error
from pmwpub.mechanisms.households.household_scores import HouseholdProblem
from pmwpub.records import Floats

CHILD_OWNS: Home = ((0, 0, 0),)
LP_ERROR = Fraction(1, 10**8)
COMPLETE = homes(H, no_level=False).filter(lambda home: len({person[0] for person in home}) == 1)


def solved(private: Sequence[Home], public: Sequence[Home], largest: int = H) -> HouseholdMixture:
    state = HouseholdMixture(counted(private, largest), problem(public, largest))
    while not state.exhausted:
        state.refine()
    return state


def scaled(largest: int) -> Floats:
    """1/Delta_q of each query."""
    of = tables(largest)
    return np.repeat([1 / largest, 1.0], [of.persons.queries, of.own.queries])


def optimum(private: Sequence[Home], public: Sequence[Home], largest: int = H) -> float:
    """By scipy's linear program over the households' own vectors, from loops."""
    x = np.array([flat(home, largest) for home in public]).T * scaled(largest)[:, None]
    c = np.array([flat(home, largest) for home in private]).sum(axis=0) / len(private) * scaled(largest)
    ones = np.ones((len(c), 1))
    found = linprog(
        np.append(np.zeros(len(public)), 1.0),
        A_ub=np.block([[x, -ones], [-x, -ones]]), b_ub=np.concatenate([c, -c]),
        A_eq=np.append(np.ones(len(public)), 0.0)[None, :], b_eq=[1.0],
    )  # fmt: skip
    assert found.success
    return float(found.fun)


def assert_the_ends_hold_the_optimum(private: Sequence[Home], public: Sequence[Home]) -> None:
    state = solved(private, public)
    expected, found = Fraction(optimum(private, public)), state.interval
    assert found.lower - LP_ERROR <= expected <= found.upper + LP_ERROR, "the ends do not hold the optimum"
    assert found.upper - found.lower <= Fraction(1, 10**9)


@settings(max_examples=60, deadline=None)
@given(st.lists(homes(H), min_size=1, max_size=5), st.lists(COMPLETE, min_size=1, max_size=5))
def test_the_interval_holds_the_optimum_and_closes(private: list[Home], public: list[Home]) -> None:
    assert_the_ends_hold_the_optimum(private, public)


def test_a_floor_by_hand() -> None:
    """One public home of three children against private halves of it and of a home of one adult: children are 3 and not
    3/2, and every home has three persons, not every second: 1/2. With both homes public it is 0.

    A third private home, one renting adult of the other sex, is in cells that no public home reaches: 1 of 3 homes, 1/3
    person per household, 1/9. A share w of the first home has "owns" off by |w - 1/3| and that sex by |w - 4/9|: of w
    between 1/3 and 4/9 none is beyond 1/9.
    """
    for private, public, floor in (
        ([BIG, SMALL], [BIG], Fraction(1, 2)),
        ([BIG, SMALL], [BIG, SMALL], Fraction(0)),
        ([BIG, SMALL, ((1, 1, 0),)], [BIG, SMALL], Fraction(1, 9)),
    ):
        found = solved(private, public).interval
        assert found.lower <= floor <= found.upper <= found.lower + Fraction(1, 10**9)


def test_what_no_public_household_reaches_is_forced() -> None:
    """A public home has at most one person in a cell: three children of a private one are off by 2 persons of H = 3."""
    counts, of = counted([BIG]), problem([CHILD_OWNS])
    assert engine.forced_household_error(counts, of) == 1  # its size is none of theirs: a whole household
    assert solved([BIG], [CHILD_OWNS]).interval.lower == 1
    of = problem([((0, 0, 0), (0, 1, 0), (0, 1, 1))])
    assert engine.forced_household_error(counts, of) == Fraction(2, 3)


def by_fractions(private: Sequence[Home], public: Sequence[Home], weights: Sequence[int], largest: int) -> Fraction:
    """The error of weighted public households by fractions."""
    total, worst = sum(weights), Fraction(0)
    persons = tables(largest).persons.queries
    ours, theirs = ([flat(home, largest) for home in some] for some in (private, public))
    for q in range(tables(largest).cells):
        c = Fraction(sum(home[q] for home in ours), len(private))
        s = Fraction(sum(w * home[q] for w, home in zip(weights, theirs, strict=True)), total)
        worst = max(worst, abs(c - s) / (largest if q < persons else 1))
    return worst


@settings(max_examples=60, deadline=None)
@given(st.lists(homes(H), min_size=1, max_size=4), st.lists(COMPLETE, min_size=1, max_size=4), st.data())
def test_the_error_of_fixed_weights_is_that_of_fractions(
    private: list[Home], public: list[Home], data: st.DataObject
) -> None:
    of = problem(public)
    mine = data.draw(st.lists(st.integers(0, 2**54 // 4), min_size=len(of.atoms), max_size=len(of.atoms)).filter(any))
    some = of.atoms.households
    atoms = [
        tuple(map(tuple, some.persons.codes[a:b].tolist()))
        for a, b in zip(some.starts[:-1], some.starts[1:], strict=True)
    ]
    assert unchanged_error(counted(private), of, np.array(mine)) == by_fractions(private, atoms, mine, H)


@settings(max_examples=60, deadline=None)
@given(st.lists(homes(H), min_size=1, max_size=4), st.lists(COMPLETE, min_size=1, max_size=4), st.integers(0, 2**32))
def test_no_weights_on_queries_prove_more_than_the_optimum(private: list[Home], public: list[Home], seed: int) -> None:
    generator = np.random.default_rng(seed)
    dual = generator.normal(size=tables(H).cells) * (generator.random(tables(H).cells) < 0.3)
    assert_no_dual_proves_more(private, public, dual)


def assert_no_dual_proves_more(private: Sequence[Home], public: Sequence[Home], dual: Floats) -> None:
    proved = engine.household_dual_bound(counted(private), problem(public), dual)
    assert proved <= Fraction(optimum(private, public)) + LP_ERROR, "more is proved than is so"


@pytest.mark.fault("a household of the dual counted in one cell once")
def test_a_dual_that_counts_a_household_once_where_it_has_three_persons_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """y = 1 on children: private and public homes have three, so nothing is proved; one of three would prove 2/3."""
    dual = np.zeros(tables(H).cells)
    dual[2] = 1.0
    assert_no_dual_proves_more([BIG], [BIG], dual)
    plant(monkeypatch, engine, "household_dual_bound", "problem.incidence.T", "problem.incidence.T.minimum(1)")
    with pytest.raises(AssertionError, match="more is proved"):
        assert_no_dual_proves_more([BIG], [BIG], dual)


@settings(max_examples=60, deadline=None)
@given(homes(H), homes(H), st.lists(homes(H), max_size=2), st.lists(COMPLETE, min_size=1, max_size=3))
def test_no_household_moves_a_floor_or_a_start_by_more_than_one_in_n(
    ours: Home, theirs: Home, rest: list[Home], public: list[Home]
) -> None:
    assert_moves_by_at_most_one_in_n(ours, theirs, rest, public)


def assert_moves_by_at_most_one_in_n(ours: Home, theirs: Home, rest: Sequence[Home], public: Sequence[Home]) -> None:
    of, n = problem(public), len(rest) + 1
    mine, other = (solved([one, *rest], public).interval for one in (ours, theirs))
    padding = (mine.upper - mine.lower) + (other.upper - other.lower)
    assert abs(mine.upper - other.upper) <= Fraction(1, n) + padding, "a floor moves by more than 1/n"
    starts = [engine.unchanged_error(counted([one, *rest]), of, of.atoms.multiplicity) for one in (ours, theirs)]
    assert abs(starts[0] - starts[1]) <= Fraction(1, n), "a start moves by more than 1/n"


@pytest.mark.fault("an error of persons that is not divided by the largest household")
def test_persons_that_are_scored_like_households_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three children in, one adult out move "children" by 3 persons: three times what is charged."""
    monkeypatch.setattr(HouseholdProblem, "units", np.full(tables(H).cells, H))
    with pytest.raises((AssertionError, DomainError)):
        assert_moves_by_at_most_one_in_n(BIG, SMALL, [BIG, SMALL], [BIG, SMALL, SMALL])


def test_what_does_not_belong_together_is_refused_and_nothing_shows() -> None:
    with pytest.raises(DomainError, match="other tables"):
        HouseholdMixture(counted([SMALL], H + 1), problem([SMALL]))
    state = HouseholdMixture(counted([SMALL]), problem([SMALL]))
    assert (repr(state), repr(state.interval)) == ("HouseholdMixture(hidden)", "CertifiedEnds(hidden)")
    with pytest.raises(DomainError, match="0 <= lower"):
        engine.CertifiedEnds(Fraction(2, 3), Fraction(1, 3))
    with pytest.raises(DomainError, match="No weight"):
        engine.unchanged_error(counted([SMALL]), problem([SMALL]), np.array([0]))


def test_a_dual_of_nothing_proves_nothing() -> None:
    counts, of = counted([SMALL]), problem([SMALL])
    for dual in (np.zeros(of.tables.cells), np.full(of.tables.cells, np.nan), np.full(of.tables.cells, 1.0)):
        assert engine.household_dual_bound(counts, of, dual) == 0
    assert len(households([SMALL], H)) == 1
