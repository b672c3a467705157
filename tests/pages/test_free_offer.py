"""A table that is good enough as it is: said on Compare and on Release, and taken in one click for nothing."""

from __future__ import annotations

from typing import Any

import buying
import pytest
from pages.visits import Here, Open, press, words

from pmwpub.service.bought import assessments, releases
from pmwpub.service.choosing.free_table import FreeTable
from pmwpub.service.choosing.simulated_pairs import simulate_pairs
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations.sweep_range import SweepRange
from pmwpub.service.unchanged_release import published
from pmwpub.ui import Session
from pmwpub.ui.app.pending import UnstoredChoices
from pmwpub.ui.compare.overview import BOTH_ENGINES
from pmwpub.ui.widgets.free_offer import TAKE
from pmwpub.ui.wording.candidate_verdict import free_words

OFFER = "Good enough for free:"


@pytest.fixture
def simulated(town: Here) -> Here:
    """The town after a simulation, in which each table plays the private one for the other."""
    current = study_store.study(town.service, town.population)
    terms = SweepRange(epsilons=(1.0,), rounds=(3,), runs=1, methods=BOTH_ENGINES)
    simulate_pairs(town.service, current, terms)
    return town


def content(wanted: float, town: Here, *, steward: bool = True) -> Session:
    """A session that would be content with an error."""
    choices = UnstoredChoices(good_enough=wanted)
    return Session(town.population, town.private() if steward else None, choices=choices)


@pytest.mark.parametrize("page", ["compare", "release"])
def test_one_click_takes_it_and_nothing_is_spent(page: str, simulated: Here, visit: Open) -> None:
    app = visit(page, content(0.99, simulated), population=simulated.population)
    assert OFFER in words(app)
    assert "within the 99 % that you want. It takes no ε." in words(app)
    press(app, TAKE)
    assert not app.exception
    assert app.title[0].value == "Release"
    assert OFFER not in words(app), "it is taken"
    assert "Price: nothing." in words(app)
    next(box for box in app.checkbox if "made from the private one" in box.label).check()
    press(app, "Publish it unchanged")
    current = study_store.study(simulated.service, simulated.population)
    assert len(published(simulated.service, current)) == 1
    assert (simulated.spent, releases.releases(simulated.service, current)) == (0, [])
    again = visit(page, content(0.99, simulated), population=simulated.population)
    assert "It takes no ε. It is published." in words(again)
    assert TAKE not in [button.label for button in again.button]


@pytest.mark.parametrize("page", ["compare", "release"])
def test_it_is_not_offered_where_it_is_not_good_enough(page: str, simulated: Here, visit: Open) -> None:
    app = visit(page, content(0.001, simulated), population=simulated.population)
    assert OFFER not in words(app)
    assert TAKE not in [button.label for button in app.button]


def test_a_viewer_is_told_and_offered_nothing(simulated: Here, visit: Open) -> None:
    app = visit("compare", content(0.99, simulated, steward=False), population=simulated.population)
    assert OFFER in words(app)
    assert TAKE not in [button.label for button in app.button]


def test_without_a_simulation_a_bought_start_tells(town: Here, visit: Open) -> None:
    current = study_store.study(town.service, town.population)
    plan: Any = assessments.assessment_plan(current, [current.usable[0].sha256], epsilon="0.2", floor=False)
    buying.buy(town.service, town.private(), plan, current=current)
    app = visit("compare", content(0.99, town), population=town.population)
    assert f"{OFFER} {current.usable[0].name} unchanged." in words(app)
    assert "(by its bought start)" in words(app)


def test_the_words_name_the_other_table_that_they_are_about(town: Here) -> None:
    current = study_store.study(town.service, town.population)
    good, poor = current.usable
    said = free_words(current, FreeTable((good.sha256,), 0.0421, False, (poor.sha256,)), 0.05).replace("\\", "")
    assert said == (
        "**Good enough for free: good.csv unchanged.** Its largest error is about 4.2 % of the rows (if the private "
        "table is to it as poor.csv), within the 5 % that you want. It takes no ε."
    )
