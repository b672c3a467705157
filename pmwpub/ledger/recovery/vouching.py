"""Recording, for good, that nothing outside a store vouches for what it says was spent."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from pmwpub.ledger import populations, tables
from pmwpub.ledger.model import Mark
from pmwpub.ledger.populations import DOUBTS, UNVOUCHED, UNWITNESSED
from pmwpub.ledger.recovery.record_merging import terms_of
from pmwpub.ledger.recovery.witness_lines import Entry, MarkLine

_ACCEPTED = "Accepted without its witness; charges that were lost would not show."
_PUT_BACK = (
    "This ledger was put back or opened without its witness; charges made since it was copied may be missing from it."
)


def accept(connection: Connection) -> None:
    """Record for every population with charges that its charges are taken as they stand."""
    for name in _names(connection, charged=True):
        record(connection, name, UNWITNESSED, _ACCEPTED)


def record_unvouched(connection: Connection) -> None:
    """Record for every population without a charge that it may have had some; once, until something else is recorded.

    A copy that was made before the first charge looks like a ledger on which nothing was ever spent.
    """
    for name in _names(connection, charged=False):
        marks = populations.marked(connection, populations.identify(connection, name, lock=True))
        if not marks or marks[-1].kind != UNVOUCHED:
            record(connection, name, UNVOUCHED, _PUT_BACK)


def record(connection: Connection, population: str, kind: str, note: str) -> None:
    """Append a decision to a population's record."""
    populations.mark(connection, populations.identify(connection, population, lock=True), kind, note)


def unvouched(marks: Sequence[Mark]) -> list[Mark]:
    """Those of a population's marks that say that nothing vouches for its record."""
    return [mark for mark in marks if mark.kind in DOUBTS]


def all_recorded(entries: Sequence[Entry]) -> bool:
    """Whether the last decision that stands for every population is that nothing vouches for it."""
    latest = {entry.population: entry.mark for entry in entries if isinstance(entry, MarkLine)}
    return all(latest.get(name) == UNVOUCHED for name in terms_of(entries))


def _names(connection: Connection, *, charged: bool) -> Sequence[str]:
    spent = tables.populations.c.id.in_(select(tables.charges.c.population_id))
    names = select(tables.populations.c.name).where(spent if charged else ~spent).order_by(tables.populations.c.id)
    return connection.execute(names).scalars().all()
