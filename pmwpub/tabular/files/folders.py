"""A table in parts: a folder of Parquet files with the same columns, as Dask, Spark and Arrow write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.chunks import Chunk, TableStream

_DIGITS = re.compile(r"(\d+)")


def parts_of(path: Path) -> tuple[Path, ...]:
    """The .parquet files of a folder: part.2 before part.10; hidden files and those that begin with _ are no parts.

    For a file, the file itself is the one part. Raises FileRefused for a folder that cannot be listed, or that holds no
    such file.
    """
    if not path.is_dir():
        return (path,)
    try:
        found = [one for one in path.iterdir() if one.suffix == ".parquet" and not one.name.startswith((".", "_"))]
    except OSError as failure:
        raise FileRefused(f"The folder cannot be opened ({failure.strerror}); check the path.") from failure
    if not found:
        raise FileRefused("The folder has no .parquet file; give a folder of Parquet files, or one file.")
    return tuple(sorted(found, key=_in_order))


def _in_order(path: Path) -> tuple[tuple[int, str], ...]:
    """The order of parts by their names: runs of digits count by their value, all else as text."""
    return tuple((int(piece), "") if piece.isdecimal() else (-1, piece) for piece in _DIGITS.split(path.name))


def joined(parts: Sequence[Path], read: Callable[[Path], TableStream]) -> TableStream:
    """The parts as one table, one behind the other.

    Raises FileRefused, with the part's number, where a part cannot be read or has other columns than the first one.
    """
    tables = []
    for number, part in enumerate(parts, start=1):
        with _numbered(number):
            tables.append(read(part))
    first = tables[0]
    for number, table in enumerate(tables, start=1):
        if table.header != first.header:
            raise FileRefused(f"Part {number} of the table has other columns than part 1, or another order of them.")
    return TableStream(first.header, lambda: _chunks(tables), first.notes)


def _chunks(tables: Sequence[TableStream]) -> Iterator[Chunk]:
    for number, table in enumerate(tables, start=1):
        with _numbered(number):
            yield from table.chunks()


@contextmanager
def _numbered(number: int) -> Iterator[None]:
    """Have a refusal in the block tell which part it is about."""
    try:
        yield
    except FileRefused as refused:
        raise FileRefused(f"Part {number} of the table: {refused}") from refused
