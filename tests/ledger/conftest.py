"""Fresh stores: SQLite always, PostgreSQL too where PMWPUB_TEST_POSTGRES names a database."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from pmwpub.ledger import Ledger

POSTGRES = os.environ.get("PMWPUB_TEST_POSTGRES")


@pytest.fixture(params=["sqlite", "postgresql"] if POSTGRES else ["sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/ledger.sqlite3"
    address: str = request.getfixturevalue("postgres_url")
    return address


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The address of an empty store in PostgreSQL."""
    address = make_url(POSTGRES or "").set(drivername="postgresql+psycopg")
    schema = f"test_{uuid.uuid4().hex}"
    engine = create_engine(address)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    yield address.update_query_dict({"options": f"-csearch_path={schema}"}).render_as_string(hide_password=False)
    with engine.begin() as connection:
        connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    engine.dispose()


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    with Ledger.open(url) as opened:
        yield opened
