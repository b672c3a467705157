"""The store against its witness: whether charges are missing, and adding them again. Never a refund.

What the witness has and the store lacks was charged, and may have been drawn and shown. It is added as spent, with "no
result" where the result is gone, and the addition is recorded. What the store has and the witness lacks is copied to
the witness: that only makes the next comparison stricter.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sqlalchemy import Connection, Table, func, insert, select

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger import tables
from pmwpub.ledger.database import now
from pmwpub.ledger.lines import BookingLine, ChargeLine, Line, MarkLine, StoreLine, TermsLine
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

    def check(self, connection: Connection, *, whole: bool = False) -> None:
        """Raise StoreUnavailable if charges, terms or decisions are missing; bring the witness up to date.

        Cheap while the numbers of lines agree; otherwise, or if `whole`, everything is compared, each amount too.
        """
        witness = self.witness
        if witness is None:
            return
        witness.refresh()
        identifier = store_id(connection)
        if not whole and witness.store == identifier and witness.counts == _counts(connection):
            return
        lines = list(recorded(connection))
        if witness.missing:
            if any(isinstance(line, BookingLine) for line in lines):
                raise StoreUnavailable(MISSING.format(path=witness.path))
        elif witness.store != identifier and witness.counts[1]:
            raise StoreUnavailable(FOREIGN.format(path=witness.path))
        elif witness.store == identifier:
            lacking = witness.known - {line.identity for line in lines}
            if lacking:
                raise StoreUnavailable(LACKING.format(path=witness.path, what=_in_words(lacking)))
        witness.append(([] if witness.store == identifier else [StoreLine(identifier)]) + lines)

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
            self.witness.append(list(recorded(connection)))


def store_id(connection: Connection) -> str:
    """What tells stores apart: a hash of the secret, which says nothing about it. Copies of a store have the same."""
    secret = connection.execute(select(tables.secrets.c.secret)).scalar_one()
    return hashlib.sha256(b"pmwpub store\0" + bytes(secret)).hexdigest()


def _counts(connection: Connection) -> tuple[int, int, int]:
    def rows(table: Table) -> int:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())

    return rows(tables.terms), rows(tables.bookings), rows(tables.marks)


def recorded(connection: Connection) -> Iterator[Line]:
    """The store's terms, bookings and decisions as lines of a witness, oldest first of each kind."""
    names = {row.id: row.name for row in connection.execute(select(tables.populations))}
    places: Counter[int] = Counter()
    for row in connection.execute(select(tables.terms).order_by(tables.terms.c.id)):
        numbers = (row.n, row.rows_per_person, row.unit, row.epsilon, row.delta, row.total_units, row.created)
        yield TermsLine(names[row.population_id], places[row.population_id], *numbers)
        places[row.population_id] += 1
    charged: dict[int, list[ChargeLine]] = {}
    for row in connection.execute(select(tables.charges).order_by(tables.charges.c.id)):
        line = ChargeLine(row.purpose, row.mechanism, row.sensitivity, row.scale, row.units)
        charged.setdefault(row.booking_id, []).append(line)
    for row in connection.execute(select(tables.bookings).order_by(tables.bookings.c.id)):
        charges = tuple(charged.get(row.id, ()))
        yield BookingLine(names[row.population_id], row.plan_sha256, row.repeat, row.plan_json, charges, row.created)
    places.clear()
    for row in connection.execute(select(tables.marks).order_by(tables.marks.c.id)):
        yield MarkLine(names[row.population_id], places[row.population_id], row.kind, row.note, row.created)
        places[row.population_id] += 1


def readd(connection: Connection, lines: list[Line]) -> list[Readded]:
    """Add what the store lacks, and record it; returns what was added by population, in their order.

    Terms that were lost come back, and where both the store and the witness amended them the lower total stands. A
    booking that has charges of less than a line says gets those that it lacks.
    """
    present = list(recorded(connection))
    held = {line.identity for line in present}
    booked = {line.key: line for line in present if isinstance(line, BookingLine)}
    added: dict[str, Readded] = {}
    for line in lines:
        if isinstance(line, StoreLine) or line.identity in held:
            continue
        held.add(line.identity)
        if isinstance(line, BookingLine):
            line = _lacking(line, booked.get(line.key))
            if not line.charges:
                continue
        population_id = _population(connection, line)
        before = added.get(line.population, Readded(line.population, 0, 0))
        added[line.population] = before
        if isinstance(line, TermsLine):
            _add_terms(connection, population_id, line)
        elif isinstance(line, MarkLine):
            _insert(connection, tables.marks, population_id, line.created, kind=line.mark, note=line.note)
        else:
            _add_booking(connection, population_id, line, is_new=line.key not in booked)
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


def _population(connection: Connection, line: TermsLine | BookingLine | MarkLine) -> int:
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
    if current is not None and current.delta == line.delta and Fraction(current.epsilon) < Fraction(line.epsilon):
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


def _add_booking(connection: Connection, population_id: int, line: BookingLine, *, is_new: bool) -> None:
    """Add a booking without a result, or to one that is there its charges."""
    named = {"plan_sha256": line.plan_sha256, "repeat": line.repeat}
    if is_new:
        booking_id = _insert(
            connection, tables.bookings, population_id, line.created, plan_json=line.plan_json, **named
        )
        connection.execute(insert(tables.outcomes).values(booking_id=booking_id, status="no result", created=now()))
    else:
        query = select(tables.bookings.c.id).filter_by(population_id=population_id, **named)
        booking_id = connection.execute(query).scalar_one()
    for charge in line.charges:
        values = {name: getattr(charge, name) for name in ("purpose", "mechanism", "sensitivity", "scale", "units")}
        _insert(connection, tables.charges, population_id, line.created, booking_id=booking_id, **values)


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
