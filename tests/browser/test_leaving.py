"""A closed tab leaves no private row behind in a server that nobody else uses."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.conftest import Server
from browser.plain_client import visiting

from pmwpub.ui.server.leaving import Attendance


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
    assert held(watched, "?later") == {"tables": 0, "files": 0}
    assert "Traceback" not in watched.log()


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
