"""What an export of a population holds, read from its store; the same before the population was closed and after."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import replace
from itertools import takewhile

from sqlalchemy import Connection, func, select

from pmwpub.errors import LedgerError, StoreUnavailable
from pmwpub.ledger import tables
from pmwpub.ledger.moving.closings import MOVED_AWAY
from pmwpub.ledger.moving.export_file import MOST_BYTES, MOST_MEMBERS
from pmwpub.ledger.moving.export_lines import DocumentLine, MovedRecord, OutcomeLine, read_record
from pmwpub.ledger.recovery.store_guard import recorded
from pmwpub.ledger.recovery.witness_lines import BookingLine, MarkLine, TermsLine

TOO_LARGE = "{what} is larger than an export can hold. Nothing was changed."


def last_document(connection: Connection, population_id: int) -> int:
    """The latest public document of a population; 0 where there is none."""
    query = select(func.max(tables.documents.c.id)).where(tables.documents.c.population_id == population_id)
    return int(connection.execute(query).scalar() or 0)


def record_of(connection: Connection, name: str, population_id: int, last: int) -> MovedRecord:
    """What is moved of a population: decisions of before it was closed, documents up to the one that is `last`.

    Neither fingerprints, nor loads, nor acknowledgements, nor the store's secret have a part in it: the first three say
    something of private tables under a key that stays, and are read by nothing here. Nor is it said who booked and who
    decided: whoever only looks on here could not see that, and accounts of one server are nobody's on another.
    """
    own = [entry for entry in recorded(connection) if entry.population == name]
    marks = [replace(entry, by=None) for entry in own if isinstance(entry, MarkLine)]
    return MovedRecord(
        terms=tuple(entry for entry in own if isinstance(entry, TermsLine)),
        bookings=tuple(replace(entry, by=None) for entry in own if isinstance(entry, BookingLine)),
        outcomes=tuple(_outcomes(connection, population_id)),
        marks=tuple(takewhile(lambda mark: mark.mark != MOVED_AWAY, marks)),
        documents=tuple(_documents(connection, population_id, last)),
    )


def _outcomes(connection: Connection, population_id: int) -> list[OutcomeLine]:
    """What became of each booking, in their order; LedgerError for one that has not ended."""
    charged: defaultdict[int, list[int]] = defaultdict(list)
    query = select(tables.charges.c.booking_id, tables.charges.c.id)
    query = query.where(tables.charges.c.population_id == population_id).order_by(tables.charges.c.id)
    for booking_id, number in connection.execute(query):
        charged[booking_id].append(number)
    joined = tables.bookings.outerjoin(tables.outcomes).outerjoin(tables.results)
    query = (
        select(tables.bookings.c.id, tables.outcomes.c.status, tables.outcomes.c.created, tables.results.c.sha256)
        .select_from(joined)
        .where(tables.bookings.c.population_id == population_id)
        .order_by(tables.bookings.c.id)
    )
    found = []
    for place, row in enumerate(connection.execute(query)):
        if row.status is None:
            raise LedgerError("A plan of this population has not ended. Nothing was changed.")
        found.append(OutcomeLine(place, tuple(charged[row.id]), row.status, row.created, row.sha256 or ""))
    return found


def _documents(connection: Connection, population_id: int, last: int) -> list[DocumentLine]:
    query = select(tables.documents).where(
        tables.documents.c.population_id == population_id, tables.documents.c.id <= last
    )
    rows = connection.execute(query.order_by(tables.documents.c.id))
    return [DocumentLine(row.kind, row.key, row.sha256, row.created) for row in rows]


def check_movable(connection: Connection, name: str, record: MovedRecord) -> None:
    """Raise a refusal where an export would be none that a store takes in, before anything is closed.

    Every result and document is read and its sum checked; StoreUnavailable for one that is damaged.
    """
    written = record.written
    read_record(written, name)
    if len(written) > MOST_BYTES or len(record.blobs) + 2 > MOST_MEMBERS:
        raise LedgerError(TOO_LARGE.format(what="This population's record"))
    for sha256 in record.blobs:
        blob(connection, name, sha256)


def blob(connection: Connection, name: str, sha256: str) -> bytes:
    """The bytes of a result or a document of a population, which have that sum; StoreUnavailable without them."""
    result = (
        select(tables.results.c.body)
        .join(tables.bookings, tables.bookings.c.id == tables.results.c.booking_id)
        .join(tables.populations, tables.populations.c.id == tables.bookings.c.population_id)
        .where(tables.populations.c.name == name, tables.results.c.sha256 == sha256)
    )
    document = select(tables.blobs.c.body).where(tables.blobs.c.sha256 == sha256)
    for query in (document, result):
        body = connection.execute(query.limit(1)).scalar()
        if body is not None and len(body) > MOST_BYTES:
            raise LedgerError(TOO_LARGE.format(what="A result or a document"))
        if body is not None and hashlib.sha256(body).hexdigest() == sha256:
            return bytes(body)
    raise StoreUnavailable("A stored result or document is damaged or gone; restore a backup of the ledger.")
