"""A page and a command on one store: each sees the other's plan at work, then its result, or that there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import buying
import pytest
from guarantees.flows import NAME, prepared
from guarantees.people import neighbours
from pages.visits import arrive, words

from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Booking, PlanKey
from pmwpub.service import Service
from pmwpub.service.bought import assessments, releases
from pmwpub.service.inputs import study_store
from pmwpub.ui import Session
from pmwpub.ui.app import services

PAIR = neighbours(1)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Service, Session]]:
    """Another program's service on the app's store, and a steward's session in the app."""
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path}/ledger.sqlite3")
    monkeypatch.setattr(services, "engine", InlineEngine)
    services.close()
    service, private = prepared(tmp_path, PAIR, PAIR.ours)
    yield service, Session(NAME, private)
    service.ledger.close()
    services.service().ledger.close()
    services.close()


def begun(service: Service, kind: str) -> Booking:
    """A plan that the other program has charged and now works on."""
    current = study_store.study(service, NAME)
    key = current.usable[0].sha256
    if kind == "release":
        release = releases.release_plan(service, current, [key], epsilon="1", rounds=3)
        made = (release, buying.charges(service, NAME, release))
    else:
        assessment = assessments.assessment_plan(current, [key], epsilon="0.5")
        made = (assessment, buying.charges(service, NAME, assessment))  # type: ignore[assignment]
    plan, charges = made
    return service.ledger.book(NAME, PlanKey(plan.sha256), plan.canonical, charges)


@pytest.mark.parametrize("steward", [True, False])
@pytest.mark.parametrize(("kind", "page"), [("release", "release"), ("assessment", "compare")])
def test_a_plan_of_another_program_is_at_work_until_it_ends(
    command: tuple[Service, Session], kind: str, page: str, steward: bool
) -> None:
    service, session = command
    booking = begun(service, kind)
    address = {"release": str(booking.id)} if kind == "release" else {}
    app = arrive(page, session if steward else None, population=NAME, **address)
    assert not app.exception
    assert "is at work; what becomes of it appears here" in words(app)
    assert not any(button.label == "Cancel" for button in app.button)
    service.ledger.void(booking.id)
    app.run()
    assert not app.exception
    assert "is at work" not in words(app)
    assert "o result" in words(app)
