"""The look at the fit on its page: price first, bought once, shown with intervals, in every view."""

from __future__ import annotations

from fractions import Fraction

import buying
import numpy as np
import pytest
from pages.visits import PRIVATE, ROWS, Here, Open, arrive, press, words
from streamlit.testing.v1 import AppTest

from pmwpub.service import PrivateTable
from pmwpub.service.bought import misfit_shares
from pmwpub.service.bought.misfit_shares import misfit_plan
from pmwpub.service.grant import decimal
from pmwpub.service.inputs import study_store
from pmwpub.tasks import mechanism_work
from pmwpub.ui import Session
from pmwpub.ui.widgets.price_form import NO_RESULT

PAGE = "prepare"
POINTS = "Half-width of each share, ± points (95 %)"
MISSPELT = b"\n".join(
    line.replace(b"yes", b"yse") if place < 200 else line for place, line in enumerate(PRIVATE.splitlines())
)


def loaded(town: Here) -> PrivateTable:
    """A private table in which about half of those at work are misspelt."""
    return study_store.load_private(town.service, town.population, MISSPELT)


def opened(town: Here, **params: str) -> AppTest:
    return arrive(PAGE, Session(town.population, loaded(town)), population=town.population, **params)


def at(app: AppTest, points: str) -> AppTest:
    """The page with another half-width."""
    (field,) = [one for one in app.text_input if one.label == POINTS]
    return field.set_value(points).run()


def test_the_price_of_one_point_is_shown_first_and_refused_in_words_where_it_is_too_dear(town: Here) -> None:
    app = opened(town)
    assert not app.exception
    assert "Does the private table fit the schema?" in words(app)
    assert "More than 5 % is not sold" in words(app)
    assert not any(button.label == "Buy this look" for button in app.button)
    assert town.spent == 0


def test_a_look_is_bought_at_its_price_and_shown_with_intervals_and_what_to_do(
    town: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mechanism_work, "misfit_release", lambda counts, law: counts.counts)
    app = at(opened(town), "15")
    assert "each ±15 points (95 %)" in words(app)
    # h = 60 rows, three columns: rho = 4 (49/25)^2/(2 * 60^2)
    price = Fraction(4 * 49**2, 25**2 * 2 * 60**2)
    assert f"ρ = {decimal(-(-price * 10**15 // 1) * Fraction(1, 10**15))}" in words(app)
    app = press(app, "Buy this look")
    assert not app.exception
    assert town.spent == -(-price * 10**15 // 1)
    exact = sum(line.endswith(b"yse") for line in MISSPELT.splitlines()) / ROWS
    said = words(app)
    assert f"About {100 * exact:.1f} % (±15.0) of the rows have a value in work that the schema does not fit." in said
    assert "What to do about work: Compare how its values are written." in said
    assert "Never copy levels from private rows" in said
    (table,) = [one.value for one in app.dataframe if "noisy share (%)" in one.value.columns]
    assert table["column"].tolist()[-1] == "any of these"
    assert table["column"].tolist()[0] == "work"
    assert table["noisy share (%)"].tolist()[0] == round(100 * exact, 2)
    assert table["public tables (%)"].tolist()[:-1] == [0.0, 0.0, 0.0]


def test_viewers_and_stakeholders_see_what_was_bought_and_no_form(town: Here, visit: Open) -> None:
    assert "fit the schema?" not in words(visit(PAGE, population=town.population))
    plan = misfit_plan(study_store.study(town.service, town.population), ["work"], half_width="0.3")
    buying.buy(town.service, loaded(town), plan)
    for app in (visit(PAGE, population=town.population), opened(town, view="stakeholder")):
        assert not app.exception
        assert "of the rows have such a value in one or more of these columns" in words(app)
        assert not any(button.label == "Buy this look" for button in app.button)


def test_what_came_to_no_result_says_that_its_charge_stays(town: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    current = study_store.study(town.service, town.population)
    monkeypatch.setattr(mechanism_work, "misfit_release", lambda counts, law: np.zeros(9))
    buying.buy(town.service, loaded(town), misfit_plan(current, ["work"], half_width="0.3"))
    (look,) = misfit_shares.looks(town.service, town.population)
    assert look.outcome.status == "no result"
    assert NO_RESULT.replace("**", "") in words(opened(town))
