"""A bar for work that a page itself does: it is drawn once the work goes on, and taken away at its end.

Stop, and any other press on the page, ends such work at its next step. The run that a press causes begins at once, in
another thread, beside the one that works: so Stop and what is kept are decided between the two under one lock. Once
Stop says that nothing was kept, nothing will be.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pmwpub.service.inputs.reviewing import Stoppable
from pmwpub.ui.app.state import current, end_if_overtaken

PATIENCE = 0.5
"""Seconds before a bar is drawn, and between two of its steps."""

KEEPING_SECONDS = 30.0
"""So long the run that Stop caused waits where it came too late, to show what is then kept."""

STOPPED = "Stopped. Nothing was kept of what was begun."
TOO_LATE = "Stop came too late: what was begun was done already."


class Decision:
    """What comes first of a piece of work: that it is stopped, or that it is kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fallen: Literal["stopped", "kept"] | None = None
        self._ended = threading.Event()

    def stop(self) -> bool:
        """Have nothing be kept; False where it came too late, which is answered once the work is at its end."""
        with self._lock:
            self._fallen = self._fallen or "stopped"
            stopped = self._fallen == "stopped"
        if not stopped:
            self._ended.wait(KEEPING_SECONDS)
        return stopped

    def keep(self) -> bool:
        """Have no stop count from now on; False where one came before."""
        with self._lock:
            self._fallen = self._fallen or "kept"
            return self._fallen == "kept"

    @property
    def stopped(self) -> bool:
        """Whether a stop came first."""
        return self._fallen == "stopped"

    def end(self) -> None:
        """The work is at its end, whichever it was."""
        self._ended.set()


class WatchedWork:
    """Progress that draws a bar with a Stop button; a stopped run of the page ends at its next call.

    words  what goes on
    """

    def __init__(self, words: str) -> None:
        self.decision = Decision()
        self._words = words
        self._place = st.empty()
        self._last = time.monotonic()
        self._bar: DeltaGenerator | None = None

    def __call__(self, done: int, total: int, /) -> None:
        """Draw the bar, now and then."""
        self._end_if_stopped()
        if time.monotonic() - self._last < PATIENCE:
            return
        self._last = time.monotonic()
        share = min(1.0, done / max(1, total))
        if self._bar is None:
            with self._place.container():
                self._bar = st.progress(share)
                self._draw_stop()
        self._bar.progress(share, text=f"{self._words} {share:.0%}")

    def keep(self) -> None:
        """End the run where Stop was pressed, or anything else on the page; from now on Stop comes too late."""
        self._end_if_stopped()
        if not self.decision.keep():
            st.stop()

    def clear(self) -> None:
        """Take the bar away."""
        self._place.empty()

    def _end_if_stopped(self) -> None:
        if self.decision.stopped:
            st.stop()
        end_if_overtaken()

    def _draw_stop(self) -> None:
        st.button(
            "Stop",
            key=f"stop {self._words}",
            help="Nothing is kept of what was begun.",
            on_click=partial(_stop, self.decision),
        )


def _stop(decision: Decision) -> None:
    stopped = decision.stop()
    current().tell("info", STOPPED if stopped else TOO_LATE)


@contextmanager
def progress_bar(words: str) -> Iterator[Stoppable]:
    """What long work is to call, and before it keeps anything; the bar says `words` and how much is done."""
    work = WatchedWork(words)
    try:
        yield work
        if not work.decision.keep():
            st.stop()
    finally:
        work.decision.end()
        work.clear()
