"""A store with a demo that has everything to show: assessments, a simulation, a release with its noisy error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import buying
from browser.visitor import SOON, Visitor
from playwright.sync_api import expect

from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.service import Service
from pmwpub.service.bought import assessments, releases
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.demo import open_demo
from pmwpub.service.simulations import explorations

ADDRESSES = {
    "Protect": "",
    "Prepare": "prepare",
    "Compare": "compare",
    "Release": "release",
    "Hand over": "hand_over",
    "Ledger": "ledger",
    "What if": "what_if",
    "Story": "story",
}


@contextmanager
def service_on(store_url: str) -> Iterator[Service]:
    """The service on a server's store, with jobs that run at once."""
    with Ledger.open(store_url) as ledger:
        yield Service(ledger, InlineEngine())


def furnished_demo(store_url: str) -> str:
    """Open a demo and buy in it, before a server starts; returns its population."""
    with service_on(store_url) as service:
        name, private = open_demo(service)
        current = study_store.study(service, name)
        for facts in current.usable:
            plan = assessments.assessment_plan(current, [facts.sha256], epsilon="0.05")
            buying.buy(service, private, plan, current=current)
        truth = next(iter(explorations.truths(current)))
        explorations.explore(service, current, truth)
        release = releases.release_plan(service, current, [current.usable[0].sha256], epsilon="0.5", rounds=10)
        buying.buy(service, private, release, current=current)
    return name


def drafted_village(store_url: str, name: str, rows: int = 40) -> None:
    """A population of one's own with one public table and the schema drafted from it, before a server starts."""
    with service_on(store_url) as service:
        service.ledger.register(Population(name, rows, 1, "one resident", Fraction(1), Fraction(1, rows * rows)))
        table = "sex,age\n" + "F,1\nM,2\n" * (rows // 2)
        study_store.add_candidate(service, name, "people.csv", table.encode(), attested=True)
        study_store.save_schema(service, name, study_store.draft_schema(service, name))


def become_steward(visitor: Visitor, population: str) -> None:
    """Open a demo's Prepare page and load the generated private table."""
    visitor.open(f"/prepare?population={population}")
    visitor.press("Load the generated private table")
    expect(visitor.page.get_by_role("button", name="Forget the private table")).to_be_visible(timeout=SOON)
    visitor.settle()


def choose(visitor: Visitor, label: str, folder: Path, name: str, text: str) -> None:
    """Put a file into an uploader."""
    visitor.settle()
    (folder / name).write_text(text, encoding="utf-8")
    place = visitor.page.get_by_test_id("stFileUploader").filter(has_text=label)
    place.locator("input[type=file]").set_input_files(folder / name)
    expect(place.get_by_text(name)).to_be_visible(timeout=SOON)
    visitor.settle()
