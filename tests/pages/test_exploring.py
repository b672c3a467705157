"""Workload, simulations and Ledger: free pages, for everybody."""

from __future__ import annotations

import csv
import io
import json

import pytest
from pages.visits import Here, Open, buy, by_pmw_pub, drawn_lines, press, words
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import NumberInput

from pmwpub.plans import WorkloadChoice
from pmwpub.service.history_files import history_csv, history_json
from pmwpub.service.inputs import study_store


def _k(app: AppTest) -> NumberInput:
    return next(box for box in app.number_input if box.label.startswith("k, columns"))


def test_the_workload_shows_its_size_and_is_stored_when_chosen(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    assert {metric.label: metric.value for metric in app.metric}["Marginals"] == "3"
    _k(app).set_value(3).run()
    assert {metric.label: metric.value for metric in app.metric}["Queries"] == "12"
    press(app, "Use this workload")
    assert study_store.study(town.service, town.population).choice == WorkloadChoice(k=3)


def test_a_workload_that_does_not_fit_cannot_be_asked_for(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    assert (_k(app).min, _k(app).max) == (1, 3)
    _k(app).set_value(5).run()
    assert not app.exception
    assert _k(app).value <= 3
    assert study_store.study(town.service, town.population).choice == WorkloadChoice(k=2)


def test_a_simulation_is_free_and_leaves_a_plot_with_its_table(town: Here, visit: Open) -> None:
    app = visit("compare", population=town.population)
    press(app, "Simulate")
    assert not app.exception
    assert town.spent == 0
    lines = [line for line, _ in drawn_lines(app)]
    assert any("unchanged" in line for line in lines)
    assert any("floor of" in line for line in lines)


def test_a_finished_release_stands_beside_its_public_table(town: Here, steward: Open, visit: Open) -> None:
    buy(steward("release"), "Buy this release")
    app = visit("hand_over", population=town.population)
    assert not app.exception
    assert "A release beside its public table" in words(app)
    shares = app.dataframe[-1].value
    assert shares["release (noisy) (%)"].astype(float).sum() == pytest.approx(100, rel=1e-3)


def test_the_advice_on_rounds_says_where_it_comes_from(town: Here, steward: Open) -> None:
    app = by_pmw_pub(steward("release"))
    assert "no simulation of this choice is stored" in words(app)
    app.switch_page("pages/compare.py").run()
    press(app, "Simulate")
    app = by_pmw_pub(app.switch_page("pages/release.py").run())
    advised = [box.label for box in app.checkbox if "advised" in box.label]
    assert advised
    assert "played the truth" in words(app) or "no simulation of this choice is stored" in words(app)


def test_the_ledger_lists_every_charge_and_prices_a_further_one(town: Here, steward: Open, visit: Open) -> None:
    buy(steward("release"), "Buy this release")
    app = visit("ledger", population=town.population)
    assert not app.exception
    history = next(frame.value for frame in app.dataframe if "purpose" in frame.value)
    assert list(history["purpose"]) == ["release with good.csv"]
    assert "By itself that is ε = 0.5 at" in words(app)
    assert {button.label for button in app.download_button} == {"Download CSV", "Download JSON"}


def test_deleting_uploads_keeps_the_charges(town: Here, steward: Open) -> None:
    app = buy(steward("release"), "Buy this release")
    spent = town.spent
    app.switch_page("pages/ledger.py").run()
    next(box for box in app.checkbox if "Delete all 2" in box.label).check().run()
    press(app, "Delete now")
    assert study_store.study(town.service, town.population).candidates == ()
    assert town.spent == spent
    assert len(town.service.ledger.history(town.population)) == 1


def test_exports_of_the_history_are_inert_and_complete() -> None:
    rows = [{"id": 1, "purpose": "=cmd()", "rho": 0.5}, {"id": 2, "purpose": "floor", "rho": 1e-9}]
    lines = list(csv.reader(io.StringIO(history_csv(rows).decode())))
    assert lines == [["id", "purpose", "rho"], ["1", "'=cmd()", "0.5"], ["2", "floor", "1e-09"]]
    assert json.loads(history_json(rows)) == rows
