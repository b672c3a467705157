"""The app, in whose pages the long work that the file HOLD_LONG_WORK names waits, step by step: for tests of Stop."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from pmwpub.progress import Progress
from pmwpub.ui.server.serving import lifespan, middleware, routes
from pmwpub.ui.widgets import reading_progress

ROOT = Path(__file__).resolve().parents[2]
HOLD = Path(os.environ["HOLD_LONG_WORK"])
_progress_bar = reading_progress.progress_bar


@contextmanager
def _waiting(words: str) -> Iterator[Progress]:
    with _progress_bar(words) as progress:
        while HOLD.exists() and HOLD.read_text(encoding="utf-8") in words:
            progress(40, 100)
            time.sleep(0.05)
        yield progress


reading_progress.progress_bar = _waiting

app = st.App(str(ROOT / "app.py"), lifespan=lifespan, middleware=middleware(), routes=list(routes()))
