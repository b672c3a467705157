from __future__ import annotations

import os
import signal
import threading
import traceback
from collections.abc import Callable

import pytest
from jobs.conftest import Record
from jobs.waiting import PATIENCE, alive, until

from pmwpub.errors import (
    FileRefused,
    JobFailed,
    NoResult,
    PlanError,
    PmwPubError,
    QueueFull,
    StoreUnavailable,
)
from pmwpub.jobs import Ending, Engine, Job, Reason
from pmwpub.jobs import job as job_module


def test_a_result_reaches_its_callback(engine: Engine, record: Record) -> None:
    job = record.run(engine, "total", [1, 2, 3])
    assert (job.state, record.results, record.reasons) == ("done", [6], [])
    assert (job.done, job.total, job.note) == (1, 1, "added")


def test_a_job_is_done_only_after_its_result_was_stored(engine: Engine) -> None:
    seen: list[tuple[str, bool]] = []

    def store(_result: object) -> None:
        job = engine.job("k")
        seen.append((job.state if job else "", threading.current_thread() is threading.main_thread()))

    job = engine.submit("total", [], key="k", on_done=store, on_failed=print)
    assert job.wait(PATIENCE)
    assert seen == [("running", False)]
    assert job.state == "done"


def test_a_key_that_waits_or_runs_or_is_done_is_not_run_again(engine: Engine, record: Record) -> None:
    running = record.start(engine, "count", (20, 0.02), key="a")
    waiting = record.start(engine, "total", [1], key="b")
    assert record.start(engine, "count", (20, 0.02), key="a") is running
    assert record.start(engine, "total", [1], key="b") is waiting
    assert waiting.wait(PATIENCE)
    assert record.start(engine, "total", [1], key="b") is waiting
    assert record.results == [b"counted", 1]


def test_a_forgotten_key_runs_again_once_it_is_over(engine: Engine, record: Record) -> None:
    running = record.start(engine, "count", (1000, 0.02), key="runs")
    engine.forget("runs")
    assert engine.job("runs") is running
    engine.cancel("runs")
    record.run(engine, "total", [1], key="done")
    assert until(lambda: not engine.expects("done"))
    engine.forget("done")
    assert engine.job("done") is None
    record.run(engine, "total", [2], key="done")
    assert record.results == [1, 2]


def test_an_end_is_expected_from_the_reservation_on(engine: Engine, record: Record) -> None:
    assert not engine.expects("job")
    with engine.reserve("job"):
        assert engine.expects("job")
        job = record.start(engine, "total", [1])
    assert job.wait(PATIENCE)
    assert until(lambda: not engine.expects("job"))


def test_jobs_run_first_come_first_served(engine: Engine, record: Record) -> None:
    jobs = [record.start(engine, "total", [at], key=str(at)) for at in range(10)]
    assert all(job.wait(PATIENCE) for job in jobs)
    assert record.results == list(range(10))


def test_workers_run_side_by_side(engines: Callable[..., Engine], record: Record) -> None:
    engine = engines(2)
    jobs = [record.start(engine, "count", (1000, 0.02), key=str(at)) for at in range(2)]
    assert until(lambda: all(job.done > 0 for job in jobs))
    assert len(engine.pids()) == 2


def test_places_in_the_queue_are_seen(engine: Engine, record: Record) -> None:
    record.start(engine, "count", (1000, 0.02), key="runs")
    assert until(lambda: engine.place("runs") == 0)
    for at in range(3):
        record.start(engine, "total", [], key=str(at))
    assert [engine.place(str(at)) for at in range(3)] == [1, 2, 3]
    assert engine.place("unknown") == 0


def test_a_full_queue_refuses_before_anything_is_called(engines: Callable[..., Engine], record: Record) -> None:
    engine = engines(1, waiting=2)
    record.start(engine, "count", (1000, 0.02), key="runs")
    assert until(lambda: engine.place("runs") == 0)
    for key in "ab":
        record.start(engine, "total", [], key=key)
    with pytest.raises(QueueFull, match="2 jobs wait"):
        record.start(engine, "total", [], key="c")
    with pytest.raises(QueueFull), engine.reserve("c"):
        pytest.fail("no place was free")
    assert engine.job("c") is None
    assert (record.results, record.reasons) == ([], [])


def test_a_reserved_place_is_kept_for_its_key(engines: Callable[..., Engine], record: Record) -> None:
    engine = engines(1, waiting=1)
    record.start(engine, "count", (1000, 0.02), key="runs")
    assert until(lambda: engine.place("runs") == 0)
    with engine.reserve("mine"):
        with pytest.raises(QueueFull):
            record.start(engine, "total", [], key="other")
        assert record.start(engine, "total", [], key="mine").state == "queued"
    with engine.reserve("mine"):
        assert engine.cancel("mine")
    assert until(lambda: record.reasons)
    assert record.start(engine, "total", [], key="other").state == "queued"


