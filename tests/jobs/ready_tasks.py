"""Tasks "warm" that succeed and fail."""

from __future__ import annotations

import os
from pathlib import Path

from pmwpub.jobs.job import JobProgress

calls: list[str] = []


def good(payload: object, progress: JobProgress) -> None:
    calls.append("good")


def no_memory(payload: object, progress: JobProgress) -> None:
    calls.append("no memory")
    raise MemoryError


def no_cache(payload: object, progress: JobProgress) -> None:
    raise RuntimeError("cannot cache function")


def noted(payload: object, progress: JobProgress) -> None:
    _note("warm")


def work(payload: object, progress: JobProgress) -> None:
    _note("work")


def first_alone(payload: object, progress: JobProgress) -> None:
    """Whoever comes first succeeds, and nobody after that."""
    (Path(os.environ["READY_FOLDER"]) / "first").touch(exist_ok=False)


def _note(what: str) -> None:
    with (Path(os.environ["READY_FOLDER"]) / "notes").open("a") as notes:
        notes.write(f"{what} {os.getpid()}\n")
