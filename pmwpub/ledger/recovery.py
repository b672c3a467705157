"""The store against its witness: whether charges are missing, and adding them again. Never a refund.

What the witness has and the store lacks was charged, and may have been drawn and shown. It is added as spent, with "no
result" where the result is gone, and the addition is recorded. What the store has and the witness lacks is copied to
the witness: that only makes the next comparison stricter.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from sqlalchemy import Connection, Row, Table, func, insert, select

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger import tables
from pmwpub.ledger.database import now
from pmwpub.ledger.lines import BookingLine, ChargeLine, Entry, MarkLine, StoreLine, TermsLine
from pmwpub.ledger.model import Booking, Charge
from pmwpub.ledger.witness import Witness
from pmwpub.privacy.budget import UNIT
from pmwpub.rounding import up

RECONCILED = "ledger reconciled"
UNWITNESSED = "witness missing"
"""The kinds of mark that record a reconciliation."""

MISSING = (
    "The ledger has charges, but its witness {path} is missing, so nobody can tell whether charges are missing too. "
    "Put the witness back, or accept the ledger as it is with `pmwpub ledger reconcile --accept-missing-witness`, "
    "which is recorded. Nothing was released."
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
UNREADABLE = (
    "The ledger holds a row that cannot be read, or that belongs to nobody. Put a backup back with `pmwpub ledger "
    "restore BACKUP`. Nothing was released."
)
CONTRADICTED = (
    "The terms of {population!r} have charges and are other ones in the ledger than in its witness, so one of them was "
    "altered. Put a backup back with `pmwpub ledger restore BACKUP`, or move the ledger's file away and run `pmwpub "
    "ledger reconcile`, which makes it anew from the witness, without results. Nothing was changed."
)


@dataclass(frozen=True)
class Readded:
    """What a reconciliation added to the store for one population."""

    population: str
    bookings: int
    units: int


class Guard:
    """Holds a store to its witness; without one (PostgreSQL, unless PMWPUB_WITNESS names a file) it lets all pass."""

    def __init__(self, witness: Witness | None) -> None:
        self.witness = witness

    def compare(self, connection: Connection) -> None:
        """Raise StoreUnavailable if anything that the witness has is missing in the store, or other there.

        Reads everything: for the opening of a store.
        """
        if self.witness is not None:
            self.witness.refresh()
            if self.witness.store == store_id(connection):
                self._refuse_lacking(self.witness, recorded(connection))

    def check(self, connection: Connection) -> None:
        """Raise StoreUnavailable if charges, terms or decisions are missing; bring the witness up to date.

        Cheap while the numbers of lines agree; otherwise everything is compared.
        """
        witness = self.witness
        if witness is None:
            return
        witness.refresh()
        identifier = store_id(connection)
        if witness.store == identifier and witness.counts == _counts(connection):
            return
        entries = recorded(connection)
        if witness.missing:
            if any(isinstance(entry, BookingLine) for entry in entries):
                raise StoreUnavailable(MISSING.format(path=witness.path))
        elif witness.store != identifier and witness.counts[1]:
            raise StoreUnavailable(FOREIGN.format(path=witness.path))
        elif witness.store == identifier:
            self._refuse_lacking(witness, entries)
        witness.append([*([] if witness.store == identifier else [StoreLine(identifier)]), *entries])

    @staticmethod
    def _refuse_lacking(witness: Witness, entries: Iterable[Entry]) -> None:
        lacking = witness.known - {entry.identity for entry in entries}
        if lacking:
            raise StoreUnavailable(LACKING.format(path=witness.path, what=_in_words(lacking)))

    def ready(self) -> None:
        """Raise StoreUnavailable, before anything is charged, if the witness could not take a booking."""
        if self.witness is not None:
            self.witness.ready()

    def record(self, booking: Booking, charges: Sequence[Charge]) -> None:
        """Have a committed booking in the witness, on the disk."""
        lines = [ChargeLine(one.purpose, one.mechanism, one.sensitivity, one.scale, one.rho.units) for one in charges]
        key = booking.key
        whole = (booking.population, key.plan_sha256, key.repeat, booking.plan_json, tuple(lines), booking.created)
        if self.witness is not None:
            self.witness.append([BookingLine(*whole)])

    def catch_up(self, connection: Connection) -> None:
        """Have committed terms and decisions in the witness, on the disk."""
        if self.witness is not None:
            self.witness.append(recorded(connection))


def store_id(connection: Connection) -> str:
    """What tells stores apart: a hash of the secret, which says nothing about it. Copies of a store have the same."""
    secret = connection.execute(select(tables.secrets.c.secret)).scalar_one()
    return hashlib.sha256(b"pmwpub store\0" + bytes(secret)).hexdigest()


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
            *_bookings(rows[tables.bookings], rows[tables.charges], names),
            *_marks(rows[tables.marks], names),
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


def _bookings(rows: Rows, charges: Rows, names: Names) -> Iterator[BookingLine]:
    """A charge counts where its booking and its population agree."""
    charged: dict[tuple[int, int], list[ChargeLine]] = {}
    for row in charges:
        line = ChargeLine(row.purpose, row.mechanism, row.sensitivity, row.scale, row.units)
        charged.setdefault((row.booking_id, row.population_id), []).append(line)
    for row in rows:
        lines = tuple(charged.get((row.id, row.population_id), ()))
        yield BookingLine(names[row.population_id], row.plan_sha256, row.repeat, row.plan_json, lines, row.created)


def _marks(rows: Rows, names: Names) -> Iterator[MarkLine]:
    places: Counter[int] = Counter()
    for row in rows:
        yield MarkLine(names[row.population_id], places[row.population_id], row.kind, row.note, row.created)
        places[row.population_id] += 1


def readd(connection: Connection, lines: Iterable[Entry]) -> list[Readded]:
    """Add what the store lacks, and record it; returns what was added by population, in their order.

    Terms that were lost come back, at the lower of both totals. A booking that has charges of less than its line says
    gets those that it lacks.
    Raises StoreUnavailable for other terms of a population that has charges.
    """
    present = recorded(connection)
    held = {line.identity for line in present}
    booked = {line.slot: line for line in present if isinstance(line, BookingLine)}
    added: dict[str, Readded] = {}
    for line in lines:
        if line.identity in held:
            continue
        held.add(line.identity)
        if isinstance(line, BookingLine):
            whole, line = line, _lacking(line, booked.get(line.slot))
            if not line.charges:
                continue
            booked[line.slot] = whole
        population_id = _population(connection, line)
        before = added.get(line.population, Readded(line.population, 0, 0))
        added[line.population] = before
        if isinstance(line, TermsLine):
            _add_terms(connection, population_id, line)
        elif isinstance(line, MarkLine):
            _insert(connection, tables.marks, population_id, line.created, kind=line.mark, note=line.note)
        else:
            _add_charges(connection, population_id, line)
            added[line.population] = Readded(line.population, before.bookings + 1, before.units + line.units)
    for one in added.values():
        record(connection, one.population, RECONCILED, _note(one))
    return list(added.values())


def accept(connection: Connection) -> None:
    """Record for every population with charges that nothing outside the store vouches for them."""
    names = select(tables.populations.c.name).where(tables.populations.c.id.in_(select(tables.charges.c.population_id)))
    for name in connection.execute(names.order_by(tables.populations.c.id)).scalars().all():
        record(connection, name, UNWITNESSED, "Accepted without its witness; charges that were lost would not show.")


def record(connection: Connection, population: str, kind: str, note: str) -> None:
    """Append a decision to a population's record."""
    query = select(tables.populations.c.id).where(tables.populations.c.name == population)
    _insert(connection, tables.marks, connection.execute(query).scalar_one(), now(), kind=kind, note=note)


