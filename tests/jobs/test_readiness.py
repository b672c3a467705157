"""Work that must not fail is tried first, on made-up rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from jobs.ready_tasks import calls

from pmwpub.errors import NotReady
from pmwpub.jobs import Engine, InlineEngine, readiness


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    calls.clear()
    readiness._warmed.cache_clear()
    yield
    readiness._warmed.cache_clear()


def tasks(name: str) -> dict[str, str]:
    return {"warm": f"jobs.ready_tasks:{name}"}


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
