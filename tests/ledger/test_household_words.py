"""New terms speak of a household only where whole households are what they protect; old ones stay as they are."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pmwpub.errors import PlanError
from pmwpub.ledger import Ledger, Population
from pmwpub.ledger.parts import household_words

EXACT = "one household of 1 to 4 persons"
LIKE = [
    "One household of 1 to 4 persons", "one household", "households", "HOUSEHOLD", "one household of 1 to 04 persons",
    "one  household of 1 to 4 persons", "one household of 1 to \uff14 persons", "one \uff48ousehold", " household ",
    "a house-hold", "one household of 1 to 4 persons.", "one household's rows",
]  # fmt: skip


def of(unit: str, rows: int = 4, n: int = 300) -> Population:
    return Population("A", n, rows, unit, Fraction(3), Fraction(1, 10**6))


@pytest.mark.parametrize("unit", LIKE)
def test_words_that_speak_of_a_household_and_count_rows_are_refused_by_register_and_amend(
    ledger: Ledger, unit: str
) -> None:
    with pytest.raises(PlanError, match="--unit household with --largest-household"):
        ledger.register(of(unit))
    assert ledger.populations() == []
    ledger.register(of("one person"))
    with pytest.raises(PlanError, match="--unit household with --largest-household"):
        ledger.amend("A", unit=unit)
    assert ledger.population("A") == of("one person")


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (of("one household of 1 to 65 persons", 65), "1 to 64 persons"),
        (of("one household of 1 to 3 persons", 4), "both name the largest household"),
        (of(EXACT, n=3, rows=3), "must be at least the largest household's 4"),
    ],
)
def test_households_that_could_buy_nothing_are_not_registered(ledger: Ledger, terms: Population, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        ledger.register(terms)
    assert ledger.populations() == []


def test_unit_and_rows_of_households_change_together_or_not_at_all(ledger: Ledger) -> None:
    ledger.register(of(EXACT))
    for half in ({"rows_per_person": 5}, {"unit": "one household of 1 to 5 persons"}, {"n": 3, "rows_per_person": 3}):
        with pytest.raises(PlanError, match="Nothing was registered or changed"):
            ledger.amend("A", **half)
    assert ledger.population("A") == of(EXACT)
    both = ledger.amend("A", unit="one household of 1 to 5 persons", rows_per_person=5)
    assert (both.unit, both.rows_per_person) == ("one household of 1 to 5 persons", 5)


@pytest.mark.parametrize("unit", ["one person", "one householder", "one visit", EXACT])
def test_other_words_and_the_exact_ones_are_taken(ledger: Ledger, unit: str) -> None:
    assert ledger.register(of(unit)) == ledger.population("A")


def test_terms_of_before_open_are_registered_again_and_lower_their_epsilon(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(household_words, "check", lambda _: None)
        ledger.register(of("one household"))
    assert ledger.register(of("one household")) == ledger.population("A")
    assert ledger.amend("A", epsilon="1", delta="1e-7").unit == "one household"
    with pytest.raises(PlanError, match="speak of a household"):
        ledger.amend("A", n=301)
    assert ledger.amend("A", unit="one person").unit == "one person"
