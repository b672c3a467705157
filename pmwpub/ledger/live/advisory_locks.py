"""Which charged plans a living program still works on, for PostgreSQL: advisory locks of one session.

A session may end while its program lives: the database is started again, an administrator ends the connection, a
network forgets it. The program's own memory says what it works on, and it takes the locks again in a new session: when
it begins another plan, and from a thread that looks after the session while anything is at work. Meanwhile other
programs see locks that nobody holds. So they take a lock that is free for a sign only: they wait for longer than taking
it again needs, look again, and store that there is no result before they say so.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from sqlalchemy import Connection, text

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger.database import Database

BEAT_SECONDS = 0.5
"""Seconds between two looks of a program at its session."""

GONE_SECONDS = 3.0
"""Seconds after which a lock that stays free belongs to no living program that reaches the store."""


class AdvisoryLocks:
    """Session locks of PostgreSQL, all on one connection that does nothing else.

    A lock that nobody holds proves nothing about a program that lost its connection.
    """

    sure = False

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._session: Connection | None = None
        self._mine: set[int] = set()
        self._missing: set[int] = set()
        self._watch: threading.Thread | None = None
        self._free: dict[int, float] = {}

    def begin(self, booking_id: int) -> None:
        with self._lock:
            self._mine.add(booking_id)
            self._missing.add(booking_id)
            try:
                self._hold()
            except StoreUnavailable:
                self._drop(booking_id)
                raise
            if self._watch is None:
                self._watch = threading.Thread(target=self._look_after, name="pmwpub locks", daemon=True)
                self._watch.start()

    def end(self, booking_id: int) -> None:
        with self._lock:
            held = booking_id in self._mine - self._missing
            self._drop(booking_id)
            if held and self._session is not None:
                try:
                    with self._database.failing_closed():
                        _call(self._session, "pg_advisory_unlock", booking_id)
                except StoreUnavailable:
                    self._forget()

    def held(self, booking_id: int) -> bool:
        with self._lock:
            if booking_id in self._mine:
                return True
        with self._database.reading() as connection:
            free = bool(_call(connection, "pg_try_advisory_xact_lock_shared", booking_id))
        if not free:
            self._free.pop(booking_id, None)
        return not free

    def gone(self, booking_id: int) -> bool:
        """Whether a lock that was found free is still free after its program had the time to take it again."""
        first = self._free.setdefault(booking_id, time.monotonic())
        time.sleep(max(0.0, first + GONE_SECONDS - time.monotonic()))
        return not self.held(booking_id)

    def claimed(self, connection: Connection, booking_id: int) -> bool:
        """Whether nobody holds the lock, and nobody can take it before this transaction ends."""
        return bool(_call(connection, "pg_try_advisory_xact_lock", booking_id))

    def close(self) -> None:
        with self._lock:
            self._mine.clear()
            self._missing.clear()
            self._forget()

    # What follows is called under the lock, but for the thread itself.

    def _drop(self, booking_id: int) -> None:
        self._mine.discard(booking_id)
        self._missing.discard(booking_id)

    def _hold(self) -> None:
        """Take all locks in a session that lives; those that a lost session still has are tried again at each look."""
        try:
            self._take()
        except StoreUnavailable:  # of a session that was lost: once more, in a new one
            self._forget()
            self._take()

    def _take(self) -> None:
        with self._database.failing_closed():
            if self._session is None:
                self._missing = set(self._mine)
                self._session = self._database.session()
            self._session.execute(text("SELECT 1"))
            for booking_id in sorted(self._missing):
                if _call(self._session, "pg_try_advisory_lock", booking_id):
                    self._missing.discard(booking_id)

    def _forget(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            with suppress(StoreUnavailable), self._database.failing_closed():
                session.invalidate()
                session.close()

    def _look_after(self) -> None:
        """Take lost locks again for as long as anything is at work."""
        while True:
            time.sleep(BEAT_SECONDS)
            with self._lock:
                if not self._mine:
                    self._watch = None
                    return
                with suppress(StoreUnavailable):
                    self._hold()


def _call(connection: Connection, function: str, booking_id: int) -> object:
    query = text(f"SELECT {function}(hashtext('pmwpub ' || current_schema()), :booking)")
    return connection.execute(query, {"booking": booking_id}).scalar()
