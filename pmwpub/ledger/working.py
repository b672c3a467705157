"""Which charged plans a living program still works on: a lock that the system drops when that program ends.

Several programs may share a store, such as a server and the command line. None of them asks the others; a plan without
an outcome is at work while its lock is held, and has no result once nobody holds it. No clock is involved.
SQLite: flock on a file of the booking in a folder beside the store. PostgreSQL: an advisory lock of one session.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, text

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger.database import Database


class Working(Protocol):
    """The locks that this program holds, and a look at those of others."""

    def begin(self, booking_id: int) -> None:
        """Hold the lock of a booking, before anybody can see the booking."""

    def end(self, booking_id: int) -> None:
        """Let it go, once the outcome is stored."""

    def held(self, booking_id: int) -> bool:
        """Whether any living program holds it, this one included."""
        ...

    def close(self) -> None:
        """Let all go."""


@contextmanager
def beginning(working: Working) -> Iterator[Callable[[int], None]]:
    """Takes the locks of bookings inside a transaction, and lets them go again if it does not commit."""
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
    """One file a booking in `folder`, there while it is worked on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mine: dict[int, int] = {}

    def begin(self, booking_id: int) -> None:
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            descriptor = os.open(self._folder / str(booking_id), os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise StoreUnavailable(f"{self._folder} cannot be used: {error.strerror}. Nothing was charged.") from None
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        self._mine[booking_id] = descriptor

    def end(self, booking_id: int) -> None:
        descriptor = self._mine.pop(booking_id, None)
        if descriptor is not None:
            with suppress(OSError):
                (self._folder / str(booking_id)).unlink(missing_ok=True)
            os.close(descriptor)

    def held(self, booking_id: int) -> bool:
        try:
            descriptor = os.open(self._folder / str(booking_id), os.O_RDWR)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def close(self) -> None:
        for booking_id in list(self._mine):
            self.end(booking_id)


class AdvisoryLocks:
    """Session locks of PostgreSQL, all on one connection that does nothing else."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._session: Connection | None = None

    def begin(self, booking_id: int) -> None:
        with self._lock, self._database.failing_closed():
            if self._session is None:
                self._session = self._database.session()
            self._call(self._session, "pg_try_advisory_lock", booking_id)

    def end(self, booking_id: int) -> None:
        with self._lock, suppress(StoreUnavailable), self._database.failing_closed():
            if self._session is not None:
                self._call(self._session, "pg_advisory_unlock", booking_id)

    def held(self, booking_id: int) -> bool:
        with self._database.reading() as connection:
            free = self._call(connection, "pg_try_advisory_xact_lock", booking_id)
        return not free

    def close(self) -> None:
        with self._lock, suppress(StoreUnavailable), self._database.failing_closed():
            session, self._session = self._session, None
            if session is not None:
                session.invalidate()
                session.close()

    @staticmethod
    def _call(connection: Connection, function: str, booking_id: int) -> object:
        query = text(f"SELECT {function}(hashtext('pmwpub ' || current_schema()), :booking)")
        return connection.execute(query, {"booking": booking_id}).scalar()
