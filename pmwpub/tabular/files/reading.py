"""Strict reading of delimited text and Parquet: every cell becomes text, nothing is guessed or repaired silently.

Python's csv module does the parsing; this module adds what it lets pass: ragged rows, bad headers, limits and line
numbers. No message holds a cell or a column name of the file, for the file may be private.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pmwpub.errors import FileRefused
from pmwpub.progress import Progress, unwatched
from pmwpub.tabular.files import container
from pmwpub.tabular.files.chunks import Cells, Chunk, Coded, TableStream, Whole, whole
from pmwpub.tabular.files.folders import joined, parts_of
from pmwpub.tabular.files.parquet import ParquetFile
from pmwpub.tabular.files.row_numbers import same_rows
from pmwpub.tabular.files.source import STREAMED, Chunks, FileLimits, Source
from pmwpub.tabular.files.text import encodings, regular_lines
from pmwpub.tabular.files.text.first_lines import named, with_names, without_delimiter_line
from pmwpub.tabular.files.text.headers import check_header
from pmwpub.tabular.files.text.option_suggestions import suggest
from pmwpub.tabular.files.text.read_options import DELIMITERS, ReadOptions
from pmwpub.tabular.lines import Lines

if TYPE_CHECKING:
    import pandas as pd

    Frame = pd.DataFrame
    """The type of a data frame, for callers that do not import pandas themselves."""

__all__ = ["FileLimits", "ReadOptions", "TextTable", "from_frame", "open_table", "read_table"]

_BATCH = 500_000  # cells
_COMMAS = "save the file with commas as delimiters, or name the delimiter that it has."
_DEFAULT = ReadOptions()


@dataclass(frozen=True, eq=False)
class TextTable:
    """A table of text cells, as read.

    header   column names, trimmed and in NFC
    cells    every cell as text ("" where nothing stood), kept by distinct texts
    content  the bytes it was read from; of a .csv.gz decompressed
    notes    what was tidied in the header, by column position
    options  how the text was read; None of a Parquet table

    Privacy: it may hold private rows; its repr shows neither names nor cells.
    """

    header: tuple[str, ...] = field(repr=False)
    cells: Whole = field(repr=False)
    content: bytes = field(repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    options: ReadOptions | None = None

    def __len__(self) -> int:
        return len(self.cells)

    def column(self, name: str) -> Coded:
        """One column by its distinct texts."""
        return self.cells.coded(self.header.index(name))

    @property
    def frame(self) -> pd.DataFrame:
        """Every cell written out, one pandas string column a name; made anew each time, for it may be large."""
        import pandas as pd

        return pd.DataFrame({name: self.cells.texts(position) for position, name in enumerate(self.header)})

    @property
    def stream(self) -> TableStream:
        """The same table, to be gone through."""
        return TableStream(self.header, lambda: iter([self.cells]), self.notes, self.options)

    def same_rows(self) -> bytes:
        """One text for tables of the same cells, whatever their line ends, quotes, encoding, or order; found once.

        Privacy: the text is as private as the table.
        """
        return self._same_rows

    @cached_property
    def _same_rows(self) -> bytes:
        return same_rows(self.stream)

    @cached_property
    def sha256(self) -> str:
        """The hash of `content`. Privacy: ask for it only of a public table."""
        return hashlib.sha256(self.content).hexdigest()


def read_table(
    source: bytes | Path,
    *,
    options: ReadOptions | None = None,
    limits: FileLimits | None = None,
    progress: Progress = unwatched,
) -> TextTable:
    """Read a table with a header: an upload (bytes) or a path ending in .csv, .csv.gz, .tsv or .parquet.

    options  encoding and delimiter, once confirmed by a person; without them the file must be UTF-8 with commas, and
             one that seems to have another delimiter is refused. Parquet, known by its first bytes, needs none.

    progress  is told how many rows are read, and how many lines the file has; what it raises ends the reading

    A byte order mark, CR, LF, CRLF or a mix, a missing last line end, quoted delimiters and line breaks are accepted.
    An empty line is skipped, except below a header of one column, where it is a cell.

    Raises FileRefused, with a line number where there is one, for anything else; its `suggestion` holds the options
    under which the file would read, if such are found. See `container.text_of`, `parquet.ParquetFile` and below.
    """
    limits = limits or FileLimits()
    content = container.load(source, limits)
    stream = open_table(content, options=options, limits=limits)
    cells = whole(_told(stream.chunks(), content, progress), len(stream.header))
    return TextTable(stream.header, cells, content, stream.notes, stream.options)


def _told(chunks: Iterator[Chunk], content: bytes, progress: Progress) -> Iterator[Chunk]:
    """The chunks, each told of once it is taken; of Parquet, whose rows are no lines, nothing is told."""
    done, lines = 0, 0 if content.startswith(b"PAR1") or progress is unwatched else content.count(b"\n")
    for chunk in chunks:
        yield chunk
        done += len(chunk)
        if lines:
            progress(min(done, lines), lines)


def open_table(
    source: bytes | Path, *, options: ReadOptions | None = None, limits: FileLimits = STREAMED
) -> TableStream:
    """A table to be gone through, as strictly read as by `read_table`; the rows themselves are read by each pass.

    A folder is one table in parts: its .parquet files in the order of the numbers in their names (see `folders`).

    Raises FileRefused, also from a pass.
    """
    if isinstance(source, Path) and source.is_dir():
        return joined(parts_of(source), lambda part: open_table(part, limits=limits))
    file = Source(source, limits)
    if container.is_parquet(file):
        table = ParquetFile.of(file, limits)
        header, notes = check_header(table.names, None, limits)
        return TableStream(header, table.chunks, notes)
    used = options or _DEFAULT
    try:
        text = without_delimiter_line(container.text_of(file, used), used.delimiter)
        if used.no_header:
            text = with_names(text, len(_first_record(_records(text, file, used, limits))[0]), used.delimiter)
        header, notes = _header(text, file, used, limits, doubtful=options is None)
        regular = regular_lines.is_regular(text, used.delimiter)
        return TableStream(header, lambda: _rows(text, file, used, limits, regular=regular), notes, used)
    except FileRefused as refused:
        refusal = refused
    raise _with_suggestion(refusal, file, used)


def _with_suggestion(refusal: FileRefused, source: Source, used: ReadOptions) -> FileRefused:
    """The refusal with the options under which the file would read, if any."""
    found = suggest(source, used) or refusal.suggestion
    if found is None:
        return refusal
    words = str(refusal).removeprefix(f"Line {refusal.line}: ")
    if found.encoding == used.encoding and found.delimiter != used.delimiter:
        words = f"The delimiter seems to be {DELIMITERS[found.delimiter]}, not {DELIMITERS[used.delimiter]}; {_COMMAS}"
    remedy = f" Or confirm that it is {found.words}, and load it so."
    return FileRefused(words + remedy, line=refusal.line, suggestion=found)


def from_frame(frame: pd.DataFrame) -> TextTable:
    """A data frame as the text table that its CSV would be: missing values are "", the index is left out.

    Raises FileRefused for what is no data frame, and for text that no file could hold; the message holds none of it.
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise FileRefused(f"A table is a pandas data frame here; something of type {type(frame).__name__} came.")
    text = frame.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    try:
        return read_table(text.encode())
    except UnicodeEncodeError:  # its message would quote the whole table, even as a mere context
        pass
    raise FileRefused("The table has text that is no Unicode text, such as half of a surrogate pair; repair it first.")