def test_progress_and_time_left_are_shown(engine: Engine, record: Record) -> None:
    job = record.start(engine, "count", (1000, 0.02))
    waiting = record.start(engine, "total", [], key="waits")
    assert (waiting.elapsed, waiting.eta) == (0.0, None)
    assert until(lambda: job.done > 5)
    assert job.total == 1000
    assert job.note.startswith("step")
    assert until(lambda: job.eta is not None)
    left = job.eta
    assert left is not None
    assert 1 < left < 200
    assert job.elapsed > 0


def test_what_comes_before_the_first_step_is_no_part_of_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(job_module.time, "monotonic", lambda: clock[0])
    job = Job("key", "task")
    job.begin()
    job.advance(0, 1000, "")
    clock[0] += 60  # before the first step
    job.advance(1, 1000, "")
    assert job.eta is None
    clock[0] += 1
    job.advance(11, 1000, "")
    assert job.eta is None, "one in a hundred says too little"
    clock[0] += 1
    job.advance(21, 1000, "")
    assert job.eta == pytest.approx(2 * 979 / 20)
    job.advance(1000, 1000, "")
    assert job.eta == 0


def test_a_waiting_job_is_cancelled_at_once(engine: Engine, record: Record) -> None:
    record.start(engine, "count", (1000, 0.02), key="runs")
    waiting = record.start(engine, "total", [], key="waits")
    assert engine.cancel("waits")
    assert waiting.wait(PATIENCE)
    assert waiting.state == "cancelled"
    assert [reason.ending for reason in record.reasons] == [Ending.CANCELLED]
    assert not engine.cancel("waits")


def test_a_running_job_stops_when_it_next_reports(engine: Engine, record: Record) -> None:
    job = record.start(engine, "count", (100_000, 0.02))
    assert until(lambda: job.done > 0)
    workers = engine.pids()
    assert engine.cancel("job")
    assert job.wait(PATIENCE)
    assert job.state == "cancelled"
    assert [reason.ending for reason in record.reasons] == [Ending.CANCELLED]
    assert engine.pids() == workers
    assert record.run(engine, "total", [4], key="next").state == "done"


def test_a_stubborn_job_is_killed(engine: Engine, record: Record) -> None:
    job = record.start(engine, "stubborn", 10 * PATIENCE)
    assert until(lambda: job.total == 2)
    workers = engine.pids()
    assert engine.cancel("job")
    assert engine.cancel("job")
    assert job.wait(PATIENCE)
    assert (job.state, len(record.reasons)) == ("cancelled", 1)
    assert not alive(workers[0])
    assert record.run(engine, "total", [4], key="next").state == "done"


def test_a_cancelled_job_can_be_asked_for_anew(engine: Engine, record: Record) -> None:
    job = record.start(engine, "count", (100_000, 0.02))
    assert until(lambda: job.done > 0)
    engine.cancel("job")
    assert job.wait(PATIENCE)
    again = record.run(engine, "total", [7])
    assert again is not job
    assert engine.job("job") is again
    assert record.results == [7]


def test_a_killed_worker_fails_its_job_once_and_is_replaced(engine: Engine, record: Record) -> None:
    job = record.start(engine, "count", (100_000, 0.02))
    assert until(lambda: job.done > 0)
    (worker,) = engine.pids()
    os.kill(worker, signal.SIGKILL)
    assert job.wait(PATIENCE)
    assert job.state == "failed"
    assert record.reasons == [job.reason] == [Reason(Ending.DIED)]
    assert until(lambda: len(engine.pids()) == 1 and engine.pids() != [worker])
    assert record.run(engine, "total", [1], key="next").state == "done"
    assert len(record.reasons) == 1


def test_a_task_that_ends_its_process_fails(engine: Engine, record: Record) -> None:
    assert record.run(engine, "die", None).state == "failed"
    assert record.run(engine, "total", [1], key="next").state == "done"


def test_a_worker_killed_while_idle_costs_no_job(engine: Engine, record: Record) -> None:
    record.run(engine, "total", [1], key="first")
    os.kill(engine.pids()[0], signal.SIGKILL)
    assert until(lambda: not engine.pids())
    assert record.run(engine, "total", [2], key="second").state == "done"


