"""The whole flow in a real browser: demo, assessment, shaded plot, release, file; and what a charge survives."""

from __future__ import annotations

import json
import os
import re
import signal
from fractions import Fraction
from urllib.parse import parse_qs, urlsplit

import pytest
from browser.conftest import Server
from browser.visitor import LONG, SOON, Visitor, charges, digest, spent
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.browser
UNIT = 10**15
NEVER = re.compile("no reweighting of state_d.csv gets below")


@pytest.fixture
def visitor(chromium: Browser, server: Server) -> Visitor:
    return Visitor(chromium, server.url)


def _demo(visitor: Visitor) -> str:
    """Click the demo; returns its population."""
    visitor.open()
    visitor.press("Open the demo")
    expect(visitor.page.get_by_role("heading", name="Compare", level=1)).to_be_visible(timeout=SOON)
    visitor.see("Buy noisy floors and starts")
    visitor.unfold("Buy noisy floors and starts")
    expect(visitor.page.get_by_role("button", name="Buy these assessments")).to_be_visible(timeout=SOON)
    return parse_qs(urlsplit(visitor.page.url).query)["population"][0]


def _units(price: str) -> int:
    return int(Fraction(price) * UNIT)


def test_the_demo_goes_from_four_tables_to_a_certified_file_and_charges_once(
    server: Server, visitor: Visitor, chromium: Browser
) -> None:
    visitor.open()
    expect(visitor.page.get_by_role("button", name="Open the demo")).to_be_visible(timeout=SOON)
    town = _demo(visitor)

    assessed = _assess(server, visitor, town)
    _explore(visitor)
    price = _release(server, visitor, town, assessed)
    certificate = json.loads(visitor.download("certificate.json"))
    file = visitor.download("synthetic.csv")
    assert certificate["files"]["synthetic.csv"] == digest(file)
    assert _units(certificate["rho"]) == price
    _nothing_moves(server, visitor, chromium, town, digest(file))
    assert visitor.strangers == [], "the pages ask no other host for anything"
    assert "Traceback" not in server.log()


def _assess(server: Server, visitor: Visitor, town: str) -> int:
    """Buy the three assessments; D is ruled out; the ledger moves by the shown price. Returns what is spent."""
    price = visitor.price()
    assert spent(server.store_url, town) == 0
    visitor.press("Buy these assessments")
    visitor.see(NEVER, LONG)
    expect(visitor.page.get_by_text(re.compile(r"\d s so far"))).to_have_count(0, timeout=LONG)
    visitor.settle()
    assert spent(server.store_url, town) == _units(price)
    assert charges(server.store_url, town) == 6
    assert visitor.page.get_by_text(NEVER).count() == 1
    return spent(server.store_url, town)


def _explore(visitor: Visitor) -> None:
    """The simulation is free; certified floors are shaded."""
    visitor.go("Compare")
    visitor.press("Simulate for free")
    visitor.see(re.compile("Use state_c.csv"), LONG)
    visitor.see(re.compile("expect an error of about"), LONG)
    visitor.page.get_by_text(re.compile("unachievable with state_d")).first.wait_for(state="visible", timeout=LONG)
    visitor.page.locator("summary:visible", has_text="The same as a table and in words").last.click()
    visitor.see(re.compile("Below .* % nothing is achievable with state_d.csv, at any epsilon"))


def _release(server: Server, visitor: Visitor, town: str, before: int) -> int:
    """Buy a release with a double click; one charge, at the shown price. Returns the price."""
    visitor.go("Release")
    price = _units(visitor.price())
    visitor.await_workers()
    visitor.page.get_by_role("button", name="Buy this release", exact=True).dblclick()
    visitor.hand_over()
    assert spent(server.store_url, town) == before + price
    assert charges(server.store_url, town) == 7
    return price


def _nothing_moves(server: Server, visitor: Visitor, chromium: Browser, town: str, file: str) -> None:
    """Refresh, a second tab, the same plan sent again, a server restart: the same bytes, no charge."""
    before = spent(server.store_url, town)
    address = visitor.page.url.removeprefix(server.url)
    assert "release=" in address
    visitor.go("Release")
    visitor.press("Show the stored result")
    visitor.see(re.compile("This plan was already bought"))
    visitor.hand_over()
    assert digest(visitor.download("synthetic.csv")) == file

    visitor.page.reload()
    visitor.see("Viewer: private table not loaded here")
    assert digest(visitor.download("synthetic.csv")) == file

    second = Visitor(chromium, server.url)
    second.open(address)
    assert digest(second.download("synthetic.csv")) == file
    second.close()

    server.stop()
    server.start()
    third = Visitor(chromium, server.url)
    third.open(address)
    assert digest(third.download("synthetic.csv")) == file
    third.close()
    assert spent(server.store_url, town) == before
    assert charges(server.store_url, town) == 7


def test_a_killed_worker_leaves_the_charge_says_no_result_and_is_never_redrawn(
    server: Server, visitor: Visitor
) -> None:
    town = _demo(visitor)
    visitor.go("Release")
    visitor.pick("Candidate or pool", "state_c.csv")
    visitor.choose_rounds(5000)
    price = _units(visitor.price())
    visitor.press("Buy this release")
    visitor.see(re.compile(r"round \d+ of 5000"))
    visitor.unfold("Engine, rounds and variants")
    visitor.field("Rounds")
    _a_widget_answers_while_it_runs(visitor)

    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
    visitor.see("No result.")
    assert spent(server.store_url, town) == price

    visitor.choose_rounds(5000)
    visitor.press("Show the stored result")
    visitor.see("No result.")
    visitor.see(re.compile("already bought"))
    assert spent(server.store_url, town) == price
    assert charges(server.store_url, town) == 1
    _a_cancelled_release_keeps_its_charge(server, visitor, town)
    assert "Traceback" not in server.log()


def _a_cancelled_release_keeps_its_charge(server: Server, visitor: Visitor, town: str) -> None:
    visitor.field("ε of this release").fill("0.5")
    visitor.page.keyboard.press("Enter")
    visitor.see(re.compile(r"By itself that is ε = 0\.5 "))
    visitor.settle()
    visitor.press("Buy this release")
    visitor.see(re.compile(r"round \d+ of 5000"))
    visitor.press("Cancel")
    visitor.see("No result.")
    assert charges(server.store_url, town) == 2


def _a_widget_answers_while_it_runs(visitor: Visitor) -> None:
    """Clicks are answered while the job runs; back to the advised rounds afterwards."""
    box = visitor.page.get_by_text("Use the advised number of rounds").first
    shown = visitor.page.get_by_role("textbox", name="Rounds", exact=True)
    for turn in range(6):
        box.click()
        shown.wait_for(state="visible" if turn % 2 else "detached")
    visitor.see(re.compile(r"round \d+ of 5000"))
    box.click()
    shown.wait_for(state="detached")
