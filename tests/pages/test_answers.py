"""Answers, in Hand over: cells with their intervals, for every session and of both engines."""

from __future__ import annotations

import csv
import io

import pytest
from pages.visits import Here, Open, buy, handed_over, words

from pmwpub.release.answers.marginal_answers import COVERS
from pmwpub.release.answers.release_answers import OF_ROUNDS, ReleaseAnswers
from pmwpub.service.bought import releases
from pmwpub.service.bought.answers_of_releases import answers_of, workload_csv
from pmwpub.service.inputs import study_store


def answered(app: object) -> list[list[object]]:
    (table,) = [frame.value for frame in app.dataframe if "rests on" in frame.value]  # type: ignore[attr-defined]
    return table.to_numpy().tolist()  # type: ignore[no-any-return]


def test_a_release_by_table_fit_answers_with_intervals_beside_its_public_table(town: Here, steward: Open) -> None:
    app = steward("release")
    app.radio(key="engine").set_value("table-fit").run()
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
    assert sum(float(str(row[5])) for row in shown) == pytest.approx(1), "the public table's own shares"
    assert COVERS in words(app)
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
