"""A schema as editable rows and back; editing as values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.errors import SchemaError
from pmwpub.tabular.schema.column_types import Column, IgnoredColumn, NumericColumn
from pmwpub.tabular.schema.editing import FIELDS, rows_of, schema_of
from pmwpub.tabular.schema.table_schema import Schema

EVERY_RULE = Schema.from_json(
    json.dumps(
        {
            "version": 1,
            "missing_tokens": ["", "NA"],
            "columns": [
                {"name": "sex", "kind": "categorical", "levels": ["F", "M, or", "a|b"], "strip": True, "other": True},
                {
                    "name": "income", "kind": "numeric", "edges": [-1.5, 0, 1e20], "outside": "other", "other": True,
                    "missing": True, "casefold": True, "decimal": ",", "thousands": ".",
                },
                {"name": "person", "kind": "id", "strip": True, "casefold": True, "beyond": "keep"},
                {"name": "note", "kind": "ignore"},
            ],
        }
    )
)  # fmt: skip


def test_every_rule_of_a_schema_is_a_cell_and_comes_back() -> None:
    rows = rows_of(EVERY_RULE)
    assert all(tuple(row) == FIELDS for row in rows)
    assert rows[1] == {
        "name": "income", "kind": "numeric", "values": ["-1.5", "0", "1e+20"], "missing": True, "other": True,
        "outside": "other", "strip": False, "casefold": True, "decimal": ",", "thousands": ".", "beyond": "",
    }  # fmt: skip
    assert schema_of(rows, EVERY_RULE.missing_tokens) == EVERY_RULE


def test_blank_cells_are_defaults_and_empty_rows_are_left_out() -> None:
    nothing: dict[str, Any] = dict.fromkeys(FIELDS)
    rows = [
        nothing,
        nothing | {"name": "a", "kind": "categorical", "values": "x\ny", "missing": float("nan"), "outside": "clip"},
        nothing | {"name": "b", "kind": "numeric", "values": ("0", "1"), "outside": "clip", "decimal": ""},
    ]
    schema = schema_of(rows, [""])
    assert [column.own_levels for column in schema.encoded] == [("x", "y"), ("[0, 1]",)]
    assert not schema.encoded[0].missing


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": ""}, "row 2"),
        ({"kind": "text"}, "row 2"),
        ({"name": ""}, "row 2"),
        ({"values": []}, "row 2"),
        ({"values": ["0", "x"]}, "row 2"),
        ({"values": ["1", "0"]}, "rise"),
        ({"values": ["0", "nan"]}, "row 2"),
        ({"outside": ""}, "outside"),
        ({"outside": "other"}, "needs"),
        ({"missing": "perhaps"}, "row 2"),
        ({"name": "sex"}, "must differ"),
        ({"thousands": "."}, "must differ"),
    ],
)
def test_a_row_that_says_nonsense_is_named(change: dict[str, Any], words: str) -> None:
    sex = {"name": "sex", "kind": "categorical", "values": ["F"]}
    age = {"name": "age", "kind": "numeric", "values": ["0", "9"], "outside": "clip"}
    assert schema_of([sex, age], []).domain.shape == (1, 1)
    with pytest.raises(SchemaError, match=words):
        schema_of([sex, age | change], [])


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), st.none() | st.text() | st.floats() | st.lists(st.text()))))
def test_any_rows_are_a_schema_or_a_refusal(rows: list[dict[str, Any]]) -> None:
    try:
        schema = schema_of(rows, ["NA"])
    except SchemaError:
        return
    assert schema_of(rows_of(schema), ["NA"]) == schema


def test_a_column_is_replaced_in_its_place_added_behind_or_left_out() -> None:
    note: Column = IgnoredColumn(name="sex", kind="ignore")
    assert [column.kind for column in EVERY_RULE.with_column(note).columns] == ["ignore", "numeric", "id", "ignore"]
    more: Column = IgnoredColumn(name="more", kind="ignore")
    assert EVERY_RULE.with_column(more).columns[-1] == more
    assert EVERY_RULE.without_column("person").id_column is None
    assert EVERY_RULE.with_missing_tokens(["-9"]).missing_tokens == ("-9",)
    with pytest.raises(SchemaError, match="missing token"):
        EVERY_RULE.with_missing_tokens(["F"])
    with pytest.raises(SchemaError, match="at least one"):
        EVERY_RULE.without_column("sex").without_column("income")


def test_another_edge_splits_one_bin_and_leaves_the_names_of_the_others() -> None:
    few = NumericColumn(name="x", kind="numeric", edges=(0, 10, 20, 30), outside="clip")
    more = few.model_copy(update={"edges": (0, 10, 15, 20, 30)})
    assert set(few.attribute.levels) - set(NumericColumn.model_validate(more.model_dump()).attribute.levels) == {
        "[10, 20)"
    }
