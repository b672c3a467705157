"""The Ledger page: remarks beside charges, prices of what stands in the field, and a store that fails meanwhile."""

from __future__ import annotations

import re

import pytest
from pages.visits import Here, Open, buy, words

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger import Ledger
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN, SEEN, noted


def test_charges_after_private_numbers_were_seen_carry_the_remark(town: Here, steward: Open, visit: Open) -> None:
    app = steward("compare")
    buy(app, "Buy these assessments")
    before = max(record.id for record in town.service.ledger.history(town.population))
    town.service.ledger.mark(town.population, PRIVATE_NUMBERS_SEEN, noted("true errors", before))
    buy(steward("release"), "Buy this release")
    page = visit("ledger", population=town.population)
    history = next(frame.value for frame in page.dataframe if "remark" in frame.value)
    assert list(history["remark"]) == [SEEN, "", "", "", ""]
    times = [str(cell) for frame in page.dataframe if "time" in frame.value for cell in frame.value["time"]]
    assert len(times) > 5
    assert [one for one in times if not re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", one)] == []


def test_a_store_that_fails_while_the_page_is_drawn_is_said_in_words(
    town: Here, visit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = visit("ledger", population=town.population)
    asked = []
    real = Ledger.marks

    def marks(ledger: Ledger, name: str) -> object:
        asked.append(name)
        if len(asked) > 1:
            raise StoreUnavailable("The disk is gone.")
        return real(ledger, name)

    monkeypatch.setattr(Ledger, "marks", marks)
    app.run()
    assert len(asked) > 1
    assert not app.exception
    assert "The disk is gone." in words(app)
    assert "What a further release would cost" in words(app)


@pytest.mark.parametrize("typed", ["500", "0,5", "", "much"])
def test_a_further_release_is_priced_at_what_stands_in_the_field_or_not_at_all(
    typed: str, town: Here, visit: Open
) -> None:
    app = visit("ledger", population=town.population)
    field = next(box for box in app.text_input if box.label == "ε of a further release")
    assert "By itself that is ε = 0.5 at" in words(app)
    field.set_value(typed).run()
    assert "At most" not in words(app)
    assert "a number from 0.001 to 100" in words(app)
