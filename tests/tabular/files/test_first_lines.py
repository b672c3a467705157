"""What the first lines of a file are: a named delimiter, row names, a header, or data with no header above."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pmwpub.errors import FileRefused
from pmwpub.service.inputs.uploaded_files import unpacked
from pmwpub.tabular.files.missing_header import refuse_data_as_header
from pmwpub.tabular.files.reading import open_table, read_table
from pmwpub.tabular.files.text.read_options import ReadOptions

SEMICOLON = ReadOptions(delimiter=";")
ROWS = ReadOptions(row_names=True)


def refused(content: bytes, options: ReadOptions | None = None) -> FileRefused:
    with pytest.raises(FileRefused) as caught:
        read_table(content, options=options)
    return caught.value


def asked(content: bytes) -> FileRefused:
    with pytest.raises(FileRefused) as caught:
        refuse_data_as_header(read_table(content))
    return caught.value


def read(content: bytes, options: ReadOptions | None = None) -> list[list[str]]:
    """Header and rows, the same in one piece and in a stream."""
    table = read_table(content, options=options)
    stream = open_table(content, options=options)
    assert stream.header == table.header
    assert sum(map(len, stream.chunks())) == len(table)
    return [list(table.header), *(list(row) for row in table.frame.itertuples(index=False, name=None))]


@pytest.mark.parametrize("mark", [";", "\t", "|"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_a_line_that_names_the_delimiter_leads_to_a_remedy_that_works(mark: str, ends: str) -> None:
    content = f"sep={mark}{ends}sex{mark}works{mark}n{ends}f{mark}yes{mark}1{ends}".encode()
    suggestion = refused(content).suggestion
    assert suggestion == ReadOptions(delimiter=mark)
    assert read(content, suggestion) == [["sex", "works", "n"], ["f", "yes", "1"]]


@pytest.mark.parametrize("line", [b"sep=,", b'"sep=,"', b"SEP=,", b"\xef\xbb\xbfsep=,"])
def test_a_line_that_names_the_comma_is_read_over(line: bytes) -> None:
    assert read(line + b"\na,b\n1,2\n") == [["a", "b"], ["1", "2"]]


def test_lines_keep_their_numbers_below_such_a_line() -> None:
    assert refused(b"sep=;\na;b\n1;2\n3\n", SEMICOLON).line == 4


def test_a_column_that_is_called_sep_is_a_column() -> None:
    assert read(b"sep=x,b\n1,2\n") == [["sep=x", "b"], ["1", "2"]]
    assert read(b"sep=\n1\n") == [["sep="], ["1"]]


@pytest.mark.parametrize(
    "content", [b'"","sex","n"\n"1","f","4"\n"2","m","5"\n', b",sex,n\n0,f,4\n1,m,5\n", b" ,sex,n\nann,f,4\nbob,m,5\n"]
)
def test_row_names_get_a_name_once_they_are_confirmed(content: bytes) -> None:
    refusal = refused(content)
    assert refusal.suggestion == ROWS
    assert "Column 1 has no name; R and pandas" in str(refusal)
    header, *rows = read(content, refusal.suggestion)
    assert header == ["row_names", "sex", "n"]
    assert [row[1:] for row in rows] == [["f", "4"], ["m", "5"]]


def test_row_names_and_a_delimiter_are_confirmed_one_after_the_other() -> None:
    content = b";sex;n\n1;f;4\n2;m;5\n"
    first = refused(content).suggestion
    assert first == SEMICOLON
    second = refused(content, first).suggestion
    assert second == ReadOptions(delimiter=";", row_names=True)
    assert read(content, second)[0] == ["row_names", "sex", "n"]


def test_a_name_that_is_taken_is_not_given_twice() -> None:
    assert read(b",row_names\n1,2\n", ROWS)[0] == ["row_names_", "row_names"]


@pytest.mark.parametrize("content", [b"sex,,n\nf,1,2\n", b",,n\nf,1,2\n", b'""\nx\n'])
def test_another_column_without_a_name_stays_refused(content: bytes) -> None:
    for options in (None, ROWS):
        assert "has no name" in str(refused(content, options))
    assert refused(content).suggestion is None


def test_row_names_are_spelt_as_they_are_read_and_older_spellings_stay() -> None:
    assert ROWS.spelt == "utf-8,comma,row-names"
    assert ReadOptions.parse("row-names") == ReadOptions.parse("row-names,comma") == ROWS
    assert ReadOptions.parse("cp1252,semicolon,row-names").words.endswith("and row names in the first column")
    assert ReadOptions("cp1252", ";").spelt == "cp1252,semicolon"
    with pytest.raises(FileRefused, match="row-names"):
        ReadOptions.parse("row-names,row-names")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"34,f,1200\n51,m,900\n29,f,1500\n", id="numbers and a level"),
        pytest.param(b"7.5\n8\n9.25\n", id="numbers alone"),
        pytest.param(b"f,yes\n" + b"m,no\nf,yes\n" * 5, id="levels alone"),
    ],
)
def test_a_first_line_of_data_is_asked_about(content: bytes) -> None:
    refusal = asked(content)
    assert refusal.line == 1
    assert "looks like a row of data" in str(refusal)
    assert refusal.suggestion == ReadOptions(no_header=True)
    table = read_table(content, options=refusal.suggestion)
    assert table.header == tuple(f"column_{place + 1}" for place in range(len(table.header)))
    first = [table.column(name).texts()[0] for name in table.header]
    assert ",".join(map(str, first)) == content.decode().splitlines()[0]
    assert len(table) == len(content.decode().splitlines())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_a_file_without_a_header_is_read_in_any_encoding_with_each_row(encoding: str) -> None:
    options = ReadOptions(encoding, ";", no_header=True)
    table = read_table("sep=;\né;1\nb;2\n".encode(encoding), options=options)
    assert table.header == ("column_1", "column_2")
    assert table.column("column_1").texts().tolist() == ["é", "b"]
    assert ReadOptions.parse(options.spelt) == options
    with pytest.raises(FileRefused, match="no-header"):
        ReadOptions.parse("row-names,no-header")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"age,sex\n1,f\n", id="a usual one"),
        pytest.param(b"country,2008,2009\nNL,1,2\nBE,3,4\n", id="years beside a name"),
        pytest.param(b"2008,2009,2010\n1,2,3\n4,5,6\n", id="years alone"),
        pytest.param(b"0,1,2\n5,5,5\n", id="columns that pandas numbered"),
        pytest.param(b"age,sex\n1,f\nage,sex\n2,m\n", id="a header repeated below"),
        pytest.param(b"code,7\nx,a\ny,b\n", id="a number above texts"),
        pytest.param(b"f,n\nm,1\nf,2\n", id="a name that is a level once"),
    ],
)
def test_a_header_of_numbers_or_of_levels_is_read(content: bytes) -> None:
    refuse_data_as_header(read_table(content))


def test_tab_delimited_files_are_read_once_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"a\tb\n1\t2\n")
    with pytest.raises(FileRefused) as caught:
        read_table(path)
    assert caught.value.suggestion == ReadOptions(delimiter="\t")
    assert read_table(path, options=caught.value.suggestion).header == ("a", "b")


def test_a_packed_upload_is_unpacked_by_its_name_within_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    body = b"a,b\n1,2\n"
    packed = gzip.compress(body)
    assert unpacked("A.CSV.GZ", packed) == unpacked("a.csv", body) == body
    assert unpacked("a.csv", packed) == packed
    with pytest.raises(FileRefused, match="damaged or cut off"):
        unpacked("a.csv.gz", packed[:-9])
    with pytest.raises(FileRefused, match="more than"):
        unpacked("a.csv.gz", gzip.compress(bytes(300_000_000), 1))
