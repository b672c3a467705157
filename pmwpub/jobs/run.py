"""One job from the engine's side: the talk with its worker, and how it ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from pmwpub import errors
from pmwpub.errors import PmwPubError
from pmwpub.jobs.job import Ending, Job, Reason, State
from pmwpub.jobs.process import WorkerProcess

TICK_SECONDS = 0.1

OnDone = Callable[[object], object]
OnFailed = Callable[[Reason], object]
OnPart = Callable[[bytes], object]


def no_part(part: bytes) -> None:
    """Drop a part: for callers whose tasks have none."""


@dataclass(eq=False)
class QueuedJob:
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
class JobOutcome:
    """What came of a task: its result, or why there is none."""

    result: object = field(default=None, repr=False)
    reason: Reason | None = None


def converse(worker: WorkerProcess, entry: QueuedJob) -> JobOutcome:
    """Have a worker run a task, and pass its progress on until it answers, dies, or has not stopped in time."""
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
        return JobOutcome(reason=Reason.of(refusal))
    except (EOFError, OSError):
        worker.kill()
        return JobOutcome(reason=Reason(Ending.DIED if entry.kill_at is None else Ending.CANCELLED))
    worker.kill()
    return JobOutcome(reason=Reason(Ending.CANCELLED))


def _outcome(message: tuple[object, ...]) -> JobOutcome:
    match message:
        case ("done", result):
            return JobOutcome(result)
        case ("cancelled",):
            return JobOutcome(reason=Reason(Ending.CANCELLED))
        case ("refused", str(name), str(words)):
            kind = getattr(errors, name, PmwPubError)
            return JobOutcome(reason=Reason.of(kind(words)))
        case _:
            return JobOutcome(reason=Reason(Ending.CRASHED))


def settle(entry: QueuedJob, outcome: JobOutcome) -> None:
    """Tell the caller of the job, then everybody: a result is stored before the job is seen as done.

    A job is seen as cancelled where somebody stopped it, or it never began; as failed after any other ending.

    A PmwPubError out of `on_done` fails the job. Any other error of a callback is a fault of the program: it
    is not hidden, and the job ends as failed all the same.
    """
    state: State = "failed"
    reason = outcome.reason
    try:
        if reason is None:
            try:
                entry.on_done(outcome.result)
                state = "done"
            except PmwPubError as refusal:
                reason = Reason.of(refusal)
        if reason is not None:
            stopped = reason.ending is Ending.CANCELLED or entry.job.started is None
            state = "cancelled" if stopped else "failed"
            with suppress(PmwPubError):
                entry.on_failed(reason)
    finally:
        entry.job.end(state, Reason(Ending.CRASHED) if state == "failed" and reason is None else reason)
