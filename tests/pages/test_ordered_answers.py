"""Answers of ordered columns, in Hand over: a range and the quartiles, as a program is answered."""

from __future__ import annotations

import json

from pages.visits import Here, Open, buy, handed_over, words

from pmwpub.release.answers.number_answers import OF_A_RANGE
from pmwpub.release.answers.quantile_answers import OF_A_QUANTILE
from pmwpub.release.answers.release_answers import ReleaseAnswers
from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.tabular.schema.table_schema import Schema


def with_order(town: Here) -> None:
    """Say that the levels of age stand in order."""
    current = study_store.study(town.service, town.population).schema
    assert current is not None
    body = json.loads(current.to_json()) | {"version": 2}
    for column in body["columns"]:
        if column["name"] == "age":
            column |= {"kind": "ordered", "levels": ["young", "middle", "old"]}
    study_store.save_schema(town.service, town.population, Schema.from_json(json.dumps(body).encode()))


def test_ranges_and_quartiles_of_an_ordered_column_have_their_intervals(town: Here, steward: Open) -> None:
    with_order(town)
    app = steward("release")
    app.radio(key="engine").set_value("table-fit").run()
    buy(app, "Buy this release")
    handed_over(app)
    (found,) = releases.releases(town.service, study_store.study(town.service, town.population))
    assert found.bundle is not None
    key, answers = found.outcome.booking.id, ReleaseAnswers(found.bundle)
    app.multiselect(key=f"answer {key}").set_value(["sex", "age"]).run()
    app.radio(key=f"statistic {key}").set_value("a range").run()
    app.selectbox(key=f"range from {(str(key), 'age')}").set_value(1).run()
    share = answers.ordered.between("age", "middle", None)
    assert share.low is not None
    assert f"95 % interval: {100 * share.low:.2f} points to" in words(app)
    assert OF_A_RANGE in words(app)
    app.selectbox(key=f"range to {(str(key), 'age')}").set_value(0).run()
    assert "not behind the second" in words(app)
    app.radio(key=f"statistic {key}").set_value("quantiles").run()
    median = answers.ordered.quantiles("age", [0.5])[0]
    assert f"95 % interval: {median.first} to {median.last}" in words(app)
    assert OF_A_QUANTILE in words(app)
    assert not app.exception
