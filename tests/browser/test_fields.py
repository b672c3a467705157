"""What stands in a field is what is priced and bought; a number that is none never leaves an older one for sale."""

from __future__ import annotations

import re
from fractions import Fraction
from urllib.parse import parse_qs, urlsplit

import pytest
from browser.conftest import Server
from browser.visitor import LONG, SOON, Visitor, charges, spent
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.browser


def _demo(visitor: Visitor) -> str:
    visitor.open()
    visitor.press("Open the demo")
    visitor.see("Buy noisy floors and starts")
    visitor.unfold("Buy noisy floors and starts")
    expect(visitor.page.get_by_role("button", name="Buy these assessments")).to_be_visible(timeout=SOON)
    visitor.settle()
    return parse_qs(urlsplit(visitor.page.url).query)["population"][0]


def _type_and_buy(visitor: Visitor, field: str, typed: str, button: str) -> None:
    """Type, and click the button that stood there before, without leaving the field first."""
    place = visitor.page.get_by_role("button", name=button, exact=True)
    visitor.bring(place)
    visitor.field(field).fill(typed)
    place.click(timeout=SOON)
    visitor.settle()


@pytest.mark.parametrize(
    ("page", "field", "button"),
    [
        ("Compare", "ε for each candidate (pure)", "Buy these assessments"),
        ("Release", "ε of this release", "Buy this release"),
    ],
)
def test_a_rejected_number_takes_the_old_price_and_its_button_away(
    page: str, field: str, button: str, server: Server, chromium: Browser
) -> None:
    visitor = Visitor(chromium, server.url)
    town = _demo(visitor)
    visitor.go(page)
    if page == "Release":
        visitor.pick("Candidate or pool", "state_c.csv")
    else:
        visitor.unfold("Buy noisy floors and starts")
    for typed in ("500", "0,5", "abc", ""):
        _type_and_buy(visitor, field, typed, button)
        visitor.see(re.compile("Nothing has a price until it is put right"))
        expect(visitor.page.get_by_role("button", name=button, exact=True)).to_have_count(0, timeout=SOON)
        expect(visitor.page.get_by_text(re.compile("Price: "))).to_have_count(0, timeout=SOON)
        visitor.field(field).fill("0.06")
        visitor.page.keyboard.press("Enter")
        expect(visitor.page.get_by_role("button", name=button, exact=True)).to_be_visible(timeout=SOON)
        visitor.settle()
    assert charges(server.store_url, town) == 0

    shown = visitor.page.get_by_text(re.compile("Price: [0-9]")).last
    before = shown.inner_text()
    _type_and_buy(visitor, field, "0.04", button)
    expect(shown).not_to_have_text(before, timeout=SOON)
    visitor.settle()
    assert charges(server.store_url, town) == 0, "the plan changed under the click, so its old button bought nothing"
    price = int(Fraction(visitor.price()) * 10**15)
    visitor.press(button)
    expect(visitor.page.get_by_text(re.compile("Charged. The server does the work"))).to_be_visible(timeout=LONG)
    assert spent(server.store_url, town) == price
    visitor.close()
