"""The stakeholder view: nothing for the steward alone is computed, whatever the session holds."""

from __future__ import annotations

from typing import NoReturn

import pytest
from pages.visits import PAGES, Here, Open, buy, words
from streamlit.testing.v1 import AppTest

from pmwpub.errors import ViewersOnly
from pmwpub.ledger.database import Database
from pmwpub.service import Policy, PrivateTable, purchases
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations import explorations, public_pairs
from pmwpub.ui import Badge, Session
from pmwpub.ui.app import services

PRIVATE_PARTS = ("dataset", "content", "verdict", "ignored", "unplaced_cells", "overlaps")
SPENDING = ((purchases, "buy"), (purchases, "warnings_before"), (purchases, "offer"), (purchases, "store"))
STEWARDS_BUTTONS = (
    "Buy",
    "Load",
    "Forget",
    "Add",
    "Remove",
    "Draft",
    "Edit",
    "Change",
    "Delete",
    "Register",
    "Open the",
    "Draw",
)


def _touched(*args: object, **named: object) -> NoReturn:
    raise AssertionError("The stakeholder view touched what is the steward's.")


@pytest.fixture
def bought(town: Here, steward: Open) -> Session:
    """A session in the stakeholder view that holds the private table of a population with results."""
    buy(steward("compare"), "Buy these assessments")
    buy(steward("release"), "Buy this release")
    return Session(town.population, town.private(), presenting=True)


@pytest.fixture
def shielded(bought: Session, monkeypatch: pytest.MonkeyPatch) -> Session:
    """The same; from here on, touching the private table fails."""
    for name in PRIVATE_PARTS:
        monkeypatch.setattr(PrivateTable, name, property(_touched), raising=False)
    for module, name in (*SPENDING, (study_store, "load_private"), (study_store, "compared_again")):
        monkeypatch.setattr(module, name, _touched, raising=False)
    return bought


def _badges(app: AppTest) -> list[str]:
    return [str(element.value) for element in app.markdown if "badge[" in str(element.value)]


@pytest.mark.parametrize("page", PAGES)
def test_no_page_touches_the_private_table_or_shows_a_stewards_panel(
    page: str, town: Here, shielded: Session, visit: Open
) -> None:
    app = visit(page, shielded, population=town.population)
    assert not app.exception
    shown = _badges(app)
    assert shown
    assert not any(Badge.PRIVATE.value[0] in badge for badge in shown)
    assert not any("Steward" in badge for badge in shown)
    assert not any(button.label.startswith(STEWARDS_BUTTONS) for button in app.button)
    assert not app.file_uploader
    assert "not access control" in words(app)


def test_the_shield_would_notice_a_stewards_page(town: Here, shielded: Session, visit: Open) -> None:
    shielded.presenting = False
    app = visit("prepare", shielded, population=town.population)
    assert app.exception or app.error


def test_results_that_were_released_are_shown(town: Here, shielded: Session, visit: Open) -> None:
    assert "noisy" in words(visit("compare", shielded, population=town.population)).lower()
    assert "A release beside its public table" in words(visit("hand_over", shielded, population=town.population))


def test_the_address_turns_the_view_on_and_links_keep_it(town: Here, visit: Open) -> None:
    app = visit("ledger", population=town.population, view="stakeholder")
    assert app.toggle(key="stakeholder view").value
    assert app.query_params["view"] == "stakeholder"
    links = [element.proto.query_string for element in app.sidebar if type(element).__name__ == "PageLink"]
    assert links
    assert all("view=stakeholder" in link for link in links)


def test_the_switch_turns_it_on_and_off_in_session_and_address(town: Here, visit: Open) -> None:
    session = Session(town.population, town.private())
    app = visit("prepare", session, population=town.population)
    assert "Steward: private table loaded" in words(app)
    app.toggle(key="stakeholder view").set_value(True).run()
    assert app.query_params["view"] == "stakeholder"
    assert "Private table" not in [str(element.value) for element in app.subheader]

    again = visit("prepare", session, population=town.population, view="stakeholder")
    again.toggle(key="stakeholder view").set_value(False).run()
    assert "view" not in again.query_params
    assert "Private table" in [str(element.value) for element in again.subheader]
    assert "400 rows" in words(again), "the table was kept meanwhile"


def test_a_server_for_viewers_only_has_no_other_view(visit: Open, town: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMWPUB_VIEWERS_ONLY", "1")
    app = visit("ledger", population=town.population)
    switch = app.toggle(key="stakeholder view")
    assert switch.value
    assert switch.disabled
    for page in PAGES:
        app = visit(page, population=town.population)
        assert not app.exception
        assert not app.get("file_uploader"), page
        assert not [button for button in app.button if "Buy" in button.label or "demo" in button.label], page


BEGINS = ("Simulate", "Tune", "Compare", "Resume", "Cancel", "Store", "Register", "Use this workload")
"""Of buttons: what would have the server work, or the store changed."""


def test_a_server_for_viewers_only_offers_no_work_and_writes_nothing(
    visit: Open, town: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, current = services.service(), study_store.study(town.service, town.population)
    monkeypatch.setattr(service, "policy", Policy(viewers_only=True))
    monkeypatch.setenv("PMWPUB_VIEWERS_ONLY", "1")
    monkeypatch.setattr(Database, "writing", lambda self: pytest.fail("a visitor wrote to the store"))
    monkeypatch.setattr(service.engine, "submit", lambda *_, **__: pytest.fail("a visitor began work"))
    for page in PAGES:
        app = visit(page, population=town.population)
        assert not app.exception
        offered = [one.label for one in app.button if one.label.startswith(BEGINS)]
        assert offered == [], page
    truth = current.usable[0].sha256
    for begin in (
        lambda: explorations.explore(service, current, truth),
        lambda: public_pairs.compare(service, current),
        lambda: explorations.cancel(service, current, explorations.exploration(service, current, truth)),
    ):
        with pytest.raises(ViewersOnly):
            begin()
