"""What a rerun costs: how often the store is asked, what is parsed again, and no collection of garbage by force."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import buying
import pytest
from pages.visits import PAGES, ROOT, Here, Open
from sqlalchemy import event
from streamlit import config
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from pmwpub.errors import LedgerError
from pmwpub.ledger import Ledger, PlanKey
from pmwpub.release.bundle import Bundle
from pmwpub.service.bought import assessments, releases
from pmwpub.service.inputs import study_store
from pmwpub.ui.app import services

MOST = {"protect": 3, "prepare": 4, "compare": 5, "release": 4, "hand_over": 4, "ledger": 3, "what_if": 2, "story": 1}
"""Transactions of a rerun, the sidebar's included, with whatever was bought."""


def buy_releases(town: Here, rounds: range) -> None:
    current, private = study_store.study(town.service, town.population), town.private()
    for count in rounds:
        plan = releases.release_plan(town.service, current, [current.usable[0].sha256], epsilon="0.1", rounds=count)
        buying.buy(town.service, private, plan, current=current)


def transactions_of(rerun: Callable[[], AppTest]) -> int:
    begun: list[object] = []
    engine = services.service().ledger._database._engine

    def note(connection: object) -> None:
        begun.append(connection)

    event.listen(engine, "begin", note)
    rerun()
    event.remove(engine, "begin", note)
    return len(begun)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have AppTest run app.py with each page, as a server does that ran it once; of itself it runs the page alone."""
    make = PagesManager.__init__

    def made(self: PagesManager, *given: Any, **named: Any) -> None:
        make(self, *given, **named)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", made)


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("page", PAGES)
def test_a_rerun_asks_the_store_so_often_however_much_was_bought(town: Here, steward: Open, page: str) -> None:
    current, private = study_store.study(town.service, town.population), town.private()
    for facts in current.usable:
        plan = assessments.assessment_plan(current, [facts.sha256], epsilon="0.01")
        buying.buy(town.service, private, plan, current=current)
    seen = []
    for rounds in (range(2, 4), range(4, 8)):
        buy_releases(town, rounds)
        app = steward(page).run()
        assert not app.exception
        seen.append(transactions_of(app.run))
    assert seen[0] == seen[1]
    assert seen[0] <= MOST[page]


def test_a_released_bundle_is_parsed_once_for_all_sessions(
    town: Here, steward: Open, visit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    buy_releases(town, range(2, 4))
    read, parsed = Bundle.from_bytes, []

    def counted(content: bytes) -> Bundle:
        parsed.append(content)
        return read(content)

    monkeypatch.setattr(Bundle, "from_bytes", counted)
    steward("compare").run()
    visit("release", population=town.population)
    assert len(parsed) == 2


def test_nothing_is_written_while_a_view_of_the_store_is_open_and_a_view_is_one_state(town: Here) -> None:
    ledger, name = town.service.ledger, town.population
    with ledger.view():
        before = ledger.marks(name)
        with Ledger.open() as another:
            another.mark(name, "seen", "by another program")
        with ledger.view():
            assert ledger.marks(name) == before
        with pytest.raises(LedgerError, match="view"):
            ledger.mark(name, "seen")
    assert len(ledger.marks(name)) == len(before) + 1
    ledger.mark(name, "seen")


def test_a_run_of_a_page_reads_nothing_twice_until_something_is_written(town: Here) -> None:
    ledger, name = town.service.ledger, town.population
    with Ledger.open() as another, ledger.recalling():
        before = ledger.marks(name)
        another.mark(name, "seen", "by another program")
        assert ledger.marks(name) == before, "one run of a page shows one state"
        ledger.mark(name, "seen", "by this one")
        assert [mark.note for mark in ledger.marks(name)[len(before) :]] == ["by another program", "by this one"]
        another.mark(name, "seen", "again")
        ledger.forget()
        assert len(ledger.marks(name)) == len(before) + 3
        another.mark(name, "seen", "at last")
    assert len(ledger.marks(name)) == len(before) + 4, "the next run reads anew"


def test_a_run_that_asks_what_became_of_a_booking_reads_anew(town: Here) -> None:
    """A booking that nobody works on is final only if it is read after that was asked."""
    buy_releases(town, range(2, 3))
    ledger, name = town.service.ledger, town.population
    (booking,) = town.service.bought(name, "release")
    with Ledger.open() as another, ledger.recalling():
        before = ledger.marks(name)
        another.mark(name, "seen")
        ledger.at_work(booking.id)
        assert len(ledger.marks(name)) == len(before) + 1


def test_bookings_that_were_read_answer_what_is_asked_of_one(town: Here) -> None:
    buy_releases(town, range(2, 4))
    ledger, name = town.service.ledger, town.population
    plans = [one.key.plan_sha256 for one in ledger.bookings(name)] + ["0" * 64]
    keys = [PlanKey(plan, repeat) for plan in plans for repeat in (0, 1)]
    alone = [(ledger.booking(name, key), ledger.next_repeat(name, key.plan_sha256)) for key in keys]
    with ledger.recalling():
        ledger.bookings(name)
        assert [(ledger.booking(name, key), ledger.next_repeat(name, key.plan_sha256)) for key in keys] == alone


def test_a_run_of_a_page_ends_without_a_full_collection_of_garbage() -> None:
    """Streamlit's own, after every run, was most of the server's time."""
    options = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config.get_config_options()["runner.postScriptGC"].default_val is True
    assert options["runner"]["postScriptGC"] is False
