"""What long work calls as it goes along, and before anything of it is kept."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


class Progress(Protocol):
    """Takes (steps done, steps in all); raises JobCancelled where whoever watches has asked to stop."""

    def __call__(self, done: int, total: int, /) -> None: ...


@runtime_checkable
class Stoppable(Progress, Protocol):
    """Progress of somebody who may stop the work, and is told which came first: the stop, or what is kept."""

    def keep(self) -> None:
        """Raise where the work was stopped; otherwise a stop comes too late from now on."""


def unwatched(done: int, total: int) -> None:
    """Progress that nobody watches."""


def about_to_keep(progress: Progress) -> None:
    """Ask whoever watches for the last time; called once, before anything of the work is stored or held."""
    if isinstance(progress, Stoppable):
        progress.keep()
