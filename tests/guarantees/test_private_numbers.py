"""No private number that the steward opened is on any page of the presentation mode, in any export, file or log."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from guarantees.canaries import Server, buy, handed_out, move_in, on_disk, seen_by, served, workers
from guarantees.private_numbers import hits, numbers, open_all
from pages.visits import PAGES

from pmwpub.service.steward_only.private_sweeps import PrivateSweep
from pmwpub.ui import Session
from pmwpub.ui.hand_over import quality_panel

TOWN = "north"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on which the steward of one town bought a release."""
    with served(tmp_path_factory.mktemp("server")) as running:
        move_in(running)
        buy(running, TOWN)
        yield running


@dataclass(frozen=True)
class Seen:
    """A steward's session with every private panel open, and the exact numbers in it."""

    session: Session
    values: set[float]
    printed: bytes


def _release(server: Server) -> str:
    """The number of the release, as an address names it."""
    return str(server.service.bought(TOWN, "release")[0].id)


@pytest.fixture(scope="module")
def seen(server: Server) -> Seen:
    """With 61 private rows and 80 public ones a private share is no public one. It may be a noisy answer by chance:
    those that some release had said before are left out."""
    released = handed_out(server)
    session = server.session(TOWN)
    log, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(log), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        panels = open_all(session, TOWN, release=_release(server))
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    assert {panel.split(":")[0] for panel in panels} == {"hand_over", "prepare", "compare"}
    assert len(panels) >= 5
    for sweep in (one for one in session.seen.values() if isinstance(one, PrivateSweep)):
        job = server.service.engine.job(sweep.key)
        assert job is None or job.wait(600)
        assert sweep.simulation is not None
    values = {value for value in numbers(session.seen) if not hits(released, {value})}
    assert len(values) > 20
    return Seen(session, values, log.getvalue().encode())


def presented(server: Server, session: Session, pages: Sequence[str] = PAGES) -> dict[str, bytes]:
    """Pages as others see them: in the presentation mode on the steward's own machine, and as a viewer."""
    release = _release(server)
    shown = replace(session, presenting=True)
    views = {
        "presenting": seen_by(TOWN, shown, TOWN, pages, view="stakeholder", release=release),
        "viewer": seen_by(None, None, TOWN, pages, release=release),
    }
    return {f"{place} ({view})": body for view, places in views.items() for place, body in places.items()}


def test_no_private_number_is_on_a_page_of_the_presentation_mode_or_in_anything_handed_out(
    server: Server, seen: Seen, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    places = presented(server, seen.session) | on_disk(server, tmp_path / "copy") | handed_out(server)
    printed = capfd.readouterr()
    places |= workers(server) | {"printed": (printed.out + printed.err).encode(), "logged": seen.printed}
    places |= {"the session's repr": repr(seen.session).encode()}
    assert hits(places, seen.values) == set()
    assert sum(place.startswith("page ") for place in places) == 2 * len(PAGES)


@pytest.mark.parametrize("page", ["hand_over", "compare"])
def test_the_stewards_own_page_shows_them_so_they_would_be_recognised(server: Server, seen: Seen, page: str) -> None:
    own = seen_by(TOWN, seen.session, TOWN, [page], release=_release(server))
    assert hits(own, seen.values)


def shown_to_all(server: Server, seen: Seen, patch: pytest.MonkeyPatch) -> None:
    """A session counts as the steward's in the presentation mode too."""
    patch.setattr(Session, "steward", lambda self, study: self.private)


def drawn_beside_the_public_table(server: Server, seen: Seen, patch: pytest.MonkeyPatch) -> None:
    """The panel that everybody sees draws a private share."""
    patch.setattr(quality_panel, "HOW", f"{min(seen.values)!r} of the private rows")


def kept_with_public_results(server: Server, seen: Seen, patch: pytest.MonkeyPatch) -> None:
    """What the steward saw is stored as if it were a public result."""
    server.service.ledger.put_document(TOWN, "simulation", "kept", repr(sorted(seen.values)).encode())


LEAKS: dict[str, Callable[[Server, Seen, pytest.MonkeyPatch], None]] = {
    "presenting": shown_to_all,
    "viewer": drawn_beside_the_public_table,
    "document": kept_with_public_results,
}


@pytest.mark.parametrize(
    "leak", [pytest.param(leak, marks=pytest.mark.fault(f"private number let out: {leak}")) for leak in LEAKS]
)
def test_a_private_number_that_is_let_out_is_found(
    server: Server, seen: Seen, tmp_path: Path, leak: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    LEAKS[leak](server, seen, monkeypatch)
    stored = leak == "document"
    places = on_disk(server, tmp_path / "copy") if stored else presented(server, seen.session, ["hand_over"])
    assert any(leak in place for place in hits(places, seen.values))
    if stored:
        server.service.ledger.delete_documents(TOWN, "simulation", "kept")
