"""Compare's simulated errors: of households, and of rows that are weighed, where baselines say what they lack."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from pages.visits import Here, arrive, press, words
from streamlit.testing.v1 import AppTest
from support.households import LARGEST, csv_of, homes, schema_text

from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service.households.household_rules import save_rule
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations.households.household_truths import LEVEL_WHOLES
from pmwpub.tabular.households.household_schema import HouseholdSchema, household_unit
from pmwpub.tabular.schema.table_schema import Schema

N = 60


@pytest.fixture
def town(empty: Here) -> Here:
    """A population of 60 households with two public tables."""
    service, name = empty.service, empty.population
    service.ledger.register(Population(name, N, LARGEST, household_unit(LARGEST), Fraction(3), Fraction(1, N * N)))
    for file, seed in (("b.csv", 2), ("c.csv", 3)):
        study_store.add_candidate(service, name, file, csv_of(homes(30, seed)).encode(), attested=True)
    schema = HouseholdSchema.from_json(schema_text())
    study_store.save_schema(service, name, schema.persons)
    save_rule(service, study_store.study(service, name), schema.rule)
    study_store.choose_workload(service, name, WorkloadChoice(k=1))
    return empty


def test_compare_simulates_releases_of_households_and_says_who_takes_none(town: Here) -> None:
    app = arrive("compare", population=town.population)
    assert not app.exception
    assert "A simulation: the households of one public table play the private ones" in words(app)
    press(app, "Simulate")
    assert not app.exception
    assert "MWEM, DualQuery" in words(app).replace("\\", "")
    assert "each does not take households" in words(app)
    for level in ("households", "combined"):
        app.radio(key="household level").set_value(level).run()
        assert not app.exception
        assert drawn(app) == [f"Maximum error (% of {LEVEL_WHOLES[level]})"]
    assert town.spent == 0


@pytest.mark.parametrize("closed", [False, True])
def test_hand_over_asks_for_a_release_only_where_one_may_be_bought(town: Here, closed: bool) -> None:
    if closed:
        town.service.ledger.retire(town.population)
    app = arrive("hand_over", population=town.population)
    assert not app.exception
    assert ("What is handed over is a release." in words(app)) != closed


def test_compare_names_the_baselines_that_take_no_weights_and_says_how_rows_were_weighed(empty: Here) -> None:
    service, name = empty.service, empty.population
    service.ledger.register(Population(name, 90, 1, "one person", Fraction(3), Fraction(1, 90 * 90)))
    for file, men in (("b.csv", 20), ("c.csv", 30)):
        rows = ["F,0,1"] * 40 + ["M,1,3"] * men
        body = "\n".join(["sex,age,w", *rows]) + "\n"
        study_store.add_candidate(service, name, file, body.encode(), attested=True)
    columns = [
        {"name": "sex", "kind": "categorical", "levels": ["F", "M"]},
        {"name": "age", "kind": "ordered", "levels": ["0", "1"]},
        {"name": "w", "kind": "weight", "cap": 3, "unit": 1, "total": 180},
    ]
    written = json.dumps({"version": 2, "missing_tokens": [], "columns": columns})
    study_store.save_schema(service, name, Schema.from_json(written))
    study_store.choose_workload(service, name, WorkloadChoice(k=2))
    app = arrive("compare", population=name)
    assert not app.exception
    chosen = app.multiselect(key="sweep baselines")
    assert next(text for text in chosen.options if "does not take weights" in text).startswith("MWEM")
    assert "Table fit: with each public table" in chosen.options
    chosen.set_value(["table-fit", "hdmm"])
    app.text_input(key="sweep epsilons").set_value("2")
    app.text_input(key="sweep rounds").set_value("2")
    app.number_input(key="sweep runs").set_value(1)
    press(app, "Simulate")
    assert not app.exception
    assert "HDMM (no rows) does not take weights" in words(app)
    assert "Rows count as their survey weight (w)" in words(app)
    assert "shares are of 180, the total of a release" in words(app)
    assert "Maximum error (% of the total weight)" in drawn(app)
    assert not any("rows" in said for axis in ("xaxis", "yaxis") for said in drawn(app, axis))
    press(app, "Compare the candidates with each other")
    assert not app.exception
    (pairs,) = [said for said in drawn(app, "xaxis") if "plays the private table" in said]
    assert pairs.endswith("(cells: floor, % of the total weight)")


def drawn(app: AppTest, axis: str = "yaxis") -> list[str]:
    """The titles of an axis of the figures that a page shows."""
    return [
        json.loads(one.proto.spec)["layout"][axis]["title"]["text"].replace("<br>", " ")
        for one in app.get("plotly_chart")
    ]
