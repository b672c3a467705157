from __future__ import annotations

import pytest
from ledger.persons import steward
from ledger.terms import charge, key, people
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from pmwpub.ledger import Ledger
from pmwpub.ledger.database import Database
from pmwpub.ledger.members.member_tables import OF_PEOPLE
from pmwpub.ledger.store_files.store_address import store_url
from pmwpub.ledger.tables import APPEND_ONLY as OF_CHARGES
from pmwpub.ledger.tables import metadata

APPEND_ONLY = (*OF_CHARGES, *OF_PEOPLE)


@pytest.fixture
def filled(url: str) -> str:
    with Ledger.open(url) as ledger:
        ledger.visited_by(lambda: steward("Ada"))
        ledger.admit()
        for name in ("A", "B"):
            ledger.register(people(name))
        verdict = ledger.recognise("A", b"rows", [b"as coded"])
        booking = ledger.book("A", key(), "{}", [charge(1)], table=verdict.table)
        ledger.finish(booking.id, b"released")
        ledger.acknowledge("B", b"rows")
        ledger.loaded("A", b"rows", [b"as coded"])
        ledger.mark("A", "opened")
        ledger.sign_out(steward("Ada").sign_in)
    return url


@pytest.mark.parametrize("table", [table.name for table in APPEND_ONLY])
@pytest.mark.parametrize("statement", ["DELETE FROM {table}", "UPDATE {table} SET {column} = {column}"])
def test_nobody_changes_or_removes_a_row(filled: str, table: str, statement: str) -> None:
    column = next(iter(metadata.tables[table].columns)).name
    database = Database(store_url(filled))
    with database._engine.connect() as connection:
        before = connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()  # noqa: S608
    with pytest.raises(DBAPIError, match="append-only"), database._writer.begin() as connection:
        connection.execute(text(statement.format(table=table, column=column)))
    with database._engine.connect() as connection:
        after = connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()  # noqa: S608
    database.close()
    assert before == after >= 1


def test_replacing_a_charge_is_refused(filled: str) -> None:
    if not filled.startswith("sqlite"):
        filled_with = "INSERT INTO charges SELECT * FROM charges ON CONFLICT (id) DO UPDATE SET units = 1"
    else:
        filled_with = "INSERT OR REPLACE INTO charges SELECT * FROM charges"
    database = Database(store_url(filled))
    with pytest.raises(DBAPIError, match="append-only"), database._writer.begin() as connection:
        connection.execute(text(filled_with))
    database.close()


def test_only_public_documents_can_be_deleted() -> None:
    assert {table for table in metadata.tables.values()} - set(APPEND_ONLY) == {
        metadata.tables["documents"],
        metadata.tables["blobs"],
    }
