"""One job from the engine's side: the talk with its worker, and how it ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from pmwpub import errors
from pmwpub.errors import JobCancelled, JobFailed, PmwPubError
from pmwpub.jobs.job import Job, State
from pmwpub.jobs.process import WorkerProcess

TICK_SECONDS = 0.1

CANCELLED = "The job was cancelled; its charge stays and nothing is drawn again."
CLOSED = "The program closed before the job was over; its charge stays and nothing is drawn again."
CRASHED = "The job ended by an unforeseen error; its charge stays and nothing is drawn again."
DIED = "The worker died before it could answer (killed, or out of memory); the charge stays, nothing is drawn again."

OnDone = Callable[[object], object]
OnFailed = Callable[[PmwPubError], object]
OnPart = Callable[[bytes], object]


def no_part(part: bytes) -> None:
    """For tasks that have no parts."""


@dataclass(eq=False)
class Entry:
    """A job with what its engine needs to run it; the payload is pickled, and dropped once sent."""

    job: Job
    target: str
    payload: bytes = field(repr=False)
    on_done: OnDone
    on_failed: OnFailed
    on_part: OnPart = no_part
    serial: int = 0
    worker: WorkerProcess | None = None
    kill_at: float | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of a task: its result, or why there is none."""

    result: object = field(default=None, repr=False)
    error: PmwPubError | None = None


def converse(worker: WorkerProcess, entry: Entry) -> Outcome:
    """Have the worker run the task; pass progress on until it answers, dies, or its time to stop is over."""
    payload, entry.payload = entry.payload, b""
    try:
        worker.send("run", entry.serial, entry.target, payload)
        del payload
        while entry.kill_at is None or time.monotonic() < entry.kill_at:
            message = worker.receive(TICK_SECONDS)
            if message is None:
                continue
            if message[0] == "part":
                entry.on_part(message[1])
            elif message[0] == "progress":
                entry.job.advance(*message[1:])
            else:
                return _outcome(message)
    except PmwPubError as refusal:  # of `on_part`: what cannot be kept is not worth making
        worker.kill()
        return Outcome(error=refusal)
    except (EOFError, OSError):
        worker.kill()
        return Outcome(error=JobFailed(DIED) if entry.kill_at is None else JobCancelled(CANCELLED))
    worker.kill()
    return Outcome(error=JobCancelled(CANCELLED))


def _outcome(message: tuple[object, ...]) -> Outcome:
    match message:
        case ("done", result):
            return Outcome(result)
        case ("cancelled",):
            return Outcome(error=JobCancelled(CANCELLED))
        case ("refused", str(name), str(words)):
            kind = getattr(errors, name, PmwPubError)
            return Outcome(error=kind(words))
        case _:
            return Outcome(error=JobFailed(CRASHED))


def settle(entry: Entry, outcome: Outcome) -> None:
    """Tell the caller, then everybody: a result is stored before the job is seen as done.

    A PmwPubError out of `on_done` fails the job. Any other error of a callback is a fault of the program: it
    is not hidden, and the job ends as failed all the same.
    """
    state: State = "failed"
    error = outcome.error
    try:
        if error is None:
            try:
                entry.on_done(outcome.result)
                state = "done"
            except PmwPubError as refusal:
                error = refusal
        if error is not None:
            state = "cancelled" if isinstance(error, JobCancelled) else "failed"
            with suppress(PmwPubError):
                entry.on_failed(error)
    finally:
        entry.job.end(state, JobFailed(CRASHED) if state == "failed" and error is None else error)
