"""Choosing public data in a real browser: free comparison, assessments, the winner, a release with its report."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from browser.conftest import Server
from browser.visitor import LONG, SOON, Visitor, charges, digest, spent
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.browser
AT_WORK = re.compile(r"is at work; what becomes of it appears here")
NEVER = re.compile("no reweighting of state_d.csv gets below")
TABS = 120
"""So many presses of Tab reach every widget of a page."""


@pytest.fixture
def visitor(chromium: Browser, server: Server) -> Visitor:
    return Visitor(chromium, server.url)


def _demo(visitor: Visitor) -> str:
    visitor.open()
    visitor.press("Open the demo")
    visitor.see("Buy noisy floors and starts")
    visitor.unfold("Buy noisy floors and starts")
    expect(visitor.page.get_by_role("button", name="Buy these assessments")).to_be_visible(timeout=SOON)
    return parse_qs(urlsplit(visitor.page.url).query)["population"][0]


def test_a_steward_compares_for_free_buys_the_winner_and_takes_the_report(
    server: Server, visitor: Visitor, chromium: Browser
) -> None:
    town = _demo(visitor)
    visitor.unfold("The public tables against each other")
    visitor.press("Compare the candidates with each other")
    visitor.see(re.compile("can tell that"), LONG)
    visitor.see(re.compile(r"of draws come to a result"))
    assert spent(server.store_url, town) == 0

    visitor.page.get_by_text("only which one is best", exact=True).click()
    visitor.see(re.compile("the chosen one's floor is at most"))
    visitor.settle()
    visitor.press("Buy this choice")
    best = visitor.page.get_by_text(re.compile(r"Best of state_b.csv, state_c.csv, state_d.csv: state_[bc].csv"))
    best.first.wait_for(state="attached", timeout=LONG)
    visitor.unfold("What was bought, number by number")
    visitor.see(re.compile(r"Best of state_b.csv, state_c.csv, state_d.csv: state_[bc].csv"), LONG)
    assert charges(server.store_url, town) == 1

    visitor.go("Release")
    visitor.take_pmw_pub()
    visitor.press("Buy this release")
    visitor.hand_over()
    report = visitor.download("report.html")
    assert b"<html" in report[:500].lower()
    assert visitor.download("rebuild.py").startswith(b'"""')
    assert b'"nbformat": 4' in visitor.download("analyst.ipynb")
    assert visitor.download("measurements.csv").count(b"\n") == 26
    _the_error_is_bought_once_and_seen_by_a_second_tab(server, visitor, chromium, town, digest(report))
    assert "Traceback" not in server.log()


def _the_error_is_bought_once_and_seen_by_a_second_tab(
    server: Server, visitor: Visitor, chromium: Browser, town: str, report: str
) -> None:
    visitor.page.get_by_text("Buy the noisy largest error of this release").click()
    visitor.settle()
    visitor.press("Buy this error")
    visitor.see(re.compile("Noisy largest error on the private table"), LONG)
    assert charges(server.store_url, town) == 3
    second = Visitor(chromium, server.url)
    second.open(visitor.page.url.removeprefix(server.url))
    second.see(re.compile("Noisy largest error on the private table"))
    assert digest(second.download("report.html")) == report
    second.close()


def test_a_refresh_during_and_after_an_assessment_shows_the_same_and_a_viewer_no_progress(
    server: Server, visitor: Visitor, chromium: Browser
) -> None:
    town = _demo(visitor)
    visitor.choose("Floors over", "the whole workload")
    visitor.see(re.compile("Whether the full setting comes to a result"))
    visitor.settle()
    visitor.press("Buy these assessments")
    cancel, over = visitor.page.get_by_role("button", name="Cancel"), visitor.page.get_by_text(NEVER)
    cancel.or_(over).first.wait_for(timeout=LONG)
    charged = spent(server.store_url, town)

    viewer = Visitor(chromium, server.url)
    viewer.open(f"/compare?population={town}")
    viewer.page.get_by_text(AT_WORK).or_(viewer.page.get_by_text(NEVER)).first.wait_for(timeout=LONG)
    assert viewer.page.get_by_text(re.compile(r"\d s so far")).count() == 0
    assert viewer.page.get_by_role("button", name="Cancel").count() == 0

    visitor.page.reload()
    visitor.see("Viewer: private table not loaded here", LONG)
    for tab in (visitor, viewer):
        tab.see(NEVER, LONG)
        expect(tab.page.get_by_text(AT_WORK)).to_have_count(0, timeout=LONG)
        tab.settle()
    first, second = (tab.page.get_by_text(NEVER).all_inner_texts() for tab in (visitor, viewer))
    assert first == second
    visitor.page.reload()
    visitor.see(NEVER, LONG)
    visitor.settle()
    assert visitor.page.get_by_text(NEVER).all_inner_texts() == first
    assert spent(server.store_url, town) == charged
    assert charges(server.store_url, town) == 6
    viewer.close()


def test_an_assessment_can_be_bought_with_the_keyboard_alone(server: Server, visitor: Visitor) -> None:
    town = _demo(visitor)
    _tab_to(visitor, "textbox", "ε for each candidate (pure)")
    visitor.page.keyboard.press("Control+a")
    visitor.page.keyboard.type("0.04")
    visitor.page.keyboard.press("Enter")
    visitor.see(re.compile(r"floor at ε = 0\.032, start at ε = 0\.008"))
    visitor.settle()
    _tab_to(visitor, "button", "Buy these assessments")
    visitor.page.keyboard.press("Enter")
    visitor.see(NEVER, LONG)
    assert charges(server.store_url, town) == 6


def _tab_to(visitor: Visitor, role: str, name: str) -> None:
    """Press Tab until the element has the focus."""
    target = visitor.page.get_by_role(role, name=name, exact=True)  # type: ignore[arg-type]
    for _ in range(TABS):
        if target.evaluate("element => element === document.activeElement || element.contains(document.activeElement)"):
            return
        visitor.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {name!r}.")
