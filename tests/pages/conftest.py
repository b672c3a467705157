"""An app on an empty store, whose jobs run at once, and a small population to open in it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from pages.visits import ROWS, Here, Open, arrive, table
from streamlit.testing.v1 import AppTest

from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service import Service, server_parts
from pmwpub.service.inputs import study_store
from pmwpub.tasks.simulation_work import SweepPlace
from pmwpub.ui import Session
from pmwpub.ui.app import services


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Here]:
    """An empty store of its own."""
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    monkeypatch.setattr(services, "engine", InlineEngine)
    monkeypatch.setattr(server_parts, "simulation_place", SweepPlace)
    services.close()
    with Ledger.open() as ledger:
        yield Here(Service(ledger, InlineEngine()))
    services.close()


@pytest.fixture
def town(empty: Here) -> Here:
    """A registered population with two candidates, a schema and a workload; nothing spent."""
    service, name = empty.service, empty.population
    service.ledger.register(Population(name, ROWS, 1, "one resident", Fraction(2), Fraction(1, ROWS * ROWS)))
    study_store.add_candidate(service, name, "good.csv", table(300, 2), attested=True)
    study_store.add_candidate(service, name, "poor.csv", table(300, 3, poor=True), attested=True)
    study_store.save_schema(service, name, study_store.draft_schema(service, name))
    study_store.choose_workload(service, name, WorkloadChoice(k=2))
    return empty


@pytest.fixture
def visit() -> Open:
    """Open a page as a new browser session, with the address's parameters."""
    return arrive


@pytest.fixture
def steward(town: Here) -> Open:
    """The same, in a session that holds the population's private table."""

    def opened(page: str, **params: str) -> AppTest:
        session = Session(town.population, town.private())
        return arrive(page, session, population=town.population, **params)

    return opened
