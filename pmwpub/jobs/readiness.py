"""Whether this machine can do the work that must not fail: asked before somebody commits to it.

The task "warm" loads and compiles all that such tasks use, and runs each of them on made-up rows; a program of a single
run has those alone tried that it is about to buy.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from functools import cache
from multiprocessing.reduction import ForkingPickler
from typing import Literal

from pmwpub.errors import JobFailed, NotReady, PmwPubError
from pmwpub.jobs.job import Job
from pmwpub.jobs.run import QueuedJob
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
    """Of an engine with workers: each of them is tried before it takes a job, and so is one that takes its place.

    Nothing is tried before `begin`. What failed is not tried again by itself, for it might fail for ever.

    target   "module:function" of the task; None of an engine without it, which has nothing to get ready for
    workers  how many the engine has
    changed  the engine's lock, which tells of every change
    """

    def __init__(self, target: str | None, workers: int, changed: threading.Condition) -> None:
        self._target = target
        self._workers = workers
        self._changed = changed
        self._wanted = self._closed = False
        self._tries: dict[threading.Thread, QueuedJob] = {}

    @property
    def state(self) -> State:
        """How far the worker is that is furthest behind."""
        with self._changed:
            if self._target is None:
                return "ready"
            if not self._wanted:
                return "not begun"
            tries = list(self._tries.values())
            if any(_failed(one) for one in tries):
                return "failed"
            return "ready" if len(tries) == max(1, self._workers) and all(map(_stands, tries)) else "getting ready"

    def begin(self) -> None:
        """Get ready in the background, again where that failed; JobFailed after the engine was shut down."""
        with self._changed:
            if self._closed:
                raise JobFailed("The engine was shut down; nothing runs any more.")
            self._wanted = True
            self._tries = {thread: one for thread, one in self._tries.items() if not _failed(one)}
            self._changed.notify_all()

    def require(self, tasks: Collection[str] = (), *, seconds: float = WAIT_SECONDS) -> None:
        """Raise NotReady unless every worker is ready, after a wait; one that failed is tried again.

        tasks    what is wanted; each worker is tried on every kind of work whatever these are
        seconds  how long the caller waits at most
        """
        if self._target is None:
            return
        with self._changed:
            self.begin()
            if not self._changed.wait_for(lambda: self.state != "getting ready", seconds):
                raise NotReady(GETTING_READY)
            if self.state != "ready":
                reason = next((one.job.reason for one in self._tries.values() if _failed(one)), None)
                raise NotReady(BROKEN.format(words=f" ({reason.words or reason.ending})" if reason else ""))

    # What follows is for the engine, under its lock.

    def due(self) -> bool:
        """Whether the worker of this thread is to be tried before it takes a job."""
        tried = self._tries.get(threading.current_thread())
        return self._target is not None and self._wanted and (tried is None or _gone(tried))

    def tried(self, serial: int) -> QueuedJob:
        """The try of this thread's worker, to be run."""
        nothing = bytes(ForkingPickler.dumps(None))
        entry = QueuedJob(Job(WARM, WARM), self._target or "", nothing, _ignore, _ignore, serial=serial)
        self._tries[threading.current_thread()] = entry
        return entry

    def leave(self) -> None:
        """This thread and its worker end."""
        self._tries.pop(threading.current_thread(), None)

    def close(self) -> None:
        """The engine was shut down."""
        self._closed = True


def _failed(tried: QueuedJob) -> bool:
    return tried.job.over and tried.job.state != "done"


def _stands(tried: QueuedJob) -> bool:
    return tried.job.state == "done" and tried.worker is not None and tried.worker.alive


def _gone(tried: QueuedJob) -> bool:
    """Whether the worker that was ready has ended since."""
    return tried.job.state == "done" and not _stands(tried)


class InlineReadiness:
    """Of an engine that works in the calling thread: the warm-up is run there, once a program for the same tasks.

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

    def require(self, tasks: Collection[str] = (), *, seconds: float = WAIT_SECONDS) -> None:
        """Get ready now, for tasks of these names, or for every one where none is named; NotReady if that fails.

        seconds  of no effect: the caller works, and does not wait
        """
        if self._target is None:
            return
        try:
            for task in sorted(set(tasks)):
                _warmed(self._target, (task,))
            if not tasks:
                _warmed(self._target, None)
        except (PmwPubError, ImportError, OSError, RuntimeError, MemoryError) as error:
            words = str(error) if isinstance(error, PmwPubError) else type(error).__name__
            raise NotReady(BROKEN.format(words=f" ({words})")) from error


@cache
def _warmed(target: str, tasks: tuple[str, ...] | None) -> None:
    resolve(target)(tasks, _silent)


def _silent(done: int, total: int, note: str = "", part: bytes | None = None) -> None:
    """Progress that nobody watches."""


def _ignore(outcome: object) -> None:
    """Of warming up nothing is kept but that it succeeded."""
