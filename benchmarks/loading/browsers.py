"""Visitors with a real browser: a headless Chromium each, in which pages are walked over and a field is changed."""

from __future__ import annotations

import random
import time

from browser.conftest import QUIET
from browser.visitor import QUIET_MILLISECONDS, Visitor
from playwright.sync_api import Page, sync_playwright

from loading.tally import Pace, Tally

NAMES = ("Prepare", "Compare", "Release", "Hand over", "Ledger", "What if")
FIELD = "ε of a further release"


def browse(url: str, population: str, pace: Pace, tally: Tally, draw: random.Random, chromium: str) -> None:
    """Walk with a browser until the time is over; each turn is one click or one changed field, seen to its end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
        try:
            visitor = Visitor(browser, url)
            visitor.open(f"/ledger?population={population}")
            visitor.settle()
            for turn in pace.turns(draw):
                began = time.perf_counter()
                if turn % 2:
                    visitor.go(draw.choice(NAMES))
                else:
                    changed(visitor, turn)
                seconds = time.perf_counter() - began - QUIET_MILLISECONDS / 1000
                with tally.lock:
                    tally.browser.append(seconds)
            refuse_exceptions(visitor.page)
        finally:
            browser.close()


def changed(visitor: Visitor, turn: int) -> None:
    """On the Ledger page another price is asked for; on others the page is drawn anew by a click to Ledger."""
    field = visitor.page.get_by_role("textbox", name=FIELD, exact=True)
    if not field.count():
        visitor.go("Ledger")
        return
    field.fill(f"0.{11 + turn % 80}")
    field.press("Enter")
    visitor.settle()


def refuse_exceptions(page: Page) -> None:
    """RuntimeError if the page shows one."""
    if page.get_by_test_id("stException").count():
        raise RuntimeError("the browser shows an exception")
