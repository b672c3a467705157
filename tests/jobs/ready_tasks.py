"""Tasks "warm" that succeed and fail."""

from __future__ import annotations

from pmwpub.jobs.job import JobProgress

calls: list[str] = []


def good(payload: object, progress: JobProgress) -> None:
    calls.append("good")


def no_memory(payload: object, progress: JobProgress) -> None:
    calls.append("no memory")
    raise MemoryError


def no_cache(payload: object, progress: JobProgress) -> None:
    raise RuntimeError("cannot cache function")
