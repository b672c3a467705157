"""Where the parts of a sweep are made: here, in processes of this machine, or in any executor that one has.

`open` lends a `ReadyWorkers`: a `concurrent.futures.Executor`, and what stands for the shared input in a task, so
that the input travels to a worker once and not with each task. See `pmwpub.evaluation.dask_cluster` for a Dask cluster.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from pmwpub.errors import PmwPubError

ONE_THREAD = (
    "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip
"""A worker computes with one thread: there is a worker for each core."""


@dataclass(frozen=True, eq=False)
class ReadyWorkers:
    """Workers that are ready.

    shared  sent with each task in place of the shared input
    width   how many tasks run at once
    lost    what a task's future raises where the worker, and not the task, failed
    """

    executor: Executor
    shared: object
    width: int
    lost: tuple[type[BaseException], ...] = (BrokenExecutor, CancelledError)


class Workers(Protocol):
    """A place to work; opening it again after a worker was lost gives fresh workers."""

    def open(self, shared: object) -> AbstractContextManager[ReadyWorkers]: ...


class _Here(Executor):
    """Runs a task when it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except PmwPubError as refusal:
            future.set_exception(refusal)
        return future


@dataclass(frozen=True)
class Here:
    """This very thread, without workers."""

    @contextmanager
    def open(self, shared: object) -> Iterator[ReadyWorkers]:
        yield ReadyWorkers(_Here(), shared, 1)


@dataclass(frozen=True)
class Borrowed:
    """Somebody else's executor, left running afterwards. The shared input goes with each task."""

    executor: Executor
    width: int

    @contextmanager
    def open(self, shared: object) -> Iterator[ReadyWorkers]:
        yield ReadyWorkers(self.executor, shared, self.width)


@dataclass(frozen=True)
class LocalProcesses:
    """Fresh processes of this machine, one thread each; none is forked from a program with threads."""

    processes: int

    @contextmanager
    def open(self, shared: object) -> Iterator[ReadyWorkers]:
        """Lend processes that end with the block, at once where an exception ends it; with this program in any case."""
        before = set(multiprocessing.active_children())
        with _one_thread_each():
            executor = ProcessPoolExecutor(
                self.processes,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_begin,
                initargs=(shared,),
            )
            try:
                yield ReadyWorkers(executor, SharedInput(), self.processes)
            except BaseException:
                for child in set(multiprocessing.active_children()) - before:
                    child.kill()
                raise
            finally:
                executor.shutdown(wait=True, cancel_futures=True)


def cores() -> int:
    """The cores that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class SharedInput:
    """What stands, in a task, for the shared input that a worker process got when it began."""

    def value(self) -> object:
        """The input, in the worker."""
        return _HELD[0]


_HELD: list[object] = []


def call(function: Callable[[Any, Any], Any], shared: object, task: object) -> Any:
    """Run a function on the shared input and one task: what an executor is sent."""
    return function(shared.value() if isinstance(shared, SharedInput) else shared, task)


def _begin(shared: object) -> None:
    """Set up a worker process: it keeps the shared input, leaves Ctrl+C to its parent, and ends with its parent."""
    _HELD[:] = [shared]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Set the environment that processes start in, inside the block: they read it when they import numpy and numba."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
