"""Opening the store, transactions, and failing closed.

SQLite runs in WAL mode with synchronous=FULL; a writing transaction begins IMMEDIATE, so that two writers never read
the same balance. The driver's own transaction handling is switched off, as SQLAlchemy's manual advises, because it
begins too late. PostgreSQL runs READ COMMITTED; writers lock the population's row. No rule reads a
clock, but for those that `now` names.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, insert, inspect, select, text
from sqlalchemy.pool import NullPool, Pool

from pmwpub.accounts.people import Visitor
from pmwpub.errors import LedgerError, StoreUnavailable
from pmwpub.ledger import tables
from pmwpub.ledger.failing import BUSY_SECONDS, failing_closed
from pmwpub.ledger.live.thread_readings import ThreadReadings
from pmwpub.ledger.members.access import visited
from pmwpub.ledger.members.member_tables import metadata
from pmwpub.ledger.recovery.copying import set_copy_aside
from pmwpub.ledger.store_files.store_address import sqlite_path
from pmwpub.ledger.store_files.store_file import StoreFile

Found = TypeVar("Found")

CHECKED_BYTES = 256 * 1024**2
"""Stores up to this size are checked whole when they are opened; larger ones page by page, as they are read."""

_OPENING_LOCK = 7_305_042_113


def now() -> str:
    """The time in UTC, to the second, for people to read.

    One rule of charging depends on it: two records of a ledger that have one plan at two times charged it twice. Which
    of two public documents or bookings came first is told by it too.
    """
    return datetime.now(UTC).isoformat(timespec="seconds")


class Database:
    """Connections to one store; `reading` and `writing` are its transactions.

    A store of an earlier version is first brought to this program's version.

    keep_old  whether a SQLite file of an earlier version is copied beside itself before that
    """

    def __init__(self, url: URL, *, keep_old: bool = True) -> None:
        self.name = url.render_as_string(hide_password=True)
        self.url = url
        self.thread = ThreadReadings()
        self.visitor: Callable[[], Visitor | None] = _nobody
        with failing_closed(self.name):
            self._engine = _engine(url)
            self.file = StoreFile(sqlite_path(url))
            self._writer = self._engine.execution_options(immediate=True)
            try:
                with self._writer.begin() as connection:
                    self.opened = _prepare(connection, sqlite_path(url) if keep_old else None)
                    self.file.require()
            except BaseException:
                self.close()  # a store that was refused is not held open
                raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view: a transaction of its own, or that of the `view` which this thread has open."""
        if self.thread.view is not None:
            yield self.thread.view.connection()
            return
        with self._begun() as connection:
            yield connection

    @contextmanager
    def _begun(self) -> Iterator[Connection]:
        self.file.require()
        with failing_closed(self.name), self._engine.begin() as connection:
            yield self._visited(connection)

    def view(self) -> AbstractContextManager[None]:
        """Have this thread read one state of the store, in one transaction, until the block ends; it writes nothing."""
        return self.thread.viewing(self._begun)

    def read(self, what: object, query: Callable[[Connection], Found]) -> Found:
        """What a query finds in a transaction of reading; where the thread recalls, what it found before in this run.

        what  tells queries apart, with all that they are asked about
        """

        def read() -> Found:
            with self.reading() as connection:
                return query(connection)

        return self.thread.recalled(what, read)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: committed and synced when the block ends, undone when it raises.

        LedgerError inside a `view`: what is decided by a charge is never read from an older state of the store.
        StoreUnavailable also where the store's file is no longer in its place, before or at the end.
        """
        if self.thread.view is not None:
            raise LedgerError("Nothing is written to the store while a view of it is open.")
        self.file.require()
        self.thread.forget()
        with failing_closed(self.name), self._writer.begin() as connection:
            yield self._visited(connection)
            self.file.require()
        self.thread.forget()

    def _visited(self, connection: Connection) -> Connection:
        """The connection with whoever acts now: see `members.access`."""
        visitor = self.visitor()
        return connection if visitor is None else visited(connection, visitor)

    def session(self) -> Connection:
        """A connection to PostgreSQL outside the pool, each of whose statements is a transaction. The caller closes it.

        The pool may have no connection left, so this one does not come from there.
        """
        return _engine(self.url, poolclass=NullPool).connect().execution_options(isolation_level="AUTOCOMMIT")

    def failing_closed(self) -> AbstractContextManager[None]:
        """Turn failures of a `session` into StoreUnavailable."""
        return failing_closed(self.name)

    def close(self) -> None:
        """Let go of all connections; the next use opens what is at the address then."""
        self._engine.dispose()
        self.file.closed()


def _nobody() -> None:
    """The program itself acts."""


def _engine(url: URL, *, poolclass: type[Pool] | None = None) -> Engine:
    if url.get_backend_name() == "postgresql":
        own = f"-c synchronous_commit=on -c lock_timeout={BUSY_SECONDS}s"
        options = " ".join([*url.normalized_query.get("options", ()), own])
        arguments = {"options": options, "connect_timeout": 10, "keepalives_idle": 10, "tcp_user_timeout": 10_000}
        return create_engine(url, pool_pre_ping=True, hide_parameters=True, connect_args=arguments, poolclass=poolclass)
    _create_privately(url)
    engine = create_engine(
        url, hide_parameters=True, pool_size=4, max_overflow=60, connect_args={"timeout": BUSY_SECONDS}
    )
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    return engine


def _create_privately(url: URL) -> None:
    """Make the file readable by its owner alone, for it holds the secret; SQLite's side files follow it."""
    path = Path(url.database or "")
    if "uri" in url.query or path.exists():
        return
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreUnavailable(f"The ledger's file {path} cannot be made: {error.strerror}.") from None


