"""Strict reading of delimited text and Parquet: every cell becomes text, nothing is guessed or repaired silently.

Python's csv module does the parsing; this module adds what it lets pass: ragged rows, bad headers, limits and line
numbers. No message holds a cell or a column name of the file, for the file may be private.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from pmwpub.errors import FileRefused
from pmwpub.tabular import container, encodings, parquet
from pmwpub.tabular.container import Limits
from pmwpub.tabular.headers import check_header
from pmwpub.tabular.options import DELIMITERS, ReadOptions
from pmwpub.tabular.suggesting import suggest

__all__ = ["Frame", "Limits", "ReadOptions", "TextTable", "from_frame", "read_table"]

Frame = pd.DataFrame
"""A table with labels, for callers that do not import pandas themselves."""

_CELL_END, _ROW_END = "\x1f", "\x1e"
_BATCH = 60_000  # cells
_COMMAS = "save the file with commas as delimiters, or name the delimiter that it has."
_DEFAULT = ReadOptions()


@dataclass(frozen=True, eq=False)
class TextTable:
    """A table of text cells, as read.

    header   column names, trimmed and in NFC
    frame    every cell as text ("" where nothing stood), one pandas string column a name
    content  the bytes it was read from; of a .csv.gz decompressed
    notes    what was tidied in the header, by column position
    options  how the text was read; None of a Parquet table

    Privacy: may hold private rows; its repr shows neither names nor cells.
    """

    header: tuple[str, ...] = field(repr=False)
    frame: pd.DataFrame = field(repr=False)
    content: bytes = field(repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    options: ReadOptions | None = None

    def __len__(self) -> int:
        return len(self.frame)

    def same_rows(self) -> bytes:
        """One text for tables of the same cells, whatever their line ends, quotes, encoding, or order.

        Privacy: as private as the table.
        """
        names = sorted(self.header)
        cells = (self.frame[name].astype(str).str.replace(_CELL_END, " ", regex=False) for name in names)
        rows = sorted(map(_CELL_END.join, zip(*cells, strict=True)))
        return _ROW_END.join([_CELL_END.join(names), *rows]).encode()

    @cached_property
    def sha256(self) -> str:
        """The hash of `content`. Privacy: ask for it only of a public table."""
        return hashlib.sha256(self.content).hexdigest()


def read_table(source: bytes | Path, *, options: ReadOptions | None = None, limits: Limits | None = None) -> TextTable:
    """Read a table with a header: an upload (bytes) or a path ending in .csv, .csv.gz or .parquet.

    options  encoding and delimiter, once confirmed by a person; without them the file must be UTF-8 with commas, and
             one that seems to have another delimiter is refused. Parquet, known by its first bytes, needs none.

    A byte order mark, CR, LF, CRLF or a mix, a missing last line end, quoted delimiters and line breaks are accepted.
    An empty line is skipped, except below a header of one column, where it is a cell.

    Raises FileRefused, with a line number where there is one, for anything else; its `suggestion` holds the options
    under which the file would read, if such are found. See `container.text_of`, `parquet.text_columns` and below.
    """
    limits = limits or Limits()
    content = container.load(source, limits)
    if container.is_parquet(content):
        return _from_parquet(content, limits)
    used = options or _DEFAULT
    try:
        return _from_text(content, used, limits, doubtful=options is None)
    except FileRefused as refused:
        refusal = refused
    raise _with_suggestion(refusal, content, used)


def _from_parquet(content: bytes, limits: Limits) -> TextTable:
    columns = parquet.text_columns(content, limits)
    header, notes = check_header([name for name, _ in columns], None, limits)
    frame = pd.DataFrame({name: cells for name, (_, cells) in zip(header, columns, strict=True)})
    return TextTable(header, frame, content, notes)


def _from_text(content: bytes, options: ReadOptions, limits: Limits, *, doubtful: bool) -> TextTable:
    text = container.text_of(content, options)
    with suppress(UnicodeDecodeError):  # its message would quote a byte of a cell, even as a mere context
        header, notes, frame = _parse(text, options.delimiter, limits, doubtful=doubtful)
        return TextTable(header, frame, content, notes, options)
    raise encodings.not_in(content, options.encoding)


def _with_suggestion(refusal: FileRefused, content: bytes, used: ReadOptions) -> FileRefused:
    """The refusal with the options under which the file would read, if any."""
    found = suggest(content, used)
    if found is None:
        return refusal
    words = str(refusal).removeprefix(f"Line {refusal.line}: ")
    if found.encoding == used.encoding:
        words = f"The delimiter seems to be {DELIMITERS[found.delimiter]}, not {DELIMITERS[used.delimiter]}; {_COMMAS}"
    remedy = f" Or confirm that it is {found.words}, and load it so."
    return FileRefused(words + remedy, line=refusal.line, suggestion=found)


def from_frame(frame: pd.DataFrame) -> TextTable:
    """A data frame as the text table that its CSV would be: missing values are "", the index is left out."""
    text = frame.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    return read_table(text.encode())


def _parse(
    text: bytes, delimiter: str, limits: Limits, *, doubtful: bool
) -> tuple[tuple[str, ...], tuple[str, ...], pd.DataFrame]:
    reader = csv.reader(_lines(text, limits), delimiter=delimiter, strict=True)
    try:
        raw_header, line = _first_record(reader)
        _check_delimiter(raw_header, line, delimiter, doubtful=doubtful)
        header, notes = check_header(raw_header, line, limits)
        batches = list(_batches(reader, header, limits))
    except csv.Error as failure:
        # The quotes were checked beforehand, so what is left is a cell beyond the parser's limit.
        raise FileRefused(
            f"The record that ends here cannot be parsed; a cell may hold at most {csv.field_size_limit():,} "
            "characters.",
            line=reader.line_num,
        ) from failure
    if not batches:
        raise FileRefused("The file has a header but no row; at least one row is needed.")
    return header, notes, pd.concat(batches, ignore_index=True)


def _lines(content: bytes, limits: Limits) -> Iterator[str]:
    """The physical lines; FileRefused for one that is too long."""
    for number, line in enumerate(container.open_text(content), start=1):
        if 4 * len(line) > limits.line_bytes and len(line.encode()) > limits.line_bytes:
            raise FileRefused(
                f"The line has more than {limits.line_bytes:,} bytes; check that the file has line breaks.",
                line=number,
            )
        yield line


def _first_record(reader: Iterator[list[str]]) -> tuple[list[str], int]:
    """The header's cells and its line; empty lines above it are skipped."""
    begins = 1
    for record in reader:
        if record:
            return record, begins
        begins = reader.line_num + 1  # type: ignore[attr-defined]
    raise FileRefused("The file has only empty lines; a header and at least one row are needed.")


