"""The engine of programs with one user: the interface of `Engine`, but each job runs at once in the caller's thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from pmwpub.errors import PmwPubError
from pmwpub.jobs.job import Ending, Job, Reason, Throttle
from pmwpub.jobs.line import FREE, Claim, JobInLine
from pmwpub.jobs.readiness import WARM, InlineReadiness
from pmwpub.jobs.run import JobOutcome, OnDone, OnFailed, OnPart, QueuedJob, no_part, settle
from pmwpub.jobs.task_names import TASKS, resolve, target_of


class InlineEngine:
    """Runs each job inside `submit`, which returns when it is over.

    progress  called with the job as it goes along, such as to print a line
    """

    def __init__(
        self, progress: Callable[[Job], None] | None = None, *, tasks: Mapping[str, str] | None = None
    ) -> None:
        self._show = progress
        self._tasks = dict(TASKS if tasks is None else tasks)
        self._jobs: dict[str, Job] = {}
        self.readiness = InlineReadiness(self._tasks.get(WARM))

    @contextmanager
    def reserve(self, key: str, claim: Claim = FREE) -> Iterator[None]:
        """Do nothing: this engine has a place for every job."""
        yield

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
        """Run a task, unless a job of that key is done; see `Engine.submit`.

        Ctrl+C cancels the job, calls on_failed, and is raised again; so is any unforeseen error of the task.
        """
        target = target_of(task, self._tasks)
        known = self._jobs.get(key)
        if known is not None and known.state == "done":
            return known
        job = self._jobs[key] = Job(key, task)
        entry = QueuedJob(job, target, b"", on_done, on_failed, on_part)
        job.begin()
        outcome = JobOutcome(reason=Reason(Ending.CRASHED))
        try:
            outcome = JobOutcome(resolve(target)(payload, self._reporter(job, on_part)))
        except PmwPubError as error:
            outcome = JobOutcome(reason=Reason.of(error))
        except KeyboardInterrupt:
            outcome = JobOutcome(reason=Reason(Ending.CANCELLED))
            raise
        finally:
            settle(entry, outcome)
        return job

    def job(self, key: str) -> Job | None:
        """The latest job of that key."""
        return self._jobs.get(key)

    def expects(self, key: str) -> bool:
        """False: a job is over when its `submit` returns, so no end is still to come."""
        return False

    def forget(self, key: str) -> None:
        """Let a key be run again."""
        self._jobs.pop(key, None)

    def in_line(self) -> list[JobInLine]:
        """None: no job is at work between two calls."""
        return []

    def place(self, key: str) -> int:
        """0: no job ever waits."""
        return 0

    def cancel(self, key: str) -> bool:
        """False: no job runs between two calls, so there is none to stop."""
        return False

    def shutdown(self) -> None:
        """Do nothing: there is no worker to end."""

    def _reporter(self, job: Job, on_part: OnPart) -> Callable[..., None]:
        throttle = Throttle()

        def report(done: int, total: int, note: str = "", part: bytes | None = None) -> None:
            if part is not None:
                on_part(part)
            if throttle.passes(done, total):
                job.advance(done, total, note)
                if self._show is not None:
                    self._show(job)

        return report
