"""Coarse tables on the Release page: which columns are offered, what stands chosen, and what it is not sold with."""

from __future__ import annotations

from typing import Any

from pages.test_engine_form import found_by_trial
from pages.test_ordered_answers import with_order
from pages.visits import Here, Open, buy, words
from streamlit.testing.v1 import AppTest

from pmwpub.plans import TableFitPlan, WorkloadChoice
from pmwpub.service.bought import releases
from pmwpub.service.bought.engine_choice import chosen_plan
from pmwpub.service.choosing.outlook import WITHOUT_COARSE
from pmwpub.service.inputs import study_store
from pmwpub.ui.release.range_choice import APART, COST, LABEL
from pmwpub.ui.release.table_fit_form import ADDED_ROWS, POOL, THREE_COLUMNS

BUYS = "by table fit, with coarse tables of ordered columns"


def asked(app: AppTest) -> Any:
    """The choice of columns; None where nothing is asked."""
    return next((one for one in app.multiselect if one.label == LABEL), None)


def by_table_fit(steward: Open) -> AppTest:
    app = steward("release")
    return app.radio(key="engine").set_value("table-fit").run()


def bought(town: Here) -> TableFitPlan:
    (found,) = releases.releases(town.service, study_store.study(town.service, town.population))
    assert isinstance(found.plan, TableFitPlan)
    return found.plan


def test_columns_of_the_workloads_prefixes_stand_chosen_and_the_plan_is_that_of_the_command(
    town: Here, steward: Open
) -> None:
    with_order(town)
    study_store.choose_workload(town.service, town.population, WorkloadChoice(k=2, prefixes=("age",)))
    app = by_table_fit(steward)
    assert (asked(app).options, asked(app).value) == (["age"], ["age"])
    assert COST in words(app)
    assert BUYS in words(app)
    assert "coarse tables of 1 ordered column." in words(app)
    epsilon = app.text_input(key="release epsilon").value
    buy(app, "Buy this release")
    assert not app.exception
    plan, current = bought(town), study_store.study(town.service, town.population)
    command = chosen_plan(
        town.service, current, plan.inputs.candidates, {}, engine=None, epsilon=epsilon, ranges=("age",),
        private_read_as=town.private().read_as,
    )  # fmt: skip
    assert plan.sha256 == command.plan.sha256


def test_without_prefixes_none_stands_chosen_and_one_may_be_taken(town: Here, steward: Open) -> None:
    with_order(town)
    app = by_table_fit(steward)
    assert asked(app).value == []
    assert COST not in words(app)
    assert BUYS not in words(app)
    asked(app).set_value(["age"]).run()
    assert BUYS in words(app)
    asked(app).set_value([]).run()
    buy(app, "Buy this release")
    assert bought(town).ranges is None


def test_what_no_plan_has_together_with_them_is_said_before_anything_is_charged(town: Here, steward: Open) -> None:
    with_order(town)
    study_store.choose_workload(town.service, town.population, WorkloadChoice(k=3, prefixes=("age",)))
    app = by_table_fit(steward)
    for key, what in (("grow", ADDED_ROWS), ("three-way tables", THREE_COLUMNS)):
        app.checkbox(key=key).check().run()
        assert asked(app) is None
        assert APART.format(what) in words(app)
        assert BUYS not in words(app)
        app.checkbox(key=key).uncheck().run()
        assert asked(app) is not None
    app.toggle(key="weighted pool").set_value(True).run()
    assert asked(app) is None
    assert APART.format(POOL) in words(app)
    assert town.spent == 0
    app.toggle(key="weighted pool").set_value(False).run()
    app.checkbox(key="grow").check().run()
    buy(app, "Buy this release")
    plan = bought(town)
    assert plan.growth is not None
    assert plan.ranges is None


def test_nothing_is_asked_where_no_column_stands_in_order_or_of_another_engine(town: Here, steward: Open) -> None:
    assert asked(by_table_fit(steward)) is None
    with_order(town)
    app = by_table_fit(steward)
    assert asked(app) is not None
    app.radio(key="engine").set_value("pmw-pub").run()
    assert asked(app) is None


def test_the_price_says_that_the_expected_error_is_of_a_release_without_them(town: Here, steward: Open) -> None:
    with_order(town)
    found_by_trial(town, unchanged=0.12, table_fit=0.03, pmw_pub=0.04)
    app = by_table_fit(steward)
    assert "Expected largest error: 3 % of the rows" in words(app)
    assert WITHOUT_COARSE not in words(app)
    asked(app).set_value(["age"]).run()
    assert "Expected largest error: 3 % of the rows" in words(app)
    assert WITHOUT_COARSE in words(app)
    buy(app, "Buy this release")
    (found,) = releases.releases(town.service, study_store.study(town.service, town.population))
    assert found.bundle is not None
    report = found.bundle.parts["report.html"].decode()
    assert WITHOUT_COARSE in report
    assert "The steward took table fit with coarse tables of ordered columns." in report
