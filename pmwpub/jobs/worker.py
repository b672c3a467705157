"""Inside a worker process: run one task at a time, report, and end when the pipe closes.

Messages that arrive:  ("run", serial, target, pickled payload), ("stop", serial), ("import", targets)
Messages that leave:   ("progress", done, total, note), ("part", bytes), ("done", result), ("cancelled",),
                       ("refused", class name, message), ("crashed",)
The main thread only reads, so a closed pipe ends the process even in the middle of a long computation. Payloads may
hold private counts: they live in memory only, core dumps are off, and of an unforeseen error not even the text leaves.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler

from pmwpub.errors import JobCancelled, PmwPubError
from pmwpub.jobs.dumps import limit_memory, no_core_dumps
from pmwpub.jobs.job import Throttle
from pmwpub.jobs.task_names import resolve
from pmwpub.settings import worker_memory

NICENESS = 10


class Outbox:
    """The sending end of the pipe, which the worker's threads share."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def send(self, *message: object) -> None:
        with self._lock:
            self._connection.send(message)


class Reporter:
    """The `progress` that one task is handed: it reports to the engine, and raises JobCancelled once it is to stop."""

    def __init__(self, outbox: Outbox, stop: threading.Event) -> None:
        self._outbox = outbox
        self._stop = stop
        self._throttle = Throttle()

    def __call__(self, done: int, total: int, note: str = "", part: bytes | None = None) -> None:
        if part is not None:
            self._outbox.send("part", part)
        if self._stop.is_set():
            raise JobCancelled("The job was cancelled.")
        if self._throttle.passes(done, total):
            self._outbox.send("progress", done, total, note)


def serve(connection: Connection) -> None:
    """Run what the engine sends until the other end of the pipe closes."""
    outbox = Outbox(connection)
    stops: dict[int, threading.Event] = {}
    executor = ThreadPoolExecutor(max_workers=1)
    while True:
        try:
            kind, *content = connection.recv()
        except (EOFError, OSError):
            os._exit(0)
        if kind == "import":
            executor.submit(_preload, *content)
        elif kind == "stop":
            stops.setdefault(content[0], threading.Event()).set()
        else:
            serial, target, payload = content
            stop = stops.setdefault(serial, threading.Event())
            stops = {serial: stop}
            future = executor.submit(_run, target, payload, outbox, stop)
            future.add_done_callback(partial(_report_failure, outbox))
            del content, payload


def _preload(targets: list[str]) -> None:
    for target in targets:
        resolve(target)


def _run(target: str, payload: bytes, outbox: Outbox, stop: threading.Event) -> None:
    task = resolve(target)
    outbox.send("done", task(ForkingPickler.loads(payload), Reporter(outbox, stop)))


def _report_failure(outbox: Outbox, future: Future[None]) -> None:
    error = future.exception()
    if error is None:
        return
    if isinstance(error, JobCancelled):
        outbox.send("cancelled")
    elif isinstance(error, PmwPubError):
        outbox.send("refused", type(error).__name__, str(error))
    else:
        outbox.send("crashed")


def main(descriptor: int) -> None:
    """Serve the inherited pipe end `descriptor`: at lower priority, within its memory limit, without core dumps."""
    os.nice(NICENESS)
    no_core_dumps()
    limit_memory(worker_memory())
    serve(Connection(descriptor))
