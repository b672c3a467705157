"""The engine: a queue in front of warm worker processes.

One thread of the engine owns one worker. It sends a job, passes its progress on, and runs the caller's `on_done` or
`on_failed` itself, before anybody sees the job as over. A worker that dies is replaced; its job is never run again,
for what was drawn once is never drawn again. In what it calls the program acts, whoever asked, and is here no more.
"""

from __future__ import annotations

import atexit
import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.reduction import ForkingPickler

from pmwpub.accounts.acting import acting_as
from pmwpub.errors import JobFailed
from pmwpub.jobs.job import Ending, Job, Reason
from pmwpub.jobs.line import ALONE, FREE, Claim, JobInLine, Line, Shares
from pmwpub.jobs.process import WorkerProcess
from pmwpub.jobs.readiness import WARM, Readiness
from pmwpub.jobs.run import JobOutcome, OnDone, OnFailed, OnPart, QueuedJob, converse, no_part, settle
from pmwpub.jobs.task_names import TASKS, target_of

GRACE_SECONDS = 3.0
"""After so long a task that was asked to stop, and did not, is killed."""

LOOK_SECONDS = 5.0
"""So often an idle worker is looked at: one that is gone is replaced, and tried before there is a job for it."""

KEPT_JOBS = 500
"""The most jobs that can still be looked at when they are over; the oldest are forgotten first."""


