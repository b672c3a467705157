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
from playwright.sync_api import Browser, expect

from pmwpub.ledger import Population
from pmwpub.service.inputs import study_store

pytestmark = pytest.mark.browser

TOWN, ROWS = "town", 60
LINES = [f"2008,{1000 + row},{'fmM'[row % 3]},{row % 7},{row % 5}" for row in range(ROWS)]
PEOPLE = "\n".join(["wave,person,sex,children,rooms", *LINES, ""])
RESIDENTS = "\n".join(["sex,children,rooms", *(f"{'mfff'[p % 4]},{p * p % 7},{p * p % 5}" for p in range(ROWS)), ""])
STOPPED = "Stopped. Nothing was kept of what was begun."


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
    visitor.settle()  # what was stopped is at its end before the next may go on
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
