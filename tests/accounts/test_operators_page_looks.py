"""The operator's page in a browser: nothing serious for axe, no sideways scroll, light and dark, wide and narrow."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from accounts.staff import employed
from browser.conftest import chromium as chromium
from browser.test_accessible import faults_of
from browser.visitor import SOON, Visitor
from playwright.sync_api import Browser, expect

from pmwpub.accounts.people import Standing
from pmwpub.ledger import Ledger, Population

pytestmark = pytest.mark.browser
LONG_NAME = "the survey of households in the harbour district and its islands, second wave"


def test_the_operators_page_is_accessible_and_within_the_screen(tmp_path: Path, chromium: Browser) -> None:
    with employed(tmp_path) as staff, Ledger.open(staff.server.store_url) as ledger:
        with staff.visit("owner.of.a.long.name@statistics.example", "steward") as session:
            session.open()
        for name in (LONG_NAME, "hill"):
            ledger.register(Population(name, 30, 1, "one resident", Fraction(1), Fraction(1, 1000)))
            ledger.enter_member(name, staff.account("owner.of.a.long.name@statistics.example"), Standing.OWNER)
            ledger.loaded(name, b"sex\nF\n")
        visitor = Visitor(chromium, staff.server.url)
        pairs = [one.split("=", 1) for one in staff.cookies("operator@x", "operator").split("; ")]
        visitor.context.add_cookies([{"name": name, "value": said, "url": visitor.url} for name, said in pairs])
        visitor.open("/operators")
        expect(visitor.page.get_by_role("heading", name="Operator", level=1)).to_be_visible(timeout=SOON)
        visitor.see("Loads of private tables")
        visitor.settle()
        faults = faults_of(visitor, "Operator")
        visitor.close()
    assert faults == []