class Engine:
    """Runs registered tasks in `workers` processes, paid ones first, at most `waiting` of them in line.

    shares  how the line is shared between those who ask for work
    tasks   name -> "module:function"; the registry of `pmwpub.jobs.task_names` unless given
    """

    def __init__(
        self,
        workers: int = 2,
        *,
        waiting: int = 20,
        shares: Shares = ALONE,
        tasks: Mapping[str, str] | None = None,
    ) -> None:
        self._tasks = dict(TASKS if tasks is None else tasks)
        self._serials = itertools.count(1)
        self._changed = threading.Condition()
        self._line = Line(waiting, shares)
        self._live: dict[str, QueuedJob] = {}
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._workers: dict[threading.Thread, WorkerProcess] = {}
        self._closed = False
        self.readiness = Readiness(self._tasks.get(WARM), workers, self._changed)
        self._threads = [self._started_thread() for _ in range(workers)]
        atexit.register(self.shutdown)

    @contextmanager
    def reserve(self, key: str, claim: Claim = FREE) -> Iterator[None]:
        """Hold a place in the queue for a `submit` with this key; QueueFull if there is none for this claim.

        With it a caller makes sure of a place before it commits itself.
        """
        with self._changed:
            if key not in self._live:
                self._line.refuse_full(claim)
            self._line.hold(key, claim)
        try:
            yield
        finally:
            with self._changed:
                self._line.let_go(key, claim)

    def submit(
        self,
        task: str,
        payload: object,
        *,
        key: str,
        on_done: OnDone,
        on_failed: OnFailed,
        on_part: OnPart = no_part,
        claim: Claim = FREE,
    ) -> Job:
        """Queue a task, unless a job of that key waits, runs or is done: then that one is returned.

        payload    picklable; pickled here, it reaches the worker by pipe only, and is dropped once sent
        on_done    gets the task's result on an engine thread and must store it; the job is "done" afterwards.
                   If it raises a PmwPubError the job has failed, and on_failed gets that.
        on_failed  gets the reason, once, when there will be no result
        on_part    gets each part of the result as it comes, on an engine thread; if it raises a PmwPubError the job
                   ends with that
        claim      what the job is, paid or free, and whose

        Raises QueueFull without a place, JobFailed for an unknown task or after `shutdown`; neither is called then.
        """
        target = target_of(task, self._tasks)
        pickled = bytes(ForkingPickler.dumps(payload))
        with self._changed:
            known = self._jobs.get(key)
            if known is not None and known.state not in ("failed", "cancelled"):
                return known
            if self._closed:
                raise JobFailed("The engine was shut down; nothing runs any more.")
            if not self._line.holds(key):
                self._line.refuse_full(claim)
            entry = QueuedJob(Job(key, task), target, pickled, on_done, on_failed, on_part, next(self._serials))
            self._line.join(entry, claim)
            self._live[key] = entry
            self._remember(entry.job)
            self._changed.notify()
            return entry.job

    def job(self, key: str) -> Job | None:
        """The latest job of that key, if this engine still knows one."""
        with self._changed:
            return self._jobs.get(key)

    def expects(self, key: str) -> bool:
        """Whether a place is reserved for a key, or its job waits or runs: the end is then still to come."""
        with self._changed:
            return key in self._live or self._line.holds(key)

    def forget(self, key: str) -> None:
        """Let a key whose job is over be run again, such as after its public result was deleted."""
        with self._changed:
            if key not in self._live:
                self._jobs.pop(key, None)

    def in_line(self) -> list[JobInLine]:
        """The jobs that are at work or wait; those that are over are not among them."""
        with self._changed:
            return self._line.jobs

    def place(self, key: str) -> int:
        """How far from the front of the line a job waits: 1 where it is next, 0 where it does not wait."""
        with self._changed:
            return self._line.place(key)

    def cancel(self, key: str) -> bool:
        """Stop a job: taken from the queue, or asked to stop and killed after three seconds. False if it is over.

        A result that was ready by then is stored all the same.
        """
        with self._changed:
            entry = self._live.get(key)
            if entry is None:
                return False
            waits = self._line.leave(entry)
            if not waits and entry.kill_at is None:
                entry.kill_at = time.monotonic() + GRACE_SECONDS
        if waits:
            outcome = JobOutcome(reason=Reason(Ending.CANCELLED))
            threading.Thread(target=self._settle, args=(entry, outcome), daemon=True).start()
        elif entry.worker is not None:
            entry.worker.stop(entry.serial)
        return True

    def pids(self) -> list[int]:
        """The process ids of the workers that live."""
        with self._changed:
            return [worker.pid for worker in self._workers.values() if worker.alive]

    def shutdown(self) -> None:
        """End all workers; jobs that wait or run end without a result. Also called when the program exits."""
        atexit.unregister(self.shutdown)
        with self._changed:
            self._closed = True
            self.readiness.close()
            dropped = [entry for entry in self._line.entries if self._line.leave(entry)]
            workers = list(self._workers.values())
            threads = list(self._threads)
            self._changed.notify_all()
        for entry in dropped:
            self._settle(entry, JobOutcome(reason=Reason(Ending.CLOSED)))
        for worker in workers:
            worker.kill()
        for thread in threads:
            thread.join(5)

    def _remember(self, job: Job) -> None:
        self._jobs[job.key] = job
        self._jobs.move_to_end(job.key)
        for key in [key for key, kept in self._jobs.items() if kept.over][:-KEPT_JOBS]:
            del self._jobs[key]

    # What follows runs on the engine's own threads.

    def _started_thread(self) -> threading.Thread:
        thread = threading.Thread(target=self._serve, name="pmwpub job", daemon=True)
        thread.start()
        return thread

    def _serve(self) -> None:
        """Run jobs one after another; if a caller's callback breaks this thread, another takes its place."""
        try:
            self._worker()
            while (entry := self._next()) is not None:
                outcome = JobOutcome(reason=Reason(Ending.CRASHED))
                try:
                    outcome = self._run(entry)
                finally:
                    self._settle(entry, outcome)
                self._worker()
        finally:
            worker = self._workers.pop(threading.current_thread(), None)
            if worker is not None:
                worker.close()
            with self._changed:
                self.readiness.leave()
                if not self._closed:
                    self._threads.append(self._started_thread())

    def _next(self) -> QueuedJob | None:
        """What this thread's worker does next: it is tried before it takes what waits in line."""
        with self._changed:
            while not self._changed.wait_for(self._something_to_do, LOOK_SECONDS):
                pass  # nobody tells of a worker that died without a job
            if self._closed:
                return None
            entry = self.readiness.tried(next(self._serials)) if self.readiness.due() else self._line.begin()
            entry.job.begin()
            return entry

    def _something_to_do(self) -> bool:
        return self._closed or self.readiness.due() or self._line.ready()

    def _worker(self) -> WorkerProcess | None:
        """This thread's worker, started anew if it died; None if the system cannot start one."""
        thread = threading.current_thread()
        worker = self._workers.get(thread)
        if worker is not None and worker.alive:
            return worker
        if worker is not None:
            worker.close()
        try:
            worker = WorkerProcess(self._tasks.values())
        except OSError:
            return None
        with self._changed:
            self._workers[thread] = worker
            if self._closed:
                worker.kill()
        return worker

    def _run(self, entry: QueuedJob) -> JobOutcome:
        worker = self._worker()
        if worker is None:
            return JobOutcome(reason=Reason(Ending.DIED))
        with self._changed:
            entry.worker = worker
            if entry.kill_at is not None:
                return JobOutcome(reason=Reason(Ending.CANCELLED))
        with acting_as(None):
            outcome = converse(worker, entry)
        if outcome.reason is not None and self._closed:
            return JobOutcome(reason=Reason(Ending.CLOSED))
        return outcome

    def _settle(self, entry: QueuedJob, outcome: JobOutcome) -> None:
        try:
            with acting_as(None):
                settle(entry, outcome)
        finally:
            with self._changed:
                if self._live.get(entry.job.key) is entry:
                    del self._live[entry.job.key]
                self._line.over(entry)
                self._changed.notify_all()
