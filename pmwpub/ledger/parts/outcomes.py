"""What becomes of bookings, also where connections are lost, and whether the store could take a booking."""

from __future__ import annotations

from sqlalchemy import text

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger import bookings
from pmwpub.ledger.live.live_work import LiveWork
from pmwpub.ledger.live.patience import patiently
from pmwpub.ledger.parts.recognition import Recognition
from pmwpub.ledger.recovery.store_guard import Guard


class Outcomes(Recognition):
    """The outcome of each booking, stored once."""

    _guard: Guard
    _working: LiveWork

    def check(self) -> None:
        """Raise StoreUnavailable unless the store answers and its witness could take a booking. No charge is read."""
        with self._database.reading() as connection:
            connection.execute(text("SELECT 1")).one()
        self._guard.ready()

    def healthy(self) -> bool:
        """Whether purchases could be booked now, as far as the store is concerned; for a readiness check."""
        try:
            self.check()
        except StoreUnavailable:
            return False
        return True

    def at_work(self, booking_id: int) -> bool:
        """Whether a living program still works on a booking, be it this one or another on the same store.

        Ask before reading the booking: once this is False, its outcome stands, or nobody works on it and
        `close_unattended` says whether that is final. In a run that recalls, what is read afterwards is read anew.
        """
        held = self._working.held(booking_id)
        self._database.thread.forget()
        return held

    def close_unattended(self, booking_id: int) -> bool:
        """Whether it is final that a plan, which nobody works on, has no result and never will have one.

        On PostgreSQL a living program may have lost its connection, and with it its locks, which it takes again at
        once. So this waits for longer than that takes, looks again, and has "no result" in the store before it answers
        True: a result that comes later all the same is not stored.
        """
        if self._working.sure:
            return True
        if not self._working.gone(booking_id):
            return False
        with self._database.writing() as connection:
            if self._working.claimed(connection, booking_id):
                return bookings.close(connection, booking_id)
        return False

    def finish(self, booking_id: int, result: bytes) -> None:
        """Store the result of a booking, once, before it is shown. LedgerError for other bytes, or after `void`.

        Tried again for a while where PostgreSQL's connection is lost or SQLite's file is not in its place, for the same
        bytes may be stored twice.
        """
        for attempt in patiently(wait=not (self._working.sure and self._database.file.in_place)):
            with attempt, self._database.writing() as connection:
                bookings.finish(connection, booking_id, result)
        self._working.end(booking_id)

    def void(self, booking_id: int) -> None:
        """Record that a booking will have no result; the charge stays. LedgerError after `finish`."""
        try:
            with self._database.writing() as connection:
                bookings.void(connection, booking_id)
        finally:
            self._working.end(booking_id)

    def result(self, booking_id: int) -> bytes:
        """The stored result of a booking, always the same bytes; NoResult if there is none."""
        with self._database.reading() as connection:
            return bookings.result(connection, booking_id)
