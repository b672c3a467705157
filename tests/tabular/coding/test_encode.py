"""The rules for cells: precedence by hand, totality by search."""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.frame_csv import csv_bytes

from pmwpub.domain import Domain
from pmwpub.errors import BudgetError, FileRefused, SchemaError
from pmwpub.tabular.coding.decode import decode
from pmwpub.tabular.coding.encode import Encoder, encode_public
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.private_pass import encode_private
from pmwpub.tabular.schema.table_schema import Schema

CANARY = "canary7153"
NONE = "no level"


def schema_of(*columns: dict[str, Any], tokens: tuple[str, ...] = ("", "NA")) -> Schema:
    return Schema.from_json(json.dumps({"version": 1, "missing_tokens": tokens, "columns": columns}))


def table_of(header: str, *rows: str) -> TextTable:
    return read_table("\n".join([header, *rows, ""]).encode())


def placed(column: dict[str, Any], cell: str) -> str:
    """The label that a private cell gets."""
    schema = schema_of({"name": "x", **column})
    quoted = cell.replace('"', '""')
    encoded = encode_private(read_table(f'x,y\n"{quoted}",1\n'.encode()), schema, n=1)
    levels = schema.domain.attributes[0].levels
    code = int(encoded.dataset.codes[0, 0])
    assert (code == len(levels)) == bool(encoded.unplaced)
    return NONE if code == len(levels) else levels[code]


CATEGORICAL = {"kind": "categorical", "levels": ["a", "B", " c", "007"]}
NUMERIC = {"kind": "numeric", "edges": [0, 10, 20], "outside": "none"}
LOW, HIGH = "[0, 10)", "[10, 20]"


@pytest.mark.parametrize(
    ("column", "cell", "label"),
    [
        (CATEGORICAL, "a", "a"),
        (CATEGORICAL, "A", NONE),
        (CATEGORICAL, "a ", NONE),
        (CATEGORICAL, "c", NONE),
        (CATEGORICAL, " c", " c"),
        (CATEGORICAL, "7", NONE),
        (CATEGORICAL, "007", "007"),
        (CATEGORICAL, "", NONE),
        (CATEGORICAL, "(missing)", NONE),
        (CATEGORICAL, "(other)", NONE),
        (CATEGORICAL | {"missing": True}, "", "(missing)"),
        (CATEGORICAL | {"missing": True}, "NA", "(missing)"),
        (CATEGORICAL | {"missing": True}, "na", NONE),
        (CATEGORICAL | {"missing": True}, "(missing)", NONE),
        (CATEGORICAL | {"other": True}, "", "(other)"),
        (CATEGORICAL | {"other": True}, "zzz", "(other)"),
        (CATEGORICAL | {"other": True, "missing": True}, "", "(missing)"),
        (CATEGORICAL | {"other": True, "missing": True}, "zzz", "(other)"),
        (CATEGORICAL | {"strip": True}, " a\t", "a"),
        (CATEGORICAL | {"strip": True}, "c", " c"),
        (CATEGORICAL | {"strip": True, "missing": True}, "  ", "(missing)"),
        (CATEGORICAL | {"casefold": True}, "A", "a"),
        (CATEGORICAL | {"casefold": True}, "b", "B"),
        (CATEGORICAL | {"casefold": True, "missing": True}, "na", "(missing)"),
        (NUMERIC, "0", LOW),
        (NUMERIC, "-0", LOW),
        (NUMERIC, "9.999", LOW),
        (NUMERIC, "10", HIGH),
        (NUMERIC, "1e1", HIGH),
        (NUMERIC, "+10.", HIGH),
        (NUMERIC, "007", LOW),
        (NUMERIC, ".5", LOW),
        (NUMERIC, "20", HIGH),
        (NUMERIC, "20.000001", NONE),
        (NUMERIC, "-0.1", NONE),
        (NUMERIC, "1e999", NONE),
        (NUMERIC, "inf", NONE),
        (NUMERIC, "NaN", NONE),
        (NUMERIC, " 5", NONE),
        (NUMERIC, "5 ", NONE),
        (NUMERIC, "0x5", NONE),
        (NUMERIC, "1_0", NONE),
        (NUMERIC, "1,5", NONE),
        (NUMERIC, "$5", NONE),
        (NUMERIC, "\u0665", NONE),
        (NUMERIC, "1/2/2020", NONE),
        (NUMERIC, "true", NONE),
        (NUMERIC, LOW, NONE),
        (NUMERIC | {"strip": True}, " 5 ", LOW),
        (NUMERIC | {"outside": "clip"}, "-5", LOW),
        (NUMERIC | {"outside": "clip"}, "9223372036854775808", HIGH),
        (NUMERIC | {"outside": "clip"}, "1e999", HIGH),
        (NUMERIC | {"outside": "clip"}, "-Infinity", LOW),
        (NUMERIC | {"outside": "clip"}, "nan", NONE),
        (NUMERIC | {"outside": "clip", "other": True}, "nan", "(other)"),
        (NUMERIC | {"outside": "clip", "other": True}, "99", HIGH),
        (NUMERIC | {"outside": "other", "other": True}, "99", "(other)"),
        (NUMERIC | {"outside": "none", "other": True}, "99", NONE),
        (NUMERIC | {"outside": "none", "other": True}, "x", "(other)"),
        (NUMERIC | {"other": True}, "", "(other)"),
        (NUMERIC | {"other": True, "missing": True}, "NA", "(missing)"),
        (NUMERIC | {"decimal": ","}, "9,5", LOW),
        (NUMERIC | {"decimal": ","}, "9.5", NONE),
        (NUMERIC | {"edges": [0, 1000, 3000], "thousands": ","}, "1,500", "[1000, 3000]"),
        (NUMERIC | {"edges": [0, 1000, 3000], "thousands": ","}, "1500", "[1000, 3000]"),
        (NUMERIC | {"edges": [0, 1000, 3000], "thousands": ","}, "15,00", NONE),
        (NUMERIC | {"edges": [0, 1000, 3000], "thousands": ".", "decimal": ","}, "1.500,5", "[1000, 3000]"),
        (NUMERIC | {"edges": [0, 1000, 3000], "thousands": " "}, "1 500", "[1000, 3000]"),
    ],
)
def test_a_private_cell_goes_where_the_precedence_says(column: dict[str, Any], cell: str, label: str) -> None:
    assert placed(column, cell) == label


