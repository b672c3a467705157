"""Public documents by population: schemas, candidate tables, workloads, plans. They may be deleted; charges never.

Bytes are kept once by their SHA-256, which is fine for public bytes only: nothing private may be put here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from sqlalchemy import Connection, delete, func, insert, select

from pmwpub.errors import LedgerError
from pmwpub.ledger.database import lock_store, now
from pmwpub.ledger.model import DocumentKey
from pmwpub.ledger.tables import blobs, documents


def put(connection: Connection, population_id: int, kind: str, key: str, body: bytes, *, once: bool = False) -> None:
    """Store a document; the same bytes as before change nothing, other bytes become the latest under the key, but where
    a document is stored once."""
    lock_store(connection)
    digest, before = hashlib.sha256(body).hexdigest(), _latest(connection, population_id, kind, key)
    if before == digest or (once and before is not None):
        return
    if connection.execute(select(blobs.c.sha256).where(blobs.c.sha256 == digest)).scalar() is None:
        connection.execute(insert(blobs).values(sha256=digest, body=body))
    row = {"population_id": population_id, "kind": kind, "key": key, "sha256": digest, "created": now()}
    connection.execute(insert(documents).values(**row))


def read(connection: Connection, population_id: int, kind: str, key: str) -> bytes:
    """The latest bytes under a key; LedgerError if there are none."""
    digest = _latest(connection, population_id, kind, key)
    if digest is None:
        raise LedgerError(f"No {kind} {key!r} is stored for this population; it was never stored, or was deleted.")
    return bytes(connection.execute(select(blobs.c.body).where(blobs.c.sha256 == digest)).scalar_one())


def listed(connection: Connection, population_id: int, kind: str) -> list[DocumentKey]:
    """The keys of a kind with the time of their latest bytes, the latest last."""
    latest = func.max(documents.c.id).label("latest")
    same = (documents.c.population_id == population_id, documents.c.kind == kind)
    newest = select(latest).where(*same).group_by(documents.c.key)
    query = select(documents.c.key, documents.c.created).where(documents.c.id.in_(newest)).order_by(documents.c.id)
    return [DocumentKey(row.key, row.created) for row in connection.execute(query)]


def versions(connection: Connection, population_id: int, kind: str, key: str) -> list[tuple[str, bytes]]:
    """(time, bytes) of all that was stored under a key since it was last deleted, the oldest first."""
    same = (documents.c.population_id == population_id, documents.c.kind == kind, documents.c.key == key)
    joined = documents.join(blobs, blobs.c.sha256 == documents.c.sha256)
    query = select(documents.c.created, blobs.c.body).select_from(joined).where(*same).order_by(documents.c.id)
    return [(row.created, bytes(row.body)) for row in connection.execute(query)]


def in_order(connection: Connection, population_id: int) -> bool:
    """Whether no document of a population has an earlier time than one that was stored before it."""
    query = select(documents.c.created).where(documents.c.population_id == population_id).order_by(documents.c.id)
    times = list(connection.execute(query).scalars())
    return times == sorted(times)


def remove(connection: Connection, population_id: int, kinds: Sequence[str] | None, key: str | None) -> int:
    """Delete documents of a population, and bytes that nothing refers to; returns how many versions of documents went.

    kinds  None for documents of every kind; key  None for documents under every key
    """
    lock_store(connection)
    chosen = [documents.c.population_id == population_id]
    chosen += [documents.c.kind.in_(kinds)] if kinds is not None else []
    chosen += [documents.c.key == key] if key is not None else []
    removed = connection.execute(delete(documents).where(*chosen)).rowcount
    connection.execute(delete(blobs).where(blobs.c.sha256.not_in(select(documents.c.sha256))))
    return removed


def _latest(connection: Connection, population_id: int, kind: str, key: str) -> str | None:
    same = (documents.c.population_id == population_id, documents.c.kind == kind, documents.c.key == key)
    query = select(documents.c.sha256).where(*same).order_by(documents.c.id.desc()).limit(1)
    return connection.execute(query).scalar()
