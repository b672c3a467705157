"""From nothing to a shaded figure and to synthetic.csv: how many clicks the demo takes; seconds are printed."""

from __future__ import annotations

import re
import time

import pytest
from browser.conftest import Server
from browser.visitor import LONG, SOON, Visitor
from playwright.sync_api import Browser, Locator, expect

pytestmark = pytest.mark.browser
MOST_CLICKS = 6


class Counting:
    """A visitor whose clicks are counted, with the time and the words of the page at each step."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor, self.clicks, self.began = visitor, 0, time.monotonic()

    def click(self, target: Locator) -> None:
        expect(target).to_be_visible(timeout=LONG)
        self.clicks += 1
        target.click(timeout=SOON)

    def note(self, step: str) -> None:
        words = len(re.findall(r"[^\W\d_]{2,}", self.visitor.page.get_by_test_id("stMain").inner_text()))
        print(f"{step}: click {self.clicks}, {time.monotonic() - self.began:.1f} s, {words} words on the page")


def test_the_demo_takes_six_clicks_from_nothing_to_a_synthetic_table(server: Server, chromium: Browser) -> None:
    visitor = Visitor(chromium, server.url)
    visitor.open()
    page, counted = visitor.page, Counting(visitor)
    counted.click(page.get_by_role("button", name="Open the demo"))
    counted.click(page.get_by_role("button", name="Simulate for free"))
    page.get_by_text(re.compile("unachievable")).first.wait_for(state="visible", timeout=LONG)
    counted.note("a shaded figure")
    counted.click(page.get_by_role("link", name=re.compile("^Next: ")))
    expect(page.get_by_role("heading", name="Release", level=1)).to_be_visible(timeout=SOON)
    counted.visitor.await_workers()
    counted.click(page.get_by_role("button", name="Buy this release", exact=True))
    counted.click(page.get_by_role("link", name=re.compile("^Next: hand over")))
    file = page.get_by_role("button", name="synthetic.csv")
    expect(file).to_be_visible(timeout=LONG)
    with page.expect_download(timeout=SOON):
        counted.click(file)
    counted.note("synthetic.csv")
    assert counted.clicks <= MOST_CLICKS
    assert visitor.strangers == []
    visitor.close()
