"""Bringing a store to this program's version on purpose, or only saying what that would do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger import tables
from pmwpub.ledger.database import Database, version_at
from pmwpub.ledger.store_address import store_url


@dataclass(frozen=True)
class Migration:
    """What was, or would be, done to a store.

    version  the version that the store had
    target   this program's version
    steps    what brings the one to the other, in words, oldest first; none where the versions are the same
    kept     the copy that was made of a SQLite file before; None for PostgreSQL, and where nothing was done
    """

    store: str
    version: int
    target: int
    steps: tuple[str, ...]
    kept: Path | None = None


def planned_migration(url: str | None) -> Migration:
    """What `migrate` would do; nothing is changed. StoreUnavailable where there is no store, or a newer one."""
    from pmwpub.ledger.migrations.steps import ahead  # alembic is for stores of earlier versions alone

    address = store_url(url)
    version, name = version_at(address), address.render_as_string(hide_password=True)
    if version is None:
        raise StoreUnavailable(f"There is no ledger at {name}. Nothing was changed.")
    return Migration(name, version, tables.VERSION, tuple(ahead(version)))


def migrate(url: str | None) -> Migration:
    """Bring a store to this program's version, which its next opening would do too; all of it, or nothing."""
    found = planned_migration(url)
    database = Database(store_url(url))
    database.close()
    return Migration(found.store, found.version, found.target, found.steps, database.opened.kept)
