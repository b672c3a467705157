"""Tuning on a public pair, from the Compare page to the certificate."""

from __future__ import annotations

import pytest
from pages.visits import Here, Open, buy, by_pmw_pub, drawn_lines, press, words

from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations import explorations, validated_settings
from pmwpub.ui import Session


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validated_settings, "ROUNDS", (2, 3))


def test_settings_tuned_on_a_public_pair_are_taken_over_with_one_click_and_certified(
    town: Here, steward: Open, visit: Open
) -> None:
    app = visit("compare", population=town.population)
    app.number_input(key="tune epsilon").set_value(0.7).run()
    press(app, "Tune")
    assert not app.exception
    current = study_store.study(town.service, town.population)
    (found,) = explorations.explorations(town.service, current)
    assert found.simulation is not None
    (chosen,) = validated_settings.tuned(town.service, current, 0.7)
    said = " ".join(str(one.value).replace("\\", "").replace("**", "") for one in app.success)
    assert f"At ε = 0.7 the best of 8 settings was T = {chosen.rounds}" in said

    release = by_pmw_pub(visit("release", Session(town.population, town.private()), population=town.population))
    assert f"the best of 8 settings was T = {chosen.rounds}" in words(release)
    press(release, "Use the tuned settings")
    assert not release.exception
    assert release.text_input(key="rounds").value == str(chosen.rounds)
    assert release.selectbox(key="variant selection").value == chosen.variant.selection
    assert release.selectbox(key="variant output").value == chosen.variant.output.value
    buy(release, "Buy this release")
    (bought,) = releases.releases(town.service, current)
    assert chosen.fits(bought.plan)
    assert bought.bundle is not None
    assert bought.bundle.certificate.settings_from == validated_settings.in_words(chosen)


def test_without_a_tuned_pair_the_release_page_offers_none(town: Here, steward: Open) -> None:
    app = by_pmw_pub(steward("release"))
    assert not any(button.label == "Use the tuned settings" for button in app.button)


def test_error_against_the_share_of_the_public_table_has_a_figure_of_its_own(town: Here, visit: Open) -> None:
    app = visit("compare", population=town.population)
    app.text_input(key="sweep epsilons").set_value("1")
    app.text_input(key="sweep rounds").set_value("2")
    app.number_input(key="sweep runs").set_value(1)
    app.multiselect(key="sweep baselines").set_value([])
    app.multiselect(key="sweep shares").set_value([100.0, 10.0, 1.0]).run()
    press(app, "Simulate")
    assert not app.exception
    table = next(frame.value for frame in app.dataframe if "share used (%)" in frame.value)
    assert set(table["line"]) == {"ε = 1", "unchanged"}
    assert list(table["share used (%)"]) == ["1", "10", "100"] * 2
    lines = next(box for box in app.multiselect if box.label == "Lines")
    assert lines.value == ["poor.csv"], "the whole table first; its parts can be added"
    assert not any("% of its rows" in line for line, _ in drawn_lines(app))
    lines.set_value(["poor.csv", "poor.csv, 10 % of its rows"]).run()
    assert any("floor of poor.csv, 10 % of its rows" in line for line, _ in drawn_lines(app))
    assert not any("floor of poor.csv, 1 % of its rows" in line for line, _ in drawn_lines(app))


def test_no_more_lines_are_drawn_than_there_are_colours(town: Here, visit: Open) -> None:
    app = visit("compare", population=town.population)
    app.text_input(key="sweep epsilons").set_value("1")
    app.text_input(key="sweep rounds").set_value("1, 2, 3, 4, 5, 6, 7, 8")
    app.multiselect(key="sweep baselines").set_value([])
    app.number_input(key="sweep runs").set_value(1).run()
    press(app, "Simulate")
    app.radio(key="simulation lines").set_value("each").run()
    assert not app.exception
    assert len(next(box for box in app.multiselect if box.label == "Lines").value) == 6
    lines = [line for line, _ in drawn_lines(app) if ", T = " in line]
    assert len(lines) == 6
