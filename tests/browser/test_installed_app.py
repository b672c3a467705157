"""The app as it is installed, away from any checkout, in a real browser: from the demo to a certified file."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from browser.visitor import SOON, Visitor, charges, digest
from playwright.sync_api import Browser, expect
from support.installed_app import InstalledApp, built_wheel, unpacked

pytestmark = pytest.mark.browser


def test_the_installed_app_goes_from_the_demo_to_a_certified_file(chromium: Browser, tmp_path: Path) -> None:
    place, home = tmp_path / "empty", tmp_path / "home"
    place.mkdir()
    home.mkdir()
    app = InstalledApp(unpacked(built_wheel(tmp_path), tmp_path / "site"), place, home)
    app.start()
    try:
        visitor = Visitor(chromium, app.url)
        visitor.open()
        visitor.press("Open the demo")
        expect(visitor.page.get_by_role("button", name="Simulate for free")).to_be_visible(timeout=SOON)
        town = parse_qs(urlsplit(visitor.page.url).query)["population"][0]
        visitor.go("Release")
        visitor.pick("Candidate or pool", "state_c.csv")
        visitor.press("Buy this release")
        visitor.hand_over()
        certificate = json.loads(visitor.download("certificate.json"))
        assert certificate["files"]["synthetic.csv"] == digest(visitor.download("synthetic.csv"))
        assert charges(app.store_url, town) == 1
        assert visitor.strangers == [], "the pages ask no other host for anything"
        assert "Traceback" not in app.log()
    finally:
        app.stop()
