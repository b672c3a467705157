"""The ledger: one object over one store, whose every method is one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType

from pmwpub.errors import LedgerError
from pmwpub.ledger import bookings, populations
from pmwpub.ledger.agreements import Agreement
from pmwpub.ledger.database import Database
from pmwpub.ledger.live.advisory_locks import AdvisoryLocks
from pmwpub.ledger.live.live_work import FileLocks, LiveWork, beginning
from pmwpub.ledger.model import Booking, Charge, ChargeRecord, Order, PlanKey, Population
from pmwpub.ledger.parts.documented import Keeping
from pmwpub.ledger.parts.movable import Movable
from pmwpub.ledger.parts.peopled import Peopled
from pmwpub.ledger.recovery.store_guard import Guard
from pmwpub.ledger.recovery.witness import Witness
from pmwpub.ledger.store_files.store_address import sqlite_path, store_url, witness_path
from pmwpub.ledger.table_handles import TableHandle

Plain = str | int | float


class Ledger(Movable, Keeping, Peopled):
    """What was spent, on what, and what came of it; append-only.

    Safe to share between threads, and between programs that open the same store. Every method raises
    StoreUnavailable when the store cannot be read or written; its caller then draws nothing and shows nothing.
    """

    def __init__(self, database: Database, guard: Guard, working: LiveWork) -> None:
        self._database = database
        self._guard = guard
        self._working = working

    @classmethod
    def open(cls, url: str | None = None, *, witness: Path | None = None) -> Ledger:
        """Open or create the store at a database URL, else PMWPUB_STORE, else in the user's data folder.

        witness  the file outside the database by which a store that was put back from an old copy is found out; else
                 PMWPUB_WITNESS, else `.witness` beside a SQLite file; PostgreSQL has none unless named

        Raises StoreUnavailable also when it lacks charges that the witness has, or has lower ones, or has no witness.
        """
        address = store_url(url)
        path = witness or witness_path(address)
        database, guard = Database(address), Guard(None if path is None else Witness(path))
        try:
            with database.reading() as connection:
                guard.compare(connection)
            with database.writing() as connection:
                guard.vouch(connection)
            with database.writing() as connection:
                guard.check(connection)
        except BaseException:
            database.close()
            raise
        file = sqlite_path(address)
        locks = AdvisoryLocks(database) if file is None else FileLocks(file.with_name(f"{file.name}.working"))
        return cls(database, guard, locks)

    def close(self) -> None:
        """Let go of connections and of plans at work; the object may still be used and will open new ones."""
        self._working.close()
        self._database.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def view(self) -> AbstractContextManager[None]:
        """Have this thread read one state of the store until the block ends; LedgerError where it writes meanwhile."""
        return self._database.view()

    def recalling(self) -> AbstractContextManager[None]:
        """Have this thread read nothing twice until the block ends: for a run of a page, which shows one state.

        What the thread writes, and `forget`, have it read anew. No purchase rests on what is recalled.
        """
        return self._database.thread.recalling()

    def forget(self) -> None:
        """Read everything anew from now on, in a block that recalls."""
        self._database.thread.forget()

    # Charges and results

    def book(
        self,
        name: str,
        key: PlanKey,
        plan_json: str,
        charges: Sequence[Charge],
        *,
        table: TableHandle | None = None,
        terms: Population | None = None,
        refuse_elsewhere: bool = True,
    ) -> Booking:
        """Commit all charges of a plan, or none, before anything is drawn; the witness has them when this returns.

        As `book_all` with one order; see there.
        """
        order = Order(key, plan_json, tuple(charges))
        (booking,) = self.book_all(name, [order], table=table, terms=terms, refuse_elsewhere=refuse_elsewhere)
        return booking

    def book_all(
        self,
        name: str,
        orders: Sequence[Order],
        *,
        table: TableHandle | None = None,
        terms: Population | None = None,
        refuse_elsewhere: bool = True,
        agree: Sequence[Agreement] = (),
    ) -> list[Booking]:
        """Commit all charges of all plans, or none; one booking for each order, in their order.

        A key that is booked already adds nothing and comes back with fresh=False: its holder must not draw. The same
        key twice is booked once, and fresh once.

        table             the table whose rows the plans are drawn from; it is remembered for each booking
        terms             the terms that plans and table were checked against, all of them
        refuse_elsewhere  False where no comparison with other populations' tables may have an effect
        agree             what these plans and all of the population must agree on, asked in the same transaction

        Raises PopulationClosed for a population that was retired or moved, what the rules of `agree` do, Overspent when
        all together exceed what is left, TableBlocked when `table` is another population's too, PlanError for a draw
        before which others were never made, LedgerError when `terms` are not in force.
        """
        with beginning(self._working) as begin, self._database.writing() as connection:
            self._guard.check(connection)
            self._guard.ready()
            booked = bookings.book_all(connection, name, orders, table, terms, refuse_elsewhere, agree)
            fresh = [(one, order.charges) for one, order in zip(booked, orders, strict=True) if one.fresh]
            self._guard.writable(fresh)
            for booking, _ in fresh:
                begin(booking.id)
        if fresh:
            self._witness(fresh)
        return booked

    def _witness(self, booked: Sequence[tuple[Booking, Sequence[Charge]]]) -> None:
        """Write committed bookings to the witness; if that fails the charges stay and their plans have no result."""
        recorded = False
        try:
            self._guard.record(booked)
            recorded = True
        finally:
            for booking, _ in booked if not recorded else ():
                with suppress(LedgerError):
                    self.void(booking.id)

    def booking(self, name: str, key: PlanKey) -> Booking | None:
        """The booking of a plan, if it was ever charged."""
        before = self._database.thread.before(("bookings", name))
        if isinstance(before, list):
            return next((one for one in before if one.key == key), None)
        with self._database.reading() as connection:
            return bookings.find(connection, populations.identify(connection, name), key)

    def bookings(self, name: str) -> list[Booking]:
        """All bookings of a population, oldest first."""
        return self._of(name, "bookings", bookings.every)

    def next_repeat(self, name: str, plan_sha256: str) -> int:
        """The `repeat` that a draw on purpose takes: 0 for a plan never booked."""
        before = self._database.thread.before(("bookings", name))
        if isinstance(before, list):
            return max((one.key.repeat + 1 for one in before if one.key.plan_sha256 == plan_sha256), default=0)
        with self._database.reading() as connection:
            return bookings.repeats(connection, populations.identify(connection, name), plan_sha256)

    def history(self, name: str) -> list[ChargeRecord]:
        """Every charge, oldest first."""
        return self._of(name, "history", bookings.history)

    def export(self, name: str) -> list[dict[str, Plain]]:
        """The history as plain rows: id, time, purpose, mechanism, sensitivity, scale, rho, status, and `by`.

        by      who bought it, where a server with accounts sold any of it; to those who only look on, the role
        status  "done" or "charged": what was cancelled, broke off or is at work looks alike to the public
        """
        history = self.history(name)
        named = any(one.by is not None for one in history)
        return [
            {
                **{field: value for field, value in vars(one).items() if field != "by"},
                "rho": float(one.rho.rho),
                "status": "done" if one.status == "done" else "charged",
                **({"by": "" if one.by is None else one.by.words} if named else {}),
            }
            for one in history
        ]
