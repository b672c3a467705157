"""What a CSV may be, what it may not, and that no refusal repeats what stands in it."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import re
import tracemalloc
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pmwpub.errors import FileRefused
from pmwpub.tabular.files import chunks, reading
from pmwpub.tabular.files.reading import FileLimits, TextTable, from_frame, read_table
from pmwpub.tabular.files.text.read_options import ReadOptions

CANARY = "canary7153"


def cells(table: TextTable) -> list[list[str]]:
    return [list(row) for row in table.frame.itertuples(index=False, name=None)]


def refusal(content: bytes | Path, **limits: int) -> FileRefused:
    with pytest.raises(FileRefused) as caught:
        read_table(content, limits=FileLimits(**limits))
    return caught.value


# --- accepted


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        pytest.param(b"a,b\n1,2\n", [["1", "2"]], id="plain"),
        pytest.param(b"\xef\xbb\xbfa,b\n1,2\n", [["1", "2"]], id="byte order mark"),
        pytest.param(b'\xef\xbb\xbf"a",b\n"1",2\n', [["1", "2"]], id="byte order mark before a quote"),
        pytest.param(b"a,b\r1,2\r3,4", [["1", "2"], ["3", "4"]], id="CR"),
        pytest.param(b"a,b\r\n1,2\r\n", [["1", "2"]], id="CRLF"),
        pytest.param(b"a,b\r\n1,2\n3,4\r5,6", [["1", "2"], ["3", "4"], ["5", "6"]], id="mixed line ends"),
        pytest.param(b"a,b\n1,2", [["1", "2"]], id="no last line end"),
        pytest.param(b'a,b\n"1,0","x\r\ny"\n', [["1,0", "x\r\ny"]], id="quoted comma and line break"),
        pytest.param(b'a,b\n"say ""no""",""\n', [['say "no"', ""]], id="doubled quotes, empty quoted cell"),
        pytest.param(b'a,b\n"",""""\n', [["", '"']], id="one quote alone"),
        pytest.param(b"a,b\n,\n", [["", ""]], id="empty cells"),
        pytest.param(b"\n\na,b\n\n1,2\n\r\n3,4\n\n", [["1", "2"], ["3", "4"]], id="empty lines are skipped"),
        pytest.param(b"a\n1\n\n2\n", [["1"], [""], ["2"]], id="in one column an empty line is a cell"),
        pytest.param(b"a\n\n", [[""]], id="one column, one empty cell"),
        pytest.param(b"a,b\n007,NA\nnull,1e999\n", [["007", "NA"], ["null", "1e999"]], id="nothing is guessed"),
        pytest.param(b"a,b\n 1 ,\t2\n", [[" 1 ", "\t2"]], id="padding of cells stays"),
        pytest.param(b"a,b\na,b\n1,2\n", [["a", "b"], ["1", "2"]], id="header repeated below"),
        pytest.param(b"a,b\n<b>x</b>,=1+1\n", [["<b>x</b>", "=1+1"]], id="markup and formulas are text"),
        pytest.param("a,b\né,\u202eż\n".encode(), [["é", "\u202eż"]], id="any UTF-8 in cells"),
        pytest.param(b"a,b\n1,2\n1,2\n", [["1", "2"], ["1", "2"]], id="duplicate rows"),
    ],
)
def test_well_formed_files_are_read_as_text(content: bytes, rows: list[list[str]]) -> None:
    table = read_table(content)
    assert cells(table) == rows
    assert len(table) == len(rows)
    assert all(isinstance(cell, str) for row in cells(table) for cell in row)


@pytest.mark.parametrize(
    "name",
    ["<script>alert(1)</script>", "=1+1", "__proto__", "DROP TABLE", "שם", "😀", "❤️", "naïve", "x" * 1_000, "a b", "'"],
)
def test_unusual_but_visible_names_are_kept(name: str) -> None:
    assert read_table(f"{name},z\n1,2\n".encode()).header == (name, "z")


def test_names_are_trimmed_and_composed_and_that_is_noted() -> None:
    table = read_table("  a ,e\u0301,c\n1,2,3\n".encode())
    assert table.header == ("a", "\u00e9", "c")
    assert [note.split(":")[0] for note in table.notes] == ["Column 1", "Column 2"]
    assert read_table(b"a,b\n1,2\n").notes == ()


