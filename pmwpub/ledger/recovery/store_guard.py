"""The store against its witness: whether charges are missing, or anything is other than it was. Never a refund.

What the witness has and the store lacks was charged, and may have been drawn and shown: until it is added again (see
`restored_charges`), nothing is released. What the store has and the witness lacks is copied to the witness: that only
makes the next comparison stricter.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Table, func, select

from pmwpub.accounts.people import Actor
from pmwpub.errors import LedgerError, StoreUnavailable
from pmwpub.ledger import tables
from pmwpub.ledger.database import lock_store
from pmwpub.ledger.members.member_tables import booked_by, marked_by
from pmwpub.ledger.members.signed_rows import everybody
from pmwpub.ledger.model import Booking, Charge
from pmwpub.ledger.recovery.record_merging import later_terms, terms_of
from pmwpub.ledger.recovery.vouching import all_recorded, record_unvouched
from pmwpub.ledger.recovery.witness import Witness
from pmwpub.ledger.recovery.witness_lines import BookingLine, ByLine, ChargeLine, Entry, MarkLine, StoreLine, TermsLine

MISSING = (
    "The ledger has charges, but its witness {path} is missing or another ledger's, so nobody can tell whether charges "
    "are missing too. "
    "Put the witness back, or accept the ledger as it is with `pmwpub ledger reconcile --accept-missing-witness`, "
    "which is recorded. Nothing was released."
)
REMOVED = (
    "The ledger's witness {path} was removed, or replaced by another ledger's, while the ledger was open. Stop the "
    "program and open the ledger again, which records that nothing vouches for it. Nothing was released."
)
FOREIGN = (
    "The witness {path} belongs to another ledger, which has charges: this file was put in its place. Put that ledger "
    "back (`pmwpub ledger restore BACKUP`), or run `pmwpub ledger reconcile`, which adds its charges here as spent. "
    "Nothing was released."
)
LACKING = (
    "The ledger lacks {what} as its witness {path} has them: an older copy was put in its place, or it was altered. A "
    "charge is never refunded. Run `pmwpub ledger reconcile`, which adds again, as spent, what is missing, or `pmwpub "
    "ledger restore BACKUP` with a newer backup. Nothing was released."
)
ALTERED = (
    "The terms of {population!r} have charges, and were changed in the ledger as such terms never change: it was "
    "altered. Put a backup back with `pmwpub ledger restore BACKUP`. Nothing was released."
)
UNREADABLE = (
    "The ledger holds a row that cannot be read, or that belongs to nobody: it was altered or is damaged. Put a backup "
    "back (SQLite: `pmwpub ledger restore BACKUP`). Nothing was released."
)


class Guard:
    """Holds a store to its witness; without one (PostgreSQL, unless PMWPUB_WITNESS names a file) it lets all pass."""

    def __init__(self, witness: Witness | None) -> None:
        self.witness = witness

    def compare(self, connection: Connection) -> None:
        """Raise StoreUnavailable if anything that the witness has is missing in the store, or other there.

        It reads everything, so it is for the opening of a store.
        """
        if self.witness is not None:
            self.witness.refresh()
            if self.witness.store == store_id(connection):
                self._compared(self.witness, connection)

    def vouch(self, connection: Connection) -> None:
        """Record for a store with terms and without charges that nothing vouches for it, before its witness begins.

        `check` refuses a store with charges, and begins a witness only where this record is committed.
        """
        witness = self.witness
        if witness is None or self._own(witness, connection):
            return
        if not witness.counts[1] and not _counts(connection)[1]:
            record_unvouched(connection)

    def check(self, connection: Connection) -> None:
        """Raise StoreUnavailable if charges, terms or decisions are missing; bring the witness up to date.

        It is cheap while the numbers of lines agree; otherwise everything is compared.
        """
        witness = self.witness
        if witness is None:
            return
        if self._own(witness, connection):
            if witness.counts != _counts(connection):
                witness.append(self._compared(witness, connection))
            return
        if witness.counts[1]:
            raise StoreUnavailable(FOREIGN.format(path=witness.path))
        entries = recorded(connection)
        if any(isinstance(entry, BookingLine) for entry in entries):
            raise StoreUnavailable(MISSING.format(path=witness.path))
        if not all_recorded(entries):
            raise StoreUnavailable(REMOVED.format(path=witness.path))
        witness.append([StoreLine(store_id(connection)), *entries])

    @staticmethod
    def _own(witness: Witness, connection: Connection) -> bool:
        """Whether the witness is this store's. If not, nobody registers anything until the transaction ends.

        Who makes a store begins its witness before registering, so a look under the lock sees no population without it.
        """
        witness.refresh()
        identifier = store_id(connection)
        if witness.store == identifier:
            return True
        lock_store(connection)
        witness.refresh()
        return witness.store == identifier

    def ready(self) -> None:
        """Raise StoreUnavailable, before anything is charged, if the witness could not take a booking."""
        if self.witness is not None:
            self.witness.ready()

    def vouched(self, connection: Connection) -> None:
        """Raise StoreUnavailable unless the witness, where there is one, is this store's and could take a booking."""
        if self.witness is not None:
            self.witness.ready()
            self.witness.refresh()
            if self.witness.store != store_id(connection):
                raise StoreUnavailable(REMOVED.format(path=self.witness.path))

    def writable(self, booked: Sequence[tuple[Booking, Sequence[Charge]]]) -> None:
        """Raise LedgerError, before bookings are committed, where they could be no lines of a witness."""
        try:
            for booking, charges in booked:
                _line(booking, charges)
        except ValueError:
            raise LedgerError("A plan or a charge of it has a value that no record can hold.") from None

    def readable(self, connection: Connection) -> None:
        """Raise StoreUnavailable, before terms or decisions are committed, where they could be no lines of it."""
        if self.witness is not None:
            recorded(connection)

    def record(self, booked: Sequence[tuple[Booking, Sequence[Charge]]]) -> None:
        """Write committed bookings to the witness, and have them on the disk."""
        if self.witness is not None:
            self.witness.append([_line(booking, charges) for booking, charges in booked])

    def catch_up(self, connection: Connection) -> None:
        """Write committed terms and decisions to the witness and sync it; StoreUnavailable as `compare`."""
        if self.witness is not None:
            self.witness.refresh()
            self.witness.append(self._compared(self.witness, connection))

    @staticmethod
    def _compared(witness: Witness, connection: Connection) -> list[Entry]:
        """All that the store has; StoreUnavailable unless it has what its witness has, and terms that may follow on it.

        The witness is looked at first: what stands there was in the store before, whatever others write meanwhile.
        """
        known = witness.known
        entries = recorded(connection)
        lacking = known - {entry.identity for entry in entries}
        if lacking:
            raise StoreUnavailable(LACKING.format(path=witness.path, what=_in_words(lacking)))
        charged = {identity[1] for identity in known if identity[0] == "booking"}
        for name, terms in terms_of(entries).items():
            witnessed = [one for one in terms if one.identity in known]
            if later_terms(witnessed, terms, charged=name in charged) is None:
                raise StoreUnavailable(ALTERED.format(population=name))
        return entries