def _configure(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None
    for pragma in ("foreign_keys = ON", "recursive_triggers = ON", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}")
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            break
        except sqlite3.OperationalError as error:  # SQLite does not wait by itself while the mode changes
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    if mode != "wal":
        raise StoreUnavailable("The ledger's file system cannot hold a write-ahead log; put the store on a local disk.")


def _begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


@dataclass(frozen=True)
class Opened:
    """What opening found and did.

    version  the version that the store had; None if it was made now
    kept     the copy of a store of an earlier version, as it was before
    """

    version: int | None
    kept: Path | None = None


def _prepare(connection: Connection, file: Path | None) -> Opened:
    """Create what is missing, bring an older store to this version, and check the whole file if it is small enough."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _OPENING_LOCK})
    else:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        size = connection.exec_driver_sql("PRAGMA page_size").scalar_one()
        if pages * size <= CHECKED_BYTES and connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one() != "ok":
            raise StoreUnavailable("The ledger's file is damaged; restore a backup. Nothing was released.")
        connection.exec_driver_sql(f"PRAGMA user_version = {tables.VERSION}")  # fails now if the file is read-only
    version = version_of(connection)
    if version is not None and version < tables.VERSION:
        return Opened(version, _upgraded(connection, version, file))
    metadata.create_all(connection)
    if version is None:
        connection.execute(insert(tables.store).values(version=tables.VERSION))
        connection.execute(insert(tables.secrets).values(id=1, secret=os.urandom(32)))
    return Opened(version)


def version_of(connection: Connection) -> int | None:
    """The version that a store has; None where no store was made yet. StoreUnavailable for a later one."""
    if not inspect(connection).has_table(tables.store.name):
        return None
    version: int | None = connection.execute(select(func.max(tables.store.c.version))).scalar()
    if version is not None and not 1 <= version <= tables.VERSION:
        raise StoreUnavailable(
            f"The ledger has version {version}; this program reads versions 1 to {tables.VERSION}. Use the program "
            "that made it. Nothing was changed."
        )
    return version


def version_at(url: URL) -> int | None:
    """The version of the store at an address; None if there is no store. Nothing is changed there."""
    file = sqlite_path(url)
    if file is not None and not file.is_file():
        return None
    name = url.render_as_string(hide_password=True)
    with failing_closed(name):
        engine = _engine(url, poolclass=NullPool) if file is None else _reading_only(file)
        with engine.connect() as connection:
            return version_of(connection)


def _reading_only(file: Path) -> Engine:
    address = f"{file.absolute().as_uri()}?mode=ro"
    return create_engine("sqlite://", creator=lambda: sqlite3.connect(address, uri=True), poolclass=NullPool)


def _upgraded(connection: Connection, version: int, file: Path | None) -> Path | None:
    """Bring a store to this version, all or nothing; returns where a copy of the file, as it was, was put before."""
    from pmwpub.ledger.migrations.steps import upgrade  # alembic is for stores of earlier versions alone

    kept = None if file is None else set_copy_aside(file, f"version-{version}.backup")
    upgrade(connection, version)
    return kept


def lock_store(connection: Connection) -> None:
    """Let no other writer pass until this transaction ends (SQLite's writers exclude each other anyway)."""
    connection.execute(select(tables.secrets.c.id).with_for_update()).one()
