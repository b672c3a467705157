"""Many cells at once get the codes that one cell alone gets."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.planting import plant

from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Ints
from pmwpub.tabular.coding import whole_columns
from pmwpub.tabular.coding.whole_columns import coder
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.private_pass import survey
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
    (2, PLAIN | {"missing": CODES, "prefix": "$", "suffix": " EUR", "same": RULES}, ["", "-9", "$7"]),
    (2, PLAIN | {"prefix": "ex", "suffix": " %", "outside": "none"}, ["", "7.0"]),
]
TEXTS = ["1E5", "-9.99E2", " 7", "٣", "1e+1", "98"]
EXPONENTS = [{"code": "1E5", "label": "a"}, {"code": "-9.99e2", "label": "b"}, {"code": "٣", "label": "c"}]
FOLDING: list[tuple[int, dict[str, Any], list[str]]] = [
    (1, PLAIN | {"edges": [0, 10, 1e6], "other": True, "missing": True, "casefold": True}, TEXTS),
    (1, PLAIN | {"edges": [0, 10, 1e6], "other": True, "missing": True, "casefold": True, "strip": True}, TEXTS),
    (1, PLAIN | {"edges": [0, 10, 1e6], "missing": True}, TEXTS),
    (2, PLAIN | {"missing": True, "same": ["casefold"]}, TEXTS),
    (2, PLAIN | {"missing": True, "same": ["trim", "casefold"], "outside": "none"}, TEXTS),
    (2, PLAIN | {"missing": True, "same": ["nfc", "casefold", "number"]}, TEXTS),
    (2, PLAIN | {"missing": EXPONENTS, "same": ["casefold"]}, [*TEXTS, "1E+30"]),
    (2, PLAIN | {"missing": [*EXPONENTS, {"from": 97, "to": 1e6, "label": "d"}], "same": RULES[:3]}, TEXTS),
]
MALFORMED = ["1-2", "--1", "", "e", "1E5E5", "."]
FEW, MANY = [str(place) for place in range(5)], [f"{place}.25" for place in range(60)]
CELLS = (
    st.integers(-100, 100).map(str)
    | st.floats(-30, 130).map(repr)
    | st.sampled_from(
        ["0", "-0", "0.0", "10", "20.5", "99.0", " 99", ".", "98.5", "1e1", "inf", "-inf", "nan", "1" * 400]
    )
    | st.sampled_from(["1\n2", "1\n", "\n", "[0, 10)", "0", "a", "-9", "-9.0", "7", "7.0", "1_0", "٣", "+5", "5."])
    | st.sampled_from(["1E5", "1e5", "1E+5", "-9.99E2", "-9.99e2", "-999", " 7", "7", "٣", "1E+1", "1E+30", "98"])
    | st.sampled_from(
        ["$5", "-$5", "$-5", "-$-5", "$ 99", "5 EUR", "5eur", "$5e1", "$", "EUR", "ex5", "ex", "5%", "5 % "]
    )
    | st.text("0123456789.-+eE\n $%", max_size=5)
)


def schema_of(version: int, column: dict[str, Any], tokens: list[str]) -> Schema:
    return Schema.from_json(json.dumps({"version": version, "missing_tokens": tokens, "columns": [column]}))


@pytest.mark.parametrize(("version", "column", "tokens"), [*SCHEMAS, *FOLDING])
@given(cells=st.lists(CELLS, min_size=1, max_size=80), times=st.sampled_from([1, 40]))
@settings(max_examples=60)
def test_the_codes_of_many_cells_are_those_of_each(
    version: int, column: dict[str, Any], tokens: list[str], cells: list[str], times: int
) -> None:
    schema = schema_of(version, column, tokens)
    place = schema.placer(schema.encoded[0])
    assert coder(schema, schema.encoded[0])(cells * times).tolist() == [place(cell) for cell in cells * times]


@pytest.mark.parametrize(("version", "column", "tokens"), [*SCHEMAS, *FOLDING])
@given(cell=CELLS, malformed=st.sampled_from(MALFORMED), others=st.lists(CELLS, max_size=40))
@settings(max_examples=60)
def test_what_stands_beside_a_cell_does_not_change_its_code(
    version: int, column: dict[str, Any], tokens: list[str], cell: str, malformed: str, others: list[str]
) -> None:
    schema = schema_of(version, column, tokens)
    code = coder(schema, schema.encoded[0])
    (alone,) = code([cell]).tolist()
    for company in (FEW, MANY, [*FEW, malformed], [*MANY, malformed], [*MANY, *TEXTS], others):
        assert code([*company, cell])[-1] == alone
    assert alone == schema.placer(schema.encoded[0])(cell)


def counts_of(cells: list[str], schema: Schema) -> Ints:
    """Every level of every column, of rows that hold a cell in both columns."""
    text = "x,y\n" + "".join(f'"{cell}","{cell}"\n' for cell in cells)
    found = survey(open_table(text.encode()), schema, n=len(cells))
    rows = found.admitted(n=len(cells), rows_per_person=1)
    return count(Workload.all_kway(schema.domain, 1), rows).counts


def two_columns(version: int, column: dict[str, Any], tokens: list[str]) -> Schema:
    return Schema.from_json(
        json.dumps({"version": version, "missing_tokens": tokens, "columns": [column, column | {"name": "y"}]})
    )


STRADDLING = [*["1E5"] * 900, *map(str, range(30))]
"""31 distinct cells: one more row makes 32 of them, or leaves them as they are."""


@pytest.mark.parametrize(("version", "column", "tokens"), FOLDING)
@given(
    many=st.sampled_from(["1E5", "-9.99E2", " 7", "٣", "1E+30"]),
    distinct=st.integers(28, 33),
    pairs=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=3),
)
@settings(max_examples=40)
def test_k_replaced_rows_move_each_count_by_at_most_k_where_files_straddle_the_short_cut(
    version: int,
    column: dict[str, Any],
    tokens: list[str],
    many: str,
    distinct: int,
    pairs: list[tuple[str, str]],
) -> None:
    schema = two_columns(version, column, tokens)
    others = [*[many] * 9, *map(str, range(distinct - 1))]
    ours, theirs = (counts_of([*others, *cells], schema) for cells in zip(*pairs, strict=True))
    assert np.abs(ours - theirs).max() <= len(pairs)


def moves_by_at_most_one(last: tuple[str, str]) -> bool:
    schema = two_columns(*FOLDING[0])
    ours, theirs = (counts_of([*STRADDLING, cell], schema) for cell in last)
    return bool(np.abs(ours - theirs).max() <= 1)


@pytest.mark.parametrize("last", [("30", "29"), ("30", "1-2")])
@pytest.mark.fault("a cell's code depends on the cells beside it")
def test_tokens_compared_with_cells_that_are_not_tidied_are_found(
    monkeypatch: pytest.MonkeyPatch, last: tuple[str, str]
) -> None:
    """By hand: of bins [0, 10), [10, 1e6], missing and other, the 900 cells are the token, so missing."""
    counts = counts_of([*STRADDLING, "30"], two_columns(*FOLDING[0]))
    assert counts.tolist() == [10, 21, 900, 0] * 2
    assert moves_by_at_most_one(last)
    plant(
        monkeypatch,
        whole_columns._NumberCoder,
        "_may_be_plain",
        "self._column.tidy(cell) not in self._texts",
        "cell not in self._texts",
    )
    assert not moves_by_at_most_one(last)
