from __future__ import annotations

import pytest
from jobs.sample_tasks import TASKS

from pmwpub.errors import PlanError
from pmwpub.jobs import Ending, InlineEngine, Job, Reason


def test_a_job_is_over_when_submit_returns() -> None:
    results: list[object] = []
    engine = InlineEngine(tasks=TASKS)
    with engine.reserve("k"):
        job = engine.submit("total", [1, 2], key="k", on_done=results.append, on_failed=print)
    assert (job.state, results, engine.job("k")) == ("done", [3], job)
    assert engine.submit("total", [1, 2], key="k", on_done=results.append, on_failed=print) is job
    assert results == [3]
    assert (engine.place("k"), engine.cancel("k"), engine.expects("k")) == (0, False, False)
    engine.forget("k")
    assert engine.job("k") is None
    engine.shutdown()


def test_progress_is_shown_and_not_too_often() -> None:
    seen: list[tuple[int, int]] = []
    engine = InlineEngine(lambda job: seen.append((job.done, job.total)), tasks=TASKS)
    engine.submit("count", (100, 0.002), key="k", on_done=lambda _: None, on_failed=print)
    assert seen[0] == (0, 100)
    assert seen[-1] == (100, 100)
    assert len(seen) < 20


def test_a_refusal_fails_the_job() -> None:
    reasons: list[Reason] = []
    job = InlineEngine(tasks=TASKS).submit("refuse", "no", key="k", on_done=print, on_failed=reasons.append)
    assert job.state == "failed"
    assert reasons == [job.reason] == [Reason(Ending.REFUSED, PlanError, "no")]


def test_a_task_that_comes_to_no_result_is_unresolved() -> None:
    reasons: list[Reason] = []
    job = InlineEngine(tasks=TASKS).submit("come_to_nothing", "", key="k", on_done=print, on_failed=reasons.append)
    assert job.state == "failed"
    assert reasons == [job.reason] == [Reason(Ending.UNRESOLVED)]


def test_an_unforeseen_error_is_recorded_and_raised() -> None:
    reasons: list[Reason] = []
    engine = InlineEngine(tasks=TASKS)
    with pytest.raises(ValueError, match="seen"):
        engine.submit("crash", "seen", key="k", on_done=print, on_failed=reasons.append)
    job = engine.job("k")
    assert job is not None
    assert job.state == "failed"
    assert reasons == [job.reason] == [Reason(Ending.CRASHED)]


def test_an_interrupt_cancels_the_job() -> None:
    reasons: list[Reason] = []

    def interrupt(_job: Job) -> None:
        raise KeyboardInterrupt

    engine = InlineEngine(interrupt, tasks=TASKS)
    with pytest.raises(KeyboardInterrupt):
        engine.submit("count", (10, 0.0), key="k", on_done=print, on_failed=reasons.append)
    job = engine.job("k")
    assert job is not None
    assert job.state == "cancelled"
    assert reasons == [job.reason] == [Reason(Ending.CANCELLED)]
