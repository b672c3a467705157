"""Whether a population is closed: marks in its record, which are appended and never removed.

A mark stands in the witness too. So a store that is put back from a copy of before the closing is found out like one
that lacks charges, and is closed again when it is reconciled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from pmwpub.errors import PopulationClosed
from pmwpub.ledger import populations
from pmwpub.ledger.model import Mark

RETIRED = "retired"
MOVED_AWAY = "moved away"
ARRIVED = "arrival confirmed"
MOVED_HERE = "moved here"

_AWAY = re.compile(r"^To the address ([0-9a-f]{40}); export ([0-9a-f]{64}); documents up to (\d+)\.$")
_HERE = re.compile(r"^Export ([0-9a-f]{64})\b")
RETIREMENT = "Nothing more is bought. What was bought stays."


@dataclass(frozen=True)
class Departure:
    """Where a population was moved to.

    address    of the store that may take it in, for this one name; see `receipts`
    total      the sum of the export, by which it is told from any other
    documents  the last public document that went along
    arrived    whether the receipt of that store was recorded here
    """

    address: str
    total: str
    documents: int
    arrived: bool = False

    @property
    def note(self) -> str:
        """What its mark says, and is read back from."""
        return f"To the address {self.address}; export {self.total}; documents up to {self.documents}."


@dataclass(frozen=True)
class Closing:
    """Why and since when nothing more is bought of a population.

    departure  None for one that was retired
    """

    time: str
    departure: Departure | None = None

    @property
    def words(self) -> str:
        """What everybody is told."""
        if self.departure is None:
            return f"This population was retired on {self.time[:10]}: nothing more is bought. What was bought stays."
        return (
            f"This population was moved to another server on {self.time[:10]}, with its budget: nothing more is "
            "bought here. What was bought stays."
        )


def closing_of(marks: Sequence[Mark]) -> Closing | None:
    """What closed a population, by its marks; a move before a retirement, for it says more. None for an open one."""
    arrived = any(mark.kind == ARRIVED for mark in marks)
    found: Closing | None = None
    for mark in marks:
        if mark.kind == MOVED_AWAY:
            away = _AWAY.match(mark.note)
            departure = Departure(away[1], away[2], int(away[3]), arrived) if away else Departure("", "", 0, arrived)
            return Closing(mark.time, departure)
        if mark.kind == RETIRED:
            found = found or Closing(mark.time)
    return found


def came_by(marks: Sequence[Mark]) -> set[str]:
    """The sums of the exports by which a population came to this store, and to those where it was before."""
    notes = [_HERE.match(mark.note) for mark in marks if mark.kind == MOVED_HERE]
    return {found[1] for found in notes if found}


def closed(connection: Connection, population_id: int) -> Closing | None:
    """The closing of a population, if it is closed."""
    return closing_of(populations.marked(connection, population_id))


def require_open(connection: Connection, population_id: int) -> None:
    """Raise PopulationClosed for a population of which nothing more is bought; ask it under the population's lock."""
    found = closed(connection, population_id)
    if found is not None:
        raise PopulationClosed(f"{found.words} Nothing was charged or changed.")


def require_here(connection: Connection, population_id: int) -> None:
    """Raise PopulationClosed for one that was moved away: what is decided about it belongs into its other record."""
    found = closed(connection, population_id)
    if found is not None and found.departure is not None:
        raise PopulationClosed(f"{found.words} Nothing was changed.")


def require_settled(connection: Connection, population_id: int) -> None:
    """Raise PopulationClosed while a population is under way: its export must be writable again, byte for byte."""
    found = closed(connection, population_id)
    if found is not None and found.departure is not None and not found.departure.arrived:
        raise PopulationClosed(
            "This population is being moved: its documents can be deleted once its arrival is recorded here "
            "(pmwpub ledger arrived NAME RECEIPT). Nothing was deleted."
        )
