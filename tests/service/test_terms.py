"""A population's terms: what is warned of, the delta that goes without saying, and who may change what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger.terms import charge, key, people
from pages.visits import PRIVATE, ROWS, table

from pmwpub.errors import BudgetError, PopulationFrozen, StewardNeeded
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.service import PrivateTable, Service
from pmwpub.service.inputs import study_store
from pmwpub.service.terms import (
    amend,
    as_typed,
    changes_in_words,
    default_delta,
    delta_as_typed,
    delta_of,
    warnings_of,
)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as ledger:
        ledger.register(people(n=ROWS))
        yield Service(ledger, InlineEngine())


def _private(service: Service, name: str) -> PrivateTable:
    study_store.add_candidate(service, name, "c.csv", table(300, 2), attested=True)
    study_store.save_schema(service, name, study_store.draft_schema(service, name))
    return study_store.load_private(service, name, PRIVATE)


@pytest.mark.parametrize(
    ("n", "epsilon", "delta", "warned"),
    [
        (1000, "1", "1/1000", ()),
        (1000, "10", "1e-6", ()),
        (1000, "1", "0.0010000001", ("δ = 0.00101 is above 1/n = 0.001",)),
        (1000, "10.001", "1e-6", ("ε = 10.1 is above 10",)),
        (1000, "5000", "0.9", ("δ = 0.9 is above 1/n = 0.001", "ε = 5000 is above 10")),
    ],
)
def test_terms_are_warned_of_beyond_their_limits_and_not_at_them(
    n: int, epsilon: str, delta: str, warned: tuple[str, ...]
) -> None:
    found = warnings_of(people(n=n, epsilon=epsilon, delta=delta))
    assert len(found) == len(warned)
    assert all(sentence.startswith(words) for sentence, words in zip(found, warned, strict=True))


def test_the_warnings_say_what_such_terms_allow() -> None:
    delta, epsilon = warnings_of(people(n=1000, epsilon="5000", delta="0.9"))
    assert "about 900 of the 1,000 rows" in delta, "each of 1,000 rows published with probability 0.9"
    assert "more than 22,000" in epsilon, "e^10 = 22026.46..."


def test_the_default_delta_is_one_over_n_squared_and_a_single_row_has_none() -> None:
    assert default_delta(36_842) == Fraction(1, 1_357_332_964)
    for text in (None, "", " ", "1/n²", "1/n^2"):
        assert delta_of(text, 1000) == Fraction(1, 10**6)
    assert delta_of("1e-9", 1000) == Fraction(1, 10**9)
    with pytest.raises(BudgetError, match="n = 1"):
        delta_of("", 1)


@given(st.integers(1, 10**9), st.fractions(min_value=Fraction(1, 10**18), max_value=Fraction(999, 1000)))
def test_the_delta_in_a_field_reads_back_as_the_very_delta(n: int, delta: Fraction) -> None:
    terms = replace(people(), n=n, delta=delta)
    assert delta_of(delta_as_typed(terms), n) == delta
    assert Fraction(as_typed(delta)) == delta


def test_a_delta_of_the_default_follows_n_and_another_one_stays() -> None:
    assert delta_of(delta_as_typed(people(n=1000, delta="1e-6")), 2000) == Fraction(1, 4 * 10**6)
    assert delta_of(delta_as_typed(people(n=1000, delta="2e-6")), 2000) == Fraction(2, 10**6)


def test_each_change_is_said_and_nothing_else() -> None:
    before = Population("A", 1000, 1, "one resident", Fraction(1), Fraction(1, 10**6))
    after = Population("A", 36_842, 2, "one household", Fraction(1, 2), Fraction(1, 36_842**2))
    assert changes_in_words(before, after) == (
        "n, the rows of the private table: it was 1,000 and is now 36,842.",
        "k, the most rows that one person may own: it was 1 and is now 2.",
        'Who is protected: it was "one resident" and is now "one household".',
        "The total ε: it was 1 and is now 0.5.",
        "δ: it was 1e-6 and is now 7.37e-10, which is 1/n².",
    )
    assert changes_in_words(before, before) == ()


def test_two_deltas_of_the_same_three_digits_are_told_apart() -> None:
    (said,) = changes_in_words(people(delta="1.0001e-6"), people(delta="1.0002e-6"))
    assert said == "δ: it was 1.0001e-6 and is now 1.0002e-6."


def test_before_the_first_charge_whoever_is_no_viewer_corrects_the_terms(service: Service) -> None:
    assert amend(service, "A", {"n": 500}, private=None, viewing=False).n == 500
    assert service.ledger.population("A").n == 500


def test_a_viewer_changes_nothing_whatever_the_session_holds(service: Service) -> None:
    private = _private(service, "A")
    for held in (None, private):
        with pytest.raises(StewardNeeded, match="Viewers"):
            amend(service, "A", {"n": 500}, private=held, viewing=True)
    assert service.ledger.population("A") == people(n=ROWS)


def test_after_a_charge_only_who_holds_this_populations_table_lowers_epsilon(service: Service) -> None:
    service.ledger.register(people("B", n=ROWS))
    private, other = _private(service, "A"), _private(service, "B")
    service.ledger.book("A", key(), "{}", [charge(1)], table=private.table)
    for held in (None, other):
        with pytest.raises(StewardNeeded, match="holds the private table"):
            amend(service, "A", {"epsilon": "0.5"}, private=held, viewing=False)
    with pytest.raises(PopulationFrozen):
        amend(service, "A", {"n": 500}, private=private, viewing=False)
    assert service.ledger.population("A") == people(n=ROWS)
    assert amend(service, "A", {"epsilon": "0.5"}, private=private, viewing=False).epsilon == Fraction(1, 2)