def store_id(connection: Connection) -> str:
    """What tells stores apart: a hash of the secret, which says nothing about it. Copies of a store have the same."""
    secret = connection.execute(select(tables.secrets.c.secret)).scalar_one()
    if not isinstance(secret, bytes | memoryview):
        raise StoreUnavailable(UNREADABLE)
    return hashlib.sha256(b"pmwpub store\0" + bytes(secret)).hexdigest()


def _line(booking: Booking, charges: Sequence[Charge]) -> BookingLine:
    lines = [ChargeLine(one.purpose, one.mechanism, one.sensitivity, one.scale, one.rho.units) for one in charges]
    key = booking.key
    whole = (booking.population, key.plan_sha256, key.repeat, booking.plan_json, tuple(lines), booking.created)
    return BookingLine(*whole, by=_by(booking.by))


def _by(made: Actor | None) -> ByLine | None:
    """Who made a row, by the two claims that never change; the name that is shown stays in the store."""
    return None if made is None else ByLine(made.account.issuer, made.account.subject, made.role.value)


def _counts(connection: Connection) -> tuple[int, int, int]:
    def rows(table: Table) -> int:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())

    return rows(tables.terms), rows(tables.bookings), rows(tables.marks)


def recorded(connection: Connection) -> list[Entry]:
    """The store's terms, bookings and decisions as lines of a witness, oldest first of each kind.

    On PostgreSQL each query may see more than the one before. So what a row points at is read after it: there is no
    booking without its charges, nor a line without its population.
    Raises StoreUnavailable for rows that cannot be read, or that point at nothing.
    """
    rows = {
        table: connection.execute(select(table).order_by(table.c.id)).all()
        for table in (tables.terms, tables.marks, tables.bookings, tables.charges, tables.populations)
    }
    try:
        names = {row.id: row.name for row in rows[tables.populations]}
        return [
            *_terms(rows[tables.terms], names),
            *_bookings(rows[tables.bookings], rows[tables.charges], names, everybody(connection, booked_by)),
            *_marks(rows[tables.marks], names, everybody(connection, marked_by)),
        ]
    except (ValueError, KeyError):
        raise StoreUnavailable(UNREADABLE) from None


Rows = Sequence[Row[Any]]
Names = Mapping[int, str]


def _terms(rows: Rows, names: Names) -> Iterator[TermsLine]:
    places: Counter[int] = Counter()
    for row in rows:
        numbers = (row.n, row.rows_per_person, row.unit, row.epsilon, row.delta, row.total_units, row.created)
        yield TermsLine(names[row.population_id], places[row.population_id], *numbers)
        places[row.population_id] += 1


def _bookings(rows: Rows, charges: Rows, names: Names, by: Mapping[int, Actor]) -> Iterator[BookingLine]:
    """The bookings as lines of a witness; a charge counts where its booking and its population agree."""
    charged: dict[tuple[int, int], list[ChargeLine]] = {}
    for row in charges:
        line = ChargeLine(row.purpose, row.mechanism, row.sensitivity, row.scale, row.units)
        charged.setdefault((row.booking_id, row.population_id), []).append(line)
    for row in rows:
        lines = tuple(charged.get((row.id, row.population_id), ()))
        whole = (names[row.population_id], row.plan_sha256, row.repeat, row.plan_json, lines, row.created)
        yield BookingLine(*whole, by=_by(by.get(row.id)))


def _marks(rows: Rows, names: Names, by: Mapping[int, Actor]) -> Iterator[MarkLine]:
    places: Counter[int] = Counter()
    for row in rows:
        whole = (names[row.population_id], places[row.population_id], row.kind, row.note, row.created)
        yield MarkLine(*whole, by=_by(by.get(row.id)))
        places[row.population_id] += 1


def _in_words(lacking: frozenset[tuple[object, ...]]) -> str:
    kinds = Counter(identity[0] for identity in lacking)
    words = {"booking": "charged plans", "terms": "terms of populations", "mark": "recorded decisions"}
    return ", ".join(f"{kinds[kind]} {said}" for kind, said in words.items() if kinds[kind])
