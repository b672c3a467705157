"""Whether this machine can do the work that must not fail: asked before somebody commits to it.

The task "warm" loads and compiles all that such tasks use, and runs each of them on made-up rows.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Literal

from pmwpub.errors import NotReady, PmwPubError
from pmwpub.jobs.job import Job
from pmwpub.jobs.task_names import resolve

WARM = "warm"
WAIT_SECONDS = 60.0
"""So long a caller waits for a server that is getting ready."""

GETTING_READY = "The server is still getting ready; try again in a moment."
BROKEN = (
    "The work cannot be done here: the same on made-up rows broke off{words}. The operator should look at the "
    "installation, its memory and its disk."
)

State = Literal["ready", "getting ready", "failed", "not begun"]


class Readiness:
    """Of an engine with workers; the warm-up is a job of its own.

    submit  the engine's; None of an engine without that task, which has nothing to get ready for
    """

    def __init__(self, submit: Callable[..., Job] | None) -> None:
        self._submit = submit
        self._job: Job | None = None
        self._lock = threading.Lock()

    @property
    def state(self) -> State:
        """How far it is."""
        job = self._job
        if self._submit is None or (job is not None and job.state == "done"):
            return "ready"
        if job is None:
            return "not begun"
        return "failed" if job.over else "getting ready"

    def begin(self) -> None:
        """Get ready in the background, again if that failed; QueueFull or JobFailed where there is no place for it."""
        with self._lock:
            if self._submit is not None and self.state in ("not begun", "failed"):
                self._job = self._submit(WARM, None, key=WARM, on_done=_ignore, on_failed=_ignore)

    def require(self) -> None:
        """Raise NotReady unless it is ready, after a wait; one that failed is tried again."""
        self.begin()
        job = self._job
        if job is None:
            return
        if not job.wait(WAIT_SECONDS):
            raise NotReady(GETTING_READY)
        if self.state != "ready":
            reason = job.reason
            raise NotReady(BROKEN.format(words=f" ({reason.words or reason.ending})" if reason else ""))


class InlineReadiness:
    """Of an engine that works in the calling thread: the warm-up is run there, once a program.

    target  "module:function" of the task; None has nothing to get ready for
    """

    def __init__(self, target: str | None) -> None:
        self._target = target

    @property
    def state(self) -> State:
        """It gets ready when it is asked to, so it is never on its way between two calls."""
        return "ready"

    def begin(self) -> None:
        """Nothing is done in the background."""

    def require(self) -> None:
        """Get ready now; NotReady if that fails."""
        if self._target is None:
            return
        try:
            _warmed(self._target)
        except (PmwPubError, ImportError, OSError, RuntimeError, MemoryError) as error:
            words = str(error) if isinstance(error, PmwPubError) else type(error).__name__
            raise NotReady(BROKEN.format(words=f" ({words})")) from error


@cache
def _warmed(target: str) -> None:
    resolve(target)(None, _silent)


def _silent(done: int, total: int, note: str = "", part: bytes | None = None) -> None:
    """Progress that nobody watches."""


def _ignore(outcome: object) -> None:
    """Of warming up nothing is kept but that it succeeded."""
