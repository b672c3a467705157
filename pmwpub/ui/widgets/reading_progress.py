"""A bar for work that a page itself does: it is drawn once the work goes on, and taken away at its end.

Stop, and any other press on the page, ends such work at its next step; nothing of it is kept.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pmwpub.service.inputs.reviewing import Progress
from pmwpub.ui.app.state import current

PATIENCE = 0.5
"""Seconds before a bar is drawn, and between two of its steps."""


def _stopped() -> None:
    current().tell("info", "Stopped. Nothing was kept of what was begun.")


@contextmanager
def progress_bar(words: str) -> Iterator[Progress]:
    """What long work is to call; the bar says `words` and how much is done."""
    place = st.empty()
    last, bar = time.monotonic(), None

    def step(done: int, total: int) -> None:
        nonlocal last, bar
        if time.monotonic() - last < PATIENCE:
            return
        last = time.monotonic()
        share = min(1.0, done / max(1, total))
        if bar is None:
            with place.container():
                bar = st.progress(share)
                st.button("Stop", key=f"stop {words}", help="Nothing is kept of what was begun.", on_click=_stopped)
        bar.progress(share, text=f"{words} {share:.0%}")

    try:
        yield step
    finally:
        place.empty()