def _check_delimiter(cells: list[str], line: int, delimiter: str, *, doubtful: bool) -> None:
    """Refuse a header that another delimiter would cut into more cells; a confirmed delimiter, only if it cuts none."""
    for mark, words in DELIMITERS.items():
        found = sum(cell.count(mark) for cell in cells)
        many = found >= max(len(cells), 1) or (found and mark == "\t")
        if mark != delimiter and many and (doubtful or len(cells) == 1):
            raise FileRefused(f"The delimiter seems to be {words}, not {DELIMITERS[delimiter]}; {_COMMAS}", line=line)


def _batches(reader: Iterator[list[str]], header: tuple[str, ...], limits: Limits) -> Iterator[pd.DataFrame]:
    """The rows below the header, some thousands at a time; FileRefused for a ragged row or too many cells.

    The cells wait in one flat list: a list a row, kept, would cost more in garbage collection than the parsing.
    """
    cells: list[str] = []
    width, ended, done = len(header), reader.line_num, 0  # type: ignore[attr-defined]
    for row in reader:
        begins, ended = ended + 1, reader.line_num  # type: ignore[attr-defined]
        if not row:
            if width > 1:
                continue
            row = [""]
        if len(row) != width:
            raise _ragged(len(row), width, begins)
        cells += row
        if len(cells) >= _BATCH:
            done += len(cells)
            if done > limits.cells:
                raise FileRefused(f"More than {limits.cells:,} cells, the most that is read; thin the table out.")
            yield _frame(cells, header)
            cells = []
    if cells:
        yield _frame(cells, header)


def _frame(cells: list[str], header: tuple[str, ...]) -> pd.DataFrame:
    width = len(header)
    return pd.DataFrame({name: pd.array(cells[j::width], dtype="str") for j, name in enumerate(header)})


def _ragged(came: int, width: int, line: int) -> FileRefused:
    remedy = (
        "check for a cut-off line" if came < width else "check for a trailing comma, an unquoted comma or a title line"
    )
    return FileRefused(f"The row has {came:,} cells, but the header has {width:,} columns; {remedy}.", line=line)
