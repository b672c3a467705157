"""Names that read alike or look alike stand for one population."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger.old_stores import put
from ledger.terms import charge, key, people

from pmwpub.errors import PopulationExists, UnknownPopulation
from pmwpub.ledger import Ledger
from pmwpub.ledger.population_names import keys, same
from pmwpub.privacy.budget import ZCDP

ALIKE = {
    "case": ("Ohio", "ohio"),
    "Cyrillic o": ("Ohio", "\u041ehio"),
    "Cyrillic capitals": ("OHIO", "\u041e\u041d\u0406\u041e"),
    "composed and not": ("Québec", "Que\u0301bec"),
    "two spaces": ("Ohio 2018", "Ohio  2018"),
    "wide letters": ("Ohio", "\uff2f\uff48\uff49\uff4f"),
    "rn and m": ("modern", "modem"),
    "Greek": ("paypal", "\u03c1\u0430\u03c5\u03c1\u0430l"),
    "one and l": ("pool 1", "pool l"),
    "zero and O": ("p0pulation", "pOpulation"),
    "sharp s": ("Straße", "STRASSE"),
    "a variation selector": ("Ohio", "Ohio\ufe0f"),
    "a joiner that nobody sees": ("Ohio", "O\u034fhio"),
    "a filler": ("Ohio", "Ohio\u3164"),
    "mathematical letters": ("scope", "\U0001d42c\U0001d41c\U0001d428\U0001d429\U0001d41e"),
    "from right to left": ("\u07c0", "O"),
    "a capital I for an l": ("Health survey", "HeaIth survey"),
    "a capital I for an l, and case": ("Health survey", "heaIth survey"),
    "I and l": ("survey I", "survey l"),
    "I and one": ("survey I", "survey 1"),
    "a blank of Braille": ("survey", "survey\u2800"),
    "a musical null notehead": ("survey", "survey\U0001d159"),
    "a dotted capital": ("İstanbul", "istanbul"),
}
APART = [
    ("Ohio", "Iowa"),
    ("people", "people-2"),
    ("A", "B"),
    ("wave 1", "wave 2"),
    ("SAIL", "SALL"),
    ("Québec", "Quebec"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE.values(), ids=ALIKE)
def test_names_that_look_alike_are_one(ledger: Ledger, one: str, other: str) -> None:
    assert same(one, other)
    ledger.register(people(one))
    with pytest.raises(PopulationExists) as refusal:
        ledger.register(people(other))
    assert f"Open {one!r}" in str(refusal.value)
    assert "differs in more than" in str(refusal.value)
    assert [population.name for population in ledger.populations()] == [one]


@pytest.mark.parametrize(("one", "other"), APART)
def test_names_that_differ_in_more_are_two(ledger: Ledger, one: str, other: str) -> None:
    assert not same(one, other)
    ledger.register(people(one))
    ledger.register(people(other))
    assert len(ledger.populations()) == 2


def test_the_same_terms_under_the_very_same_name_change_nothing(ledger: Ledger) -> None:
    ledger.register(people("modern"))
    ledger.register(people("modern"))
    with pytest.raises(PopulationExists, match="other terms"):
        ledger.register(people("modern", epsilon="2"))
    assert ledger.populations() == [people("modern")]


def test_a_population_is_found_by_its_very_name_alone(ledger: Ledger) -> None:
    ledger.register(people("modern"))
    assert ledger.population("modern") == people("modern")
    with pytest.raises(UnknownPopulation, match="No population 'modem'"):
        ledger.population("modem")


def test_names_that_an_older_store_has_keep_working(url: str) -> None:
    """Ohio and ohio stood side by side in version 1."""
    put(url)
    with Ledger.open(url) as ledger:
        before = ledger.balance("Ohio").spent
        assert ledger.book("ohio", key("more"), "{}", [charge(5)]).fresh
        assert (ledger.balance("Ohio").spent, ledger.balance("ohio").spent) == (before, ZCDP(12))
        assert ledger.register(ledger.population("ohio")).rows_per_person == 2
        with pytest.raises(PopulationExists, match="Open 'Ohio'"):
            ledger.register(people("OHIO"))


def test_no_two_demo_populations_look_alike() -> None:
    """Their names end in hexadecimal digits: no digit, nor a digit and a part of the next, looks like another."""
    ends = "0123456789abcdef"
    assert all(len(key) == 1 for digit in ends for key in keys(digit))
    assert not [pair for pair in combinations(ends, 2) if same(*pair)]
    assert not same("demo-01234567", "demo-01234568")


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=12))
def test_a_name_is_the_same_as_itself_in_every_spelling(name: str) -> None:
    assert same(name, name)
    assert same(name, f" {name}  ")
    assert same(name, name.casefold())
    assert all(same(key, name) for key in keys(name) & {name.casefold()})
