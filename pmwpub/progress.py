"""What long work calls as it goes along."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Takes (steps done, steps in all); raises JobCancelled where whoever watches has asked to stop."""

    def __call__(self, done: int, total: int, /) -> None: ...


def unwatched(done: int, total: int) -> None:
    """Progress that nobody watches."""