def _records(text: Chunks, source: Source, options: ReadOptions, limits: FileLimits) -> Iterator[tuple[list[str], int]]:
    """Each record and the line on which it begins; what is wrong with a line or a byte is a FileRefused."""
    lines = Lines(text(), limits)
    reader = csv.reader(lines, delimiter=options.delimiter, strict=True)
    begins = 1
    try:
        for record in reader:
            yield record, begins
            lines.begin_record()
            begins = reader.line_num + 1
        return
    except csv.Error as failure:
        # The quotes were checked beforehand, so what is left is a cell beyond the parser's limit.
        raise FileRefused(
            f"The record that ends here cannot be parsed; a cell may hold at most {csv.field_size_limit():,} "
            "characters.",
            line=reader.line_num,
        ) from failure
    except UnicodeDecodeError:  # its message would quote a byte of a cell, even as a mere context
        pass
    raise encodings.not_in(source, options.encoding)


def _header(
    text: Chunks, source: Source, options: ReadOptions, limits: FileLimits, *, doubtful: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The column names of the header, and what was tidied in each."""
    cells, line = _first_record(_records(text, source, options, limits))
    _check_delimiter(cells, line, options.delimiter, doubtful=doubtful)
    return check_header(named(cells, line, options), line, limits)


def _rows(text: Chunks, source: Source, options: ReadOptions, limits: FileLimits, *, regular: bool) -> Iterator[Chunk]:
    """One pass over the rows below the header."""
    try:
        records = _records(text, source, options, limits)
        width = len(_first_record(records)[0])
        chunks = regular_lines.rows(text, options.delimiter, width) if regular else _batches(records, width)
        yield from _within(chunks, width, limits)
        return
    except FileRefused as refused:
        refusal = refused
    raise _with_suggestion(refusal, source, options)


def _within(chunks: Iterator[Chunk], width: int, limits: FileLimits) -> Iterator[Chunk]:
    """Hand the chunks on; FileRefused for too many cells, or no row."""
    done = 0
    for chunk in chunks:
        done += len(chunk) * width
        if done > limits.cells:
            raise FileRefused(f"More than {limits.cells:,} cells, the most that is read; thin the table out.")
        yield chunk
    if not done:
        raise FileRefused("The file has a header but no row; at least one row is needed.")


def _first_record(records: Iterator[tuple[list[str], int]]) -> tuple[list[str], int]:
    """The header's cells and its line; empty lines above it are skipped."""
    for record, line in records:
        if record:
            return record, line
    raise FileRefused("The file has only empty lines; a header and at least one row are needed.")


def _check_delimiter(cells: list[str], line: int, delimiter: str, *, doubtful: bool) -> None:
    """Refuse a header that another delimiter would cut into more cells; a confirmed delimiter, only if it cuts none."""
    for mark, words in DELIMITERS.items():
        found = sum(cell.count(mark) for cell in cells)
        many = found >= max(len(cells), 1) or (found and mark == "\t")
        if mark != delimiter and many and (doubtful or len(cells) == 1):
            raise FileRefused(f"The delimiter seems to be {words}, not {DELIMITERS[delimiter]}; {_COMMAS}", line=line)


def _batches(records: Iterator[tuple[list[str], int]], width: int) -> Iterator[Chunk]:
    """The rows below the header, some thousands at a time; FileRefused for a ragged row.

    The cells wait in one flat list: a list a row, kept, would cost more in garbage collection than the parsing.
    """
    cells: list[str] = []
    for row, line in records:
        if not row:
            if width > 1:
                continue
            row = [""]
        if len(row) != width:
            raise _ragged(len(row), width, line)
        cells += row
        if len(cells) >= _BATCH:
            yield Cells(cells, width)
            cells = []
    if cells:
        yield Cells(cells, width)


def _ragged(came: int, width: int, line: int) -> FileRefused:
    remedy = (
        "check for a cut-off line" if came < width else "check for a trailing comma, an unquoted comma or a title line"
    )
    return FileRefused(f"The row has {came:,} cells, but the header has {width:,} columns; {remedy}.", line=line)
