"""Signing in and out through a real OpenID provider, in a real browser."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from accounts.staff import Staff, employed
from browser.conftest import chromium as chromium

from pmwpub.accounts.people import Standing
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger
from pmwpub.service import Service
from pmwpub.service.inputs.demo import open_demo

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
SIGN_IN, SIGN_OUT, PATIENCE = "Sign in", "Sign out", 60_000
PRIVATE = ("steward only", "Load the", "Members", "Who Owns", 'type="file"')


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Staff]:
    with employed(tmp_path_factory.mktemp("browser")) as made:
        yield made


@pytest.fixture
def page(chromium: Browser, staff: Staff) -> Iterator[Page]:
    """A browser of its own, at the server's first page."""
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE)
    opened = context.new_page()
    opened.goto(staff.server.url)
    yield opened
    context.close()


def sign_in(page: Page, subject: str) -> None:
    """Go to the provider by the button, say there who one is, and come back."""
    page.get_by_role("button", name=SIGN_IN).click()
    page.wait_for_url(re.compile("/oauth2/authorize"))
    page.locator("input[name=sub]").first.fill(subject)
    page.get_by_role("button", name=re.compile("authorize", re.IGNORECASE)).first.click()


def shows(page: Page, words: str) -> None:
    page.get_by_text(words).first.wait_for()


def test_a_person_signs_in_works_and_signs_out_everywhere(staff: Staff, page: Page) -> None:
    staff.provider.put("who", name="Who Owns", roles=["steward"])
    shows(page, "This server has accounts")
    assert page.get_by_text("Open the demo").count() == 0
    sign_in(page, "who")
    shows(page, "Who Owns")
    page.get_by_role("button", name="Open the demo").click()
    shows(page, "Steward: private table loaded")
    second = page.context.new_page()
    second.goto(staff.server.url)
    shows(second, "Who Owns")
    second.get_by_role("button", name=SIGN_OUT).click()
    second.wait_for_url(re.compile("/oauth2/end_session"))
    page.get_by_role("link", name="Ledger").first.click()
    shows(page, "This server has accounts")
    assert "private table loaded" not in page.content()
    page.goto(staff.server.url)
    shows(page, "This server has accounts")


def test_a_viewers_page_source_holds_no_private_word(staff: Staff, page: Page) -> None:
    with Ledger.open(staff.server.store_url) as ledger:
        town, _ = open_demo(Service(ledger, InlineEngine()))
    staff.provider.put("eye", name="Eye Only", roles=["viewer"])
    sign_in(page, "eye")
    shows(page, "Eye Only")
    shows(page, "You see the populations that you are a member of")
    with Ledger.open(staff.server.store_url) as ledger:
        ledger.enter_member(town, ledger.find_people(town, "Eye Only")[0].account, Standing.VIEWER)
    for path in ("prepare", "compare", "release", "ledger"):
        page.goto(f"{staff.server.url}/{path}?population={town}")
        shows(page, "You look at this population")
        shows(page, "of the grant taken")
        page.locator("[data-test-script-state=notRunning]").wait_for()
        source = page.content()
        assert not [word for word in PRIVATE if word in source]
        assert page.locator("input[type=file]").count() == 0


@pytest.mark.parametrize(
    ("subject", "claims"),
    [
        ("elsewhere", {"aud": "another-server"}),
        ("handed-on", {"aud": "another-server", "azp": "pmwpub-here"}),
        ("over", {"exp": 1}),
        ("just-over", {"exp": -1}),
    ],
)
def test_a_token_for_another_server_or_past_its_end_lets_nobody_in(
    staff: Staff, page: Page, subject: str, claims: dict[str, object]
) -> None:
    moment = int(time.time())
    own = claims | ({"exp": moment - 1} if claims.get("exp") == -1 else {})
    staff.provider.put(subject, name="Out Sider", roles=["operator"], **own)
    sign_in(page, subject)
    page.wait_for_url(re.compile(f"^{re.escape(staff.server.url)}"))
    shows(page, "This server has accounts")
    assert page.get_by_text("Out Sider").count() == 0


def test_another_role_at_the_next_sign_in_holds_in_the_tab_that_was_open(staff: Staff, page: Page) -> None:
    staff.provider.put("riser", name="Riser Falls", roles=["steward"])
    sign_in(page, "riser")
    page.get_by_role("button", name="Open the demo").click()
    shows(page, "Steward: private table loaded")
    staff.provider.put("riser", name="Riser Falls", roles=["viewer"])
    second = page.context.new_page()
    second.goto(f"{staff.server.url}/?population=nowhere")
    second.context.clear_cookies(name="_streamlit_user")
    second.goto(staff.server.url)
    sign_in(second, "riser")
    shows(second, "Riser Falls")
    page.get_by_role("link", name="Prepare").first.click()
    shows(page, "You look at this population")
    assert "private table loaded" not in page.content()
