"""What the first lines of a file may be beside a header: a line of the delimiter, row names without a name, data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.source import Chunks, beginning
from pmwpub.tabular.files.text.read_options import DELIMITERS, ReadOptions

ROW_NAMES = "row_names"
"""What a first column without a name is called once it is confirmed to hold row names."""

_NUMBERED = "column_"
_LONGEST = 16  # bytes of such a line, and more than it has


def without_delimiter_line(text: Chunks, delimiter: str) -> Chunks:
    """The text with a first line that says "sep=;" and nothing else made empty, where it is read by that delimiter.

    Excel reads and writes such a line. It stays as an empty one, so that lines keep their numbers.
    """
    line = _first_line(beginning(text(), _LONGEST))
    return text if _said(line) != delimiter else lambda: _behind(text(), len(line))


def said_delimiter(text: bytes) -> str | None:
    """The delimiter that the first line names, if it does nothing else."""
    return _said(_first_line(text[:_LONGEST]))


def _first_line(text: bytes) -> bytes:
    """What stands before the first line end; nothing where there is none."""
    ends = [at for at in (text.find(b"\r"), text.find(b"\n")) if at >= 0]
    return text[: min(ends)] if ends else b""


def _said(line: bytes) -> str | None:
    plain = line[1:-1] if len(line) > 2 and line[:1] == line[-1:] == b'"' else line
    mark = plain[4:].decode("ascii", "replace")
    return mark if plain[:4].lower() == b"sep=" and mark in DELIMITERS else None


def named(cells: Sequence[str], line: int, options: ReadOptions) -> list[str]:
    """The header with a name for row names, once somebody confirmed them; FileRefused where nobody did.

    R and pandas write the names or numbers of rows as a first column without a name.
    """
    if len(cells) < 2 or cells[0].strip() or not all(cell.strip() for cell in cells[1:]):
        return list(cells)
    if not options.row_names:
        raise FileRefused(
            "Column 1 has no name; R and pandas write the names or numbers of rows so. Write the table without them "
            "(row.names = FALSE, index=False), or give the column a name.",
            line=line,
            suggestion=replace(options, row_names=True),
        )
    taken, name = {cell.strip() for cell in cells}, ROW_NAMES
    while name in taken:
        name += "_"
    return [name, *cells[1:]]


def with_names(text: Chunks, width: int, delimiter: str) -> Chunks:
    """The text of a file without a header, below a line of names: column_1, column_2 and so on."""
    names = delimiter.join(f"{_NUMBERED}{place}" for place in range(1, width + 1))
    return lambda: chain([f"{names}\n".encode()], text())


def is_numbered(name: str) -> bool:
    """Whether a column is called as those of files without a header."""
    return name.startswith(_NUMBERED) and name.removeprefix(_NUMBERED).isdecimal()


def _behind(chunks: Iterator[bytes], skipped: int) -> Iterator[bytes]:
    for chunk in chunks:
        rest, skipped = chunk[skipped:], max(0, skipped - len(chunk))
        if rest:
            yield rest
