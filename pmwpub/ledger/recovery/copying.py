"""Copies of a SQLite ledger's file, and names for files beside it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger.failing import failing_closed


def copy(source: Path, target: Path) -> None:
    """Copy one SQLite ledger, page by page under its locks, into one new file, synced."""
    if target.exists():
        raise StoreUnavailable(f"{target} exists already; name a new file for the copy. Nothing was changed.")
    if not source.is_file():
        raise StoreUnavailable(f"There is no ledger at {source}. Nothing was changed.")
    try:
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with failing_closed(str(source)):
            _copy_pages(source, target)
        sync_folder(target.parent)
    except (OSError, StoreUnavailable) as error:
        remove(target)
        if isinstance(error, StoreUnavailable):
            raise
        raise StoreUnavailable(f"{target} cannot be written: {error.strerror}. Nothing was changed.") from None


def _copy_pages(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as original, closing(sqlite3.connect(target)) as copied:
        if original.execute("SELECT count(*) FROM sqlite_master WHERE name = 'charges'").fetchone() != (1,):
            raise StoreUnavailable(f"{source} is no ledger. Nothing was changed.")
        copied.execute("PRAGMA synchronous = FULL")
        original.backup(copied)
        copied.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        if copied.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise StoreUnavailable(f"{source} is damaged; use another backup. Nothing was changed.")


def set_copy_aside(path: Path, word: str) -> Path:
    """Copy a ledger into a new file beside it, whose name ends in `word`; returns where."""
    target = path.with_name(f"{path.name}.{word}")
    target = free_name(path, word) if target.exists() else target
    copy(path, target)
    return target


def remove(path: Path) -> None:
    """Remove a ledger's file, and SQLite's beside it."""
    for end in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + end).unlink(missing_ok=True)


def free_name(path: Path, word: str) -> Path:
    """A path beside `path`, its name ending in `word`, where no file is yet."""
    number = 1
    while (free := path.with_name(f"{path.name}.{word}-{number}")).exists():
        number += 1
    return free


def sync_folder(folder: Path) -> None:
    """Have a new or renamed file's name on the disk too, where the system lets a program ask for it."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
