"""Many cells at once get the codes that one cell alone gets."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmwpub.tabular.coding.whole_columns import coder
from pmwpub.tabular.schema.table_schema import Schema

CODES = [{"code": "99", "label": "a"}, {"code": ".", "label": "b"}, {"from": 97, "to": 98.5, "label": "c"}]
RULES = ["trim", "nfc", "casefold", "number"]
PLAIN = {"name": "x", "kind": "numeric", "edges": [0, 0, 10, 20.5, 20.5, 50], "outside": "clip"}
SCHEMAS: list[tuple[int, dict[str, Any], list[str]]] = [
    (1, PLAIN | {"edges": [0, 10, 50]}, ["", "-9", "7.0"]),
    (1, PLAIN | {"edges": [0, 10, 50], "outside": "other", "other": True, "missing": True}, ["9"]),
    (1, PLAIN | {"edges": [0, 10, 50], "outside": "none", "decimal": ",", "thousands": "."}, []),
    (2, PLAIN | {"missing": CODES, "same": RULES}, ["", "-9", "7.0"]),
    (2, PLAIN | {"missing": CODES, "outside": "none"}, ["-9", "7.0", "98"]),
    (2, PLAIN | {"edges": [5, 5], "same": RULES}, [""]),
]
CELLS = (
    st.integers(-100, 100).map(str)
    | st.floats(-30, 130).map(repr)
    | st.sampled_from(
        ["0", "-0", "0.0", "10", "20.5", "99.0", " 99", ".", "98.5", "1e1", "inf", "-inf", "nan", "1" * 400]
    )
    | st.sampled_from(["1\n2", "1\n", "\n", "[0, 10)", "0", "a", "-9", "-9.0", "7", "7.0", "1_0", "٣", "+5", "5."])
    | st.text("0123456789.-+e\n ", max_size=5)
)


@pytest.mark.parametrize(("version", "column", "tokens"), SCHEMAS)
@given(cells=st.lists(CELLS, min_size=1, max_size=80), times=st.sampled_from([1, 40]))
@settings(max_examples=60)
def test_the_codes_of_many_cells_are_those_of_each(
    version: int, column: dict[str, Any], tokens: list[str], cells: list[str], times: int
) -> None:
    schema = Schema.from_json(json.dumps({"version": version, "missing_tokens": tokens, "columns": [column]}))
    place = schema.placer(schema.encoded[0])
    assert coder(schema, schema.encoded[0])(cells * times).tolist() == [place(cell) for cell in cells * times]
