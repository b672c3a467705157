"""A closed tab leaves no private row behind in a server that nobody else uses."""

from __future__ import annotations

import json
import os
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.conftest import Server
from browser.plain_client import visiting
from jobs.waiting import until
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pmwpub.ledger import Ledger
from pmwpub.ui.server.leaving import Attendance

NOTHING = {"tables": 0, "files": 0, "jobs in line": 0}
PAGES = ("", "prepare", "compare", "release", "hand_over", "ledger", "what_if", "story")


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, script="tests/browser/watched_app.py")
    server.start()
    yield server
    server.stop()


def held(server: Server, query: str = "") -> dict[str, int]:
    with urllib.request.urlopen(f"{server.url}/held{query}") as answer:
        return json.loads(answer.read())


def test_after_the_grace_no_private_table_and_no_upload_of_a_closed_tab_is_held(watched: Server) -> None:
    with visiting(watched.url) as steward:
        steward.open()
        steward.press("Open the demo")
        steward.upload("a.csv", b"sex\n" + b"F\n" * 1_000_000)
        assert held(watched)["tables"] >= 1
        assert held(watched, "?later") == held(watched), "a tab that is open keeps what it has"
        assert held(watched)["files"] == 1
    assert held(watched)["tables"] >= 1, "a lost connection may come back"
    assert held(watched, "?later") == NOTHING
    assert "Traceback" not in watched.log()


def test_whatever_page_was_open_last_no_private_table_outlives_its_tab(watched: Server) -> None:
    """Widgets of a page hold what their callbacks hold; an idle server looks at its last session for ever."""
    for page in PAGES:
        with visiting(watched.url) as steward:
            steward.open()
            steward.press("Open the demo")
            steward.open(steward.query, page)
            assert held(watched)["tables"] >= 1
        assert held(watched, "?later") == NOTHING, page


def test_jobs_that_were_booked_outlive_their_tab_and_then_nothing_of_the_rows_is_left(watched: Server) -> None:
    """Two are with workers, which are halted meanwhile, and one waits with its source."""
    assert until(lambda: is_ready(watched), seconds=300)
    halted = watched.workers()
    for worker in halted:
        os.kill(worker, signal.SIGSTOP)
    with visiting(watched.url) as steward:
        steward.open()
        steward.press("Open the demo")
        population = steward.query.removeprefix("population=")
        steward.open(steward.query, "release")
        table = steward.widget("selectbox", "Candidate or pool")
        steward.change(WidgetState(id=table.id, string_value=table.options[0]))
        for epsilon in ("0.1", "0.2", "0.3"):
            steward.type("ε of this release", epsilon)
            steward.press("Buy this release")
    assert held(watched, "?later") == NOTHING | {"jobs in line": 1}
    assert statuses(watched, population) == ["charged"] * 3
    for worker in halted:
        os.kill(worker, signal.SIGCONT)
    assert until(lambda: statuses(watched, population) == ["done"] * 3, seconds=300)
    assert held(watched, "?later") == NOTHING
    assert "Traceback" not in watched.log()


def is_ready(server: Server) -> bool:
    try:
        with urllib.request.urlopen(f"{server.url}/ready") as answer:
            return answer.status == 200
    except urllib.error.HTTPError as unready:
        unready.close()
        return False


def statuses(server: Server, population: str) -> list[str]:
    """What became of each booking, as another program reads it."""
    with Ledger.open(server.store_url) as ledger:
        return [booking.status for booking in ledger.bookings(population)]


def test_a_session_ends_once_its_tab_has_been_gone_for_the_grace_and_not_while_it_comes_back() -> None:
    here, book = {"a", "b"}, Attendance(grace=30)
    for session in ("a", "b"):
        book.note(session)
    assert book.over(0, here.__contains__) == []
    here.clear()
    assert book.over(10, here.__contains__) == []
    here.add("b")
    assert book.over(39, here.__contains__) == []
    here.clear()
    assert book.over(40, here.__contains__) == ["a"]
    assert book.over(69, here.__contains__) == []
    assert book.over(70, here.__contains__) == ["b"]
    assert book.over(1000, here.__contains__) == []
