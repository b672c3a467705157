"""Old addresses: which page each leads to, and what is kept of the address."""

from __future__ import annotations

import asyncio

import pytest
from pages.visits import PAGES
from starlette.applications import Starlette
from starlette.types import Message

from pmwpub.ui.server.old_addresses import OLD, redirects


def answered(base: str, path: str, query: str = "") -> tuple[int, str]:
    """Status and Location of what the routes answer to a GET."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "root_path": "",
        "query_string": query.encode(), "headers": [], "scheme": "http", "server": ("localhost", 1), "client": None,
    }  # fmt: skip
    asyncio.run(Starlette(routes=redirects(base))(scope, receive, send))
    headers = dict(sent[0]["headers"])
    return sent[0]["status"], headers.get(b"location", b"").decode()


@pytest.mark.parametrize("base", ["", "below/here"])
def test_each_old_address_leads_to_a_page_of_today_with_its_parameters(base: str) -> None:
    before = f"/{base}" if base else ""
    for old, new in OLD.items():
        assert answered(base, f"{before}/{old}", "population=a%20town&view=stakeholder") == (
            307,
            f"{before}/{new}?population=a%20town&view=stakeholder",
        )
        assert new == "" or new in PAGES


def test_without_parameters_nothing_hangs_on_the_address_and_others_are_no_concern_of_the_routes() -> None:
    assert answered("", "/explore") == (307, "/compare")
    assert answered("", "/compare")[0] == 404
