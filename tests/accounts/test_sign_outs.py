"""Another site's page signs nobody out: a link or an image of it that leads to the address is refused."""

from __future__ import annotations

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from pmwpub.ui.server import sign_outs


def answered(monkeypatch: pytest.MonkeyPatch, path: str, *headers: tuple[bytes, bytes]) -> tuple[int, list[str]]:
    """The status of the answer to a request, and what was done: "noted" in the store, "gone on" to Streamlit."""
    done: list[str] = []
    sent: list[Message] = []

    async def streamlit(scope: Scope, receive: Receive, send: Send) -> None:
        done.append("gone on")
        await send({"type": "http.response.start", "status": 302, "headers": []})

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    monkeypatch.setattr(sign_outs, "_note", lambda request: done.append("noted"))
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": list(headers)}
    asyncio.run(sign_outs.SignOuts(streamlit)(scope, receive, send))
    return sent[0]["status"], done


@pytest.mark.parametrize("site", [b"cross-site", b"same-site"])
@pytest.mark.parametrize("path", ["/auth/logout", "/base/auth/logout"])
def test_another_site_s_page_signs_nobody_out(monkeypatch: pytest.MonkeyPatch, path: str, site: bytes) -> None:
    """Another port of the same machine is the same site, and another origin."""
    assert answered(monkeypatch, path, (b"sec-fetch-site", site)) == (403, [])


@pytest.mark.parametrize("headers", [[], [(b"sec-fetch-site", b"same-origin")], [(b"sec-fetch-site", b"none")]])
def test_the_server_s_own_page_and_whoever_types_the_address_sign_out(
    monkeypatch: pytest.MonkeyPatch, headers: list[tuple[bytes, bytes]]
) -> None:
    assert answered(monkeypatch, "/auth/logout", *headers) == (302, ["noted", "gone on"])


def test_other_addresses_are_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answered(monkeypatch, "/protect", (b"sec-fetch-site", b"cross-site")) == (302, ["gone on"])
