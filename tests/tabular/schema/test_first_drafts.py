"""The drafts of before version 2 keep their hash, so that what a program bought with one is known as bought."""

from __future__ import annotations

import pytest

from pmwpub.api import draft_schema
from pmwpub.errors import SchemaError
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.first_drafts import first_draft

ROWS = [f"{'FM'[i % 2]},{(i * 37) % 101},{0 if i % 3 else 100 + i * 7},{('x', 'x ', '?')[i % 3]}\n" for i in range(120)]
TABLE = read_table(("sex,age,gain,job\n" + "".join(ROWS)).encode())


def test_a_table_drafts_to_the_hash_that_it_had_before_there_was_version_2() -> None:
    # By the code of before: levels in two spellings, bins at quantiles, and a bin for the nought that most rows have.
    expected = "c3f5252ee957b7e6e127ac4e3c84fb2e0bdb69c50ca51877560ec57ff2eac03f"
    assert first_draft([TABLE]).sha256 == expected
    assert draft_schema([TABLE.frame]).sha256 == expected


def test_version_2_is_drafted_where_it_is_asked_for() -> None:
    schema = draft_schema([TABLE.frame], version=2)
    assert schema.version == 2
    assert [column.own_levels for column in schema.encoded if column.name == "sex"] == [("F", "M")]
    assert "job" not in schema.domain.names or schema.encoded[-1].own_levels == ("x",)


def test_no_tables_and_no_shared_column_are_refused() -> None:
    for tables in ([], [TABLE, read_table(b"other\n1\n")]):
        with pytest.raises(SchemaError):
            first_draft(tables)