def _population(connection: Connection, line: Entry) -> int:
    query = select(tables.populations.c.id).where(tables.populations.c.name == line.population)
    found = connection.execute(query).scalar()
    if found is not None:
        return int(found)
    if not isinstance(line, TermsLine):
        raise StoreUnavailable(f"The witness has charges of {line.population!r} but not its terms; it is damaged.")
    row = insert(tables.populations).values(name=line.population, created=line.created)
    return int(connection.execute(row.returning(tables.populations.c.id)).scalar_one())


def _add_terms(connection: Connection, population_id: int, line: TermsLine) -> None:
    query = select(tables.terms).where(tables.terms.c.population_id == population_id)
    current = connection.execute(query.order_by(tables.terms.c.id.desc()).limit(1)).one_or_none()
    epsilon, total = line.epsilon, line.total_units
    if current is not None:
        frozen = (current.n, current.rows_per_person, current.unit, current.delta)
        charged = select(tables.charges.c.id).where(tables.charges.c.population_id == population_id).limit(1)
        if frozen != line.frozen and connection.execute(charged).first() is not None:
            raise StoreUnavailable(CONTRADICTED.format(population=line.population))
        if current.total_units < total:
            epsilon, total = current.epsilon, current.total_units
    _insert(
        connection,
        tables.terms,
        population_id,
        line.created,
        n=line.n,
        rows_per_person=line.rows_per_person,
        unit=line.unit,
        epsilon=epsilon,
        delta=line.delta,
        total_units=total,
    )


def _lacking(line: BookingLine, present: BookingLine | None) -> BookingLine:
    """The booking with those charges only that the store lacks; with none where it has charges of no less."""
    if present is None:
        return line
    lacking = (Counter(line.charges) - Counter(present.charges)).elements() if present.units < line.units else ()
    return replace(line, charges=tuple(lacking))


def _add_charges(connection: Connection, population_id: int, line: BookingLine) -> None:
    """To its booking, or to a new one without a result."""
    named = {"plan_sha256": line.plan_sha256, "repeat": line.repeat}
    query = select(tables.bookings.c.id).filter_by(population_id=population_id, **named)
    booking_id = connection.execute(query).scalar()
    if booking_id is None:
        values = {**named, "plan_json": line.plan_json}
        booking_id = _insert(connection, tables.bookings, population_id, line.created, **values)
        connection.execute(insert(tables.outcomes).values(booking_id=booking_id, status="no result", created=now()))
    for charge in line.charges:
        _insert(connection, tables.charges, population_id, line.created, booking_id=booking_id, **asdict(charge))


def _insert(connection: Connection, table: Table, population_id: int, created: str, **values: object) -> int:
    row = insert(table).values(population_id=population_id, created=created, **values)
    return int(connection.execute(row.returning(table.c.id)).scalar_one())


def _note(added: Readded) -> str:
    return (
        f"{added.bookings} charged plans, of rho = {up(Fraction(added.units, UNIT), 6)} together, and the terms and "
        "decisions that the ledger lacked were added again from its witness, as spent; results that it lacked are gone."
    )


def _in_words(lacking: frozenset[tuple[object, ...]]) -> str:
    kinds = Counter(identity[0] for identity in lacking)
    words = {"booking": "charged plans", "terms": "terms of populations", "mark": "recorded decisions"}
    return ", ".join(f"{kinds[kind]} {said}" for kind, said in words.items() if kinds[kind])