@pytest.mark.parametrize(
    ("task", "payload", "kind", "words"),
    [
        ("refuse", "Rounds must be at least 1.", PlanError, "Rounds must be at least 1."),
        ("refuse_line", 7, FileRefused, "Line 7: A quote is not closed."),
        ("refuse_result", "no result", NoResult, "no result"),
    ],
)
def test_a_refusal_keeps_its_class_and_words(
    engine: Engine,
    record: Record,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    task: str,
    payload: object,
    kind: type[PmwPubError],
    words: str,
) -> None:
    job = record.run(engine, task, payload)
    assert job.state == "failed"
    assert record.reasons == [job.reason] == [Reason(Ending.REFUSED, kind, words)]
    assert words not in repr(record.reasons) + repr(job)
    captured = capfd.readouterr()
    assert captured.out + captured.err + caplog.text == ""


@pytest.mark.parametrize("task", ["crash", "leave", "unsendable", "missing"])
def test_an_unforeseen_error_leaves_without_its_text(
    engine: Engine, record: Record, task: str, capfd: pytest.CaptureFixture[str]
) -> None:
    job = record.run(engine, task, "canary-7431")
    assert job.state == "failed"
    assert record.reasons == [job.reason] == [Reason(Ending.CRASHED)]
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""
    assert record.run(engine, "total", [1], key="next").state == "done"


def test_a_task_that_comes_to_no_result_is_unresolved(engine: Engine, record: Record) -> None:
    job = record.run(engine, "come_to_nothing", "no end")
    assert job.state == "failed"
    assert record.reasons == [job.reason] == [Reason(Ending.UNRESOLVED)]


def test_a_result_that_cannot_be_stored_fails_its_job(engine: Engine) -> None:
    reasons: list[Reason] = []

    def store(_result: object) -> None:
        raise StoreUnavailable("the disk is full")

    job = engine.submit("total", [1], key="k", on_done=store, on_failed=reasons.append)
    assert job.wait(PATIENCE)
    assert job.state == "failed"
    assert reasons == [job.reason] == [Reason(Ending.REFUSED, StoreUnavailable, "the disk is full")]


def test_a_failure_that_cannot_be_recorded_still_ends_the_job(engine: Engine) -> None:
    def record_failure(_reason: Reason) -> None:
        raise StoreUnavailable("the disk is full")

    job = engine.submit("refuse", "no", key="k", on_done=print, on_failed=record_failure)
    assert job.wait(PATIENCE)
    assert (job.state, job.reason) == ("failed", Reason(Ending.REFUSED, PlanError, "no"))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_broken_callback_fails_its_job_and_the_engine_goes_on(engine: Engine, record: Record) -> None:
    def store(_result: object) -> None:
        raise ZeroDivisionError

    job = engine.submit("total", [1], key="k", on_done=store, on_failed=record.reasons.append)
    assert job.wait(PATIENCE)
    assert (job.state, job.reason) == ("failed", Reason(Ending.CRASHED))
    assert record.run(engine, "total", [1], key="next").state == "done"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_broken_callback_does_not_take_the_words_of_a_refusal_along(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[str] = []

    def report(fault: threading.ExceptHookArgs) -> None:
        reported.extend(traceback.format_exception(fault.exc_value))

    def fail(_reason: Reason) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(threading, "excepthook", report)

    def refuse_to_keep(_result: object) -> None:
        raise StoreUnavailable("canary-7431")

    for key, task, payload in (("a", "refuse", "canary-7431"), ("b", "total", [1])):
        job = engine.submit(task, payload, key=key, on_done=refuse_to_keep, on_failed=fail)
        assert job.wait(PATIENCE)
    assert until(lambda: "".join(reported).count("ZeroDivisionError") == 2)
    assert "canary" not in "".join(reported)


def test_only_registered_tasks_run(engine: Engine, record: Record) -> None:
    with pytest.raises(JobFailed, match="registered"):
        record.start(engine, "os:system", "true")


def test_a_payload_that_cannot_travel_is_the_callers_error(engine: Engine, record: Record) -> None:
    with pytest.raises((AttributeError, TypeError)):
        record.start(engine, "total", threading.Lock())
    assert engine.job("job") is None


def test_shutting_down_ends_workers_and_jobs(engine: Engine, record: Record) -> None:
    running = record.start(engine, "stubborn", 60.0, key="runs")
    assert until(lambda: running.total == 2)
    waiting = record.start(engine, "total", [], key="waits")
    workers = engine.pids()
    engine.shutdown()
    engine.shutdown()
    assert (running.state, waiting.state) == ("failed", "cancelled")
    assert record.reasons == [Reason(Ending.CLOSED)] * 2
    assert not any(map(alive, workers))
    with pytest.raises(JobFailed, match="shut down"):
        record.start(engine, "total", [], key="late")
