"""Bookmarks of pages that have another name today lead on, on a cold start too, with the population and the view."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from browser.conftest import Server
from browser.stage import service_on
from browser.visitor import SOON, Visitor
from playwright.sync_api import Browser, expect

from pmwpub.service.inputs.demo import open_demo

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", params=["", "below/here"])
def at(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str, str]]:
    """A server that nobody has visited, with a demo, at a base path or at none; its population, and the base."""
    base: str = request.param
    options = ("--server.baseUrlPath", base) if base else ()
    server = Server(tmp_path_factory.mktemp("old"), options=options, base=f"{base}/" if base else "")
    with service_on(server.store_url) as service:
        town, _ = open_demo(service)
    server.start()
    yield server, town, f"/{base}" if base else ""
    server.stop()


@pytest.mark.parametrize(
    ("old", "path", "title"),
    [
        ("data", "prepare", "Prepare"),
        ("explore", "compare", "Compare"),
        ("whatif", "what_if", "What if"),
        ("home", "", "Protect"),
    ],
)
def test_an_old_address_leads_to_the_page_that_took_its_place(
    old: str, path: str, title: str, at: tuple[Server, str, str], chromium: Browser
) -> None:
    server, town, base = at
    visitor = Visitor(chromium, server.url)
    visitor.open(f"{base}/{old}?population={town}&view=stakeholder")
    expect(visitor.page.get_by_role("heading", name=title, level=1)).to_be_visible(timeout=SOON)
    visitor.see("Public and DP results only")
    expect(visitor.page).to_have_url(re.compile(rf"{base}/{path}\?population={town}&view=stakeholder$"))
    visitor.close()
