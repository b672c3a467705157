"""Sessions are isolated: a canary in one steward's private table turns up in no other session, file, log or process."""

from __future__ import annotations

import gzip
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from guarantees.canaries import (
    TOWNS,
    Server,
    buy,
    handed_out,
    hits,
    move_in,
    on_disk,
    seen_by,
    served,
    workers,
)

from pmwpub.errors import PmwPubError
from pmwpub.service.inputs import study_store
from pmwpub.ui import Session
from pmwpub.ui.wording import path_so_far


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with served(tmp_path) as running:
        move_in(running)
        yield running


def everything(server: Server, spare: Path) -> dict[str, bytes]:
    """Every place that is nobody's own session."""
    return on_disk(server, spare) | handed_out(server) | workers(server)


def test_no_canary_is_in_any_file_export_log_or_worker(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG):
        for town in TOWNS:
            buy(server, town)
        refused(server)
    places = everything(server, tmp_path / "copy")
    printed = capfd.readouterr()
    places["printed"] = (printed.out + printed.err).encode()
    places["logged"] = "\n".join(f"{record.name} {record.getMessage()}" for record in caplog.records).encode()
    tokens = [token for town in TOWNS for token in server.canaries[town].tokens]
    assert hits(places, tokens) == set()
    assert {"file ledger.sqlite3", "file ledger.sqlite3-wal", "file ledger.sqlite3.witness", "file copy"} <= set(places)
    assert {f"export {town} report.html" for town in TOWNS} <= set(places)
    assert sum(place.startswith("worker") for place in places) == 1


def refused(server: Server) -> None:
    """Files that cannot be the private table: the words are for their steward, and even so quote no cell."""
    for town in TOWNS:
        body, cells = bytes(server.private[town].source), server.canaries[town].cells
        header, *lines = body.splitlines(keepends=True)
        for wrong in (header + b"".join(lines[1:]), body + b"a,b\n", body + b'"open', body.replace(b"p5,", b"p6,")):
            with pytest.raises(PmwPubError) as refusal:
                study_store.load_private(server.service, town, wrong)
            assert hits({"refusal": str(refusal.value).encode()}, cells) == set()


def test_no_canary_is_on_any_page_of_another_session(server: Server) -> None:
    for one in TOWNS:
        buy(server, one)
    town, neighbour = TOWNS
    mine = server.canaries[town]
    pages = seen_by(None, None, town) | seen_by(None, None, neighbour)
    pages |= seen_by(neighbour, server.session(neighbour), neighbour)
    pages |= {f"{place} (turned)": body for place, body in seen_by(neighbour, server.session(neighbour), town).items()}
    assert hits(pages, mine.tokens) == set()
    own = seen_by(town, server.session(town), town)
    assert hits(own, mine.cells) == set(), "no preview, even for the steward"
    assert all("prepare" in place for place in hits(own, [mine.column])), "an ignored column is listed on Prepare"
    presenting = seen_by(town, replace(server.session(town), presenting=True), town, view="stakeholder")
    assert hits(presenting, mine.tokens) == set()


def stored(server: Server, patch: pytest.MonkeyPatch) -> None:
    """The private file is kept with the candidates."""
    body = gzip.compress(bytes(server.private["north"].source))
    server.service.ledger.put_document("north", "simulation", "a truth", body)


def recorded(server: Server, patch: pytest.MonkeyPatch) -> None:
    """A decision quotes a cell."""
    server.service.ledger.mark("north", "odd cell", server.canaries["north"].other)


def cached_for_all(server: Server, patch: pytest.MonkeyPatch) -> None:
    """A page shows what the last session left in a place that all share."""
    patch.setattr(path_so_far, "spent_words", lambda study: server.canaries["north"].unplaced)


def spilled(server: Server, patch: pytest.MonkeyPatch) -> None:
    """A worker's payload goes by a temporary file."""
    (server.temporary / "payload").write_bytes(bytes(server.private["north"].source))


PLACES: dict[str, Callable[[Server, pytest.MonkeyPatch], None]] = {
    "document": stored,
    "words": recorded,
    "page": cached_for_all,
    "file payload": spilled,
}


@pytest.mark.parametrize(
    "place", [pytest.param(place, marks=pytest.mark.fault(f"canary let out: {place}")) for place in PLACES]
)
def test_a_canary_that_is_let_out_is_found(
    server: Server, tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    PLACES[place](server, monkeypatch)
    places = everything(server, tmp_path / "copy") if place != "page" else seen_by("south", Session("south"), "south")
    found = hits(places, server.canaries["north"].tokens)
    assert any(where.startswith(place) for where in found)
