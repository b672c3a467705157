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
        "outside": "other", "strip": False, "casefold": True, "decimal": ",", "thousands": ".",
        "codes": [], "nfc": False, "number": False, "part": "", "order": "", "beyond": "",
        "cap": "", "unit": "", "total": "", "weighs": "", "prefix": "", "suffix": "", "pivot": "", "parents": [],
    }  # fmt: skip
    assert schema_of(rows, EVERY_RULE.missing_tokens) == EVERY_RULE


SECOND = Schema.from_json(
    json.dumps(
        {
            "version": 2,
            "missing_tokens": ["", "NA"],
            "columns": [
                {"name": "sex", "kind": "ordered", "levels": ["F", "M"], "same": ["trim", "nfc", "casefold", "number"]},
                {
                    "name": "hours", "kind": "numeric", "edges": [0, 0, 40], "outside": "clip", "same": ["trim"],
                    "missing": [
                        {"code": "", "label": "(missing)"},
                        {"code": "99", "label": "refused"},
                        {"from": 97, "to": 98, "label": "unknown"},
                    ],
                },
                {"name": "day", "kind": "date", "part": "year", "order": "dmy", "levels": ["2012"], "pivot": 30},
                {"name": "pay", "kind": "numeric", "edges": [0, 9], "outside": "clip", "prefix": "$ ", "suffix": " a"},
                {"name": "w", "kind": "weight"},
                {"name": "v", "kind": "weight", "cap": 4, "unit": 0.5, "total": 90, "same": ["trim"]},
                {"name": "plain", "kind": "categorical", "levels": ["x"], "missing": True, "same": []},
            ],
        }
    )
)  # fmt: skip


def test_every_rule_of_version_2_is_a_cell_and_comes_back() -> None:
    rows = rows_of(SECOND)
    assert rows[1]["codes"] == [" = (missing)", "99 = refused", "97..98 = unknown"]
    assert schema_of(rows, SECOND.missing_tokens) == SECOND
    assert schema_of(rows[-1:], ["", "NA"], version=2).version == 2
    assert schema_of(rows[-1:], ["", "NA"]).version == 1


def test_rows_of_version_1_are_of_version_2_once_they_say_what_only_that_can() -> None:
    rows = rows_of(EVERY_RULE)
    for change in ({"number": True}, {"codes": ["99 = refused"]}, {"values": ["0", "0", "1"]}):
        schema = schema_of([rows[0], rows[1] | change, *rows[2:]], ["", "NA"])
        assert (schema.version, schema.columns[0].same) == (2, ("trim",))
    assert schema.encoded[1].own_levels == ("0", "(0, 1]")


def test_levels_that_coincide_under_a_ticked_rule_are_named_with_the_remedy() -> None:
    sex = {"name": "sex", "kind": "categorical", "values": ["F", "f "], "strip": True, "casefold": True}
    for more in ({}, {"number": True}):
        with pytest.raises(SchemaError, match=r"'F' and 'f ' are one under .*; keep one of them, or take") as caught:
            schema_of([sex | more], [])
        assert "Value error" not in str(caught.value)


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
