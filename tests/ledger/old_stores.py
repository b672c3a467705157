"""The store of version 1 that `stores/make_version_1.py` made, as it is in SQLite, and the same rows in PostgreSQL."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path

from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, MetaData, create_engine, func, insert, make_url, select

from pmwpub.ledger import migrations

STORES = Path(__file__).parent / "stores"
FILE, WITNESS = STORES / "version-1.sqlite3", STORES / "version-1.sqlite3.witness"

Rows = dict[str, list[dict[str, object]]]


def dumped() -> Rows:
    """Every row of every table of version 1, as its program wrote it."""

    def value(found: object) -> object:
        return base64.b64decode(found["base64"]) if isinstance(found, dict) else found

    tables = json.loads((STORES / "version-1.json").read_text(encoding="utf-8"))
    return {table: [{key: value(one) for key, one in row.items()} for row in rows] for table, rows in tables.items()}


def baseline(connection: Connection) -> None:
    """The tables of version 1, by their own step alone."""
    (folder,) = migrations.__path__
    with Operations.context(MigrationContext.configure(connection)):
        ScriptDirectory(folder).get_revision("1").module.upgrade()


def engine(url: str) -> Engine:
    return create_engine(make_url(url).set(drivername="postgresql+psycopg" if "postgres" in url else "sqlite"))


def put(url: str) -> str:
    """Put the store of version 1 at an address; with its witness beside it in SQLite."""
    if url.startswith("sqlite"):
        file = Path(url.removeprefix("sqlite:///"))
        shutil.copyfile(FILE, file)
        shutil.copyfile(WITNESS, file.with_name(f"{file.name}.witness"))
        return url
    loaded = engine(url)
    with loaded.begin() as connection:
        baseline(connection)
        tables = MetaData()
        tables.reflect(connection)
        for table in tables.sorted_tables:
            connection.execute(insert(table), dumped()[table.name])
            if "id" in table.columns and table.name != "secrets":
                sequence = func.setval(func.pg_get_serial_sequence(table.name, "id"), func.max(table.c.id))
                connection.execute(select(sequence))
    loaded.dispose()
    return url


def rows(url: str) -> Rows:
    """Every row of every table at an address, sorted."""
    reading = engine(url)
    with reading.connect() as connection:
        tables = MetaData()
        tables.reflect(connection)
        found: Rows = {}
        for table in tables.sorted_tables:
            found[table.name] = [dict(row) for row in connection.execute(table.select()).mappings()]
    reading.dispose()
    return sorted_rows(found)


def sorted_rows(tables: Rows) -> Rows:
    """The rows of each table in an order that says nothing, so that two stores compare."""
    return {table: sorted(found, key=repr) for table, found in tables.items()}
