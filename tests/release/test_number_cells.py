"""Numbers drawn for a column of schema version 2 read as the bins they were drawn for, whatever the column declares."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.errors import SchemaError
from pmwpub.release.number_cells import drawer
from pmwpub.tabular.coding.written_cells import coder
from pmwpub.tabular.schema.table_schema import Schema

Json = dict[str, Any]


def schema_of(edges: list[float], version: int = 2, **rules: Any) -> Schema:
    column = {"name": "n", "kind": "numeric", "edges": edges, "outside": "clip"} | rules
    return Schema.from_json(json.dumps({"version": version, "missing_tokens": ["NA"], "columns": [column]}))


def drawn(schema: Schema, codes: list[int], seed: int = 1) -> list[str]:
    return drawer(schema, 0, seed, "numbers", None)(codes, [0] * len(codes))


def test_a_missing_code_inside_a_bin_is_never_drawn_as_a_number_of_it() -> None:
    schema = schema_of([0, 90, 96, 102], missing=[{"code": "99", "label": "unknown"}])
    texts = drawn(schema, [2] * 500)
    assert set(texts) == {"96", "97", "98", "100", "101", "102"}
    assert texts == drawn(schema, [2] * 500) != drawn(schema, [2] * 500, seed=2)


def test_a_bin_that_missing_codes_cover_is_written_as_its_label() -> None:
    schema = schema_of([0, 90, 96, 102], missing=[{"from": 90, "to": 95.9, "label": "unknown"}])
    assert set(drawn(schema, [1] * 20)) == {"[90, 96)"}
    assert schema.placer(schema.encoded[0])("[90, 96)") == 1


def test_a_schema_of_version_1_draws_as_ever() -> None:
    generator = random.Random("1:0")
    expected = [str(generator.randrange(96, 103)) for _ in range(50)]
    assert drawn(schema_of([0, 90, 96, 102], version=1), [2] * 50) == expected


@pytest.mark.parametrize("version", [1, 2])
def test_a_bin_of_the_smallest_width_is_written_as_its_low_end(version: int) -> None:
    assert drawn(schema_of([0, 5e-324, 1], version=version), [0] * 3) == ["0.0"] * 3


def test_a_point_is_no_mark_between_thousands() -> None:
    schema = schema_of([0, 0.5, 2000], decimal=",", thousands=".")
    column = schema.encoded[0]
    codes = [0, 1] * 100
    assert [schema.placer(column)(text) for text in drawn(schema, codes)] == codes


NUMBERS = st.one_of(
    st.integers(-20, 20),
    st.floats(-100, 100),
    st.sampled_from([5e-324, 1e-323, -5e-324, 1e300, -1e300, 1.7e308, 0.1, 1e15]),
).map(float)


@st.composite
def numeric_columns(draw: st.DrawFn) -> Json:
    """Bins with spikes, missing codes and ranges that may lie inside them, and marks."""
    ends = sorted(set(draw(st.lists(NUMBERS, min_size=2, max_size=6, unique=True))))
    edges = [edge for end in ends for edge in [end] * (1 + draw(st.booleans()))]
    near = st.one_of(NUMBERS, st.sampled_from(ends))
    missing = [
        {"code": repr(code) if not code.is_integer() else f"{code:.0f}", "label": f"code {place}"}
        for place, code in enumerate(draw(st.lists(near, max_size=2)))
    ]
    if draw(st.booleans()):
        low, high = sorted([draw(near), draw(near)])
        missing.append({"from": low, "to": high, "label": "range"})
    marks = draw(st.sampled_from([{}, {"decimal": ","}, {"decimal": ",", "thousands": "."}, {"thousands": ","}]))
    return {"edges": edges, "missing": missing or False, "same": draw(st.sampled_from([[], ["number"]]))} | marks


@given(numeric_columns(), st.integers(0, 1000))
def test_every_text_that_is_drawn_reads_as_its_bin(rules: Json, seed: int) -> None:
    try:
        schema = schema_of(rules.pop("edges"), **rules)
    except SchemaError:
        return
    column = schema.encoded[0]
    codes = [code for code in range(column.attribute.size - len(column.missing_levels)) for _ in range(3)]
    assert coder(schema, column)(drawn(schema, codes, seed)).tolist() == codes
