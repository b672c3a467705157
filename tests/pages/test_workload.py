"""Workload: all, sampled or hand-picked marginals, with live facts."""

from __future__ import annotations

import json

from pages.visits import Here, Open, buy, press, with_a_candidate, words

from pmwpub.plans import WorkloadChoice
from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.ui.prepare.workload_panel import described


def test_hand_picked_marginals_are_put_together_shown_in_numbers_and_chosen(town: Here, steward: Open) -> None:
    app = steward("prepare")
    app.radio[0].set_value("hand-picked").run()
    assert "Pick at least one marginal" in words(app)
    for together in (["sex", "age"], ["work"]):
        app.multiselect(key="marginal columns").set_value(together)
        press(app, "Add this marginal")
    shown = {metric.label: metric.value for metric in app.metric}
    assert (shown["Marginals"], shown["Queries"]) == ("2", "8")
    assert (shown["Memory, about"], shown["A round, about"]) == ("under 1 MB", "under 0.01 s")
    press(app, "Use this workload")
    assert not app.exception
    chosen = study_store.study(town.service, town.population).choice
    assert chosen == WorkloadChoice.picked([("age", "sex"), ("work",)])
    assert "Chosen: hand-picked: age × sex, work." in words(app)

    with_a_candidate(app.switch_page("pages/release.py").run())
    buy(app, "Buy this release")
    (found,) = releases.releases(town.service, study_store.study(town.service, town.population))
    assert found.bundle is not None
    assert found.bundle.certificate.workload == chosen
    assert found.bundle.certificate.queries == 8


def test_a_marginal_that_was_picked_can_be_left_out_again(town: Here, visit: Open) -> None:
    study_store.choose_workload(town.service, town.population, WorkloadChoice.picked([("age", "sex"), ("work",)]))
    app = visit("prepare", population=town.population)
    assert app.radio[0].value == "hand-picked"
    app.multiselect(key="picked 2").set_value([("work",)]).run()
    assert {metric.label: metric.value for metric in app.metric}["Queries"] == "2"


def test_a_workload_is_described_in_one_line_with_inert_names() -> None:
    assert described(WorkloadChoice(k=3)) == "all 3-way marginals"
    assert described(WorkloadChoice(k=3, marginals=128)) == "128 of the 3-way marginals, seed 0"
    assert described(WorkloadChoice.picked([["*a*"]])) == r"hand-picked: \*a\*"
    many = WorkloadChoice.picked([["a"], ["b"], ["c"], ["a", "b"]])
    assert described(many) == "4 hand-picked marginals of up to 2 columns"
    asked = WorkloadChoice(k=2, prefixes=("age", "*b*"))
    assert described(asked) == r"all 2-way marginals, and at most x of \*b\*, age"


ORDERED = Schema.from_json(
    json.dumps(
        {
            "version": 2,
            "columns": [
                {"name": "sex", "kind": "categorical", "levels": ["F", "M"]},
                {"name": "age", "kind": "ordered", "levels": ["young", "middle", "old"]},
                {"name": "work", "kind": "categorical", "levels": ["no", "yes"]},
            ],
        }
    )
)


def test_ordered_columns_are_offered_chosen_and_kept(town: Here, steward: Open) -> None:
    """Of 16 cells in pairs; two prefixes of age, alone and for each of two sexes and two answers to work."""
    study_store.save_schema(town.service, town.population, ORDERED)
    app = steward("prepare")
    (asked,) = (one for one in app.multiselect if one.label.startswith("Also answer"))
    assert list(asked.options) == ["age"]
    asked.set_value(["age"]).run()
    assert {metric.label: metric.value for metric in app.metric}["Queries"] == str(16 + 2 * (1 + 2 + 2))
    press(app, "Use this workload")
    assert not app.exception
    assert study_store.study(town.service, town.population).choice == WorkloadChoice(k=2, prefixes=("age",))
    assert "and at most x of age" in words(app)
    (kept,) = (one for one in app.multiselect if one.label.startswith("Also answer"))
    assert kept.value == ["age"]
    assert "This is the workload in force." in words(app)


def test_a_choice_whose_column_has_no_order_any_more_is_none(town: Here, steward: Open) -> None:
    study_store.save_schema(town.service, town.population, ORDERED)
    study_store.choose_workload(town.service, town.population, WorkloadChoice(k=2, prefixes=("age",)))
    unordered = ORDERED.to_json().replace('"ordered"', '"categorical"')
    study_store.save_schema(town.service, town.population, Schema.from_json(unordered))
    assert study_store.study(town.service, town.population).choice is None
    app = steward("prepare")
    assert not app.exception
    assert not [one for one in app.multiselect if one.label.startswith("Also answer")]
