"""The server itself: what it does when it starts, while it runs, and what it answers about itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

import streamlit as st
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from streamlit import config

from pmwpub.accounts.acting import acting_as
from pmwpub.errors import PmwPubError
from pmwpub.service import server_parts
from pmwpub.settings import Settings
from pmwpub.ui.app.services import policy, service
from pmwpub.ui.app.signing_in import check_accounts
from pmwpub.ui.server.http_guards import OwnHeaders, OwnOrigin, Uploads
from pmwpub.ui.server.leaving import keep_house
from pmwpub.ui.server.old_addresses import prefix, redirects
from pmwpub.ui.server.own_browser import HEADER, USER_KEY, OwnBrowser
from pmwpub.ui.server.sign_outs import SignOuts

READY = "ready"
"""The address that says whether a purchase could be made now; `_stcore/health` says only that the server lives."""

NO_FILE = 0
"""Bytes of an upload after which the web framework goes on in a temporary file; 0 has it never do so."""


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Refuse settings that are none, keep uploads out of files, start the workers, look after sessions that ended."""
    Settings.declared()
    check_accounts(policy().accounts)
    uploads_stay_in_memory()
    server_parts.log_purchases()
    config.set_option("server.trustedUserHeaders", {HEADER: USER_KEY})
    tasks = [asyncio.create_task(asyncio.to_thread(_begin)), asyncio.create_task(keep_house())]
    yield
    for task in tasks:
        task.cancel()


def uploads_stay_in_memory() -> None:
    """Have the web framework hold an upload in memory until it is whole: it may be a private table."""
    MultiPartParser.spool_max_size = NO_FILE


def _begin() -> None:
    """Open the store and start the workers before the first page asks; what is wrong, the page says."""
    with acting_as(None), suppress(PmwPubError):
        service()


def middleware() -> list[Middleware]:
    """The layers between the network and Streamlit, from the outermost on."""
    return [Middleware(layer) for layer in (OwnHeaders, OwnOrigin, OwnBrowser, SignOuts, Uploads)]


def routes() -> list[Route]:
    """What the server answers beside the pages."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return [Route(f"{prefix(base)}/{READY}", _ready), *redirects(base)]


async def _ready(request: Request) -> JSONResponse:
    found = await asyncio.to_thread(readiness)
    return JSONResponse({"ready": all(found.values()), **found}, 200 if all(found.values()) else 503)


def readiness() -> Mapping[str, bool]:
    """Whether store, witness, workers and warm-up are as a purchase needs them. It says no more: it is public."""
    try:
        with acting_as(None):
            return server_parts.readiness(service())
    except PmwPubError:
        return server_parts.NOTHING_READY
