"""Terms on the page: a tick where they warn of something, corrected before the first charge, lowered after it."""

from __future__ import annotations

from fractions import Fraction

import pytest
from ledger.terms import charge, key
from pages.visits import ROWS, Here, Open, press, words
from streamlit.testing.v1 import AppTest

from pmwpub.ledger import Population
from pmwpub.release.certificates.certificate_parts import OUTSIDE
from pmwpub.service import PrivateTable
from pmwpub.ui import Session
from pmwpub.ui.widgets.agreeing import TICK

N, K, EPSILON = "n, the rows of", "k, the most", "Total ε"
CHANGE = "Change the terms"


def fill(app: AppTest, **typed: str) -> None:
    """Type into the fields whose labels begin so; they are handed over with the form's button."""
    labels = {"n": N, "k": K, "epsilon": EPSILON, "delta": "δ (", "unit": "Who is protected", "name": "Name"}
    for field, text in typed.items():
        next(box for box in app.text_input if box.label.startswith(labels[field])).set_value(text)


def tick(app: AppTest) -> None:
    next(box for box in app.checkbox if box.label == TICK).check()


def ticks(app: AppTest) -> list[str]:
    return [box.label for box in app.checkbox if box.label == TICK]


def value(app: AppTest, label: str) -> str:
    return str(next(box.value for box in app.text_input if box.label.startswith(label)))


def held(app: AppTest) -> PrivateTable | None:
    """The private table of the browser session."""
    session: Session = app.session_state["pmwpub session"]
    return session.private


def spend(town: Here) -> None:
    """A charge of rho = 1e-15, on the population's own table."""
    town.service.ledger.book(town.population, key(), "{}", [charge(1)], table=town.private().table)


@pytest.mark.parametrize(
    ("typed", "warned"),
    [
        ({"epsilon": "5000"}, "ε = 5000 is above 10"),
        ({"delta": "0.9"}, "δ = 0.9 is above 1/n = 0.001"),
        ({"epsilon": "10.5", "delta": "1/999"}, "δ = 0.00101 is above 1/n = 0.001"),
    ],
)
def test_terms_that_warn_of_something_are_registered_only_once_ticked(
    typed: dict[str, str], warned: str, empty: Here, visit: Open
) -> None:
    app = visit("protect")
    assert not ticks(app)
    fill(app, name="village", n="1,000", **typed)
    press(app, "Register")
    assert warned in words(app)
    assert empty.service.ledger.populations() == []
    press(app, "Register")
    assert empty.service.ledger.populations() == [], "a second press without the tick"
    tick(app)
    press(app, "Register")
    assert not app.exception
    assert app.title[0].value == "Prepare"
    assert empty.service.ledger.population("village").n == 1000


def test_a_tick_is_for_the_sentences_above_it_alone(empty: Here, visit: Open) -> None:
    app = visit("protect")
    fill(app, name="village", n="1000", epsilon="11")
    press(app, "Register")
    tick(app)
    fill(app, epsilon="5000")
    press(app, "Register")
    assert "ε = 5000 is above 10" in words(app)
    assert "ε = 11" not in words(app)
    assert empty.service.ledger.populations() == []
    assert ticks(app)
    assert not next(box for box in app.checkbox if box.label == TICK).value


def test_terms_that_warn_of_nothing_need_no_tick_after_others_that_did(empty: Here, visit: Open) -> None:
    app = visit("protect")
    fill(app, name="village", n="1000", epsilon="5000")
    press(app, "Register")
    fill(app, epsilon="10")
    press(app, "Register")
    assert app.title[0].value == "Prepare"
    assert empty.service.ledger.population("village").epsilon == 10


def test_what_was_asked_is_forgotten_when_the_page_is_left(empty: Here, visit: Open) -> None:
    app = visit("protect")
    fill(app, name="village", epsilon="5000")
    press(app, "Register")
    app.switch_page("pages/story.py").run()
    app.switch_page("pages/protect.py").run()
    assert "is above 10" not in words(app)
    assert not ticks(app)


def test_refused_terms_ask_for_no_tick(empty: Here, visit: Open) -> None:
    app = visit("protect")
    fill(app, name="village", n="36,84", epsilon="5000")
    press(app, "Register")
    assert len(app.error) == 1
    assert "Nothing is registered until it is put right." in words(app)
    assert not ticks(app)
    fill(app, n="36842", epsilon="0,5")
    press(app, "Register")
    assert "with a point for decimals" in words(app)
    assert empty.service.ledger.populations() == []


@pytest.mark.parametrize("page", ["protect", "ledger"])
def test_a_mistyped_n_is_corrected_before_the_first_charge_and_the_default_delta_follows(
    page: str, town: Here, visit: Open
) -> None:
    app = visit(page, population=town.population)
    assert (value(app, N), value(app, "δ (")) == ("400", "1/n²")
    fill(app, n="36,842", k="2", unit="one <dwelling>")
    press(app, CHANGE)
    assert not app.exception
    assert town.service.ledger.population(town.population) == Population(
        town.population, 36_842, 2, "one <dwelling>", Fraction(2), Fraction(1, 36_842**2)
    )
    said = words(app)
    for sentence in (
        "it was 400 and is now 36,842.",
        "it was 1 and is now 2.",
        'it was "one resident" and is now "one <dwelling>".',
        "δ: it was 6.25e-6 and is now 7.37e-10, which is 1/n².",
    ):
        assert sentence in said
    assert (value(app, N), value(app, "δ (")) == ("36,842", "1/n²")


