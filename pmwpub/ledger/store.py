"""The ledger: one object over one store, whose every method is one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from types import TracebackType

from sqlalchemy import Connection

from pmwpub.errors import LedgerError, StoreUnavailable
from pmwpub.ledger import bookings, documents, fingerprints, populations
from pmwpub.ledger.database import Database, sqlite_path, store_url, witness_path
from pmwpub.ledger.model import (
    Balance,
    Booking,
    Charge,
    ChargeRecord,
    DocumentKey,
    Mark,
    PlanKey,
    Population,
    TableHandle,
    TableVerdict,
)
from pmwpub.ledger.recovery import Guard
from pmwpub.ledger.witness import Witness
from pmwpub.ledger.working import AdvisoryLocks, FileLocks, Working, beginning

Plain = str | int | float


class Ledger:
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
        terms: tuple[int, int] | None = None,
    ) -> Booking:
        """Commit all charges of a plan, or none, before anything is drawn; the witness has them when this returns.

        A key that is booked already adds nothing and comes back with fresh=False: its holder must not draw.
        Raises Overspent, TableBlocked when `table` (from `recognise`) is another population's too, or LedgerError when
        `terms`, the (n, rows per person) that plan and table were checked against, are not in force.
        """
        with beginning(self._working) as begin, self._database.writing() as connection:
            self._guard.check(connection)
            self._guard.ready()
            booking = bookings.book(connection, name, key, plan_json, charges, table, terms)
            if booking.fresh:
                begin(booking.id)
        if booking.fresh:
            self._witness(booking, charges)
        return booking

    def at_work(self, booking_id: int) -> bool:
        """Whether a living program still works on a booking, be it this one or another on the same store.

        Ask before reading the booking: once this is False, its outcome stands, or there will be none.
        """
        return self._working.held(booking_id)

    def _witness(self, booking: Booking, charges: Sequence[Charge]) -> None:
        """Have a committed booking in the witness; if that fails the charge stays and its plan has no result."""
        try:
            self._guard.record(booking, charges)
        except StoreUnavailable:
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
        """Store the result before it is shown, once. LedgerError for other bytes, or after `void`."""
        with self._database.writing() as connection:
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

    # The private table's fingerprint: for the steward alone

    def recognise(self, name: str, private: bytes, seen: Sequence[bytes] = ()) -> TableVerdict:
        """Whether this private content is new, the same, changed, or another population's; stores nothing.

        seen  its rows in the views of a mechanism: a table that has one of them in common with another is the same
        """
        with self._database.reading() as connection:
            return fingerprints.recognise(connection, populations.identify(connection, name), private, seen)

    def acknowledge(self, name: str, private: bytes, seen: Sequence[bytes] = ()) -> None:
        """Record the steward's decision that this table serves several populations."""
        with self._database.writing() as connection:
            fingerprints.acknowledge(connection, populations.identify(connection, name), private, seen)

    def acknowledgements(self, name: str) -> list[tuple[str, str]]:
        """(other population, time) of each such decision; for the steward only."""
        with self._database.reading() as connection:
            return fingerprints.acknowledged(connection, populations.identify(connection, name))

    def booked_for(self, booking_id: int, table: TableHandle) -> bool | None:
        """Whether a booking was made for this very table; None if it was made without one."""
        with self._database.reading() as connection:
            return fingerprints.matches(connection, booking_id, table)
