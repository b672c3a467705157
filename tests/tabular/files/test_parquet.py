"""Parquet as text by one rule a type, and what is refused before and after it is unpacked."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.folders import parts_of
from pmwpub.tabular.files.reading import FileLimits, read_table
from pmwpub.tabular.private_pass import encode_private
from pmwpub.tabular.schema.table_schema import Schema

CANARY = "canary7153"


def parquet(columns: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), buffer, **options)
    return buffer.getvalue()


def texts(kind: pa.DataType, values: list[Any]) -> list[str]:
    return read_table(parquet({"x": pa.array(values, kind)})).frame["x"].tolist()


MOMENT = dt.datetime(2024, 2, 29, 13, 45)


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (pa.string(), ["é", "", None, " a "], ["é", "", "", " a "]),
        (pa.large_string(), ["a"], ["a"]),
        (pa.dictionary(pa.int8(), pa.string()), ["a", None], ["a", ""]),
        (pa.dictionary(pa.int8(), pa.int64()), [7, None], ["7", ""]),
        (pa.int8(), [-7, None], ["-7", ""]),
        (pa.int64(), [2**53 + 1, None], ["9007199254740993", ""]),
        (pa.uint64(), [2**64 - 1], ["18446744073709551615"]),
        (pa.float64(), [7.0, 0.1, 1e16, None], ["7.0", "0.1", "1e+16", ""]),
        (pa.float64(), [float("nan"), float("inf"), -0.0], ["nan", "inf", "-0.0"]),
        (pa.float32(), [0.1, 16777216.0], ["0.1", "16777216.0"]),
        (pa.decimal128(10, 2), [Decimal("7.50"), Decimal(1000), None], ["7.50", "1000.00", ""]),
        (pa.bool_(), [True, False, None], ["True", "False", ""]),
        (pa.date32(), [dt.date(2024, 2, 29), None, dt.date(1, 1, 1)], ["2024-02-29", "", "0001-01-01"]),
        (pa.date64(), [dt.date(2024, 2, 29)], ["2024-02-29"]),
        (pa.date32(), [2**31 - 1], ["out of range"]),
        (pa.timestamp("s"), [MOMENT, None], ["2024-02-29T13:45:00", ""]),
        (pa.timestamp("us"), [MOMENT.replace(microsecond=1200)], ["2024-02-29T13:45:00.0012"]),
        (pa.timestamp("ms", "Asia/Tokyo"), [dt.datetime(2024, 2, 29, 13, tzinfo=dt.UTC)], ["2024-02-29T13:00:00Z"]),
        (pa.time64("us"), [dt.time(13, 0), dt.time(0, 0, 0, 5)], ["13:00:00", "00:00:00.000005"]),
        (pa.null(), [None, None], ["", ""]),
    ],
)
def test_each_type_has_one_text(kind: pa.DataType, values: list[Any], expected: list[str]) -> None:
    assert texts(kind, values) == expected


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.int32()), pa.struct([("x", pa.int32())]), pa.map_(pa.string(), pa.int32()), pa.binary(),
        pa.binary(4), pa.duration("s"), pa.dictionary(pa.int8(), pa.binary()),
    ],
)  # fmt: skip
def test_nested_types_bytes_and_durations_are_refused_by_position(kind: pa.DataType) -> None:
    content = parquet({"a": pa.array(["x"]), CANARY: pa.nulls(1, kind)})
    with pytest.raises(FileRefused, match="Column 2") as caught:
        read_table(content)
    assert CANARY not in str(caught.value)


def test_a_pandas_index_is_a_column_like_any_other_or_not_there(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    for index, header in ((frame.index, ("a",)), (pd.Index(["x", "y"], name="who"), ("a", "who"))):
        path = tmp_path / "t.parquet"
        frame.set_index(index).to_parquet(path)
        table = read_table(path)
        assert table.header == header
        assert table.options is None


def test_the_hash_is_of_the_raw_bytes_for_a_path_and_an_upload(tmp_path: Path) -> None:
    content = parquet({"a": ["x"]})
    path = tmp_path / "t.parquet"
    path.write_bytes(content)
    assert {read_table(source).sha256 for source in (content, path)} == {hashlib.sha256(content).hexdigest()}


def test_rows_stay_together_over_row_groups_and_batches() -> None:
    rows = 150_001
    content = parquet({"i": range(rows), "s": [f"w{i % 977}" for i in range(rows)]}, row_group_size=40_000)
    frame = read_table(content).frame
    assert frame["i"].tolist() == [str(i) for i in range(rows)]
    assert frame["s"].tolist() == [f"w{i % 977}" for i in range(rows)]


def test_numbers_and_their_text_encode_alike() -> None:
    schema = Schema.from_json(
        '{"version": 1, "missing_tokens": [""], "columns": ['
        '{"name": "x", "kind": "numeric", "edges": [0, 10, 20], "outside": "clip", "missing": true}]}'
    )
    packed = encode_private(read_table(parquet({"x": pa.array([5, None, 99], pa.int16())})), schema, n=3)
    plain = encode_private(read_table(b"x,y\n5,\n,\n99,\n"), schema, n=3)
    assert packed.dataset.codes.tolist() == plain.dataset.codes.tolist()


# --- limits


def test_a_bomb_of_rows_is_refused_by_its_metadata() -> None:
    bomb = parquet({f"c{j}": pa.nulls(600_000, pa.int32()) for j in range(20)})
    assert len(bomb) < 200_000
    with pytest.raises(FileRefused, match="600,000 rows and 20 columns"):
        read_table(bomb, limits=FileLimits(cells=10_000_000))
    with pytest.raises(FileRefused, match="10,000,000 cells"):
        read_table(bomb, limits=FileLimits(bytes=10_000_000))


def test_one_long_text_a_million_times_is_refused_without_being_written_out() -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), pa.array(["x" * 1_000]))
    bomb = parquet({"a": words})
    assert len(bomb) < 200_000
    before = pa.total_allocated_bytes()
    with pytest.raises(FileRefused, match="bytes of text"):
        read_table(bomb)
    assert pa.total_allocated_bytes() - before < 10_000_000


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({f"c{j}": [1] for j in range(1_001)}, "1,001 columns"),
        ({"a": pa.array([], pa.string())}, "no row"),
        ({"a": ["x\x00" + CANARY]}, "NUL"),
        ({"a": [CANARY + "x" * 131_072]}, "131,072 characters"),
        ({"": ["x"]}, "no name"),
        ({"a": ["x"], " a": ["y"]}, "same name"),
        ({"a\u200b": ["x"]}, "zero-width"),
        (pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), "same name"),
    ],
)
def test_what_a_csv_may_not_hold_is_refused_here_too(columns: Any, words: str) -> None:
    with pytest.raises(FileRefused, match=words) as caught:
        read_table(parquet(columns))
    assert CANARY not in str(caught.value)


def test_text_that_is_not_utf8_is_refused() -> None:
    raw = pa.array([b"\xff\xfe" + CANARY.encode()], pa.binary()).view(pa.string())
    with pytest.raises(FileRefused, match="damaged") as caught:
        read_table(parquet({"a": raw}))
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("cut", [5, 40, 200])
def test_a_damaged_file_is_refused(cut: int) -> None:
    content = parquet({"a": [str(i) for i in range(100)]})
    with pytest.raises(FileRefused, match="damaged"):
        read_table(content[:-cut] + b"PAR1")


def test_a_name_that_lies_is_settled_by_the_first_bytes(tmp_path: Path) -> None:
    for name, content in (("t.csv", parquet({"a": ["x"]})), ("t.parquet", b"a,b\nx,1\n")):
        path = tmp_path / name
        path.write_bytes(content)
        assert len(read_table(path)) == 1


def test_parts_of_a_folder_are_in_the_order_of_their_numbers_whatever_else_their_names_have(tmp_path: Path) -> None:
    for name in ("10.parquet", "9.parquet", "1²2.parquet", "١.parquet"):
        (tmp_path / name).touch()
    assert [part.name for part in parts_of(tmp_path)] == ["١.parquet", "1²2.parquet", "9.parquet", "10.parquet"]
