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

from pmwpub.jobs.run import QueuedJob
from pmwpub.service import PrivateTable
from pmwpub.ui.server.leaving import GRACE_SECONDS, end_sessions
from pmwpub.ui.server.serving import lifespan, middleware, routes

ROOT = Path(__file__).resolve().parents[2]

# Every private table and job that is made, read or copied, while it lives. (To walk all objects of the process,
# as `gc.get_objects` does, breaks a tuple that another thread is just filling: CPython then raises SystemError in it.)
_tables: weakref.WeakSet[PrivateTable] = weakref.WeakSet()
_jobs: weakref.WeakSet[QueuedJob] = weakref.WeakSet()


def _note(kind: type[Any], alive: weakref.WeakSet[Any]) -> None:
    def noted(cls: type[Any], *_: Any, **__: Any) -> Any:
        made = object.__new__(cls)
        alive.add(made)
        return made

    kind.__new__ = noted  # type: ignore[method-assign,assignment]


_note(PrivateTable, _tables)
_note(QueuedJob, _jobs)


async def _held(request: Request) -> JSONResponse:
    """What is held now, or, with `?later`, once the grace is over for every tab that is gone."""
    if "later" in request.query_params:
        now = time.monotonic()
        end_sessions(now)
        end_sessions(now + GRACE_SECONDS)
    files = runtime.get_instance().uploaded_file_mgr.file_storage
    waiting = sum(bool(one.payload) for one in _jobs)
    return JSONResponse({"tables": len(_tables), "files": sum(map(len, files.values())), "jobs in line": waiting})


app = st.App(
    str(ROOT / "app.py"), lifespan=lifespan, middleware=middleware(), routes=[*routes(), Route("/held", _held)]
)
