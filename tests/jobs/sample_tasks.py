"""Tasks for tests, imported by the workers."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time

from pmwpub.errors import FileRefused, JobUnresolved, NoResult, PlanError
from pmwpub.jobs import Progress
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


def total(payload: list[int], progress: Progress) -> int:
    progress(1, 1, "added")
    return sum(payload)


def count(payload: tuple[int, float], progress: Progress) -> bytes:
    steps, seconds = payload
    for step in range(steps):
        progress(step, steps, f"step {step}")
        time.sleep(seconds)
    progress(steps, steps)
    return b"counted"


def stubborn(payload: float, progress: Progress) -> bytes:
    progress(0, 2)
    time.sleep(payload)
    return b"late"


def endless(payload: object, progress: Progress) -> None:
    while True:
        progress(1, 3, "held")
        time.sleep(0.02)


def hoard(payload: int, progress: Progress) -> int:
    return len(bytearray(payload))


def refuse(payload: str, progress: Progress) -> None:
    raise PlanError(payload)


def refuse_line(payload: int, progress: Progress) -> None:
    raise FileRefused("A quote is not closed.", line=payload)


def refuse_result(payload: str, progress: Progress) -> None:
    raise NoResult(payload)


def come_to_nothing(payload: str, progress: Progress) -> None:
    raise JobUnresolved(payload)


def crash(payload: str, progress: Progress) -> None:
    raise ValueError(payload)


def leave(payload: object, progress: Progress) -> None:
    sys.exit("leaving")


def unsendable(payload: object, progress: Progress) -> object:
    return lambda: None


def die(payload: object, progress: Progress) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def surroundings(payload: object, progress: Progress) -> dict[str, object]:
    return {
        "pid": os.getpid(),
        "niceness": os.nice(0),
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "environment": dict(os.environ),
        "arguments": sys.argv,
        "modules": sorted(sys.modules),
    }


def build(payload: list[str], progress: Progress) -> list[str]:
    built: list[str] = []
    for key in payload:
        public(key, lambda at=key: built.append(at) or at)  # type: ignore[misc]
    return built
