"""Signing out: the token is nobody's from then on, in every tab and for whoever has a copy of it."""

from __future__ import annotations

import asyncio
import json

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_auth_routes import _get_cookie_value_from_request
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from pmwpub.errors import PmwPubError
from pmwpub.ui.app.services import policy, service
from pmwpub.ui.app.signing_in import sign_in_of

SIGN_OUT = "/auth/logout"
OWN_PLACES = ("same-origin", "none")
"""Where a browser says that a request comes from: a page of this very server, or nobody's page, such as its address."""


class SignOuts:
    """Notes in the store that somebody signs out, before Streamlit takes the cookie away; no other site does."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].endswith(SIGN_OUT):
            if Headers(scope=scope).get("sec-fetch-site", "none") not in OWN_PLACES:
                await PlainTextResponse("Another site's page.", 403)(scope, receive, send)
                return
            try:
                await asyncio.to_thread(_note, Request(scope))
            except PmwPubError as refusal:
                await PlainTextResponse(str(refusal), 503)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _note(request: Request) -> None:
    rules = policy().accounts
    sign_in = None if rules is None else sign_in_of(rules, signed_claims(request))
    if sign_in is not None:
        service().ledger.sign_out(sign_in)


def signed_claims(request: Request) -> dict[str, object]:
    """What the signed cookie of a request says of a person; nothing where it is forged, or there is none."""
    found = _get_cookie_value_from_request(request, USER_COOKIE_NAME)
    said = json.loads(found) if found else {}
    return said if isinstance(said, dict) else {}
