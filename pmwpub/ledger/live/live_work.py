"""Which charged plans a living program still works on: a lock that the system drops when that program ends.

Several programs may share a store, such as a server and the command line. None of them asks the others; a plan without
an outcome is at work while its lock is held. SQLite: a lock on a file of the booking in a folder beside the store; once
nobody holds it the plan has no result. PostgreSQL: an advisory lock of one session, see `advisory_locks`; there a lock
can be lost while its program lives, so that "no result" is final only when it stands in the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger.locked_files import HeldFile, hold, is_held


class LiveWork(Protocol):
    """The locks that this program holds, and a look at those of others.

    sure  whether a lock that nobody holds proves that no living program works on the plan
    """

    @property
    def sure(self) -> bool: ...

    def begin(self, booking_id: int) -> None:
        """Hold the lock of a booking, before anybody can see the booking."""

    def end(self, booking_id: int) -> None:
        """Let the lock of a booking go, once its outcome is stored."""

    def held(self, booking_id: int) -> bool:
        """Whether any living program holds the lock of a booking, this one included."""
        ...

    def gone(self, booking_id: int) -> bool:
        """Whether a lock that nobody held is still free after the time that a program needs to take it again."""
        ...

    def claimed(self, connection: Connection, booking_id: int) -> bool:
        """Whether nobody holds a lock, and nobody can take it again before the transaction on `connection` ends."""
        ...

    def close(self) -> None:
        """Let all locks go."""


@contextmanager
def beginning(working: LiveWork) -> Iterator[Callable[[int], None]]:
    """Lend a function that takes the locks of bookings; they are let go again where the block ends in an error."""
    begun: list[int] = []

    def begin(booking_id: int) -> None:
        working.begin(booking_id)
        begun.append(booking_id)

    try:
        yield begin
        begun.clear()
    finally:
        for booking_id in begun:
            working.end(booking_id)


class FileLocks:
    """Locks as files: one a booking in `folder`, which is there while the booking is worked on."""

    sure = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mine: dict[int, HeldFile] = {}

    def begin(self, booking_id: int) -> None:
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._mine[booking_id] = hold(self._folder / str(booking_id))
        except OSError as error:
            raise StoreUnavailable(f"{self._folder} cannot be used: {error.strerror}. Nothing was charged.") from None

    def end(self, booking_id: int) -> None:
        own = self._mine.pop(booking_id, None)
        if own is not None:
            own.let_go(remove=True)

    def held(self, booking_id: int) -> bool:
        return is_held(self._folder / str(booking_id))

    def gone(self, booking_id: int) -> bool:
        return not self.held(booking_id)

    def claimed(self, connection: Connection, booking_id: int) -> bool:
        return not self.held(booking_id)

    def close(self) -> None:
        for booking_id in list(self._mine):
            self.end(booking_id)
