"""Answers, in Hand over: cells with their intervals, for every session and of both engines."""

from __future__ import annotations

import csv
import io

import pytest
from pages.visits import Here, Open, buy, handed_over, words
from streamlit.testing.v1 import AppTest
from support.complete_schemas import completed

from pmwpub.release.answers.marginal_answers import COVERS
from pmwpub.release.answers.release_answers import OF_ROUNDS, ReleaseAnswers
from pmwpub.release.certificates.certificate_parts import PUBLIC_PEOPLE
from pmwpub.service import Released
from pmwpub.service.bought import releases
from pmwpub.service.bought.answers_of_releases import answers_of, few_records_in, workload_csv
from pmwpub.service.inputs import study_store


def answered(app: object) -> list[list[object]]:
    return _table(app).to_numpy().tolist()  # type: ignore[attr-defined,no-any-return]


def header(app: object) -> list[str]:
    return list(_table(app).columns)  # type: ignore[attr-defined]


def _table(app: object) -> object:
    (table,) = [frame.value for frame in app.dataframe if "rests on" in frame.value]  # type: ignore[attr-defined]
    return table


def _other_statistics(app: AppTest, found: Released) -> None:
    """Shares within a column, a difference, a mean, of the two columns that are chosen."""
    assert found.bundle is not None
    key, answers, names = found.outcome.booking.id, ReleaseAnswers(found.bundle), found.bundle.schema.domain.names[:2]
    app.radio(key=f"statistic {key}").set_value("shares within a column").run()
    within = answers.within(names, names[:1])
    assert any(one.low is not None for one in within)
    shown = answered(app)
    assert [row[2] for row in shown] == pytest.approx([one.share for one in within])
    assert header(app)[2:6] == [f"share within {names[0]}", "from", "to", "rests on"], "the public's are of all rows"
    app.radio(key=f"statistic {key}").set_value("a difference of two").run()
    cells = [one.levels for one in answers.marginal(names)]
    asked = (str(key), *names)
    app.selectbox(key=f"second {asked}").set_value(3).run()
    less = answers.difference(cells[0], cells[3])
    assert less.low is not None
    assert f"95 % interval: {100 * less.low:.2f} points to" in words(app)
    app.selectbox(key=f"first {asked}").set_value(3).run()
    assert "two different cells" in words(app)
    app.radio(key=f"statistic {key}").set_value("means").run()
    assert "none has a mean" in words(app)
    for asked_for in ("a range", "quantiles"):
        app.radio(key=f"statistic {key}").set_value(asked_for).run()
        assert "numeric or ordered" in words(app)


def test_rows_of_few_public_records_are_counted_for_named_columns(town: Here, steward: Open) -> None:
    app = steward("release")
    app.radio(key="engine").set_value("table-fit").run()
    buy(app, "Buy this release")
    handed_over(app)
    study = study_store.study(town.service, town.population)
    (found,) = releases.releases(town.service, study)
    key = found.outcome.booking.id
    assert PUBLIC_PEOPLE in words(app)
    assert "Shares of single columns, with intervals" in [one.label for one in app.expander]
    app.selectbox(key=f"few {key}").set_value(50).run()
    app.multiselect(key=f"few columns {key}").set_value(["sex", "age"]).run()
    looked = few_records_in(town.service, study, found, ["sex", "age"], 50)
    assert looked is not None
    assert looked.merged is not None
    assert 0 < looked.share < 1
    assert f"{looked.share:.2%}" in words(app)
    assert f"up to {looked.merged.largest:.2%}" in words(app)
    assert not app.exception


def test_a_release_by_table_fit_answers_with_intervals_beside_its_public_table(town: Here, steward: Open) -> None:
    """Shares within a column are covered: no row is taken to lack a level, and ε is nearly all there is."""
    schema = study_store.study(town.service, town.population).schema
    assert schema is not None
    study_store.save_schema(town.service, town.population, completed(schema))
    app = steward("release")
    app.radio(key="engine").set_value("table-fit").run()
    app.text_input(key="release epsilon").set_value("1.9").run()
    buy(app, "Buy this release")
    handed_over(app)
    (found,) = releases.releases(town.service, study_store.study(town.service, town.population))
    assert found.bundle is not None
    names = found.bundle.schema.domain.names
    chooser = app.multiselect(key=f"answer {found.outcome.booking.id}")
    chooser.set_value(names[:2]).run()
    expected = ReleaseAnswers(found.bundle).marginal(names[:2])
    shown = answered(app)
    assert [row[:2] for row in shown] == [list(one.levels.values()) for one in expected]
    assert [row[2] for row in shown] == pytest.approx([one.share for one in expected])
    assert header(app)[2:6] == ["share of rows", "from", "to", "public table"]
    assert sum(float(str(row[5])) for row in shown) == pytest.approx(1), "the public table's own shares"
    assert COVERS in words(app)
    _other_statistics(app, found)
    app.multiselect(key=f"answer {found.outcome.booking.id}").set_value([]).run()
    assert "Choose a column" in words(app)
    assert not app.exception


def test_a_release_by_rounds_says_what_it_does_not_cover(town: Here, steward: Open) -> None:
    app = steward("release")
    app.radio(key="engine").set_value("pmw-pub").run()
    buy(app, "Buy this release")
    handed_over(app)
    assert OF_ROUNDS.split(";")[0] in words(app)
    assert not app.exception


def test_all_marginals_are_one_file(town: Here, steward: Open) -> None:
    app = steward("release")
    app.radio(key="engine").set_value("table-fit").run()
    buy(app, "Buy this release")
    (found,) = releases.releases(town.service, study_store.study(town.service, town.population))
    assert found.bundle is not None
    answers = answers_of(town.service, found.bundle)
    lines = list(csv.DictReader(io.StringIO(workload_csv(answers).decode())))
    assert [line["columns"] for line in lines] == [
        "; ".join(one.levels) for cells in answers.workload() for one in cells
    ]


def test_a_mean_says_beside_its_interval_how_far_binning_may_move_it() -> None:
    def page() -> None:
        from pmwpub.release.answers.number_answers import NumberAnswer
        from pmwpub.ui.hand_over.number_panel import show_number

        numbers = (41.5, 41.4, 40.5, 42.5, 0.95)
        show_number(NumberAnswer("mean of bin middles of hours", *numbers, "noisy cell", "", 4.25), percent=False)

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert [one.label for one in app.metric] == ["mean of bin middles of hours"]
    assert "95 % interval: 40.5 to 42.5" in words(app)
    assert "may lie up to 4.25 further off" in words(app)
