"""Prepare in a browser: Stop ends long work of which nothing is kept, and a phone shows all that the review says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from browser.conftest import Server
from browser.stage import choose, service_on
from browser.visitor import SOON, Visitor
from jobs.waiting import until
from playwright.sync_api import Browser, expect

from pmwpub.ledger import Population
from pmwpub.service.inputs import study_store
from pmwpub.ui.widgets.reading_progress import STOPPED, TOO_LATE

pytestmark = pytest.mark.browser

TOWN, ROWS = "town", 60
LINES = [f"2008,{1000 + row},{'fmM'[row % 3]},{row % 7},{row % 5}" for row in range(ROWS)]
PEOPLE = "\n".join(["wave,person,sex,children,rooms", *LINES, ""])
RESIDENTS = "\n".join(["sex,children,rooms", *(f"{'mfff'[p % 4]},{p * p % 7},{p * p % 5}" for p in range(ROWS)), ""])


@pytest.fixture
def hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that makes long work wait."""
    path = tmp_path / "hold"
    monkeypatch.setenv("HOLD_LONG_WORK", str(path))
    return path


@pytest.fixture
def waiting(hold: Path, tmp_path: Path) -> Iterator[Server]:
    """A server whose long work waits as it is told, with a population that has one public table."""
    server = Server(tmp_path, script="tests/browser/waiting_app.py")
    with service_on(server.store_url) as service:
        service.ledger.register(Population(TOWN, ROWS, 1, "one resident", Fraction(2), Fraction(1, 10_000)))
        study_store.add_candidate(service, TOWN, "w2008.csv", PEOPLE.encode(), attested=True)
        other = PEOPLE.replace("2008,", "2012,").replace(",1,", ",2,")
        study_store.add_candidate(service, TOWN, "w2012.csv", other.encode(), attested=True)
    server.start()
    yield server
    server.stop()


def stop(visitor: Visitor, hold: Path, words: str, button: str) -> None:
    """Have the work of these words wait, press the button that begins it, then Stop, and see what is said."""
    hold.write_text(words, encoding="utf-8")
    visitor.press(button)
    visitor.see(re.compile(f"{words}.* 40%"))
    visitor.press("Stop")
    visitor.see(STOPPED)
    hold.unlink()
    visitor.settle()


def test_stop_ends_drafting_reading_and_loading_and_nothing_of_them_is_kept(
    waiting: Server, hold: Path, chromium: Browser, tmp_path: Path
) -> None:
    visitor = Visitor(chromium, waiting.url)
    visitor.open(f"/prepare?population={TOWN}")
    visitor.settle()

    stop(visitor, hold, "Drafting the columns", "Draft a schema")
    with service_on(waiting.store_url) as service:
        assert study_store.study(service, TOWN).schema is None
    visitor.press("Draft a schema")
    visitor.see("The schema has 3 columns")

    choose(visitor, "Add public tables", tmp_path, "more.csv", PEOPLE)
    stop(visitor, hold, "Reading more.csv", "Add")
    assert visitor.page.get_by_text("Read, not stored yet").count() == 0

    choose(visitor, "Or draft from a codebook", tmp_path, "book.csv", "name,kind,level\nsex,categorical,f\nsex,,m\n")
    stop(visitor, hold, "Drafting the columns", "Draft from the codebook")

    choose(visitor, "Private table", tmp_path, "own.csv", RESIDENTS)
    stop(visitor, hold, "Reading the private table", "Load into this session")
    assert visitor.page.get_by_role("button", name="Forget the private table").count() == 0
    choose(visitor, "Private table", tmp_path, "again.csv", RESIDENTS)
    visitor.press("Load into this session")
    expect(visitor.page.get_by_role("button", name="Forget the private table")).to_be_visible(timeout=SOON)
    visitor.close()


def reach(visitor: Visitor, hold: Path, moment: str) -> None:
    """Have a draft come to a moment at which no step of it is told, with its bar and Stop on the page."""
    for name in ("reached", "came", "ended"):
        hold.with_name(name).unlink(missing_ok=True)
    hold.write_text("Drafting the columns", encoding="utf-8")
    visitor.press("Draft a schema")
    visitor.see(re.compile("Drafting the columns.* 40%"))
    tell(hold, moment)
    assert until(hold.with_name("reached").exists)


def tell(hold: Path, words: str) -> None:
    """Change what is waited for, at one stroke."""
    new = hold.with_name("new")
    new.write_text(words, encoding="utf-8")
    new.replace(hold)


def test_what_stop_says_is_so_even_where_it_comes_just_before_or_just_after_the_draft_is_kept(
    waiting: Server, hold: Path, chromium: Browser
) -> None:
    """The run that Stop causes begins beside the one that drafts, which is told of it at its next step only."""
    visitor = Visitor(chromium, waiting.url)
    visitor.open(f"/prepare?population={TOWN}")
    visitor.settle()
    reach(visitor, hold, "before it is kept")
    visitor.press("Stop")
    visitor.see(STOPPED)
    hold.unlink()
    assert until(hold.with_name("ended").exists)
    with service_on(waiting.store_url) as service:
        assert study_store.study(service, TOWN).schema is None

    visitor.settle()
    reach(visitor, hold, "while it is kept")
    visitor.press("Stop")
    assert until(hold.with_name("came").exists)
    hold.unlink()
    visitor.see(TOO_LATE)
    visitor.see("All of this is public and costs nothing.")
    with service_on(waiting.store_url) as service:
        assert study_store.study(service, TOWN).schema is not None
    visitor.close()


def test_on_a_phone_each_card_with_levels_reason_and_remedies_lies_within_the_screen(
    waiting: Server, chromium: Browser
) -> None:
    visitor = Visitor(chromium, waiting.url)
    visitor.page.set_viewport_size({"width": 400, "height": 900})
    visitor.open(f"/prepare?population={TOWN}")
    visitor.settle()
    visitor.press("Draft a schema")
    visitor.see("The schema has 3 columns")
    visitor.settle()
    for words in (
        re.compile(r"it says which table a row is from"),
        re.compile(r"In public rows: f 33% · m 67%"),
        "Declare as person ID",
    ):
        box = visitor.page.get_by_text(words).first.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 400
    page = visitor.page
    assert page.evaluate("() => document.scrollingElement.scrollWidth <= window.innerWidth")
    page.get_by_role("button", name="Declare as person ID").first.click()
    visitor.see("Decided: Declare as person ID.")
    visitor.settle()
    page.get_by_role("button", name="Undo").first.click()
    visitor.see("person: taken back. The schema is saved.")
    visitor.close()
