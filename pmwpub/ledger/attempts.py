"""Loads of private tables, and which tables stand under several populations: the operator's record.

Where sessions belong to several people, what the store's fingerprints say would tell one of them about another's rows.
There a load is recorded and compared with nothing: every load appends one row, whether it matches or not, and only
`pmwpub ledger attempts`, on the store's machine, compares afterwards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from pmwpub.ledger.database import now
from pmwpub.ledger.members import access
from pmwpub.ledger.table_handles import TableHandle
from pmwpub.ledger.tables import fingerprints, loads, populations, views

DIGEST_BYTES = 32


@dataclass(frozen=True)
class Attempt:
    """One load of a private table, for the operator alone; no session is told of it.

    id             counts loads, and nothing else
    time           UTC, informative
    population     under which the table was loaded
    charged_under  the populations, this one included, that charges were made for this very table under
    loaded_under   the other populations under which it was loaded
    """

    id: int
    time: str
    population: str
    charged_under: tuple[str, ...]
    loaded_under: tuple[str, ...]


Print = tuple[str, bytes]
"""A digest, and what it is a digest of: "cells" or "view"."""


def record(connection: Connection, population_id: int, table: TableHandle) -> None:
    """Append a load, and read nothing, so that neither the time nor the row depends on any other table."""
    row = {"population_id": population_id, "digest": table.digest, "views": b"".join(table.views)}
    connection.execute(insert(loads).values(created=now(), **row))


def any_load(connection: Connection) -> bool:
    """Whether any load is recorded."""
    return connection.execute(select(loads.c.id).limit(1)).first() is not None


def every(connection: Connection) -> list[Attempt]:
    """Every load, oldest first, with the populations that the very table was charged or loaded under.

    An owner is told of loads under populations that he or she owns, and of those of them alone.
    """
    names = _names(connection)
    charged = _under(_charged(connection).values())
    rows = connection.execute(select(loads).order_by(loads.c.id)).all()
    prints = {row.id: _prints(row.digest, row.views) for row in rows}
    loaded = _under((row.population_id, prints[row.id]) for row in rows)

    def named(under: Mapping[Print, set[int]], load: int, *, but: int = 0) -> tuple[str, ...]:
        found = set().union(*(under.get(one, set()) for one in prints[load]))
        return tuple(names[one] for one in sorted(found - {but}) if one in names)

    return [
        Attempt(
            row.id,
            row.created,
            names[row.population_id],
            named(charged, row.id),
            named(loaded, row.id, but=row.population_id),
        )
        for row in rows
        if row.population_id in names
    ]


def shared(connection: Connection) -> list[tuple[str, ...]]:
    """The populations of each table that charges were made for under more than one, acknowledged or not."""
    names = _names(connection)
    tables: list[tuple[set[int], set[Print]]] = []
    for population_id, prints in _charged(connection).values():
        same = [table for table in tables if table[1] & prints]
        merged = ({population_id}.union(*(table[0] for table in same)), prints.union(*(table[1] for table in same)))
        tables = [table for table in tables if table not in same] + [merged]
    known = [sorted(under & set(names)) for under, _ in tables]
    return [tuple(names[one] for one in under) for under in known if len(under) > 1]


def _names(connection: Connection) -> dict[int, str]:
    """The populations that whoever asks may be told of here: all to operators, to others those that they own."""
    rows = connection.execute(select(populations.c.id, populations.c.name)).all()
    own = set(access.owned(connection, [row.id for row in rows]))
    return {row.id: row.name for row in rows if row.id in own}


def _charged(connection: Connection) -> dict[int, tuple[int, set[Print]]]:
    """The population and the fingerprints of each booking that was made for a table, by its id."""
    found: dict[int, tuple[int, set[Print]]] = {}
    for row in connection.execute(select(fingerprints).order_by(fingerprints.c.booking_id)):
        found[row.booking_id] = (row.population_id, {("cells", bytes(row.digest))})
    for row in connection.execute(select(views)):
        found[row.booking_id][1].add(("view", bytes(row.digest)))
    return found


def _prints(digest: bytes, joined: bytes) -> set[Print]:
    parts = (joined[at : at + DIGEST_BYTES] for at in range(0, len(joined), DIGEST_BYTES))
    return {("cells", bytes(digest))} | {("view", bytes(part)) for part in parts}


def _under(tables: Iterable[tuple[int, set[Print]]]) -> Mapping[Print, set[int]]:
    """The populations of each fingerprint."""
    found: defaultdict[Print, set[int]] = defaultdict(set)
    for population_id, prints in tables:
        for one in prints:
            found[one].add(population_id)
    return found