def test_a_missing_token_goes_before_a_number() -> None:
    schema = schema_of({"name": "x", "missing": True} | NUMERIC, tokens=("9",))
    dataset = encode_private(table_of("x,y", "9,1", "8,1"), schema, n=2).dataset
    assert dataset.codes[:, 0].tolist() == [2, 0]


@given(st.decimals(-5, 25, places=2), st.lists(st.integers(0, 20), min_size=2, max_size=6, unique=True))
def test_bins_are_half_open_and_the_last_is_closed(value: Decimal, edges: list[int]) -> None:
    edges = sorted(edges)
    expected = NONE
    for low, high in pairwise(edges):
        last = high == edges[-1]
        if low <= value < high or (last and value == high):
            expected = f"[{low}, {high}{']' if last else ')'}"
    assert placed(NUMERIC | {"edges": edges}, str(value)) == expected


WIDE = schema_of(
    {"name": "a", "missing": True, "other": True} | CATEGORICAL,
    {"name": "b"} | CATEGORICAL,
    {"name": "c", "missing": True} | NUMERIC,
    {"name": "d", "strip": True, "casefold": True} | NUMERIC | {"outside": "clip", "thousands": ",", "decimal": "."},
)


@given(
    st.lists(
        st.tuples(*[st.text(st.characters(codec="utf-8", exclude_characters="\x00"))] * 4), min_size=1, max_size=20
    )
)
def test_no_private_cell_raises_or_changes_n_or_the_domain(rows: list[tuple[str, ...]]) -> None:
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    encoded = encode_private(table_of("a,b,c,d", *lines), WIDE, n=len(rows))
    assert len(encoded.dataset) == len(rows)
    assert encoded.dataset.domain == WIDE.domain
    assert encoded.dropped == 0
    for position, name in enumerate(WIDE.domain.names):
        missed = int((encoded.dataset.codes[:, position] == WIDE.domain.shape[position]).sum())
        assert encoded.unplaced.get(name, 0) == missed


