"""A bar for work that a page itself does: it is drawn once the work goes on, and taken away at its end.

Any other press on the page ends such work at its next step, and nothing of it is kept.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pmwpub.progress import Progress

PATIENCE = 0.5
"""Seconds before a bar is drawn, and between two of its steps."""


@contextmanager
def reading_columns(words: str) -> Iterator[Progress]:
    """What long work is to call; the bar says `words` and how many steps are done."""
    place = st.empty()
    last = time.monotonic()

    def step(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= PATIENCE:
            last = time.monotonic()
            place.progress(min(1.0, done / max(1, total)), text=f"{words} {done:,} of {total:,}")

    try:
        yield step
    finally:
        place.empty()
