"""The second demo: a survey whose persons are weighed, opened in one click."""

from __future__ import annotations

import pytest
from pages.drawn_words import drawn_words
from pages.visits import Here, Open, buy, press, words

from pmwpub.errors import FileRefused
from pmwpub.plans import WorkloadChoice
from pmwpub.service.bought import releases
from pmwpub.service.households import household_loading, household_releases
from pmwpub.service.inputs import demo, study_store
from pmwpub.service.inputs.bundled_sample import HOMES, STATES, SURVEY, sample_file

MOST_WORDS = 180
"""Of a step before anything is opened: what weights mean takes two lines more than the first demo."""


def test_a_survey_with_weights_is_opened_looked_through_and_released(empty: Here, visit: Open) -> None:
    app = press(visit("protect"), "Open a survey with weights")
    assert not app.exception
    session, name = app.session_state["pmwpub session"], app.query_params["population"]
    study = study_store.study(empty.service, name)
    assert study.sample == SURVEY
    assert study.weights is not None
    assert (study.weights.cap, study.weights.total) == (50, 150_000)
    assert [facts.name for facts in study.usable] == [*SURVEY.candidates]
    for page in ("prepare", "compare", "what_if", "ledger", "release"):
        app = visit(page, population=name, session=session)
        assert not app.exception
        if page in ("prepare", "compare", "release"):
            assert len(drawn_words(app.main)) <= MOST_WORDS, page
    buy(app, "Buy this release")
    (released,) = releases.releases(empty.service, study_store.study(empty.service, name))
    assert released.bundle is not None
    assert released.plan.weights == study.weights


def test_a_survey_of_households_is_opened_looked_through_and_released(empty: Here, visit: Open) -> None:
    app = press(visit("protect"), "Open a survey of households")
    assert not app.exception
    session, name = app.session_state["pmwpub session"], app.query_params["population"]
    study = study_store.study(empty.service, name)
    assert (study.sample, study.population.n, study.population.rows_per_person) == (HOMES, 3_000, 6)
    assert study.household_schema().rule.id == "home"
    for page in ("prepare", "compare", "ledger", "release"):
        app = visit(page, population=name, session=session)
        assert not app.exception
        assert "Change the ids or the columns of the household" not in {part.label for part in app.expander}
    study_store.choose_workload(empty.service, name, WorkloadChoice(k=1))
    app = app.selectbox(key="household table").set_value(study.usable[1].sha256).run()
    buy(app, "Buy this release")
    (released,) = household_releases.household_releases(empty.service, study_store.study(empty.service, name))
    assert released.bundle is not None
    other = sample_file(HOMES.private).replace(b"Rent", b"Own", 1)
    with pytest.raises(FileRefused, match="its own generated table"):
        household_loading.load_household_file(empty.service, name, other)


def test_each_demo_takes_its_own_table_alone(empty: Here) -> None:
    name, table = demo.open_demo(empty.service, SURVEY)
    assert demo.reload_demo(empty.service, name).rows == table.rows
    with pytest.raises(FileRefused, match="its own generated table"):
        study_store.load_private(empty.service, name, sample_file(SURVEY.private).replace(b"Rent", b"Own", 1))


def test_what_a_bias_does_is_tried_on_the_states_and_not_on_the_survey(empty: Here, visit: Open) -> None:
    name, _ = demo.open_demo(empty.service, SURVEY)
    assert "open the demo first" in words(visit("what_if", population=name))
    assert study_store.study(empty.service, demo.open_demo(empty.service)[0]).sample == STATES


@pytest.mark.parametrize(
    ("label", "title", "said"),
    [
        ("Open the demo", "Demo", "each counted once"),
        ("Open a survey with weights", "Weights", "counted by weights"),
        ("Open a survey of households", "Households", "protecting whole households"),
    ],
)
def test_each_demo_says_what_it_is_before_and_after_it_is_loaded(
    label: str, title: str, said: str, empty: Here, visit: Open
) -> None:
    app = visit("protect")
    assert len(drawn_words(app.main)) <= 150
    lines = [line for one in app.markdown for line in one.value.splitlines() if f"**{title}**" in line]
    assert len(lines) == 1
    assert said in lines[0]
    loaded = press(app, label)
    assert [one.value for one in loaded.success if said in one.value], [one.value for one in loaded.success]
