"""Adding to a store what another record of it has, as spent, with "no result" where the result is gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

from sqlalchemy import Connection, Table, insert, select

from pmwpub.accounts.people import Account, Actor, Role
from pmwpub.errors import StoreUnavailable
from pmwpub.ledger import tables
from pmwpub.ledger.database import now
from pmwpub.ledger.members.member_tables import booked_by, marked_by
from pmwpub.ledger.members.signed_rows import put_back
from pmwpub.ledger.recovery.record_merging import lacking
from pmwpub.ledger.recovery.store_guard import recorded
from pmwpub.ledger.recovery.vouching import record
from pmwpub.ledger.recovery.witness_lines import BookingLine, ByLine, Entry, MarkLine, TermsLine
from pmwpub.privacy.budget import UNIT
from pmwpub.rounding import up

RECONCILED = "ledger reconciled"
"""The kind of mark that records a reconciliation."""


@dataclass(frozen=True)
class RestoredCharges:
    """What a reconciliation added to the store for one population."""

    population: str
    bookings: int
    units: int


def readd(connection: Connection, *records: Sequence[Entry]) -> list[RestoredCharges]:
    """Add what the store lacks of each record, and note it; returns what was added by population, in their order.

    Raises StoreUnavailable as `record_merging.lacking`.
    """
    added: dict[str, RestoredCharges] = {}
    for entries in records:
        for entry in lacking(recorded(connection), entries):
            _add(connection, entry)
            before = added.get(entry.population, RestoredCharges(entry.population, 0, 0))
            bookings, units = (1, entry.units) if isinstance(entry, BookingLine) else (0, 0)
            added[entry.population] = RestoredCharges(
                entry.population, before.bookings + bookings, before.units + units
            )
    for one in added.values():
        record(connection, one.population, RECONCILED, _note(one))
    return list(added.values())


def _add(connection: Connection, entry: Entry) -> None:
    population_id = _population(connection, entry)
    if isinstance(entry, TermsLine):
        numbers = ("n", "rows_per_person", "unit", "epsilon", "delta", "total_units")
        values = {name: getattr(entry, name) for name in numbers}
        append_row(connection, tables.terms, population_id, entry.created, **values)
    elif isinstance(entry, MarkLine):
        made = append_row(connection, tables.marks, population_id, entry.created, kind=entry.mark, note=entry.note)
        sign_again(connection, marked_by, made, entry.by)
    else:
        _add_charges(connection, population_id, entry)


def _population(connection: Connection, line: Entry) -> int:
    query = select(tables.populations.c.id).where(tables.populations.c.name == line.population)
    found = connection.execute(query).scalar()
    if found is not None:
        return int(found)
    if not isinstance(line, TermsLine):
        raise StoreUnavailable(f"The witness has charges of {line.population!r} but not its terms; it is damaged.")
    row = insert(tables.populations).values(name=line.population, created=line.created)
    return int(connection.execute(row.returning(tables.populations.c.id)).scalar_one())


def _add_charges(connection: Connection, population_id: int, line: BookingLine) -> None:
    """Add the charges of a line to its booking, or to a new booking without a result."""
    named = {"plan_sha256": line.plan_sha256, "repeat": line.repeat}
    query = select(tables.bookings.c.id).filter_by(population_id=population_id, **named)
    booking_id = connection.execute(query).scalar()
    if booking_id is None:
        values = {**named, "plan_json": line.plan_json}
        booking_id = append_row(connection, tables.bookings, population_id, line.created, **values)
        connection.execute(insert(tables.outcomes).values(booking_id=booking_id, status="no result", created=now()))
        sign_again(connection, booked_by, booking_id, line.by)
    for charge in line.charges:
        append_row(connection, tables.charges, population_id, line.created, booking_id=booking_id, **asdict(charge))


def sign_again(connection: Connection, table: Table, row: int, by: ByLine | None) -> None:
    """Write who made a row, where the other record says so."""
    if by is not None:
        put_back(connection, table, row, Actor(Account(by.issuer, by.subject), Role(by.role)))


def append_row(connection: Connection, table: Table, population_id: int, created: str, **values: object) -> int:
    """Add a row of a population, with the time that it had in another record; returns its id."""
    row = insert(table).values(population_id=population_id, created=created, **values)
    return int(connection.execute(row.returning(table.c.id)).scalar_one())


def _note(added: RestoredCharges) -> str:
    return (
        f"{added.bookings} charged plans, of rho = {up(Fraction(added.units, UNIT), 6)} together, and the terms and "
        "decisions that the ledger lacked were added again from its witness, as spent; results that it lacked are gone."
    )