@given(st.data())
def test_labels_survive_encoding_and_decoding(data: st.DataObject) -> None:
    label = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=5)
    levels = data.draw(
        st.lists(label.filter(lambda text: text not in ("NA", "(missing)", "(other)")), min_size=1, unique=True)
    )
    schema = schema_of(
        {"name": "x", "kind": "categorical", "levels": levels}, {"name": "y", "kind": "categorical", "levels": ["1"]}
    )
    drawn = data.draw(st.lists(st.sampled_from(range(len(levels))), min_size=1))
    rows = ['"' + levels[code].replace('"', '""') + '",1' for code in drawn]
    dataset = encode_public(table_of("x,y", *rows), schema).dataset
    assert dataset.codes[:, 0].tolist() == drawn
    frame = decode(dataset, schema)
    assert frame["x"].tolist() == [levels[code] for code in drawn]
    assume(not any(level.lstrip("'")[:1] in tuple("=+-@\t\r\n＝＋－＠") for level in levels))
    again = encode_public(read_table(csv_bytes(frame)), schema).dataset
    assert np.array_equal(again.codes, dataset.codes)


def test_other_order_and_extra_columns_are_fine_and_extras_are_listed() -> None:
    schema = schema_of({"name": "x"} | CATEGORICAL, {"name": "n"} | NUMERIC, {"name": "skip", "kind": "ignore"})
    encoded = encode_public(table_of("extra,n,skip,x", "1,15,2,B", "1,5,2,a"), schema)
    assert encoded.dataset.codes.tolist() == [[1, 1], [0, 0]]
    assert encoded.ignored == ("extra",)


def test_a_public_row_without_a_level_is_dropped_and_counted() -> None:
    schema = schema_of({"name": "x"} | CATEGORICAL, {"name": "n"} | NUMERIC)
    encoded = encode_public(table_of("x,n", "a,5", "zzz,5", "B,99", "zzz,99"), schema)
    assert encoded.dataset.codes.tolist() == [[0, 0]]
    assert encoded.dropped == 3
    assert dict(encoded.unplaced) == {"x": 2, "n": 2}


def test_a_public_table_without_a_usable_row_is_refused_with_the_column_to_look_at() -> None:
    schema = schema_of({"name": "x"} | CATEGORICAL, {"name": "n"} | NUMERIC)
    with pytest.raises(FileRefused, match="column 'n'"):
        encode_public(table_of("x,n", "a,99", "zzz,99"), schema)


def test_another_row_count_than_registered_is_refused_for_the_steward_only() -> None:
    schema = schema_of({"name": "x"} | CATEGORICAL)
    table = table_of("x,y", f"{CANARY},1", "a,1")
    for n in (1, 3):
        with pytest.raises(FileRefused, match=rf"n = {n} rows; the file has 2\..*Told to you only") as caught:
            encode_private(table, schema, n=n)
        assert CANARY not in str(caught.value)
    for n, k in ((0, 1), (2, 0)):
        with pytest.raises(BudgetError):
            encode_private(table, schema, n=n, rows_per_person=k)


ID_SCHEMA = schema_of({"name": "x"} | CATEGORICAL, {"name": "who", "kind": "id"})


def test_more_rows_of_one_id_than_declared_are_refused_without_naming_it() -> None:
    table = table_of("who,x", f"{CANARY},a", "p2,a", f"{CANARY},B", f"{CANARY},B", "p2,a")
    for k in (1, 2):
        with pytest.raises(
            FileRefused, match=rf"At most {'1 row' if k == 1 else '2 rows'} may .* Told to you only"
        ) as caught:
            encode_private(table, ID_SCHEMA, n=5, rows_per_person=k)
        assert CANARY not in str(caught.value)
        assert "3" not in str(caught.value)
    encoded = encode_private(table, ID_SCHEMA, n=5, rows_per_person=3)
    assert encoded.dataset.domain.names == ("x",)
    assert encoded.ignored == ()


def test_empty_ids_count_as_one_id_and_the_id_rules_apply() -> None:
    with pytest.raises(FileRefused):
        encode_private(table_of("who,x", ",a", ",a"), ID_SCHEMA, n=2)
    padded = schema_of({"name": "x"} | CATEGORICAL, {"name": "who", "kind": "id", "strip": True, "casefold": True})
    table = table_of("who,x", "p1 ,a", "P1,a")
    assert len(encode_private(table, ID_SCHEMA, n=2).dataset) == 2
    with pytest.raises(FileRefused):
        encode_private(table, padded, n=2)


