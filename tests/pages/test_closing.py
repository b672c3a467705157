"""Retiring a population on its Ledger page: asked twice, by its steward alone; afterwards pages sell nothing."""

from __future__ import annotations

import buying
import pytest
from pages.visits import PAGES, Here, Open, buy, words
from streamlit.testing.v1 import AppTest

from pmwpub.ledger.moving.receipts import address_of
from pmwpub.plans.criteria import criteria_of
from pmwpub.service import PrivateTable
from pmwpub.service.bought import releases
from pmwpub.service.bought.engine_choice import with_criteria
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN

SURE, NAME, PRESS = "Retire this population for good", "Its name", "Retire it"


def labels(app: AppTest) -> set[str]:
    return {one.label for kind in (app.checkbox, app.text_input, app.button) for one in kind}


def test_the_steward_retires_it_by_a_tick_and_its_name(town: Here, steward: Open, visit: Open) -> None:
    app = steward("ledger")
    assert SURE in labels(app)
    assert not {NAME, PRESS} & labels(app)
    next(one for one in app.checkbox if one.label == SURE).check().run()
    assert "Retiring is final" in words(app)
    field = next(one for one in app.text_input if one.label == NAME)
    for typed in ("", "Town", "tow"):
        field.set_value(typed).run()
        assert next(one for one in app.button if one.label == PRESS).disabled
        assert town.service.ledger.closing(town.population) is None
    field.set_value("town").run()
    next(one for one in app.button if one.label == PRESS).click().run()
    assert not app.exception
    assert "was retired on" in words(app)
    assert town.service.ledger.closing(town.population) is not None
    assert not {SURE, NAME, PRESS} & labels(app)


def test_neither_a_viewer_nor_a_stranger_is_offered_it(town: Here, steward: Open, visit: Open) -> None:
    town.service.ledger.mark(town.population, PRIVATE_NUMBERS_SEEN, "")
    assert SURE not in labels(visit("ledger", population=town.population, view="stakeholder"))


def test_no_private_table_is_needed_to_retire_what_was_charged(town: Here, steward: Open, visit: Open) -> None:
    buy(steward("compare"), "Buy these assessments")
    app = visit("ledger", population=town.population)
    assert town.spent > 0
    next(one for one in app.checkbox if one.label == SURE).check().run()
    next(one for one in app.text_input if one.label == NAME).set_value("town").run()
    next(one for one in app.button if one.label == PRESS).click().run()
    assert not app.exception
    assert town.service.ledger.closing(town.population) is not None


def a_release_and_its_error(town: Here, private: PrivateTable) -> None:
    """A release with a criterion, so that Hand over has every form of a purchase."""
    current = study_store.study(town.service, town.population)
    plan = releases.table_fit_plan(town.service, current, [current.usable[0].sha256], epsilon="0.5")
    criteria = criteria_of([{"kind": "largest", "within": "0.5"}])
    buying.buy(town.service, private, with_criteria(plan, criteria))


SOLD = ("Buy", "Draw again", "Publish", "Add", "Store", "Retire", "Take it", "Try them", "Show the stored")


@pytest.mark.parametrize(("page", "how"), [*((page, "retired") for page in PAGES), ("release", "moved")])
def test_every_page_of_a_closed_population_says_so_and_has_no_form_to_buy_in(
    town: Here, steward: Open, page: str, how: str
) -> None:
    a_release_and_its_error(town, town.private())
    if how == "retired":
        town.service.ledger.retire(town.population)
    else:
        town.service.ledger.depart(town.population, address_of(b"elsewhere", town.population))
    app = steward(page)
    assert not app.exception
    said = words(app)
    if page not in ("what_if", "story"):
        assert f"population was {how}" in said
    assert "Closed: nothing more is bought." in said
    assert "Left:" not in said
    drawn = [*(one.label for one in (*app.button, *app.expander, *app.number_input, *app.text_input, *app.radio))]
    assert [label for label in drawn if label.startswith(SOLD)] == []
    fields = ("ε of", "ε for", "Engine", "Candidate or pool", "How much to spend", "Columns to look at", "Half-width")
    assert [label for label in drawn if label.startswith(fields) and label != "ε of the release to come"] == []
    for words_of_open in ("Change the terms", "Only a session that holds", "can be changed", "enough for one"):
        assert words_of_open not in said
