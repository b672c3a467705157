"""Work that must not fail is tried first, on made-up rows."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jobs.ready_tasks import calls
from jobs.waiting import PATIENCE, until

from pmwpub.errors import JobFailed, NotReady
from pmwpub.jobs import Engine, InlineEngine, readiness


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    calls.clear()
    readiness._warmed.cache_clear()
    yield
    readiness._warmed.cache_clear()


def tasks(name: str) -> dict[str, str]:
    return {"warm": f"jobs.ready_tasks:{name}", "work": "jobs.ready_tasks:work"}


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[tuple[str, int]]]:
    """What workers did, in order, and which of them."""
    monkeypatch.setenv("READY_FOLDER", str(tmp_path))

    def read() -> list[tuple[str, int]]:
        lines = (tmp_path / "notes").read_text().splitlines()
        return [(what, int(pid)) for what, pid in map(str.split, lines)]

    return read


@pytest.fixture
def engine_of(importable: None) -> Iterator[Callable[..., Engine]]:
    """Engines with a task "warm" by its name, shut down afterwards."""
    started: list[Engine] = []

    def start(name: str, workers: int = 1) -> Engine:
        started.append(Engine(workers, tasks=tasks(name)))
        return started[-1]

    yield start
    for engine in started:
        engine.shutdown()


def test_in_the_callers_own_thread_it_is_tried_once() -> None:
    for _ in range(2):
        InlineEngine(tasks=tasks("good")).readiness.require()
    assert calls == ["good"]


def test_what_failed_is_tried_again() -> None:
    for _ in range(2):
        with pytest.raises(NotReady, match="broke off \\(MemoryError\\)"):
            InlineEngine(tasks=tasks("no_memory")).readiness.require()
    assert calls == ["no memory", "no memory"]


def test_an_engine_without_such_work_is_ready() -> None:
    InlineEngine(tasks={}).readiness.require()


def test_workers_get_ready_in_the_background(engine_of: Callable[..., Engine]) -> None:
    made = engine_of("good")
    assert made.readiness.state == "not begun"
    made.readiness.begin()
    made.readiness.require()
    assert made.readiness.state == "ready"


Notes = Callable[[], list[tuple[str, int]]]


def test_every_worker_is_tried_and_not_the_first_alone(engine_of: Callable[..., Engine], notes: Notes) -> None:
    made = engine_of("noted", 3)
    made.readiness.require()
    assert sorted(notes()) == sorted(("warm", pid) for pid in made.pids())
    assert len(made.pids()) == 3
    made.readiness.require()
    assert len(notes()) == 3, "once is enough"


def test_one_worker_that_cannot_do_it_is_one_that_a_purchase_may_meet(
    engine_of: Callable[..., Engine], notes: Notes
) -> None:
    made = engine_of("first_alone", 2)
    with pytest.raises(NotReady, match="made-up rows broke off"):
        made.readiness.require()
    assert made.readiness.state == "failed"


def test_a_worker_that_takes_anothers_place_is_tried_before_its_first_job(
    engine_of: Callable[..., Engine], notes: Notes
) -> None:
    made = engine_of("noted")
    made.readiness.require()
    (killed,) = made.pids()
    os.kill(killed, signal.SIGKILL)
    assert until(lambda: made.readiness.state == "getting ready")
    job = made.submit("work", None, key="k", on_done=print, on_failed=print)
    assert job.wait(PATIENCE)
    assert job.state == "done"
    (after,) = made.pids()
    assert notes() == [("warm", killed), ("warm", after), ("work", after)]
    assert made.readiness.state == "ready"


def test_an_idle_worker_that_died_is_replaced_and_tried_though_nobody_asks(
    engine_of: Callable[..., Engine], notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pmwpub.jobs.engine.LOOK_SECONDS", 0.01)
    made = engine_of("noted")
    made.readiness.require()
    (killed,) = made.pids()
    os.kill(killed, signal.SIGKILL)
    assert until(lambda: len(notes()) == 2 and made.readiness.state == "ready")
    assert killed not in made.pids()


def test_an_engine_that_was_shut_down_gets_nothing_ready(engine_of: Callable[..., Engine]) -> None:
    made = engine_of("good")
    made.shutdown()
    with pytest.raises(JobFailed, match="shut down"):
        made.readiness.require()


def test_workers_that_are_not_ready_yet_are_said_to_be(
    engine_of: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no worker that could begin."""
    monkeypatch.setattr(readiness, "WAIT_SECONDS", 0.0)
    made = engine_of("good", 0)
    with pytest.raises(NotReady, match="still getting ready; try again in a moment"):
        made.readiness.require()
    assert made.readiness.state == "getting ready"


def test_workers_whose_try_failed_refuse_and_try_again(engine_of: Callable[..., Engine]) -> None:
    made = engine_of("no_cache")
    for _ in range(2):
        with pytest.raises(NotReady, match="made-up rows broke off"):
            made.readiness.require()
        assert made.readiness.state == "failed"
