"""Tasks for tests, imported by the workers."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time

from pmwpub.errors import FileRefused, JobUnresolved, NoResult, PlanError
from pmwpub.jobs import JobProgress
from pmwpub.tasks.public_cache import public

HERE = "jobs.sample_tasks"
TASKS = {
    name: f"{HERE}:{name}"
    for name in (
        "total",
        "count",
        "stubborn",
        "endless",
        "hoard",
        "refuse",
        "refuse_line",
        "refuse_result",
        "come_to_nothing",
        "crash",
        "leave",
        "unsendable",
        "die",
        "surroundings",
        "build",
        "missing",
    )
}


def total(payload: list[int], progress: JobProgress) -> int:
    progress(1, 1, "added")
    return sum(payload)


def count(payload: tuple[int, float], progress: JobProgress) -> bytes:
    steps, seconds = payload
    for step in range(steps):
        progress(step, steps, f"step {step}")
        time.sleep(seconds)
    progress(steps, steps)
    return b"counted"


def stubborn(payload: float, progress: JobProgress) -> bytes:
    progress(0, 2)
    time.sleep(payload)
    return b"late"


def endless(payload: object, progress: JobProgress) -> None:
    while True:
        progress(1, 3, "held")
        time.sleep(0.02)


def hoard(payload: int, progress: JobProgress) -> int:
    return len(bytearray(payload))


def refuse(payload: str, progress: JobProgress) -> None:
    raise PlanError(payload)


def refuse_line(payload: int, progress: JobProgress) -> None:
    raise FileRefused("A quote is not closed.", line=payload)


def refuse_result(payload: str, progress: JobProgress) -> None:
    raise NoResult(payload)


def come_to_nothing(payload: str, progress: JobProgress) -> None:
    raise JobUnresolved(payload)


def crash(payload: str, progress: JobProgress) -> None:
    raise ValueError(payload)


def leave(payload: object, progress: JobProgress) -> None:
    sys.exit("leaving")


def unsendable(payload: object, progress: JobProgress) -> object:
    return lambda: None


def die(payload: object, progress: JobProgress) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def surroundings(payload: object, progress: JobProgress) -> dict[str, object]:
    return {
        "pid": os.getpid(),
        "niceness": os.nice(0),
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "environment": dict(os.environ),
        "arguments": sys.argv,
        "modules": sorted(sys.modules),
    }


def build(payload: list[str], progress: JobProgress) -> list[str]:
    built: list[str] = []
    for key in payload:
        public(key, lambda at=key: built.append(at) or at)  # type: ignore[misc]
    return built