def test_a_delta_that_was_typed_stays_when_n_changes(town: Here, visit: Open) -> None:
    town.service.ledger.amend(town.population, delta="1/30")
    town.service.ledger.amend(town.population, epsilon="1/3", delta="1e-7")
    app = visit("protect", population=town.population)
    assert (value(app, EPSILON), value(app, "δ (")) == ("1/3", "1e-7")
    fill(app, n="500")
    press(app, CHANGE)
    after = town.service.ledger.population(town.population)
    assert (after.n, after.epsilon, after.delta) == (500, Fraction(1, 3), Fraction(1, 10**7))


@pytest.mark.parametrize("field", [{"n": "500"}, {"k": "2"}])
def test_a_private_table_checked_against_the_old_n_or_k_is_let_go(
    field: dict[str, str], town: Here, steward: Open
) -> None:
    app = steward("protect")
    assert held(app) is not None
    fill(app, **field)
    press(app, CHANGE)
    assert held(app) is None
    assert "load it again" in words(app)


def test_a_private_table_stays_when_neither_changes(town: Here, steward: Open) -> None:
    app = steward("protect")
    fill(app, epsilon="1.5", unit="one person")
    press(app, CHANGE)
    assert town.service.ledger.population(town.population).epsilon == Fraction(3, 2)
    assert held(app) is not None


def test_amended_terms_that_warn_of_something_need_a_tick_too(town: Here, visit: Open) -> None:
    app = visit("protect", population=town.population)
    fill(app, epsilon="5000", delta="0.9")
    press(app, CHANGE)
    assert "ε = 5000 is above 10" in words(app)
    assert "δ = 0.9 is above 1/n = 0.0025" in words(app)
    assert town.service.ledger.population(town.population).epsilon == 2
    tick(app)
    press(app, CHANGE)
    after = town.service.ledger.population(town.population)
    assert (after.epsilon, after.delta) == (5000, Fraction(9, 10))


@pytest.mark.parametrize("typed", [{"n": "0"}, {"n": "36,84"}, {"k": "401"}, {"epsilon": "0,5"}, {"unit": " "}])
def test_terms_that_cannot_be_are_refused_and_the_earlier_ones_stay(
    typed: dict[str, str], town: Here, visit: Open
) -> None:
    before = town.service.ledger.population(town.population)
    app = visit("protect", population=town.population)
    fill(app, **typed)
    press(app, CHANGE)
    assert len(app.error) == 1
    assert town.service.ledger.population(town.population) == before


def test_a_press_that_changes_nothing_says_so(town: Here, visit: Open) -> None:
    app = visit("protect", population=town.population)
    press(app, CHANGE)
    assert "The terms are the same as before." in words(app)


def test_after_a_charge_the_steward_lowers_epsilon_once_its_consequence_is_ticked(town: Here, steward: Open) -> None:
    spend(town)
    app = steward("protect")
    assert [box.label for box in app.text_input if str(box.key).startswith("amend")] == [EPSILON]
    assert "It never rises again" in words(app)
    fill(app, epsilon="1")
    press(app, CHANGE)
    assert "The total ε falls from 2 to 1 and never rises again; ε = 0.999 of it will be left" in words(app)
    assert town.service.ledger.population(town.population).epsilon == 2
    tick(app)
    press(app, CHANGE)
    assert "The total ε: it was 2 and is now 1." in words(app)
    assert town.service.ledger.population(town.population).epsilon == 1
    assert held(app) is not None


@pytest.mark.parametrize(("typed", "why"), [("2.5", "only fall"), ("0.01", "already spent")])
def test_after_a_charge_a_total_that_rises_or_lies_below_what_is_spent_is_refused_without_a_tick(
    typed: str, why: str, town: Here, steward: Open
) -> None:
    half = Population("h", ROWS, 1, "x", Fraction(1), Fraction(1, ROWS**2)).total
    town.service.ledger.book(town.population, key(), "{}", [charge(half.units)], table=town.private().table)
    app = steward("ledger")
    fill(app, epsilon=typed)
    press(app, CHANGE)
    assert why in words(app)
    assert not ticks(app)
    assert town.service.ledger.population(town.population).epsilon == 2


def test_after_a_charge_a_session_without_the_table_is_offered_no_change(town: Here, visit: Open) -> None:
    spend(town)
    for page in ("protect", "ledger"):
        assert CHANGE not in [button.label for button in visit(page, population=town.population).button]


def test_a_charge_that_came_while_the_form_stood_open_freezes_n(town: Here, visit: Open) -> None:
    app = visit("protect", population=town.population)
    fill(app, n="500")
    spend(town)
    app.run()
    assert CHANGE not in [button.label for button in app.button]
    assert town.service.ledger.population(town.population).n == ROWS


def test_viewers_are_offered_no_change(town: Here, visit: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    presenting = Session(town.population, town.private(), presenting=True)
    for session, view in ((presenting, {}), (None, {"view": "stakeholder"})):
        app = visit("protect", session, population=town.population, **view)
        assert CHANGE not in [button.label for button in app.button]
    monkeypatch.setenv("PMWPUB_VIEWERS_ONLY", "1")
    assert CHANGE not in [button.label for button in visit("ledger", population=town.population).button]


def test_what_is_outside_the_guarantee_stands_with_the_terms_for_everybody(town: Here, visit: Open) -> None:
    for page, view in (("protect", {}), ("ledger", {"view": "stakeholder"})):
        assert OUTSIDE in words(visit(page, population=town.population, **view))


def test_the_demo_keeps_its_terms(empty: Here, visit: Open) -> None:
    app = press(visit("protect"), "Open the demo")
    app.switch_page("pages/protect.py").run()
    assert CHANGE not in [button.label for button in app.button]
