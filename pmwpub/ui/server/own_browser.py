"""One session, one browser: a session's id, which stands in the addresses of uploads, opens it to nobody else.

Each browser gets a secret cookie, and its connections carry a header that is made from the cookie here and that nobody
can send. Streamlit takes the header for the user (`server.trustedUserHeaders`) and refuses a session to any other one.
"""

from __future__ import annotations

import hashlib
import secrets

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

COOKIE = "pmwpub_browser"
HEADER = "x-pmwpub-browser"
USER_KEY = "browser"
UPLOADS = "/_stcore/upload_file/"
WEEK = 7 * 24 * 3600


class OwnBrowser:
    """Gives a browser its cookie with a page, names it to Streamlit, and lets it upload to its own sessions alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        cookie = HTTPConnection(scope).cookies.get(COOKIE, "")
        own = identity(cookie or secrets.token_urlsafe())
        passed = [(name, value) for name, value in scope["headers"] if name.lower() != HEADER.encode()]
        scope["headers"] = [*passed, (HEADER.encode(), own.encode())]
        if scope["type"] == "http" and UPLOADS in scope["path"] and not _may_upload(scope["path"], own):
            await PlainTextResponse("Another browser's session.", 403)(scope, receive, send)
            return
        fresh = not cookie and scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", "")
        await self._app(scope, receive, _giving(send, scope["scheme"]) if fresh else send)


def identity(cookie: str) -> str:
    """The name by which Streamlit knows a browser: a hash, so that it keeps nothing of the cookie itself."""
    return hashlib.sha256(f"pmwpub browser {cookie}".encode()).hexdigest()


def _giving(send: Send, scheme: str) -> Send:
    """A `send` that adds a new cookie, which no script can read and no other site's page sends along."""
    secure = "; Secure" if scheme == "https" else ""
    given = f"{COOKIE}={secrets.token_urlsafe(32)}; Path=/; HttpOnly; SameSite=Lax; Max-Age={WEEK}{secure}"

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).append("Set-Cookie", given)
        await send(message)

    return sending


def _may_upload(path: str, own: str) -> bool:
    """Whether the session in an upload's address is this browser's; Streamlit itself refuses one that there is not."""
    session_id = path.partition(UPLOADS)[2].partition("/")[0]
    known = runtime.get_instance()._session_mgr.get_session_info(session_id)
    return known is None or known.session._user_info.get(USER_KEY) == own