def test_the_id_column_is_needed_in_a_private_file_only() -> None:
    table = table_of("x,y", "a,1")
    with pytest.raises(SchemaError, match="'who'"):
        encode_private(table, ID_SCHEMA, n=1)
    assert len(encode_public(table, ID_SCHEMA).dataset) == 1


def test_a_missing_column_is_named_before_the_row_count_is_looked_at() -> None:
    with pytest.raises(SchemaError, match="Column 1 of the file looks like 'x'"):
        encode_private(table_of("X,y", "a,1"), schema_of({"name": "x"} | CATEGORICAL), n=7)


def test_the_repr_shows_nothing_private() -> None:
    encoded = encode_private(table_of(f"x,{CANARY}", "zzz,1", "a,1"), schema_of({"name": "x"} | CATEGORICAL), n=2)
    assert dict(encoded.unplaced) == {"x": 1}
    assert "1" not in repr(encoded).replace("1 attributes", "")
    assert CANARY not in repr(encoded)


def test_a_level_that_only_the_schema_knows_stays_in_the_domain() -> None:
    schema = schema_of({"name": "x"} | CATEGORICAL)
    assert encode_public(table_of("x,y", "a,1"), schema).dataset.domain == Domain(schema.domain.attributes)


def test_two_hundred_thousand_rows_are_encoded() -> None:
    rows = "".join(f"{'aB'[i % 2]},{i % 997 / 40},{i},{i % 13}\n" for i in range(200_000))
    schema = schema_of({"name": "x"} | CATEGORICAL, {"name": "n"} | NUMERIC | {"outside": "clip"})
    assert len(encode_private(read_table(("x,n,i,j\n" + rows).encode()), schema, n=200_000).dataset) == 200_000


@pytest.mark.data
def test_adult_encodes_without_a_lost_cell(data_folder: Path) -> None:
    schema = Schema.from_json((data_folder / "adult" / "schema.json").read_bytes())
    encoded = encode_private(read_table(data_folder / "adult" / "adult.csv.gz"), schema, n=48_842)
    assert not encoded.unplaced
    assert set(encoded.ignored) == {"fnlwgt", "education"}
    sex = encoded.dataset.codes[:, schema.domain.index("sex")]
    assert np.bincount(sex).tolist() == [16_192, 32_650]


@pytest.mark.data
@pytest.mark.parametrize(("name", "rows"), [("oh_2018", 11_439), ("oh_2012", 9_926), ("il_2018", 11_931)])
def test_the_census_tables_encode_without_a_lost_row(data_folder: Path, name: str, rows: int) -> None:
    folder = data_folder / "acs_il_oh"
    encoded = encode_public(
        read_table(folder / f"{name}.csv.gz"), Schema.from_json((folder / "schema.json").read_bytes())
    )
    assert (len(encoded.dataset), encoded.dropped) == (rows, 0)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("decimal", [",", "."])
@given(
    cells=st.lists(st.sampled_from(["5553.63", "5553,63", "12", "1.5", "[0, 10)", "(missing)", "x", ""]), min_size=40)
)
def test_a_cell_has_one_code_in_public_and_in_private_tables(version: int, decimal: str, cells: list[str]) -> None:
    """Version 1 reads labels of levels in public tables alone, as its releases write them; a number never."""
    column = {
        "name": "x",
        "kind": "numeric",
        "edges": [0, 10, 10_000],
        "outside": "clip",
        "other": True,
        "decimal": decimal,
    }
    schema = Schema.from_json(json.dumps({"version": version, "missing_tokens": [""], "columns": [column]}))
    if version == 1:
        cells = [cell for cell in cells if not cell.startswith(("[", "("))]
    table = read_table(("x\n" + "".join(f'"{cell}"\n' for cell in cells)).encode())
    public = Encoder(table.header, schema, written=True).codes(table.cells)
    private = Encoder(table.header, schema).codes(table.cells)
    assert public.tolist() == private.tolist()
