"""Where a store is, and where its witness: by what was asked for, by the environment, or in the user's data folder."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

import platformdirs
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from pmwpub import settings
from pmwpub.errors import StoreUnavailable


def store_url(url: str | None) -> URL:
    """The store's address: `url`, else PMWPUB_STORE, else a SQLite file in the user's data folder.

    Raises StoreUnavailable for anything but a SQLite file or a PostgreSQL database.
    """
    given = url or os.environ.get("PMWPUB_STORE")
    if not given:
        folder = platformdirs.user_data_path("pmwpub")
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreUnavailable(f"The ledger's folder {folder} cannot be made: {error.strerror}.") from None
        return URL.create("sqlite", database=str(folder / "ledger.sqlite3"))
    try:
        parsed = make_url(given)
    except ArgumentError:
        raise StoreUnavailable("The store must be a database URL such as sqlite:////path/ledger.sqlite3.") from None
    backend = parsed.get_backend_name()
    if backend == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise StoreUnavailable(f"The store must be SQLite or PostgreSQL; {backend!r} came.")
    if not parsed.database or ":memory:" in parsed.database or parsed.query.get("mode") == "memory":
        raise StoreUnavailable("The ledger must outlive the program: name a SQLite file, not a database in memory.")
    return parsed


def sqlite_path(address: URL) -> Path | None:
    """The file of a SQLite store; None for PostgreSQL."""
    if address.get_backend_name() != "sqlite":
        return None
    name = address.database or ""
    return Path(unquote(urlsplit(name).path) if name.startswith("file:") else name)


def witness_path(address: URL) -> Path | None:
    """The store's witness: PMWPUB_WITNESS, else beside the SQLite file; None for PostgreSQL without that variable."""
    given = settings.witness()
    if given is not None:
        return given
    path = sqlite_path(address)
    return None if path is None else path.with_name(f"{path.name}.witness")
