"""Triggers by which both databases refuse to change or remove a row, whoever asks."""

from __future__ import annotations

from sqlalchemy import DDL, Table, event

_REFUSE = DDL(
    "CREATE OR REPLACE FUNCTION pmwpub_append_only() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'this table is append-only'; END $$"
)


def keep(table: Table) -> None:
    """Give `table` its triggers when it is made."""
    for verb in ("UPDATE", "DELETE"):
        refusal = f"BEGIN SELECT RAISE(ABORT, 'the table {table.name} is append-only'); END"
        trigger = DDL(f"CREATE TRIGGER {table.name}_no_{verb.lower()} BEFORE {verb} ON {table.name} {refusal}")
        event.listen(table, "after_create", trigger.execute_if(dialect="sqlite"))
    trigger = DDL(
        f"CREATE TRIGGER {table.name}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table.name} "
        "FOR EACH STATEMENT EXECUTE FUNCTION pmwpub_append_only()"
    )
    event.listen(table, "before_create", _REFUSE.execute_if(dialect="postgresql"))
    event.listen(table, "after_create", trigger.execute_if(dialect="postgresql"))
