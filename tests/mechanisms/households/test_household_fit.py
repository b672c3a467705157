"""What follows from noisy tables: the fit against other solvers, atoms by hand, and nothing beside the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.households.toy_households import Home, homes, households, planned, tables, vectors
from scipy.optimize import minimize
from support.fakes import FixedNoise
from support.planting import plant

from pmwpub.errors import DomainError, PlanError
from pmwpub.mechanisms.households import household_atoms as atoms_module
from pmwpub.mechanisms.households import household_fit as engine
from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdTables, count_households
from pmwpub.mechanisms.households.household_fit import (
    HouseholdStrengths,
    after_household_noise,
    household_fit,
)
from pmwpub.mechanisms.households.household_schedule import HouseholdSchedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.records import Ints
from pmwpub.tabular.households.grouped_persons import Households

H = 3
PUBLIC: list[Home] = [
    ((0, 0, 0), (0, 1, 1)), ((0, 1, 1), (0, 0, 0)), ((1, 1, 0),), ((1, 2, 1), (1, 2, 0)),
    ((0, 1, 0), (0, 0, 1), (0, 0, 0)), ((1, 0, 1), (1, 1, 0)), ((0, 2, 1),),
]  # fmt: skip
PRIVATE: list[Home] = [PUBLIC[0], PUBLIC[3], PUBLIC[4], PUBLIC[4], PUBLIC[4], PUBLIC[6]] * 50
RHO = ZCDP.at_most(Fraction(1))


def plan(n: int) -> HouseholdSchedule:
    return planned(PUBLIC, H, n, RHO)


# ---- atoms


def assert_that_atoms_are_counted_as_they_are(public: Sequence[Home]) -> None:
    some = HouseholdAtoms.of(households(public, H))
    found = some.incidence(tables(H)).toarray()
    for row, (begin, end) in zip(found, pairwise(some.households.starts.tolist()), strict=True):
        home = tuple(tuple(person) for person in some.households.persons.codes[begin:end].tolist())
        persons, own = vectors(home, H)  # type: ignore[arg-type]
        assert row.tolist() == [cell for table in persons + own for cell in table], (
            "an atom is not counted with all its persons"
        )


@given(st.lists(homes(H, no_level=False).filter(lambda home: len({p[0] for p in home}) == 1), min_size=1, max_size=6))
def test_an_atom_is_in_each_cell_as_often_as_it_has_persons_there(public: list[Home]) -> None:
    assert_that_atoms_are_counted_as_they_are(public)


@pytest.mark.fault("an atom counted in one cell")
def test_an_atom_that_is_counted_once_a_cell_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = "shape=(len(self), workload.queries))"
    plant(monkeypatch, atoms_module.HouseholdAtoms, "incidence", right, right + ".minimum(1)")
    with pytest.raises(AssertionError, match="not counted with all its persons"):
        assert_that_atoms_are_counted_as_they_are([((0, 0, 0), (0, 0, 0))])


@pytest.mark.fault("an atom counted in one cell")
def test_an_atom_that_is_its_first_person_s_cell_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = "cells_of(workload, codes)"
    wrong = f"{right}; _, f = np.unique(owners, return_index=True); cells = cells[f]; owners = owners[f]"
    plant(monkeypatch, atoms_module.HouseholdAtoms, "incidence", right, wrong)
    with pytest.raises(AssertionError, match="not counted with all its persons"):
        assert_that_atoms_are_counted_as_they_are([((0, 0, 0), (0, 1, 1))])


def test_equal_households_are_one_atom_whatever_the_order_of_their_persons() -> None:
    some = HouseholdAtoms.of(households(PUBLIC, H))
    assert (len(some), some.rows) == (6, 7)
    assert sorted(some.multiplicity.tolist()) == [1, 1, 1, 1, 1, 2]


def test_the_order_of_the_public_file_changes_no_atom() -> None:
    one, other = (HouseholdAtoms.of(households(some, H)) for some in (PUBLIC, PUBLIC[::-1]))
    assert one.households.persons.codes.tolist() == other.households.persons.codes.tolist()
    assert one.multiplicity.tolist() == other.multiplicity.tolist()


# ---- the fit


def test_without_noise_and_with_a_weak_prior_the_tables_are_met() -> None:
    """The private households are all among the public ones, so that weights can meet every table."""
    some, private = HouseholdAtoms.of(households(PUBLIC, H)), households(PRIVATE, H)
    counts = count_households(tables(H), private)
    found = after_household_noise(
        some, planned(PUBLIC, H, len(private), ZCDP.at_most(10_000)), counts.persons, counts.own,
        strengths=HouseholdStrengths(0.01, 0.01),
    )  # fmt: skip
    answered = some.incidence(tables(H)).T @ found.weights * len(private)
    assert np.abs(answered - np.concatenate([counts.persons, counts.own])).max() < 0.02 * len(private)
    start = some.incidence(tables(H)).T @ some.start * len(private)
    assert np.abs(start - np.concatenate([counts.persons, counts.own])).max() > 0.3 * len(private)


def test_a_strong_prior_stays() -> None:
    some = HouseholdAtoms.of(households(PUBLIC, H))
    counts = count_households(tables(H), households(PRIVATE, H))
    found = after_household_noise(
        some, plan(len(PRIVATE)), counts.persons, counts.own, strengths=HouseholdStrengths(1e12, 1e12)
    )
    assert np.abs(found.weights - some.start).max() < 1e-6


def test_the_fit_minimises_its_objective_as_another_solver_does() -> None:
    """SLSQP over the weights themselves, from the uniform ones, on the last step's objective."""
    some, schedule = HouseholdAtoms.of(households(PUBLIC, H)), plan(len(PRIVATE))
    counts = count_households(tables(H), households(PRIVATE, H))
    problem = engine._Problem.of(some, schedule, counts.persons + 9, counts.own - 3)
    x, every = problem.incidence.toarray(), np.arange(len(problem.answers))
    variances = np.maximum(80.0 * problem.deviations**2, problem.least_variance)

    def objective(w: np.ndarray) -> float:
        w = np.maximum(w, 1e-12)
        return float(w @ np.log(w / some.start) + ((w @ x - problem.answers) ** 2 / (2 * variances)).sum())

    found = problem.fit(some.start, every, 80.0)
    other = minimize(
        objective, np.full(len(some), 1 / len(some)), bounds=[(1e-12, 1)] * len(some), method="SLSQP",
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1}, options={"maxiter": 500, "ftol": 1e-12},
    )  # fmt: skip
    assert objective(found) <= other.fun + 1e-6
    assert np.abs(found - other.x).max() < 1e-3


