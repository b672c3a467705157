"""Take the README's pictures: `python docs/take_screenshots.py` opens the demo in headless Chromium and drives it.

Needs the test extras and Chromium. Everything in the pictures is generated data on a throwaway ledger.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser.conftest import QUIET, Server  # noqa: E402
from browser.visitor import LONG, Visitor  # noqa: E402
from playwright.sync_api import Locator, sync_playwright  # noqa: E402

PICTURES = ROOT / "docs" / "screenshots"


def main() -> None:
    """Demo, assessment, simulation; one picture of the ranking and one of error against ε."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        server.start()
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(QUIET))
        visitor = Visitor(browser, server.url)
        visitor.page.set_viewport_size({"width": 1280, "height": 1080})
        visitor.open()
        visitor.press("Open the demo")
        visitor.press("Simulate for free")
        visitor.see(re.compile("Use state_c.csv"), LONG)
        visitor.unfold("Buy noisy floors and starts")
        visitor.press("Buy these assessments")
        visitor.see(re.compile("no reweighting of state_d.csv gets below"), LONG)
        picture(visitor, visitor.page.get_by_role("heading", name="Compare").first, "candidates")
        visitor.page.get_by_text(re.compile("unachievable with state_d")).first.wait_for(state="visible", timeout=LONG)
        shaded = visitor.page.get_by_test_id("stPlotlyChart").filter(has_text="unachievable with state_d").first
        picture(visitor, shaded, "explore")
        browser.close()
        server.stop()


def picture(visitor: Visitor, part: Locator, name: str) -> None:
    """The page around a part of it."""
    visitor.settle()
    part.scroll_into_view_if_needed()
    visitor.page.mouse.move(0, 0)
    visitor.page.wait_for_timeout(3000)
    visitor.page.screenshot(path=str(PICTURES / f"{name}.png"))


if __name__ == "__main__":
    main()
