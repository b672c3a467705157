"""The app, with one more address that says what the server still holds of sessions: `streamlit run` this in tests."""

from __future__ import annotations

import gc
import time
from pathlib import Path

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


async def _held(request: Request) -> JSONResponse:
    """What is held now, or, with `?later`, once the grace is over for every tab that is gone."""
    if "later" in request.query_params:
        now = time.monotonic()
        end_sessions(now)
        end_sessions(now + GRACE_SECONDS)
    there = gc.get_objects()
    files = runtime.get_instance().uploaded_file_mgr.file_storage
    return JSONResponse(
        {
            "tables": sum(isinstance(one, PrivateTable) for one in there),
            "files": sum(map(len, files.values())),
            "jobs in line": sum(isinstance(one, QueuedJob) and bool(one.payload) for one in there),
        }
    )


app = st.App(
    str(ROOT / "app.py"), lifespan=lifespan, middleware=middleware(), routes=[*routes(), Route("/held", _held)]
)
