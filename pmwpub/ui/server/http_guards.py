"""What stands between the network and Streamlit: own origin alone, headers, no uploads to viewers, broken uploads."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
import re
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import runtime

from pmwpub.errors import PmwPubError, StewardNeeded
from pmwpub.ui.app.services import policy, service
from pmwpub.ui.app.signing_in import sign_in_of
from pmwpub.ui.server.own_browser import UPLOADS

POLICY_VIOLATION = 1008
_INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_LOG = logging.getLogger(__name__)


def content_policy() -> str:
    """What a page may load: everything from this server, and nothing else; no site may frame it.

    Streamlit's own page has one script inside, which is named by its hash; its styles are made while it runs.
    """
    page = (Path(st.__file__).parent / "static" / "index.html").read_bytes()
    inside = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in _INLINE.findall(page)]
    scripts = " ".join(["'self'", "'wasm-unsafe-eval'", *(f"'sha256-{one}'" for one in inside)])
    return (
        f"default-src 'self'; script-src {scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "font-src 'self' data:; worker-src 'self' blob:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
        "form-action 'self'; frame-ancestors 'none'"
    )


def headers() -> dict[str, str]:
    """The headers of every answer. The addresses of uploads hold a session's id, so no other site is told of them."""
    return {
        "Content-Security-Policy": content_policy(),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), usb=()",
    }


class OwnHeaders:
    """Gives every answer the `headers`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = headers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self._app(scope, receive, sending)


class OwnOrigin:
    """Lets only pages of this very server speak to it: another port of the same machine is another origin.

    Streamlit takes any port of localhost for its own. A server behind another name lists its origins in
    `server.corsAllowedOrigins`. A client that names no origin is no browser's page, and passes.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and not is_own(Headers(scope=scope)):
            refused = PlainTextResponse("Another site's page.", 403)
            answer = WebSocketClose(POLICY_VIOLATION) if scope["type"] == "websocket" else refused
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)


def is_own(sent: Headers) -> bool:
    """Whether a request names this server as its origin, one that the configuration lists, or none."""
    origin = sent.get("origin")
    if origin is None or origin in st.get_option("server.corsAllowedOrigins"):
        return True
    return urlsplit(origin).netloc == sent.get("host")


def refuse_file(path: str) -> None:
    """Raise for an upload to the session of somebody who loads no table, before a byte of it is read."""
    policy().refuse_viewers()
    rules = policy().accounts
    if rules is None:
        return
    session_id = path.partition(UPLOADS)[2].partition("/")[0]
    known = runtime.get_instance()._session_mgr.get_session_info(session_id)
    sign_in = None if known is None else sign_in_of(rules, known.session._user_info)
    role = None if sign_in is None else service().ledger.role_of(sign_in)
    if role is None or not role.works:
        raise StewardNeeded("Files are uploaded by stewards who are signed in. Nothing was taken.")


class Uploads:
    """Takes no file of a viewer; an upload that breaks off is an event of the network, no fault."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or UPLOADS not in scope["path"]:
            await self._app(scope, receive, send)
            return
        try:
            if scope["method"] == "PUT":
                await asyncio.to_thread(refuse_file, scope["path"])
            await self._app(scope, receive, send)
        except PmwPubError as refusal:
            await PlainTextResponse(str(refusal), 403)(scope, receive, send)
        except ClientDisconnect:
            _LOG.info("An upload broke off; nothing of it is kept.")
