"""The app, with one more address that says what the server still holds of sessions: `streamlit run` this in tests."""

from __future__ import annotations

import time
import weakref
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from streamlit import runtime

from pmwpub.service import PrivateTable
from pmwpub.ui.server.leaving import GRACE_SECONDS, end_sessions
from pmwpub.ui.server.serving import lifespan, middleware, routes

ROOT = Path(__file__).resolve().parents[2]

# Every private table that is made, read or copied, for as long as it lives. (To walk all objects of the process,
# as `gc.get_objects` does, breaks a tuple that another thread is just filling: CPython then raises SystemError in it.)
_alive: weakref.WeakSet[PrivateTable] = weakref.WeakSet()


def _noted(cls: type[PrivateTable], *_: Any, **__: Any) -> PrivateTable:
    table = object.__new__(cls)
    _alive.add(table)
    return table


PrivateTable.__new__ = _noted  # type: ignore[method-assign,assignment]


async def _held(request: Request) -> JSONResponse:
    """What is held now, or, with `?later`, once the grace is over for every tab that is gone."""
    if "later" in request.query_params:
        now = time.monotonic()
        end_sessions(now)
        end_sessions(now + GRACE_SECONDS)
    files = runtime.get_instance().uploaded_file_mgr.file_storage
    return JSONResponse({"tables": len(_alive), "files": sum(map(len, files.values()))})


app = st.App(
    str(ROOT / "app.py"), lifespan=lifespan, middleware=middleware(), routes=[*routes(), Route("/held", _held)]
)
