"""Strict reading of UTF-8 comma CSV: every cell stays text, and nothing is guessed or repaired silently.

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
from pmwpub.tabular import container, names
from pmwpub.tabular.container import Limits

__all__ = ["Frame", "Limits", "TextTable", "from_frame", "read_table"]

Frame = pd.DataFrame
"""A table with labels, for callers that do not import pandas themselves."""

_BATCH = 60_000  # cells
_OTHER_DELIMITERS = {";": "a semicolon", "\t": "a tab", "|": "a vertical bar"}


@dataclass(frozen=True, eq=False)
class TextTable:
    """A table of text cells, as read.

    header   column names, trimmed and in NFC
    frame    every cell as text ("" where nothing stood), one pandas string column a name
    content  the bytes it was read from, decompressed
    notes    what was tidied in the header, by column position

    Privacy: may hold private rows; its repr shows neither names nor cells.
    """

    header: tuple[str, ...] = field(repr=False)
    frame: pd.DataFrame = field(repr=False)
    content: bytes = field(repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.frame)

    @cached_property
    def sha256(self) -> str:
        """The hash of `content`. Privacy: ask for it only of a public table."""
        return hashlib.sha256(self.content).hexdigest()


def read_table(source: bytes | Path, *, limits: Limits = Limits()) -> TextTable:  # noqa: B008 - frozen
    """Read a CSV with a header; an upload (bytes) or a path ending in .csv or .csv.gz.

    A byte order mark, CR, LF, CRLF or a mix, a missing last line end, quoted commas and line breaks are accepted.
    An empty line is skipped, except below a header of one column, where it is a cell.

    Raises FileRefused, with a line number where there is one, for anything else; see `container.check` and below.
    """
    content = container.load(source, limits)
    container.check(content)
    with suppress(UnicodeDecodeError):  # its message would quote a byte of a cell, even as a mere context
        return _parse(content, limits)
    raise container.not_utf8(content)


def from_frame(frame: pd.DataFrame) -> TextTable:
    """A data frame as the text table that its CSV would be: missing values are "", the index is left out."""
    text = frame.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    return read_table(text.encode())


def _parse(content: bytes, limits: Limits) -> TextTable:
    lines = _lines(content, limits)
    reader = csv.reader(lines, strict=True)
    try:
        raw_header, line = _first_record(reader)
        header, notes = _header(raw_header, line, limits)
        batches = list(_batches(reader, header))
    except csv.Error as failure:
        # The quotes were checked beforehand, so what is left is a cell beyond the parser's limit.
        raise FileRefused(
            f"The record that ends here cannot be parsed; a cell may hold at most {csv.field_size_limit():,} "
            "characters.",
            line=reader.line_num,
        ) from failure
    if not batches:
        raise FileRefused("The file has a header but no row; at least one row is needed.")
    return TextTable(header, pd.concat(batches, ignore_index=True), content, notes)


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


def _header(cells: list[str], line: int, limits: Limits) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Column names and notes; FileRefused for too many, empty, repeated, overlong or unprintable names."""
    _check_delimiter(cells, line)
    if len(cells) > limits.columns:
        raise FileRefused(f"{len(cells):,} columns came; at most {limits.columns:,} are read.", line=line)
    header = tuple(names.normalise(cell) for cell in cells)
    seen: dict[str, int] = {}
    for position, name in enumerate(header, start=1):
        if not name:
            raise FileRefused(f"Column {position} has no name; every column needs one.", line=line)
        if len(name) > limits.name_chars:
            raise FileRefused(
                f"The name of column {position} has {len(name):,} characters; at most {limits.name_chars:,} are read.",
                line=line,
            )
        if names.has_unseen(name):
            raise FileRefused(
                f"The name of column {position} holds a zero-width or control character; type the name anew.", line=line
            )
        if name in seen:
            raise FileRefused(f"Columns {seen[name]} and {position} have the same name; names must differ.", line=line)
        seen[name] = position
    return header, tuple(
        f"Column {position}: the padding or the Unicode form of its name was normalised."
        for position, (cell, name) in enumerate(zip(cells, header, strict=True), start=1)
        if cell != name
    )


def _check_delimiter(cells: list[str], line: int) -> None:
    for mark, words in _OTHER_DELIMITERS.items():
        found = sum(cell.count(mark) for cell in cells)
        if found >= max(len(cells), 1) or (found and mark == "\t"):
            raise FileRefused(
                f"The delimiter seems to be {words}, not a comma; save the file with commas as delimiters.", line=line
            )


def _batches(reader: Iterator[list[str]], header: tuple[str, ...]) -> Iterator[pd.DataFrame]:
    """The rows below the header, some thousands at a time; FileRefused for a ragged row.

    The cells wait in one flat list: a list a row, kept, would cost more in garbage collection than the parsing.
    """
    cells: list[str] = []
    width, ended = len(header), reader.line_num  # type: ignore[attr-defined]
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
