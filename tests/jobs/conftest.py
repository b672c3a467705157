from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from jobs.sample_tasks import TASKS
from jobs.waiting import PATIENCE

from pmwpub.jobs import Engine, Job, Reason


@pytest.fixture
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers import the tests' tasks."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[1]))


@pytest.fixture
def engines(importable: None) -> Iterator[Callable[..., Engine]]:
    """Engines with the tests' tasks, shut down afterwards."""
    started: list[Engine] = []

    def start(workers: int = 1, **settings: int) -> Engine:
        started.append(Engine(workers, tasks=TASKS, **settings))  # type: ignore[arg-type]
        return started[-1]

    yield start
    for engine in started:
        engine.shutdown()


@pytest.fixture
def engine(engines: Callable[..., Engine]) -> Engine:
    return engines()


@dataclass
class Record:
    """Submits jobs and keeps what their callbacks got."""

    results: list[object] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)

    def run(self, engine: Engine, task: str, payload: object, *, key: str = "job", wait: float = PATIENCE) -> Job:
        job = self.start(engine, task, payload, key=key)
        assert job.wait(wait)
        return job

    def start(self, engine: Engine, task: str, payload: object, *, key: str = "job") -> Job:
        return engine.submit(task, payload, key=key, on_done=self.results.append, on_failed=self.reasons.append)


@pytest.fixture
def record() -> Record:
    return Record()
