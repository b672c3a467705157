"""Equal views for tables that a mechanism cannot tell apart, however they are written; other views for other rows."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.overlap.table_views import CodedRows, viewed
from pmwpub.tabular.schema.table_schema import Schema

SCHEMA = Schema.from_json(
    b'{"version": 1, "missing_tokens": ["", "?"], "columns": ['
    b'{"name": "age", "kind": "numeric", "edges": [0, 20, 40, 60], "outside": "clip", "missing": true},'
    b'{"name": "job", "kind": "categorical", "levels": ["cook", "clerk"], "other": true},'
    b'{"name": "size", "kind": "categorical", "levels": ["1", "2"]}]}'
)
ROWS = [("33", "cook", "1"), ("41", "clerk", "2"), ("", "smith", "2"), ("7", "cook", "1")]
HEADER = ("age", "job", "size")


def csv(rows: list[tuple[str, ...]], header: tuple[str, ...] = HEADER) -> bytes:
    return "\n".join(",".join(row) for row in [header, *rows]).encode()


def views(content: bytes, schema: Schema = SCHEMA) -> tuple[bytes, bytes]:
    return viewed(read_table(content).stream, schema)[0]


def parquet(frame: pd.DataFrame) -> bytes:
    packed = io.BytesIO()
    frame.to_parquet(packed)
    return packed.getvalue()


FRAME = pd.DataFrame(ROWS, columns=list(HEADER))
NUMBERS = FRAME.assign(age=[33.0, 41.0, None, 7.0], size=[1, 2, 2, 1])
DISGUISES = {
    "order of rows": csv(ROWS[::-1]),
    "order of columns": csv([row[::-1] for row in ROWS], HEADER[::-1]),
    "a column more": csv([(*row, "x") for row in ROWS], (*HEADER, "note")),
    "quotes": b"\r\n".join(b",".join(b'"' + cell + b'"' for cell in line.split(b",")) for line in csv(ROWS).split()),
    "nulls": parquet(FRAME.replace({"": None})),
    "numbers": parquet(NUMBERS),
    "numbers written long": csv([(age + ".0" * bool(age), job, size) for age, job, size in ROWS]),
    "another missing token": csv([(age or "?", job, size) for age, job, size in ROWS]),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_table_in_disguise_has_the_same_views(disguise: str) -> None:
    assert views(DISGUISES[disguise]) == views(csv(ROWS))


def test_a_level_that_another_program_writes_otherwise_is_the_same_as_spelt() -> None:
    """1.0 is no level of the schema, so that the mechanism sees other rows; they are the same people all the same."""
    coded, spelt = views(csv(ROWS))
    seen, written = views(parquet(NUMBERS.assign(size=[1.0, 2.0, 2.0, 1.0])))
    assert (seen != coded, written) == (True, spelt)


def test_cells_that_the_schema_codes_alike_are_the_same_as_coded() -> None:
    coded, spelt = views(csv(ROWS))
    seen, written = views(csv([("34", *ROWS[0][1:]), *ROWS[1:]]))
    assert (seen, written != spelt) == (coded, True)


def test_schemas_with_other_levels_see_the_same_table_as_spelt() -> None:
    other = Schema.from_json(
        b'{"version": 1, "columns": ['
        b'{"name": "size", "kind": "categorical", "levels": ["2", "1"]},'
        b'{"name": "age", "kind": "numeric", "edges": [0, 50, 60], "outside": "none"},'
        b'{"name": "job", "kind": "categorical", "levels": ["smith"], "other": true}]}'
    )
    (coded, spelt), (seen, written) = views(csv(ROWS)), views(csv(ROWS), other)
    assert (seen != coded, written) == (True, spelt)


def test_schemas_that_list_the_same_columns_and_levels_in_another_order_see_the_same() -> None:
    reverse = [column.model_copy(update={"levels": column.levels[::-1]}) for column in SCHEMA.encoded[1:]]
    other = Schema.of([*reverse, SCHEMA.encoded[0]], SCHEMA.missing_tokens)
    assert views(csv(ROWS), other) == views(csv(ROWS))


CELLS = st.tuples(st.sampled_from(["", "5", "25"]), st.sampled_from(["cook", "clerk"]), st.sampled_from(["1", "2"]))
Row = tuple[str, ...]
TABLES = st.lists(CELLS, min_size=1, max_size=6)


@given(TABLES, TABLES)
def test_views_are_equal_exactly_for_equal_multisets_of_rows(
    one: list[tuple[str, ...]], two: list[tuple[str, ...]]
) -> None:
    assert (views(csv(one)) == views(csv(two))) == (sorted(one) == sorted(two))


def test_a_cell_without_a_level_is_told_from_every_level_and_column() -> None:
    codes = np.array([[0, 1, 2, 3, 4, 0, 0, 0], [0, 0, 0, 0, 0, 1, 2, 0], [0, 0, 0, 0, 0, 0, 0, 2]], dtype=np.uint8)
    assert len(np.unique(CodedRows(SCHEMA.domain).of(codes))) == codes.shape[1]


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [("1", "1.00", True), ("-0", "0", True), ("1e2", "100", True), ("NA", "", True), ("NaN", "null", True)]
    + [("Cook ", "cook", True), ("1", "2", False), ("cook", "cooks", False), ("", "0", False), ("inf", "-inf", False)],
)
def test_the_plain_spelling_of_cells(one: str, two: str, equal: bool) -> None:
    """Each cell alone in its chunk, and among texts."""
    for more in ([], [("9", "cook", "x")], [("9", "cook", "7")]):
        left, right = (views(csv([("9", "cook", cell), *more]))[1] for cell in (one, two))
        assert (left == right) == equal
