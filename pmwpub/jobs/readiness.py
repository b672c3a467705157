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
"""How long a caller waits for a server that is getting ready."""

GETTING_READY = "The server is still getting ready; try again in a moment."
BROKEN = (
    "The work cannot be done here: the same on made-up rows broke off{words}. The operator should look at the "
    "installation, its memory and its disk."
)

State = Literal["ready", "getting ready", "failed", "not begun"]


class Readiness:
    """The readiness of an engine with workers, whose warm-up is a job of its own.

    submit  the engine's `submit`; None where it has no task "warm", and so nothing to get ready for
    """

    def __init__(self, submit: Callable[..., Job] | None) -> None:
        self._submit = submit
        self._job: Job | None = None
        self._lock = threading.Lock()

    @property
    def state(self) -> State:
        """How far the warm-up is."""
        job = self._job
        if self._submit is None or (job is not None and job.state == "done"):
            return "ready"
        if job is None:
            return "not begun"
        return "failed" if job.over else "getting ready"

    def begin(self) -> None:
        """Begin the warm-up in the background, again if one failed; QueueFull or JobFailed where it gets no place."""
        with self._lock:
            if self._submit is not None and self.state in ("not begun", "failed"):
                self._job = self._submit(WARM, None, key=WARM, on_done=_ignore, on_failed=_ignore)

    def require(self) -> None:
        """Wait until the engine is ready, after trying a failed warm-up again; NotReady where it is not in time."""
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
    """The readiness of an engine that works in the calling thread, where the warm-up runs once a program.

    target  "module:function" of the task "warm"; None where there is nothing to get ready for
    """

    def __init__(self, target: str | None) -> None:
        self._target = target

    @property
    def state(self) -> State:
        """Always "ready": this engine gets ready when `require` asks for it, not between two calls."""
        return "ready"

    def begin(self) -> None:
        """Do nothing: nothing is done in the background."""

    def require(self) -> None:
        """Run the warm-up now, unless it has run; NotReady if it fails."""
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
    """Take progress that nobody watches."""


def _ignore(outcome: object) -> None:
    """Drop what a warm-up returns: that it ended well is all that is kept."""