def test_the_hash_is_of_the_bytes_and_the_same_for_a_packed_path(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbfa,b\r\n1,2\r\n"
    packed = tmp_path / "x.csv.gz"
    packed.write_bytes(gzip.compress(content))
    plain = tmp_path / "x.csv"
    plain.write_bytes(content)
    expected = hashlib.sha256(content).hexdigest()
    assert {read_table(source).sha256 for source in (content, packed, plain)} == {expected}


def test_the_repr_shows_no_cell_and_no_name() -> None:
    assert CANARY not in repr(read_table(f"{CANARY}a,b\n{CANARY},2\n".encode()))


def test_a_frame_is_read_as_its_csv_would_be() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x\ry", None], "c": [0.5, float("nan")]}, index=[7, 8])
    table = from_frame(frame)
    assert table.header == ("a", "b", "c")
    assert cells(table) == [["1", "x\ry", "0.5"], ["2", "", ""]]


# --- refused: container


def _workbook() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return packed.getvalue()


def _zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("t.csv", "a,b\n1,2\n")
    return packed.getvalue()


TABLE = f"a,b\n{CANARY},2\n"


@pytest.mark.parametrize(
    ("content", "words", "line"),
    [
        pytest.param(b"", "empty", None, id="empty"),
        pytest.param(b"\xef\xbb\xbf", "empty", None, id="only a byte order mark"),
        pytest.param(b"\n\r\n\n", "only empty lines", None, id="blank lines only"),
        pytest.param(b"a,b\n", "no row", None, id="header only"),
        pytest.param(b"a,b\n\n\n", "no row", None, id="header and blank lines"),
        pytest.param(TABLE.encode("utf-16"), "UTF-16", None, id="UTF-16"),
        pytest.param(TABLE.encode("utf-16-be"), "NUL", 1, id="UTF-16 without mark"),
        pytest.param(TABLE.encode("utf-32"), "UTF-32", None, id="UTF-32"),
        pytest.param(TABLE.encode() + "caf\u00e9,1\n".encode("cp1252"), "not UTF-8", 3, id="cp1252"),
        pytest.param("é,b\n1,2\n".encode() + "3,é\n".encode("latin-1"), "not UTF-8", 3, id="mixed encodings"),
        pytest.param(b"a,b\r1,2\r\n3,4\n5,\xff\n", "not UTF-8", 4, id="bad byte after mixed line ends"),
        pytest.param(b"a,b\n1,\xc3", "not UTF-8", 2, id="cut inside a character"),
        pytest.param(b"a,b\n1,\xed\xa0\x80\n", "not UTF-8", 2, id="surrogate"),
        pytest.param(b"a,b\n1,2\n3,\x00\n", "NUL", 3, id="NUL"),
        pytest.param(_workbook(), "xlsx", None, id="xlsx"),
        pytest.param(_zip(), "zip archive", None, id="zip"),
        pytest.param(gzip.compress(TABLE.encode()), "gzip", None, id="gzip upload"),
        pytest.param(b"\x28\xb5\x2f\xfd" + b"\x04\x00", "zstd", None, id="zstd"),
        pytest.param(b"\xfd7zXZ\x00\x00", "xz", None, id="xz"),
        pytest.param(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00", "old Excel", None, id="xls"),
        pytest.param(b"PAR1\x15\x04PAR1", "damaged", None, id="damaged parquet"),
        pytest.param(b"PARE\x15\x04PARE", "encrypted Parquet", None, id="encrypted parquet"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00", "image", None, id="PNG"),
        pytest.param(b"%PDF-1.7\n", "PDF", None, id="PDF"),
        pytest.param(b"\x7fELF\x02\x01\x01\x00", "NUL", 1, id="binary"),
        pytest.param(b"  \n<!DOCTYPE html><html></html>", "HTML", None, id="HTML page"),
        pytest.param(b"\xef\xbb\xbf<html>\n", "HTML", None, id="HTML page with byte order mark"),
        pytest.param(b"<?xml version='1.0'?>", "XML", None, id="XML"),
    ],
)
def test_files_that_are_no_utf8_text_are_refused(content: bytes, words: str, line: int | None) -> None:
    caught = refusal(content)
    assert words in str(caught)
    assert caught.line == line
    assert CANARY not in str(caught)
    assert caught.__context__ is None or isinstance(caught.__context__, csv.Error)


# --- refused: syntax and header


@pytest.mark.parametrize(
    ("content", "words", "line"),
    [
        pytest.param("a,b\n{c},2,3\n", "3 cells, but the header has 2 columns", 2, id="long row"),
        pytest.param("a,b\n1,2\n\n{c}\n", "1 cells, but the header has 2 columns", 4, id="short row"),
        pytest.param("a,b\n1,{c},\n", "trailing comma", 2, id="trailing delimiter in a row"),
        pytest.param("a,b,\n1,{c},\n", "Column 3 has no name", 1, id="trailing delimiter in all lines"),
        pytest.param('a,b\n"x\ny",2\n{c},2,3\n', "3 cells", 4, id="line numbers count quoted breaks"),
        pytest.param("My {c}\na,b\n1,2\n", "title line", 2, id="title above the header"),
        pytest.param('a,b\n1,"{c}\n', "never closed", 2, id="unclosed quote at the end"),
        pytest.param('a,b\n1,"{c}\n"3",4\n', "earlier quote", 3, id="unclosed quote"),
        pytest.param('a,b\n1,{c}"x\n', "quote", 2, id="stray quote"),
        pytest.param('a,b\n1,{c}"x"\n', "quote", 2, id="stray pair of quotes"),
        pytest.param('a,b\n1,"{c}"x\n', "quote", 2, id="text behind a closing quote"),
        pytest.param('a,b\n1, "{c}"\n', "quote", 2, id="space before a quote"),
        pytest.param('a,b\n1,"{c}" \n', "quote", 2, id="space behind a quote"),
        pytest.param('a,b\n1,"{c}\\"x"\n', "quote", 2, id="backslash escape"),
        pytest.param("a;b\n{c};2\n", "a semicolon", 1, id="semicolons"),
        pytest.param("a;b;c\n1,5;{c};2\n", "a semicolon", 1, id="semicolons, decimal commas"),
        pytest.param("a\tb\n{c}\t2\n", "a tab", 1, id="tabs"),
        pytest.param("a|b\n{c}|2\n", "a vertical bar", 1, id="bars"),
        pytest.param("a,a\n{c},2\n", "Columns 1 and 2 have the same name", 1, id="same name twice"),
        pytest.param("\na,b, a\n{c},2,3\n", "Columns 1 and 3", 2, id="same name after trimming"),
        pytest.param("\u00e9,e\u0301\n{c},2\n", "Columns 1 and 2", 1, id="same name after composing"),
        pytest.param("a,\n{c},2\n", "Column 2 has no name", 1, id="empty name"),
        pytest.param("a, \n{c},2\n", "Column 2 has no name", 1, id="blank name"),
        pytest.param("a,b\u200b\n{c},2\n", "zero-width", 1, id="zero-width space"),
        pytest.param("a,\u2060b\n{c},2\n", "zero-width", 1, id="word joiner"),
        pytest.param("a,\ufeffb\n{c},2\n", "zero-width", 1, id="mark in mid-line"),
        pytest.param("a,\u3164\n{c},2\n", "zero-width", 1, id="Hangul filler"),
        pytest.param("a,b\u202e\n{c},2\n", "zero-width", 1, id="direction override"),
        pytest.param('a,"b\nx"\n{c},2\n', "control", 1, id="line break in a name"),
        pytest.param(f"a,{'b' * 10_000}\n{{c}},2\n", "10,000 characters", 1, id="name of 10,000 characters"),
        pytest.param("a,b\n1,2\n" + "{c}" + "x" * 1_000_000 + ",2\n", "1,000,000 bytes", 3, id="line of 1 MB"),
        pytest.param(
            "a,b\n1,2\n" + "{c}" + "é" * 600_000 + ",2\n", "1,000,000 bytes", 3, id="line of 1.2 MB, 0.6 M letters"
        ),
        pytest.param("a,b\n{c}" + "x" * 200_000 + ",2\n", "131,072", 2, id="cell beyond the parser"),
        pytest.param('a,b\n"{c}' + "x\n" * 200_000 + '",2\n', "131,072", 65_532, id="cell of many lines"),
    ],
)
def test_malformed_tables_are_refused_with_a_line_and_without_a_cell(content: str, words: str, line: int) -> None:
    caught = refusal(content.replace("{c}", CANARY).encode())
    assert words in str(caught)
    assert caught.line is not None
    assert abs(caught.line - line) <= (10 if line > 1_000 else 0)
    assert str(caught).startswith(f"Line {caught.line}: ")
    assert CANARY not in str(caught)


def test_too_many_columns_are_refused_before_any_row_is_read() -> None:
    header = ",".join(f"c{j}" for j in range(1_001))
    assert "1,001 columns" in str(refusal(f"{header}\n1\n".encode()))
    assert len(read_table(f"{header}\n{header}\n".encode(), limits=FileLimits(columns=1_001)).header) == 1_001


def test_a_file_at_the_size_limit_is_read_and_one_byte_more_is_refused() -> None:
    content = b"a,b\n1,2\n"
    assert len(read_table(content, limits=FileLimits(bytes=len(content)))) == 1
    assert "more than 8 bytes" in str(refusal(content + b"3", bytes=8))


# --- paths


def test_a_packed_path_cannot_fill_the_memory(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 20_000_000))
    tracemalloc.start()
    caught = refusal(bomb, bytes=1_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "more than 1,000,000 bytes" in str(caught)
    assert peak < 8_000_000


def test_paths_are_refused_by_ending_damage_and_absence(tmp_path: Path) -> None:
    whole = gzip.compress(b"a,b\n1,2\n" * 100)
    for name, content in {
        "t.txt": b"a,b\n1,2\n",
        "t.xlsx": _workbook(),
        "cut.csv.gz": whole[:-9],
        "plain.csv.gz": b"a,b\n1,2\n",
        "packed.csv": whole,
    }.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert str(tmp_path) not in str(refusal(path))
    assert "cannot be opened" in str(refusal(tmp_path / "absent.csv"))
    assert "cannot be opened" in str(refusal(tmp_path.with_suffix(".csv").parent / "absent" / "t.csv"))


# --- properties

CELL = re.compile(r'"((?:[^"]|"")*)"|([^",\r\n]*)')
EOL = re.compile(r"\r\n|\r|\n")


def rfc4180(text: str) -> list[list[str]] | None:
    """The records of `text` by the grammar of RFC 4180 with any line end; None where it does not fit."""
    records: list[list[str]] = [[]]
    at = 0
    while True:
        cell = CELL.match(text, at)
        assert cell is not None
        quoted = cell.group(1)
        records[-1].append(cell.group(2) if quoted is None else quoted.replace('""', '"'))
        at = cell.end()
        if at == len(text):
            return records
        if text[at] == ",":
            at += 1
        elif (end := EOL.match(text, at)) is not None:
            at = end.end()
            if at == len(text):
                return records
            records.append([])
        else:
            return None


@given(st.text(alphabet='ab,"\n\r ', max_size=14))
@example('""\n""')
@example('"\r\n"\r\n"\n\r"')
def test_exactly_the_grammar_of_rfc_4180_is_accepted(body: str) -> None:
    content = f"h,k\n{body}"
    records = rfc4180(content)
    expected: list[list[str]] | None = None
    if records is not None:
        # An empty line (not an empty quoted cell) is skipped; by the grammar it is a record of one empty cell.
        rows = [row for row in records[1:] if row != [""]]
        if rows and all(len(row) == 2 for row in rows) and not re.search(r'(?:^|[\r\n])""(?:$|[\r\n])', body):
            expected = rows
    try:
        assert cells(read_table(content.encode())) == expected
    except FileRefused:
        assert expected is None


@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_characters="\x00", codec="utf-8")), min_size=3, max_size=3), min_size=1
    ),
    st.sampled_from(["\n", "\r", "\r\n"]),
)
def test_what_a_csv_writer_writes_is_read_back(rows: list[list[str]], line_end: str) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=line_end, quoting=csv.QUOTE_ALL)
    writer.writerows([["a", "b", "c"], *rows])
    assert cells(read_table(text.getvalue().encode())) == rows


