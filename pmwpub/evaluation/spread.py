"""Many independent tasks over workers that may die: what is finished is kept, the rest is done again elsewhere."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Set
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TypeVar

from pmwpub.errors import JobFailed
from pmwpub.evaluation.workers import ReadyWorkers, Workers, call

SharedInput = TypeVar("SharedInput")
Task = TypeVar("Task", bound=Hashable)
Found = TypeVar("Found")

TICK_SECONDS = 0.2
MOST_LOSSES = 3
"""How many losses of workers in a row, without one finished task between them, end the work."""


class _Lost(Exception):
    """A worker went away; what it had not finished is still to be done."""


def spread(
    function: Callable[[SharedInput, Task], Found],
    shared: SharedInput,
    tasks: Iterable[Task],
    workers: Workers,
    *,
    known: Mapping[Task, Found],
    then: Callable[[Task, Found], Iterable[Task]] = lambda task, found: (),
    on_found: Callable[[Task, Found], None] = lambda task, found: None,
    tick: Callable[[], None] = lambda: None,
) -> dict[Task, Found]:
    """The result of function(shared, task) for every task, those that follow from others included.

    function  importable by name; shared, tasks and results can be pickled
    known     what was found before, and is not done again
    then      the tasks that a finished one leads to
    on_found  told of each new result as it comes, in this thread
    tick      called about five times a second; may raise to end the work

    Raises what a task raises, and JobFailed after `MOST_LOSSES` losses of workers with nothing finished in between.
    """
    done: dict[Task, Found] = {}
    waiting: deque[Task] = deque()

    def settle(task: Task, found: Found) -> None:
        done[task] = found
        plan(then(task, found))

    def plan(new: Iterable[Task]) -> None:
        for task in new:
            if task in known:
                settle(task, known[task])
            else:
                waiting.append(task)

    def finish(task: Task, found: Found) -> None:
        on_found(task, found)
        settle(task, found)

    plan(tasks)
    losses = 0
    while waiting:
        before = len(done)
        try:
            with workers.open(shared) as ready_workers:
                _work(function, ready_workers, waiting, finish, tick)
        except _Lost as loss:
            losses = losses + 1 if len(done) == before else 1
            if losses >= MOST_LOSSES:
                raise JobFailed(
                    f"Workers were lost {losses} times in a row before anything was finished (killed, out of memory, "
                    "or out of reach). What was finished before is kept."
                ) from loss.__cause__
    return done


def _work(
    function: Callable[[SharedInput, Task], Found],
    ready_workers: ReadyWorkers,
    waiting: deque[Task],
    finish: Callable[[Task, Found], None],
    tick: Callable[[], None],
) -> None:
    """Work until nothing waits or runs. The executor has at most two tasks a worker, so that it can be left soon."""
    running: dict[Future[Found], Task] = {}
    try:
        while waiting or running:
            tick()
            while waiting and len(running) < 2 * ready_workers.width:
                _submit(function, ready_workers, waiting, running)
                if any(future.done() for future in running):
                    break
            ready, _ = wait(running, timeout=TICK_SECONDS, return_when=FIRST_COMPLETED)
            _collect(ready, running, ready_workers, finish)
    except _Lost:
        _salvage(running, finish)
        raise
    finally:
        waiting.extendleft(reversed(running.values()))


def _submit(
    function: Callable[[SharedInput, Task], Found],
    ready_workers: ReadyWorkers,
    waiting: deque[Task],
    running: dict[Future[Found], Task],
) -> None:
    try:
        future = ready_workers.executor.submit(call, function, ready_workers.shared, waiting[0])
    except ready_workers.lost as loss:
        raise _Lost from loss
    running[future] = waiting.popleft()


def _collect(
    ready: Set[Future[Found]],
    running: dict[Future[Found], Task],
    ready_workers: ReadyWorkers,
    finish: Callable[[Task, Found], None],
) -> None:
    """Take ready results in the order in which their tasks were sent out, for `wait` gives them as a set."""
    for future in [future for future in running if future in ready]:
        try:
            found = future.result()
        except ready_workers.lost as loss:
            raise _Lost from loss
        finish(running.pop(future), found)


def _salvage(running: dict[Future[Found], Task], finish: Callable[[Task, Found], None]) -> None:
    """Keep what other workers had finished when one was lost."""
    for future in [future for future in running if future.done() and not future.cancelled()]:
        if future.exception() is None:
            finish(running.pop(future), future.result())
