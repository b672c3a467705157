"""Keyed fingerprints of private tables, for the steward alone.

A fingerprint is HMAC-SHA256 of the private content under 32 secret bytes of the store. A table has one of its cells,
and others of its views, that is of its rows as a mechanism sees them. Tables are the same if any of them is equal.
Bookings of earlier versions have no views: they are compared by the cells alone, so that a table of theirs that is
written otherwise counts as a changed one under its own population, and as an unknown one under others; neither refuses
anything.

Fingerprints, acknowledgements and the secret sit in tables of their own that no history, export or log reads; a plain
hash of private bytes appears nowhere. A fingerprint is stored when a charge is made for its table. A table that is
merely loaded leaves one only through `Ledger.loaded`, in `loads`, which nothing but the operator's record reads.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from sqlalchemy import Connection, insert, or_, select

from pmwpub.errors import TableBlocked
from pmwpub.ledger.database import lock_store, now
from pmwpub.ledger.table_handles import TableHandle, TableKind, TableVerdict
from pmwpub.ledger.tables import acknowledgements, fingerprints, populations, secrets, views


def handle(connection: Connection, private: bytes, seen: Sequence[bytes]) -> TableHandle:
    """The keyed fingerprints of a table, which is compared with no other."""
    secret = bytes(connection.execute(select(secrets.c.secret)).scalar_one())
    own = tuple(hmac.digest(secret, b"view\0" + one, "sha256") for one in seen)
    return TableHandle(hmac.digest(secret, private, "sha256"), own)


def recognise(connection: Connection, population_id: int, private: bytes, seen: Sequence[bytes] = ()) -> TableVerdict:
    """Compare a private table with those that charges were made for; nothing is stored.

    private  equal for tables of the same cells
    seen     each equal for tables of the same rows in one view of them
    """
    table = handle(connection, private, seen)
    others = _others(connection, population_id, table)
    query = select(fingerprints.c.booking_id).where(fingerprints.c.population_id == population_id)
    last = connection.execute(query.order_by(fingerprints.c.booking_id.desc()).limit(1)).scalar()
    kind: TableKind = "new" if last is None else "same" if matches(connection, last, table) else "changed"
    if any(not known for known in others.values()):
        kind = "elsewhere"
    names = select(populations.c.name).where(populations.c.id.in_(others)).order_by(populations.c.id)
    return TableVerdict(kind, tuple(connection.execute(names).scalars()), table)


def charged_under(connection: Connection, private: bytes, seen: Sequence[bytes] = ()) -> tuple[str, ...]:
    """The names of the populations that charges were made under for a table; stores nothing."""
    others = _others(connection, 0, handle(connection, private, seen))  # 0 is no population's id
    query = select(populations.c.name).where(populations.c.id.in_(others)).order_by(populations.c.id)
    return tuple(connection.execute(query).scalars())


def acknowledge(connection: Connection, population_id: int, private: bytes, seen: Sequence[bytes] = ()) -> None:
    """Record the steward's decision that one table serves this population and the others that hold it now."""
    lock_store(connection)
    table, created = handle(connection, private, seen), now()
    for other_id, known in _others(connection, population_id, table).items():
        if not known:
            pair = {"population_id": population_id, "other_id": other_id, "created": created}
            rows = [{**pair, "digest": digest} for digest in table.digests]
            connection.execute(insert(acknowledgements), rows)


def acknowledged(connection: Connection, population_id: int) -> list[tuple[str, str]]:
    """The other population and the time of each decision that one table serves both, oldest first."""
    query = (
        select(populations.c.name, acknowledgements.c.created)
        .join(populations, populations.c.id == acknowledgements.c.other_id)
        .where(acknowledgements.c.population_id == population_id)
        .order_by(acknowledgements.c.id)
    )
    return list(dict.fromkeys((row.name, row.created) for row in connection.execute(query)))


def refuse_blocked(connection: Connection, population_id: int, table: TableHandle) -> None:
    """Raise TableBlocked when another population used the table and nobody acknowledged the two together."""
    if any(not known for known in _others(connection, population_id, table).values()):
        raise TableBlocked(
            "This private table was charged under another population too, whose budget would not count here. "
            "Open that population, or acknowledge that both use it; nothing was charged. On the command line that is: "
            "pmwpub ledger acknowledge NAME --private P.csv --schema schema.json"
        )


def remember(connection: Connection, population_id: int, booking_id: int, table: TableHandle) -> None:
    """Store which table a booking was made for."""
    row = {"population_id": population_id, "booking_id": booking_id}
    connection.execute(insert(fingerprints).values(digest=table.digest, **row))
    for digest in dict.fromkeys(table.views):
        connection.execute(insert(views).values(digest=digest, **row))


def matches(connection: Connection, booking_id: int, table: TableHandle) -> bool | None:
    """Whether a booking was made for this very table; None if it was made without one."""
    query = select(fingerprints.c.digest).where(fingerprints.c.booking_id == booking_id)
    stored = connection.execute(query).scalar()
    if stored is None:
        return None
    if hmac.compare_digest(bytes(stored), table.digest):
        return True
    known = select(views.c.digest).where(views.c.booking_id == booking_id, views.c.digest.in_(table.views))
    return connection.execute(known.limit(1)).first() is not None


def _others(connection: Connection, population_id: int, table: TableHandle) -> dict[int, bool]:
    """The other populations that used the table, and whether the pair was acknowledged from either side."""
    others: set[int] = set()
    for kept, digests in ((fingerprints, (table.digest,)), (views, table.views)):
        query = select(kept.c.population_id).where(kept.c.digest.in_(digests), kept.c.population_id != population_id)
        others |= set(connection.execute(query).scalars())
    pair = acknowledgements.c.population_id, acknowledgements.c.other_id
    agreed = select(*pair).where(
        acknowledgements.c.digest.in_(table.digests), or_(pair[0] == population_id, pair[1] == population_id)
    )
    known = {identifier for row in connection.execute(agreed) for identifier in row}
    return {other: other in known for other in sorted(others)}
