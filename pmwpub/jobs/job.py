"""A job as everybody sees it, and the progress that a task reports."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol

from pmwpub.errors import JobCancelled, JobUnresolved, PmwPubError
from pmwpub.progress import Progress

State = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED: tuple[State, ...] = ("done", "failed", "cancelled")
THROTTLE_SECONDS = 0.1
"""The least time between two reports of progress that are passed on; the last report always is."""


class Ending(StrEnum):
    """How a job can end without a result. What that means for whoever asked for the work is not the queue's to say."""

    CANCELLED = "cancelled"
    """Somebody stopped the job."""
    CLOSED = "closed"
    """The program closed before the job was over."""
    CRASHED = "crashed"
    """The task, or what was to keep its result, had an unforeseen error."""
    DIED = "died"
    """The worker was gone before it could answer, or could not be started."""
    REFUSED = "refused"
    """The task, or what was to keep its result, refused by an error of its own."""
    UNRESOLVED = "unresolved"
    """The task came to its end without a result."""


@dataclass(frozen=True)
class Reason:
    """Why a job ended without a result.

    refusal  the class of the error that refused, where one did
    words    what that error said

    Privacy: the words of a refusal may be about private rows. They are for whoever asked for the work, enter no log,
    and are absent from the repr.
    """

    ending: Ending
    refusal: type[PmwPubError] | None = None
    words: str = field(default="", repr=False)

    @classmethod
    def of(cls, error: PmwPubError) -> Reason:
        """The reason that an error of a task or a callback gives, without the error, which would keep frames alive."""
        if isinstance(error, JobCancelled):
            return cls(Ending.CANCELLED)
        if isinstance(error, JobUnresolved):
            return cls(Ending.UNRESOLVED)
        return cls(Ending.REFUSED, type(error), str(error))


class JobProgress(Progress, Protocol):
    """What a task calls as it goes along; the call raises JobCancelled once somebody has asked the job to stop.

    note  what the task is at, in words
    part  a finished part of the result, for the job's `on_part`: each one is passed on, in order
    """

    def __call__(self, done: int, total: int, note: str = "", part: bytes | None = None) -> None: ...


class Throttle:
    """Lets a report pass when the last one is old enough, and the final one once."""

    def __init__(self) -> None:
        self._last = 0.0
        self._final: int | None = None

    def passes(self, done: int, total: int) -> bool:
        """Whether a report of `done` steps out of `total` is passed on now."""
        moment = time.monotonic()
        final = done >= total and self._final != done
        if not final and moment - self._last < THROTTLE_SECONDS:
            return False
        self._last = moment
        self._final = done if done >= total else None
        return True


MEASURED = 0.02
"""The part of a job's steps after which it is said how long the others may take."""


class Job:
    """Long work under a key; safe to read from any thread while an engine moves it on.

    state        "queued", "running", "done", "failed" or "cancelled"; "done" only after its result was stored
    done, total  steps, as the task last reported; total is 0 until then
    note         what the task is at, in words
    reason       why it ended without a result
    """

    def __init__(self, key: str, task: str) -> None:
        self.key = key
        self.task = task
        self.state: State = "queued"
        self.done = 0
        self.total = 0
        self.note = ""
        self.reason: Reason | None = None
        self.started: float | None = None
        self._ended: float | None = None
        self._paced: tuple[float, int] | None = None
        self._over = threading.Event()

    def __repr__(self) -> str:
        return f"Job({self.key!r}, {self.task!r}, {self.state}, {self.done}/{self.total})"

    @property
    def elapsed(self) -> float:
        """Seconds since the job began, or that it took; 0 while it waits."""
        if self.started is None:
            return 0.0
        return (self._ended or time.monotonic()) - self.started

    @property
    def eta(self) -> float | None:
        """Seconds left at the pace since the first step was reported; None until `MEASURED` of the steps were taken.

        What comes before the first step, compiling for one thing, is no part of the pace.
        """
        if self.state != "running" or self._paced is None or not self.done <= self.total:
            return None
        since, first = self._paced
        taken = self.done - first
        if taken <= 0 or taken < MEASURED * self.total:
            return None
        return (time.monotonic() - since) * (self.total - self.done) / taken

    @property
    def over(self) -> bool:
        """Whether the job has ended, one way or another."""
        return self._over.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the job has ended, for at most so many seconds; returns whether it has."""
        return self._over.wait(seconds)

    def begin(self) -> None:
        """Mark the job as running from now on; for engines."""
        self.started = time.monotonic()
        self.state = "running"

    def advance(self, done: int, total: int, note: str) -> None:
        """Note what the task reported; for engines."""
        if self._paced is None and done > 0:
            self._paced = (time.monotonic(), done)
        self.done, self.total, self.note = done, total, note

    def end(self, state: State, reason: Reason | None) -> None:
        """Mark the job as over; for engines.

        state  one of ENDED; reason  why there is no result, None where there is one
        """
        self._ended = time.monotonic()
        self.reason = reason
        self.state = state
        self._over.set()
