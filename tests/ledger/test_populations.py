from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from ledger.terms import charge, key, people

from pmwpub.errors import BudgetError, PopulationExists, PopulationFrozen, UnknownPopulation
from pmwpub.ledger import Ledger
from pmwpub.privacy.budget import ZCDP


def test_a_registered_population_comes_back_exactly(ledger: Ledger) -> None:
    population = people(n=11_439, k=3, epsilon="0.123456789012345678", delta="7e-11")
    ledger.register(population)
    assert ledger.population("A") == population
    assert ledger.balance("A").total == population.total
    assert ledger.balance("A").remaining == population.total


def test_registering_the_same_terms_again_changes_nothing(ledger: Ledger) -> None:
    ledger.register(people())
    ledger.register(people())
    assert ledger.populations() == [people()]


@pytest.mark.parametrize("other", [people(n=999), people(k=2), people(epsilon="2"), people(delta="1e-7")])
def test_a_name_stands_for_one_set_of_terms(ledger: Ledger, other: object) -> None:
    ledger.register(people())
    with pytest.raises(PopulationExists):
        ledger.register(other)  # type: ignore[arg-type]
    assert ledger.populations() == [people()]


def test_an_unknown_population_is_refused(ledger: Ledger) -> None:
    for look in (ledger.population, ledger.balance, ledger.history, ledger.bookings, ledger.marks):
        with pytest.raises(UnknownPopulation):
            look("nobody")


def test_before_the_first_charge_all_terms_may_change(ledger: Ledger) -> None:
    ledger.register(people())
    changed = ledger.amend("A", n=2000, rows_per_person=2, unit="one visit", epsilon="3", delta="1e-8")
    assert ledger.population("A") == changed
    assert changed == replace(people(n=2000, k=2, epsilon="3", delta="1e-8"), unit="one visit")
    assert ledger.balance("A").total == changed.total


@pytest.mark.parametrize(
    "change", [{"n": 999}, {"rows_per_person": 2}, {"unit": "x"}, {"delta": "1e-5"}, {"epsilon": "1.01"}]
)
def test_after_the_first_charge_only_a_lower_epsilon_is_taken(ledger: Ledger, change: dict[str, object]) -> None:
    ledger.register(people())
    ledger.book("A", key(), "{}", [charge(1)])
    with pytest.raises(PopulationFrozen):
        ledger.amend("A", **change)  # type: ignore[arg-type]
    assert ledger.population("A") == people()
    assert ledger.amend("A", epsilon="0.5") == people(epsilon="0.5")


def test_epsilon_does_not_fall_below_what_is_spent(ledger: Ledger) -> None:
    ledger.register(people())
    half = people(epsilon="0.5").total
    ledger.book("A", key(), "{}", [charge(half.units)])
    assert ledger.amend("A", epsilon="0.5").total == half
    with pytest.raises(PopulationFrozen):
        ledger.amend("A", epsilon="0.499")
    assert ledger.balance("A").remaining == ZCDP(0)


def test_bad_terms_change_nothing(ledger: Ledger) -> None:
    ledger.register(people())
    with pytest.raises(BudgetError):
        ledger.amend("A", delta="2")
    assert ledger.population("A") == people()


def test_an_amendment_without_a_change_is_none(ledger: Ledger) -> None:
    ledger.register(people())
    assert ledger.amend("A", epsilon=Fraction(1)) == people()


def test_marks_are_kept_in_order(ledger: Ledger) -> None:
    ledger.register(people())
    ledger.mark("A", "private numbers opened", "the true errors of release 1")
    ledger.mark("A", "private numbers opened")
    assert [mark.note for mark in ledger.marks("A")] == ["the true errors of release 1", ""]
