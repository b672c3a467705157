"""Weights: the numbers of cells in whole units, by hand; caps, units and totals; schemas from before them."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.errors import SchemaError
from pmwpub.plans.weighing import Weighing
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.weight_column import WeightColumn

SEX = {"name": "sex", "kind": "categorical", "levels": ["F", "M"], "same": []}
COLUMN = WeightColumn(name="w", kind="weight", cap="2.5", unit="0.5")


def schema_of(*columns: dict[str, object]) -> Schema:
    return Schema.from_json(json.dumps({"version": 2, "missing_tokens": ["NA"], "columns": [SEX, *columns]}))


@pytest.mark.parametrize(
    ("cell", "units"),
    [
        ("0", 0), ("0.2499", 0), ("0.25", 1), ("0.5", 1), ("0.74", 1), ("0.75", 2), ("2.5", 5), ("2.2499", 4),
        ("2.51", 5), ("1e3", 5), ("1e999", 5), ("1e1000", 0), ("-1", 0), ("-0.0", 0), ("+1", 2), (" 1 ", 2),
        (".5", 1), ("1.", 2), ("", 0), ("NA", 0), ("nan", 0), ("inf", 0), ("1,5", 0), ("١", 0), ("1_0", 0), ("0x1", 0),
        ("1" * 41, 0), ("1e-999", 0),
    ],
)  # fmt: skip
def test_a_cell_weighs_its_nearest_whole_units_between_nothing_and_the_cap(cell: str, units: int) -> None:
    assert COLUMN.weight_of(cell, frozenset({"NA"})) == units


@given(st.text() | st.floats().map(str) | st.decimals().map(str))
def test_no_cell_raises_and_none_weighs_more_than_the_cap(cell: str) -> None:
    assert 0 <= COLUMN.weight_of(cell) <= 5


def test_a_column_with_a_cap_weighs_rows_and_one_without_is_left_aside() -> None:
    aside = {"name": "w", "kind": "weight"}
    assert schema_of(aside).weight_column is None
    found = schema_of({**aside, "cap": 2.5, "unit": "0.50", "total": 1000}).weight_column
    assert found is not None
    assert (found.units, found.total_units) == ((Fraction(1, 2), 5), 2000)
    assert (found.cap, found.unit, found.total) == ("2.5", "0.5", "1000")
    assert Schema.from_json(schema_of({**aside, "cap": 2.5, "unit": 0.5}).to_json()).weight_column == COLUMN


def test_a_schema_of_before_keeps_its_hash_and_its_file() -> None:
    schema = schema_of({"name": "w", "kind": "weight"})
    assert "cap" not in schema.to_json()
    assert schema.sha256 == "66c40e7c247d9942e454848bd3ea92d1cceff4e592b414c027ca5f06779c243d"


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"cap": 3}, "a cap and a unit, or neither"),
        ({"unit": 1}, "a cap and a unit, or neither"),
        ({"total": 1}, "a cap and a unit, or neither"),
        ({"cap": 1, "unit": 0.3}, "1 to 1,000 whole units"),
        ({"cap": 1001, "unit": 1}, "1 to 1,000 whole units"),
        ({"cap": 1, "unit": 2}, "1 to 1,000 whole units"),
        ({"cap": 0, "unit": 1}, "are positive"),
        ({"cap": -1, "unit": 1}, "are positive"),
        ({"cap": "x", "unit": 1}, "decimal numbers"),
        ({"cap": True, "unit": 1}, "decimal numbers"),
        ({"cap": 2, "unit": 1, "total": 0.2}, "at least one unit"),
        ({"cap": 2, "unit": 0.1, "total": "100000000000.05"}, "at most 1,000,000,000,000"),
    ],
)
def test_caps_units_and_totals_that_mean_nothing_are_refused(keys: dict[str, object], words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        schema_of({"name": "w", "kind": "weight", **keys})


def test_the_largest_total_is_one_that_plans_can_be_made_with() -> None:
    column = schema_of({"name": "w", "kind": "weight", "cap": 2, "unit": 0.1, "total": 10**11}).weight_column
    assert column is not None
    assert Weighing.of(column, column.total_units or 0).total == 10**12


def test_rows_are_weighed_by_one_column_and_not_where_k_rows_of_an_id_are_kept() -> None:
    one, other = ({"name": name, "kind": "weight", "cap": 1, "unit": 1} for name in "wv")
    with pytest.raises(SchemaError, match="at most one column of weights"):
        schema_of(one, other)
    assert schema_of(one, {"name": "v", "kind": "weight"}).weight_column is not None
    with pytest.raises(SchemaError, match="rows are not weighed where"):
        schema_of(one, {"name": "id", "kind": "id", "beyond": "keep"})
    assert schema_of(one, {"name": "id", "kind": "id"}).weight_column is not None
