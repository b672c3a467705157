"""Workload: all, sampled or hand-picked marginals, with live facts."""

from __future__ import annotations

from pages.visits import Here, Open, buy, press, with_a_candidate, words

from pmwpub.plans import WorkloadChoice
from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
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
