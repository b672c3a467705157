"""Backups of a SQLite store, putting one back, and making a store and its witness agree again. Never a refund."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, select

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger import tables
from pmwpub.ledger.database import Database
from pmwpub.ledger.recovery.copying import copy, free_name, remove, sync_folder
from pmwpub.ledger.recovery.record_merging import unwitnessed
from pmwpub.ledger.recovery.restored_charges import RestoredCharges, readd
from pmwpub.ledger.recovery.store_guard import recorded, store_id
from pmwpub.ledger.recovery.vouching import accept, record_unvouched
from pmwpub.ledger.recovery.witness import Witness
from pmwpub.ledger.recovery.witness_lines import Entry, StoreLine
from pmwpub.ledger.store_address import sqlite_path, store_url, witness_path

POSTGRES = (
    "The ledger is a PostgreSQL database: back it up with pg_dump and put it back with pg_restore. Charges that an old "
    "dump lacks show only against a witness: set PMWPUB_WITNESS to a file outside the database on every server, and "
    "run `pmwpub ledger reconcile` after a dump was put back."
)
UNVOUCHED = (
    "The ledger has charges, but its witness {path} is missing, damaged or another ledger's, so nobody can tell "
    "whether charges are missing too. Put its own witness there, or accept the charges as they are with "
    "--accept-missing-witness, which is recorded. Nothing was changed."
)
IN_USE = "Another program has the ledger {path} open; stop it first. Nothing was changed."


@dataclass(frozen=True)
class Reconciled:
    """What became of a store.

    added     what the store lacked, by population
    replaced  where the file was put whose place a backup took; None where there was none
    """

    added: tuple[RestoredCharges, ...]
    replaced: Path | None = None


def backup(url: str | None, target: Path) -> Path:
    """Copy a store, also one in use, consistently into a new file that its owner alone may read; returns the source.

    The copy holds the store's secret and every stored result, as the store does.
    Raises StoreUnavailable for PostgreSQL, for a target that exists, and when either cannot be read or written.
    """
    address, source = _sqlite(url)
    database = Database(address)
    try:
        copy(source, target)
    finally:
        database.close()
    return source


def reconcile(url: str | None, *, accept_missing_witness: bool = False, witness: Path | None = None) -> Reconciled:
    """Add what the witness has and the store lacks, as spent; the witness then begins anew from the store.

    Raises StoreUnavailable if charges stand that no witness of this store vouches for, unless that is accepted.
    """
    address = store_url(url)
    path = witness or witness_path(address)
    if path is None:
        raise StoreUnavailable(POSTGRES)
    database = Database(address)
    try:
        return Reconciled(_reconciled(database, Witness(path), [], accept_missing_witness))
    finally:
        database.close()


def restore(
    url: str | None, source: Path, *, accept_missing_witness: bool = False, witness: Path | None = None
) -> Reconciled:
    """Put a backup in the store's place; what the witness or the store knows beyond the backup is added as spent.

    The file that was there is kept beside it.
    Raises StoreUnavailable while another program has the store open, for a file that is no ledger, and if charges
    stand that no witness of this store vouches for, unless that is accepted.
    """
    address, path = _sqlite(url)
    fresh = path.with_name(f"{path.name}.restoring")
    remove(fresh)
    present = _present(path, address)
    try:
        copy(source, fresh)
        restored = Database(address.set(database=str(fresh)), keep_old=False)
        try:
            added = _reconciled(restored, Witness(witness or _beside(address)), present, accept_missing_witness)
        finally:
            restored.close()
        return Reconciled(added, _swapped(path, fresh))
    finally:
        remove(fresh)


def _reconciled(
    database: Database, witness: Witness, present: list[Entry], accepted: bool
) -> tuple[RestoredCharges, ...]:
    """Add the lines of the witness and of `present` to the store, then have the witness begin anew.

    Where the witness is not this store's, nothing vouches for it, which is recorded, also where nothing was charged
    yet: neither does `present`, which would be refused or recorded itself without its witness.
    What another program books between the last two steps, the next look copies to the witness.
    """
    lines = _readable(witness, accepted)
    with database.writing() as connection:
        identifier = store_id(connection)
        own = lines is not None and witness.store == identifier
        if not own and connection.execute(select(tables.charges.c.id).limit(1)).first() is not None:
            if not accepted:
                raise StoreUnavailable(UNVOUCHED.format(path=witness.path))
            accept(connection)
        if not own:
            record_unvouched(connection)
        more = unwitnessed(present, lines) if own and lines is not None else present
        added = readd(connection, lines or [], more)
        if lines is None:
            witness.set_aside()
    with database.writing() as connection:
        witness.append([StoreLine(identifier), *recorded(connection)])
    return tuple(added)


def _readable(witness: Witness, accepted: bool) -> list[Entry] | None:
    """The lines of the witness; None if it is damaged and that is accepted."""
    try:
        witness.refresh()
        return witness.lines()
    except StoreUnavailable:
        if not accepted:
            raise
        return None


def _present(path: Path, address: URL) -> list[Entry]:
    """What the store that is to be replaced knows, if it can be read; StoreUnavailable while another program has it."""
    if not path.exists() or not path.stat().st_size:
        return []
    try:
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as alone:
            alone.execute("PRAGMA locking_mode = EXCLUSIVE")
            alone.execute("BEGIN EXCLUSIVE")
            alone.execute("ROLLBACK")
    except sqlite3.Error as error:
        if str(getattr(error, "sqlite_errorname", "")).startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise StoreUnavailable(IN_USE.format(path=path)) from None
        return []
    try:
        database = Database(address, keep_old=False)
    except StoreUnavailable:
        return []
    try:
        with database.reading() as connection:
            return recorded(connection)
    except StoreUnavailable:
        return []
    finally:
        database.close()


def _swapped(path: Path, fresh: Path) -> Path | None:
    """Put `fresh` in the place of `path`; returns where the old file went, its log with it."""
    aside = free_name(path, "replaced") if path.exists() else None
    try:
        if aside is not None:
            path.rename(aside)
            log = path.with_name(f"{path.name}-wal")
            if log.exists():
                log.rename(aside.with_name(f"{aside.name}-wal"))
        path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
        fresh.rename(path)
        sync_folder(path.parent)
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be replaced: {error.strerror}; see the files beside it.") from None
    return aside


def _sqlite(url: str | None) -> tuple[URL, Path]:
    address = store_url(url)
    path = sqlite_path(address)
    if path is None:
        raise StoreUnavailable(POSTGRES)
    return address, path


def _beside(address: URL) -> Path:
    path = witness_path(address)
    if path is None:
        raise StoreUnavailable(POSTGRES)
    return path
