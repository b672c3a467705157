"""Retiring a population on its Ledger page: asked twice, by its steward alone; afterwards pages sell nothing."""

from __future__ import annotations

import pytest
from pages.visits import PAGES, Here, Open, words
from streamlit.testing.v1 import AppTest

from pmwpub.ledger.moving.receipts import address_of
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


@pytest.mark.parametrize(("page", "how"), [*((page, "moved") for page in PAGES), ("ledger", "retired")])
def test_every_page_of_a_closed_population_says_so_and_offers_nothing_to_buy(
    town: Here, steward: Open, page: str, how: str
) -> None:
    if how == "retired":
        town.service.ledger.retire(town.population)
    else:
        town.service.ledger.depart(town.population, address_of(b"elsewhere", town.population))
    app = steward(page)
    assert not app.exception
    if page not in ("what_if", "story"):
        assert f"population was {how}" in words(app)
    assert not [one.label for one in app.button if one.label.startswith(("Buy", "Add", "Store"))]
    assert "Change the terms" not in words(app)
