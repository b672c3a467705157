"""The app, in whose pages long work waits as the file HOLD_LONG_WORK says: for tests of Stop.

The file holds words of the bar of the work that waits, step by step; or one of the moments at which a draft waits
without a step. Files beside it tell that such a moment is `reached`, that Stop `came`, and that work has `ended`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from pmwpub.progress import Progress
from pmwpub.service.inputs import schema_editing
from pmwpub.service.inputs.reviewing import Stoppable
from pmwpub.ui.server.serving import lifespan, middleware, routes
from pmwpub.ui.widgets import reading_progress

ROOT = Path(__file__).resolve().parents[2]
HOLD = Path(os.environ["HOLD_LONG_WORK"])
BEFORE, MEANWHILE = "before it is kept", "while it is kept"
_progress_bar = reading_progress.progress_bar
_about_to_keep = schema_editing.about_to_keep
_stop = reading_progress.Decision.stop


def _told() -> str:
    """What the file says; "" without one."""
    try:
        return HOLD.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


@contextmanager
def _waiting(words: str) -> Iterator[Stoppable]:
    try:
        with _progress_bar(words) as progress:
            while (told := _told()) and told in words:
                progress(40, 100)
                time.sleep(0.05)
            yield progress
    finally:
        HOLD.with_name("ended").touch()


def _wait_at(moment: str) -> None:
    while _told() == moment:
        HOLD.with_name("reached").touch()
        time.sleep(0.05)


def _kept(progress: Progress) -> None:
    _wait_at(BEFORE)
    _about_to_keep(progress)
    _wait_at(MEANWHILE)


def _came(decision: reading_progress.Decision) -> bool:
    HOLD.with_name("came").touch()
    return _stop(decision)


reading_progress.progress_bar = _waiting
reading_progress.Decision.stop = _came  # type: ignore[method-assign]
schema_editing.about_to_keep = _kept

app = st.App(str(ROOT / "app.py"), lifespan=lifespan, middleware=middleware(), routes=list(routes()))
