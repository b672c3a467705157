"""The guided story: five screens that stand alone, each with plots, their tables and words."""

from __future__ import annotations

import pytest
from pages.visits import Here, Open, buy, press, words

from pmwpub.service.simulations.story_numbers import story
from pmwpub.ui.story.story_text import SCREENS

TITLES = (
    "What is at risk",
    "What privacy promises",
    "Which public data can help",
    "What a little ε buys",
    "What the public data bought us",
)


@pytest.mark.parametrize("number", range(1, 6))
def test_each_screen_opens_by_its_address_on_an_empty_store(number: int, empty: Here, visit: Open) -> None:
    app = visit("story", screen=str(number))
    assert not app.exception
    assert [str(element.value) for element in app.subheader] == [f"{number} of 5: {TITLES[number - 1]}"]
    drawn = app.get("plotly_chart")
    assert len(drawn) == len(app.dataframe) == (2 if number == 4 else 1)
    assert all(one.proto.alt for one in drawn)
    assert all(len(one.value) >= 3 for one in app.dataframe)
    assert "Generated people and simulated noise" in words(app)
    assert not empty.service.ledger.populations()


def test_next_and_back_turn_the_screen_and_the_address(empty: Here, visit: Open) -> None:
    app = visit("story")
    for number in (2, 3, 4, 5):
        press(app, "Next")
        assert app.query_params["screen"] == str(number)
        assert TITLES[number - 1] in str(app.subheader[0].value)
    assert next(button for button in app.button if button.label == "Next").disabled
    assert "Back" in [button.label for button in press(app, "Back").button]
    assert app.query_params["screen"] == "4"


def test_arrow_keys_are_the_shortcuts_of_the_buttons(empty: Here, visit: Open) -> None:
    app = visit("story", screen="2")
    keys = {button.label: button.proto.shortcut.lower() for button in app.button}
    assert keys == {"Back": "left", "Next": "right"}


@pytest.mark.parametrize("wanted", ["0", "6", "-1", "x", "²", "9" * 400])
def test_any_other_number_in_the_address_shows_a_screen_all_the_same(wanted: str, empty: Here, visit: Open) -> None:
    app = visit("story", screen=wanted)
    assert not app.exception
    assert str(app.subheader[0].value)[0] in "15"


def test_it_is_the_same_in_the_stakeholder_view_and_on_a_server_for_viewers(
    empty: Here, visit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = words(visit("story", screen="5"))
    said = TITLES[-1], "Noise alone would need"
    assert all(part in plain for part in said)
    assert all(part in words(visit("story", screen="5", view="stakeholder")) for part in said)
    monkeypatch.setenv("PMWPUB_VIEWERS_ONLY", "1")
    assert all(part in words(visit("story", screen="5")) for part in said)


def test_the_numbers_in_the_words_are_the_stored_ones() -> None:
    found = story()
    screens = [screen(found) for screen in SCREENS]
    assert [screen.title for screen in screens] == list(TITLES)
    assert f"**{found.alone[-1].alone:.0%} are the only one" in screens[0].words
    (floor,) = (one.upper for one in found.simulation.floors if one.candidate == "state_d.csv")
    assert f"stays off by {floor:.0%}" in screens[2].close
    means = {}
    for method in ("pmw-pub", "table-fit"):
        runs = [
            one.max_error
            for one in found.simulation.errors
            if (one.method, one.candidate, one.epsilon) == (method, "state_c.csv", 1.0)
        ]
        means[method] = sum(runs) / len(runs)
    assert f"is {means['pmw-pub']:.1%} by PMW^Pub and {means['table-fit']:.1%} by table fit" in screens[3].close
    assert f"**{min(means.values()):.1%}**" in screens[4].words
    for screen in screens:
        assert all(len(plot.alt) > 100 and plot.table.rows for plot in screen.plots)


def test_the_story_ends_with_the_numbers_of_ones_own_release(town: Here, steward: Open, visit: Open) -> None:
    assert "with your own numbers" not in words(visit("story", population=town.population, screen="5"))
    buy(steward("release"), "Buy this release")
    told = words(visit("story", population=town.population, screen="5"))
    assert "The same with your own numbers" in told
    assert "town, release 1: good.csv" in told
    assert "with your own numbers" not in words(visit("story", population=town.population, screen="1"))
