"""Labels, inert CSV, and weights that read back exactly."""

from __future__ import annotations

import csv
import io
import itertools
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.frame_csv import csv_bytes

from pmwpub.errors import DomainError, FileRefused, SchemaError
from pmwpub.records import Dataset, Distribution, Support
from pmwpub.tabular.coding import decode as decoding
from pmwpub.tabular.coding.decode import decode, read_weights, weights_csv
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.schema.table_schema import Schema

SCHEMA = Schema.from_json(
    json.dumps(
        {
            "version": 1,
            "missing_tokens": [""],
            "columns": [
                {"name": "=sex", "kind": "categorical", "levels": ["F", "=M", "'=M", "-5", "@\r"], "missing": True},
                {"name": "age", "kind": "numeric", "edges": [0, 18, 99.5], "outside": "clip", "other": True},
                {"name": "p", "kind": "id"},
            ],
        }
    )
)


def test_codes_decode_to_labels_and_bins() -> None:
    frame = decode(Dataset(SCHEMA.domain, [[0, 0], [5, 1], [1, 2]]), SCHEMA)
    assert list(frame.columns) == ["=sex", "age"]
    assert frame.to_numpy().tolist() == [["F", "[0, 18)"], ["(missing)", "[18, 99.5]"], ["=M", "(other)"]]


def test_rows_without_a_level_or_of_another_schema_are_not_decoded() -> None:
    with pytest.raises(DomainError, match="no level"):
        decode(Dataset(SCHEMA.domain, [[0, 3]]), SCHEMA)
    with pytest.raises(DomainError, match="another schema"):
        decode(Dataset(SCHEMA.domain.project(["age"]), [[0]]), SCHEMA)


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-x", "'-x"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\r'=1"),
        ("\n=1", "'\n'=1"),
        ("\tx", "'\tx"),
        (" =1", "' =1"),
        ("\u00a0 @x", "'\u00a0 @x"),
        ("a;=1", "a;'=1"),
        ("a; '=1;-x", "a; ''=1;'-x"),
        ('a|"=1', "a|\"'=1"),
        ("a\n=1", "a\n'=1"),
        ("a, -5; b", "a, -5; b"),
        ("[-10, -5)", "[-10, -5)"),
        ("＝1", "'＝1"),
        ("-5+cmd|' /C calc'!A0", "'-5+cmd|' /C calc'!A0"),
        ("-", "'-"),
        ("-5\n", "'-5\n"),
        ("'=1", "''=1"),
        ("-5", "-5"),
        ("+5.25", "+5.25"),
        ("-1e-7", "-1e-7"),
        ("-.5", "-.5"),
        ("a=b", "a=b"),
        ("'tis", "'tis"),
        ("", ""),
        ("[0, 10)", "[0, 10)"),
    ],
)
def test_formulas_are_defused_and_numbers_stay(cell: str, safe: str) -> None:
    assert inert(cell) == safe


@given(st.lists(st.text("'=-5a\t; ", max_size=6), unique=True))
def test_different_cells_stay_different(cells: list[str]) -> None:
    assert len({inert(cell) for cell in cells}) == len(cells)


def test_a_csv_has_lf_ends_minimal_quotes_exact_floats_and_safe_names() -> None:
    frame = pd.DataFrame(
        {"=a": ["x,y", 'q"', "=1"], "b": [0.1, 1e-300, -2.0], "c": [None, "l\r", "l\n"], "d": [-1, 0, 1]}
    )
    assert csv_bytes(frame) == (
        b"'=a,b,c,d\n" b'"x,y",0.1,,-1\n' b'"q""",1e-300,"l\r",0\n' b"'=1,-2.0,\"l\n\",1\n"
    )  # fmt: skip
    assert csv_bytes(pd.DataFrame({"a": ["", "x"]})) == b'a\n""\nx\n'


@given(st.lists(st.tuples(*[st.text(st.characters(codec="utf-8", exclude_characters="\x00"))] * 2), min_size=1))
@example([("\r", "\r\n")])
def test_every_csv_reads_back_strictly_and_holds_no_live_cell(rows: list[tuple[str, ...]]) -> None:
    content = csv_bytes(pd.DataFrame(rows, columns=["a", "b"], dtype="str"))
    read = read_table(content).frame.itertuples(index=False, name=None)
    assert list(read) == [tuple(map(inert, row)) for row in rows]
    for row in list(csv.reader(io.StringIO(content.decode(), newline="")))[1:]:
        for cell in row:
            assert cell[:1] not in ("=", "@", "\t", "\r", "\n")
            assert cell[:1] not in ("+", "-") or float(cell) is not None


def _distribution() -> Distribution:
    codes = [[1, 0], [2, 0], [4, 1], [3, 2], [5, 1], [0, 0]]
    weights = np.array([0.1, 0.2, 0.3, 1e-300, 0.0, 0.4 - 1e-300])
    return Distribution(Support(SCHEMA.domain, codes, [1, 2, 3, 4, 5, 6]), weights)


def test_weights_read_back_bit_for_bit_with_hostile_labels() -> None:
    written = _distribution()
    content = weights_csv(written, SCHEMA)
    assert content.splitlines()[0] == b"'=sex,age,weight"
    assert b"-5,(other),1e-300\n" in content
    read = read_weights(content, SCHEMA)
    assert np.array_equal(read.support.codes, written.support.codes)
    assert np.array_equal(read.weights, written.weights)
    assert weights_csv(read, SCHEMA) == content


def test_weights_are_written_byte_for_byte_as_a_data_frame_of_them_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The frame's way was that of every release so far, whose bytes its certificate holds; over several blocks."""
    monkeypatch.setattr(decoding, "CSV_ROWS", 5)
    codes = np.array(list(itertools.product(*(range(size) for size in SCHEMA.domain.shape))))
    weights = np.random.default_rng(3).dirichlet(np.full(len(codes), 0.1))
    support = Support(SCHEMA.domain, codes, np.ones(len(codes), dtype=np.int64))
    frame = decode(Dataset(SCHEMA.domain, codes), SCHEMA)
    frame["weight"] = weights
    assert len(codes) > 5
    assert weights_csv(Distribution(support, weights), SCHEMA) == csv_bytes(frame)


def test_a_release_by_command_does_not_wait_for_pandas() -> None:
    program = "import sys; import pmwpub.cli.release, pmwpub.service; sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        (b"weight", b"mass", SchemaError),
        (b"age,weight", b"weight,age", SchemaError),
        (b"(other)", b"(others)", SchemaError),
        (b"1e-300", b"x", FileRefused),
        (b"1e-300", b"nan", DomainError),
        (b"1e-300", b"0.5", DomainError),
        (b",0.2", b",-0.2", DomainError),
        (b"-5,(other)", b"F,\"[0, 18)\"", DomainError),
        (b"-5,(other)", b"-5", FileRefused),
    ],
)  # fmt: skip
def test_a_damaged_weights_file_is_refused(old: bytes, new: bytes, error: type[Exception]) -> None:
    content = weights_csv(_distribution(), SCHEMA)
    assert old in content
    with pytest.raises(error):
        read_weights(content.replace(old, new), SCHEMA)
