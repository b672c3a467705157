"""A job as everybody sees it, and the progress that a task reports."""

from __future__ import annotations

import threading
import time
from typing import Literal, Protocol

from pmwpub.errors import PmwPubError

State = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED: tuple[State, ...] = ("done", "failed", "cancelled")
THROTTLE_SECONDS = 0.1
"""Progress is passed on at most so often, and at the end."""


class Progress(Protocol):
    """What a task calls as it goes along; raises JobCancelled once the steward has asked to stop.

    part  a finished part of the result, for the job's `on_part`: each one is passed on, in order
    """

    def __call__(self, done: int, total: int, note: str = "", part: bytes | None = None) -> None: ...


class Throttle:
    """Lets a report pass when the last one is old enough, and the final one once."""

    def __init__(self) -> None:
        self._last = 0.0
        self._final: int | None = None

    def passes(self, done: int, total: int) -> bool:
        moment = time.monotonic()
        final = done >= total and self._final != done
        if not final and moment - self._last < THROTTLE_SECONDS:
            return False
        self._last = moment
        self._final = done if done >= total else None
        return True


class Job:
    """Long work under a key; safe to read from any thread while an engine moves it on.

    state        "queued", "running", "done", "failed" or "cancelled"; "done" only after its result was stored
    done, total  steps, as the task last reported; total is 0 until then
    note         what the task is at, in words
    error        why it ended without a result
    """

    def __init__(self, key: str, task: str) -> None:
        self.key = key
        self.task = task
        self.state: State = "queued"
        self.done = 0
        self.total = 0
        self.note = ""
        self.error: PmwPubError | None = None
        self.started: float | None = None
        self._ended: float | None = None
        self._over = threading.Event()

    def __repr__(self) -> str:
        return f"Job({self.key!r}, {self.task!r}, {self.state}, {self.done}/{self.total})"

    @property
    def elapsed(self) -> float:
        """Seconds since it started running; 0 while it waits."""
        if self.started is None:
            return 0.0
        return (self._ended or time.monotonic()) - self.started

    @property
    def eta(self) -> float | None:
        """Seconds left at the pace so far; None while that is unknown."""
        if self.state != "running" or not 0 < self.done <= self.total:
            return None
        return self.elapsed * (self.total - self.done) / self.done

    @property
    def over(self) -> bool:
        """Whether it has ended, one way or another."""
        return self._over.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended, at most so long; whether it has."""
        return self._over.wait(seconds)

    def begin(self) -> None:
        """For engines: it runs from now on."""
        self.started = time.monotonic()
        self.state = "running"

    def advance(self, done: int, total: int, note: str) -> None:
        """For engines: what the task reported."""
        self.done, self.total, self.note = done, total, note

    def end(self, state: State, error: PmwPubError | None) -> None:
        """For engines: it is over."""
        self._ended = time.monotonic()
        self.error = error
        self.state = state
        self._over.set()
