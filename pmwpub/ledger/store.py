"""The ledger: one object over one store, whose every method is one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from types import TracebackType

from sqlalchemy import Connection, text

from pmwpub.errors import LedgerError, StoreUnavailable
from pmwpub.ledger import bookings, documents, populations
from pmwpub.ledger.advisory import AdvisoryLocks
from pmwpub.ledger.database import Database, sqlite_path, store_url, witness_path
from pmwpub.ledger.model import (
    Balance,
    Booking,
    Charge,
    ChargeRecord,
    DocumentKey,
    Mark,
    Order,
    PlanKey,
    Population,
    TableHandle,
)
from pmwpub.ledger.patience import patiently
from pmwpub.ledger.recognition import Recognition
from pmwpub.ledger.recovery import Guard
from pmwpub.ledger.witness import Witness
from pmwpub.ledger.working import FileLocks, Working, beginning

Plain = str | int | float


class Ledger(Recognition):
    """What was spent, on what, and what came of it; append-only.

    Safe to share between threads, and between programs that open the same store. Every method raises
    StoreUnavailable when the store cannot be read or written; its caller then draws nothing and shows nothing.
    """

    def __init__(self, database: Database, guard: Guard, working: Working) -> None:
        self._database = database
        self._guard = guard
        self._working = working

    @classmethod
    def open(cls, url: str | None = None, *, witness: Path | None = None) -> Ledger:
        """Open or create the store at a database URL, else PMWPUB_STORE, else in the user's data folder.

        witness  the file outside the database that a store put back from an old copy is found out by; else
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

    def check(self) -> None:
        """StoreUnavailable unless the store answers and its witness could take a booking. Cheap; reads no charge."""
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

    def view(self) -> AbstractContextManager[None]:
        """Until it ends, all that this thread reads is one state of the store; LedgerError for whoever writes."""
        return self._database.view()

    # Populations

    def register(self, population: Population) -> Population:
        """Register a population; the same terms again change nothing, others raise PopulationExists."""
        with self._deciding() as connection:
            return populations.register(connection, population)

    def population(self, name: str) -> Population:
        """The terms in force; UnknownPopulation if there are none."""
        with self._database.reading() as connection:
            return populations.current(connection, populations.identify(connection, name))

    def populations(self) -> list[Population]:
        """All populations, in the order of registration."""
        with self._database.reading() as connection:
            return populations.every(connection)

    def amend(
        self,
        name: str,
        *,
        n: int | None = None,
        rows_per_person: int | None = None,
        unit: str | None = None,
        epsilon: Fraction | str | float | None = None,
        delta: Fraction | str | float | None = None,
    ) -> Population:
        """Change terms: any before the first charge; afterwards only a lower epsilon, not below what is spent.

        Raises PopulationFrozen for the rest.
        """
        given = {"n": n, "rows_per_person": rows_per_person, "unit": unit, "epsilon": epsilon, "delta": delta}
        changes = {field: value for field, value in given.items() if value is not None}
        with self._deciding() as connection:
            return populations.amend(connection, name, changes)

    def balance(self, name: str) -> Balance:
        """Total, spent and remaining rho."""
        with self._database.reading() as connection:
            return populations.balance(connection, populations.identify(connection, name))

    def mark(self, name: str, kind: str, note: str = "") -> None:
        """Record a decision or event for good, such as that private numbers were opened. Public text only."""
        with self._deciding() as connection:
            populations.mark(connection, populations.identify(connection, name, lock=True), kind, note)

    def marks(self, name: str) -> list[Mark]:
        """All recorded decisions and events, oldest first."""
        with self._database.reading() as connection:
            return populations.marked(connection, populations.identify(connection, name))

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

        One order of `book_all`, which says the rest.
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
    ) -> list[Booking]:
        """Commit all charges of all plans, or none; one booking for each order, in their order.

        A key that is booked already adds nothing and comes back with fresh=False: its holder must not draw. The same
        key twice is booked once, and fresh once.
        table             whose rows the plans are drawn from; remembered for each
        terms             that plans and table were checked against, all of them
        refuse_elsewhere  False where no comparison with other populations' tables may have an effect

        Raises Overspent when all together exceed what is left, TableBlocked when `table` is another population's too,
        PlanError for a draw before which others were never made, LedgerError when `terms` are not in force.
        """
        with beginning(self._working) as begin, self._database.writing() as connection:
            self._guard.check(connection)
            self._guard.ready()
            booked = bookings.book_all(connection, name, orders, table, terms, refuse_elsewhere)
            fresh = [(one, order.charges) for one, order in zip(booked, orders, strict=True) if one.fresh]
            for booking, _ in fresh:
                begin(booking.id)
        if fresh:
            self._witness(fresh)
        return booked

    def at_work(self, booking_id: int) -> bool:
        """Whether a living program still works on a booking, be it this one or another on the same store.

        Ask before reading the booking: once this is False, its outcome stands, or nobody works on it and
        `close_unattended` says whether that is final.
        """
        return self._working.held(booking_id)

    def close_unattended(self, booking_id: int) -> bool:
        """Whether a plan without an outcome, which nobody works on, is final: it has no result, and never will.

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

    def _witness(self, booked: Sequence[tuple[Booking, Sequence[Charge]]]) -> None:
        """Have committed bookings in the witness; if that fails the charges stay and their plans have no result."""
        try:
            self._guard.record(booked)
        except StoreUnavailable:
            for booking, _ in booked:
                with suppress(LedgerError):
                    self.void(booking.id)
            raise

    @contextmanager
    def _deciding(self) -> Iterator[Connection]:
        """A transaction on terms or decisions, which the witness has when it ends."""
        with self._database.writing() as connection:
            self._guard.check(connection)
            yield connection
        with self._database.reading() as connection:
            self._guard.catch_up(connection)

    def finish(self, booking_id: int, result: bytes) -> None:
        """Store the result before it is shown, once. LedgerError for other bytes, or after `void`.

        PostgreSQL: tried again for a while where the connection is lost, for the same bytes may be stored twice.
        """
        for attempt in patiently(wait=not self._working.sure):
            with attempt, self._database.writing() as connection:
                bookings.finish(connection, booking_id, result)
        self._working.end(booking_id)

    def void(self, booking_id: int) -> None:
        """Record that no result will come; the charge stays. LedgerError after `finish`."""
        try:
            with self._database.writing() as connection:
                bookings.void(connection, booking_id)
        finally:
            self._working.end(booking_id)

    def booking(self, name: str, key: PlanKey) -> Booking | None:
        """The booking of a plan, if it was ever charged."""
        with self._database.reading() as connection:
            return bookings.find(connection, populations.identify(connection, name), key)

    def bookings(self, name: str) -> list[Booking]:
        """All bookings of a population, oldest first."""
        with self._database.reading() as connection:
            return bookings.every(connection, populations.identify(connection, name))

    def next_repeat(self, name: str, plan_sha256: str) -> int:
        """The `repeat` that a draw on purpose takes: 0 for a plan never booked."""
        with self._database.reading() as connection:
            return bookings.repeats(connection, populations.identify(connection, name), plan_sha256)

    def result(self, booking_id: int) -> bytes:
        """The stored bytes, always the same; NoResult if none is stored."""
        with self._database.reading() as connection:
            return bookings.result(connection, booking_id)

    def history(self, name: str) -> list[ChargeRecord]:
        """Every charge, oldest first."""
        with self._database.reading() as connection:
            return bookings.history(connection, populations.identify(connection, name))

    def export(self, name: str) -> list[dict[str, Plain]]:
        """The history as plain rows: id, time, purpose, mechanism, sensitivity, scale, rho, status.

        status  "done" or "charged": what was cancelled, broke off or is at work looks alike to the public
        """
        return [
            {**vars(one), "rho": float(one.rho.rho), "status": "done" if one.status == "done" else "charged"}
            for one in self.history(name)
        ]

    # Public documents

    def put_document(self, name: str, kind: str, key: str, body: bytes) -> None:
        """Store public bytes by kind and key; the same bytes again change nothing, others become the latest."""
        with self._database.writing() as connection:
            documents.put(connection, populations.identify(connection, name), kind, key, body)

    def document(self, name: str, kind: str, key: str) -> bytes:
        """The latest bytes under a key; LedgerError if there are none."""
        with self._database.reading() as connection:
            return documents.read(connection, populations.identify(connection, name), kind, key)

    def documents(self, name: str, kind: str) -> list[DocumentKey]:
        """(key, time) of every document of a kind, the latest last."""
        with self._database.reading() as connection:
            return documents.listed(connection, populations.identify(connection, name), kind)

    def document_versions(self, name: str, kind: str, key: str) -> list[tuple[str, bytes]]:
        """(time, bytes) of all that was stored under a key since it was last deleted, the oldest first."""
        with self._database.reading() as connection:
            return documents.versions(connection, populations.identify(connection, name), kind, key)

    def times_in_order(self, name: str) -> bool:
        """Whether no public document has an earlier time than one before it, so that times tell before from after."""
        with self._database.reading() as connection:
            return documents.in_order(connection, populations.identify(connection, name))

    def delete_documents(self, name: str, kind: str | None = None, key: str | None = None) -> int:
        """Delete public documents now; returns how many versions went. Charges and results stay."""
        with self._database.writing() as connection:
            return documents.remove(connection, populations.identify(connection, name), kind, key)