def test_recorded_strengths_give_the_same_weights_again_bit_for_bit() -> None:
    some, private = HouseholdAtoms.of(households(PUBLIC, H)), households(PRIVATE, H)
    found = household_fit(count_households(tables(H), private), some, plan(len(private)))
    again = after_household_noise(some, plan(len(private)), found.persons, found.own, strengths=found.strengths)
    assert found.weights.tobytes() == again.weights.tobytes()
    assert found.weights.sum() == pytest.approx(1)


def test_what_does_not_belong_together_is_refused() -> None:
    some, private = HouseholdAtoms.of(households(PUBLIC, H)), households(PRIVATE, H)
    counts = count_households(tables(H), private)
    with pytest.raises(PlanError, match="other terms"):
        household_fit(counts, some, plan(len(private) + 1))
    with pytest.raises(PlanError, match="other tables"):
        after_household_noise(some, plan(len(private)), counts.persons[:-1], counts.own)
    with pytest.raises(DomainError):
        HouseholdAtoms(households(PUBLIC, H), np.array([1]))
    with pytest.raises(PlanError, match="positive"):
        HouseholdStrengths(0.0, 1.0)


# ---- nothing private but the noisy tables


@dataclass
class Forced(FixedNoise):
    """Noisy counts that do not depend on the true ones; how many were asked for, and at which scale, is kept."""

    asked: list[object] = field(default_factory=list)

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        self.asked.append((len(values), scale))
        return [(7 * place + len(self.asked)) % 23 for place in range(len(values))]


def traced(private: Households) -> tuple[object, ...]:
    """All that a run gives, bit by bit, all that it asked its noise for, and all that its progress said."""
    noise, steps = Forced(), []
    counts = engine_counts(private)
    some, schedule = HouseholdAtoms.of(households(PUBLIC, H)), plan(len(private))
    found = engine.household_fit(counts, some, schedule, noise=noise, progress=lambda *step: steps.append(step))
    return (
        found.weights.tobytes(),
        found.persons.tobytes(),
        found.own.tobytes(),
        found.strengths,
        *noise.asked,
        *steps,
    )


def engine_counts(private: Households):  # type: ignore[no-untyped-def]
    return count_households(tables(H), private)


def assert_alike(ours: Home, theirs: Home, rest: Sequence[Home]) -> None:
    assert traced(households([ours, *rest], H)) == traced(households([theirs, *rest], H)), "a neighbour shows"


@settings(max_examples=25, deadline=None)
@given(homes(H), homes(H), st.lists(homes(H), min_size=1, max_size=3))
def test_with_the_noise_forced_neighbours_of_any_size_give_the_same_bytes(
    ours: Home, theirs: Home, rest: list[Home]
) -> None:
    assert_alike(ours, theirs, rest)


@pytest.mark.fault("the number of persons treated as public")
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        (
            "household_fit",
            "return after_household_noise(atoms, schedule, persons, own, progress=progress)",
            "m = schedule.persons.tables.offsets; return after_household_noise(atoms, schedule, "
            "persons * int(counts.persons[m[1]:m[2]].sum()) // 11, own, progress=progress)",
        ),
        (
            "measure_households",
            "persons = _measured(counts.persons, schedule.persons, noise)",
            "persons = _measured(counts.persons, schedule.persons, noise); "
            "persons[0] = counts.persons[:2].sum() - persons[1]",
        ),
    ],
    ids=["tables scaled to it", "a cell left over from it"],
)  # fmt: skip
def test_a_number_of_persons_that_is_treated_as_public_is_caught(
    monkeypatch: pytest.MonkeyPatch, name: str, right: str, wrong: str
) -> None:
    plant(monkeypatch, engine, name, right, wrong)
    with pytest.raises(AssertionError, match="a neighbour shows"):
        assert_alike(PUBLIC[2], PUBLIC[4], PUBLIC[:2])


def used(some: HouseholdTables) -> Ints:
    return np.array([some.persons.queries, some.own.queries])


def test_the_tables_are_all_of_one_and_two_columns_at_both_levels() -> None:
    """Persons: 2 + 3 + 2, then 6 + 4 + 6 cells; of households: 3 + 2 + 2, then 6 + 6 + 4."""
    assert used(tables(H)).tolist() == [23, 23]
    assert tables(H).cells == 46