@given(st.binary(max_size=60), st.sampled_from([b"", b"a,b\n", b"\xef\xbb\xbf", b'a\n"']))
def test_any_bytes_give_a_table_or_a_refusal(content: bytes, start: bytes) -> None:
    try:
        table = read_table(start + content)
    except FileRefused:
        return
    assert len(table) >= 1
    assert table.frame.shape == (len(table), len(table.header))


def test_batches_join_without_a_seam() -> None:
    rows = [[str(i), f"x{i % 7}", ""] for i in range(50_001)]
    content = "a,b,c\n" + "".join(",".join(row) + "\n" for row in rows)
    assert cells(read_table(content.encode())) == rows
    assert refusal((content + "1,2\n").encode()).line == 50_003


def test_columns_of_few_and_of_many_distinct_cells_are_kept_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    content = "few,many\n" + "".join(f"{i % 3},{i}\n" for i in range(2_000))
    monkeypatch.setattr(reading, "_BATCH", 50)
    usual = read_table(content.encode())
    monkeypatch.setattr(chunks, "FEW", 100)
    spilled = read_table(content.encode())
    assert isinstance(usual.cells.columns[1], chunks.Coded)
    assert not isinstance(spilled.cells.columns[1], chunks.Coded)
    assert usual.frame.equals(spilled.frame)
    assert usual.same_rows() == spilled.same_rows()
    assert usual.column("many").counts() == spilled.column("many").counts() == {str(i): 1 for i in range(2_000)}


def test_the_same_rows_are_told_from_others_whatever_their_order() -> None:
    one = read_table(b"a,b\n1,2\n3,4\n3,4\n")
    assert read_table(b'b;a\n4;3\n"2";1\n4;3\n', options=ReadOptions(delimiter=";")).same_rows() == one.same_rows()
    for other in (b"a,b\n1,4\n3,2\n3,4\n", b"a,b\n2,1\n4,3\n4,3\n", b"a,b\n1,2\n3,4\n", b"a,c\n1,2\n3,4\n3,4\n"):
        assert read_table(other).same_rows() != one.same_rows()
