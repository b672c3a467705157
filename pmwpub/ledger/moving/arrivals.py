"""Taking an export into a store: all of it or nothing, once, and never into a population that is there already."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from itertools import groupby

from sqlalchemy import Connection, insert, select

from pmwpub.errors import ExportRefused, PopulationExists
from pmwpub.ledger import populations, tables
from pmwpub.ledger.database import lock_store
from pmwpub.ledger.members.member_tables import booked_by, marked_by
from pmwpub.ledger.moving.closings import MOVED_HERE, came_by
from pmwpub.ledger.moving.export_file import NOTHING, Export
from pmwpub.ledger.moving.export_lines import MovedRecord
from pmwpub.ledger.moving.receipts import address_of, ticket
from pmwpub.ledger.recovery.restored_charges import append_row, sign_again

Renumbering = Callable[[str, Mapping[int, int]], str]
"""A decision's note, and which number each charge has here by the one it had: the note with the numbers of here."""

ELSEWHERE = (
    "This export of {name!r} goes to another store, or to this one under another name: the address that it names is "
    "not the one that `pmwpub ledger address` gives here. An export is taken in by one store alone. " + NOTHING
)
STANDS = (
    "A population {name!r} is registered here, and not by this export: what is moved never joins another population's "
    "budget. " + NOTHING
)
_MOST_RANGES = 200


def known_already(connection: Connection, export: Export) -> bool:
    """Whether the store took this very export in; it lets no other writer pass until the transaction ends.

    Raises ExportRefused for one that goes elsewhere, PopulationExists where the name, or one that looks like it, stands
    for something else.
    """
    lock_store(connection)
    name, manifest = export.manifest.population, export.manifest
    if not hmac.compare_digest(address_of(ticket(connection, name), name), manifest.address):
        raise ExportRefused(ELSEWHERE.format(name=name))
    return _stands(connection, name, manifest.total)


def refuse_taken(connection: Connection, name: str) -> None:
    """Raise PopulationExists where a name, or one that looks like it, is registered, so that none may come."""
    _stands(connection, name, "")


def _stands(connection: Connection, name: str, total: str) -> bool:
    query = select(tables.populations.c.id).where(tables.populations.c.name == name)
    found = connection.execute(query).scalar()
    if found is None:
        populations.refuse_alike(connection, name)
        return False
    if total not in came_by(populations.marked(connection, int(found))):
        raise PopulationExists(STANDS.format(name=name))
    return True


def take_in(connection: Connection, export: Export, renumbered: Renumbering) -> None:
    """Write all that an export holds as a new population, in the order of the store that it comes from."""
    record, name = export.record, export.manifest.population
    row = insert(tables.populations).values(name=name, created=record.terms[0].created)
    population_id = int(connection.execute(row.returning(tables.populations.c.id)).scalar_one())
    for line in record.terms:
        values = {key: value for key, value in asdict(line).items() if key not in ("population", "place", "created")}
        append_row(connection, tables.terms, population_id, line.created, **values)
    numbers = _bookings(connection, population_id, export)
    for mark in record.marks:
        note = renumbered(mark.note, numbers)
        row_id = append_row(connection, tables.marks, population_id, mark.created, kind=mark.mark, note=note)
        sign_again(connection, marked_by, row_id, mark.by)
    _documents(connection, population_id, export)
    populations.mark(connection, population_id, MOVED_HERE, _note(export.manifest.total, numbers))
    populations.inherit_doubt(connection, population_id)


def _bookings(connection: Connection, population_id: int, export: Export) -> dict[int, int]:
    """Write plans, charges and outcomes; returns the number here of each charge by its number there, in one order."""
    record, ids = export.record, []
    for line, outcome in zip(record.bookings, record.outcomes, strict=True):
        values = {"plan_sha256": line.plan_sha256, "repeat": line.repeat, "plan_json": line.plan_json}
        booking_id = append_row(connection, tables.bookings, population_id, line.created, **values)
        sign_again(connection, booked_by, booking_id, line.by)
        ended = {"booking_id": booking_id, "status": outcome.status, "created": outcome.created}
        connection.execute(insert(tables.outcomes).values(**ended))
        if outcome.sha256:
            body = export.blob(outcome.sha256)
            stored = {"booking_id": booking_id, "sha256": outcome.sha256, "body": body}
            connection.execute(insert(tables.results).values(**stored))
        ids.append(booking_id)
    return dict(_charges(connection, population_id, record, ids))


def _charges(
    connection: Connection, population_id: int, record: MovedRecord, ids: list[int]
) -> Iterator[tuple[int, int]]:
    """Write the charges in the order of their numbers, so that what was charged later has a higher one here too."""
    every = [
        (number, charge, booking_id, line.created)
        for line, outcome, booking_id in zip(record.bookings, record.outcomes, ids, strict=True)
        for number, charge in zip(outcome.numbers, line.charges, strict=True)
    ]
    for number, charge, booking_id, created in sorted(every, key=lambda one: one[0]):
        values = {"booking_id": booking_id, **asdict(charge)}
        yield number, append_row(connection, tables.charges, population_id, created, **values)


def _documents(connection: Connection, population_id: int, export: Export) -> None:
    for line in export.record.documents:
        known = select(tables.blobs.c.sha256).where(tables.blobs.c.sha256 == line.sha256)
        if connection.execute(known).scalar() is None:
            body = export.blob(line.sha256)
            connection.execute(insert(tables.blobs).values(sha256=line.sha256, body=body))
        values = {"kind": line.document, "key": line.key, "sha256": line.sha256}
        append_row(connection, tables.documents, population_id, line.created, **values)


def _note(total: str, numbers: Mapping[int, int]) -> str:
    """What the mark of an arrival says: the export, and which numbers its charges had, as certificates state them."""
    said = f"Export {total}, from another server."
    if not numbers:
        return said
    there = _ranges(list(numbers))
    return f"{said} Charges {there} of that server are {_ranges(list(numbers.values()))} here."


def _ranges(numbers: list[int]) -> str:
    """ "3-5, 9": whole numbers in rising order, as ranges."""
    runs = [[one for _, one in run] for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])]
    said = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return ", ".join(said[:_MOST_RANGES]) + (", ..." if len(said) > _MOST_RANGES else "")
