"""A Parquet table as text, one rule a type, read within limits that its metadata and its cells must keep.

| type                  | text                                                                                   |
|-----------------------|----------------------------------------------------------------------------------------|
| text                  | as it is                                                                               |
| whole numbers         | digits, with a minus if negative: 7                                                    |
| floating-point        | the shortest that reads back as the same number: 7.0, 0.1, 1e+16, nan, inf             |
| decimal               | all its digits: 7.50                                                                   |
| truth values          | True, False, as pandas writes them in a CSV                                            |
| date                  | 2024-02-29                                                                             |
| time stamp            | 2024-02-29T13:45:00, a fraction only if there is one; with a zone: in UTC, Z behind it |
| time of day           | 13:45:00, a fraction only if there is one                                              |
| null, of any type     | nothing: ""                                                                            |

Anything else (lists, structs, maps, bytes, durations) is refused. What pandas stores about an index is not looked at:
an index that was written is a column like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.chunks import Chunk, Coded
from pmwpub.tabular.files.parquet_pages import check_pages, chunks
from pmwpub.tabular.files.source import FileLimits, Source

if TYPE_CHECKING:
    import pandas as pd

_REMEDY = "Write the table again, or export it as UTF-8 CSV."
_MAX_CHARS = 131_072  # of one cell, as in a CSV
_BATCH = 65_536
_BUFFER = 1 << 20  # bytes of a column's pages that are read at once
_FIXED_BYTES = 32  # the widest number that Parquet holds


@dataclass(frozen=True, eq=False)
class ParquetFile:
    """A Parquet table that is read some rows at a time.

    names  the names of its columns, in file order

    Raises FileRefused for what is damaged, encrypted, nested, too large or without rows; no message holds a cell.
    """

    names: tuple[str, ...] = field(repr=False)
    source: Source
    limits: FileLimits

    @classmethod
    def of(cls, source: Source, limits: FileLimits) -> ParquetFile:
        """Look at the metadata, the types and the headers of all pages, before anything is decompressed.

        Rows times columns must keep `limits.cells` and, as each cell of a CSV takes a byte, `limits.bytes`.
        """
        import pyarrow as pa  # type: ignore[import-untyped]

        try:
            with _opened(pa, source) as (file, opened):
                names = _names(pa, file, limits)
                check_pages(opened, chunks(opened))
                return cls(names, source, limits)
        except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as failure:
            refusal = _refusal(failure)
        raise refusal

    def chunks(self) -> Iterator[Chunk]:
        """One pass over the rows; text stays by distinct values, and its whole length must keep `limits.bytes`."""
        import pyarrow as pa

        try:
            with _opened(pa, self.source) as (file, _):
                yield from _batches(pa, file, self.limits)
            return
        except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as failure:
            refusal = _refusal(failure)
        raise refusal


@dataclass(frozen=True, eq=False)
class _Batch:
    """Some rows of a Parquet table, as a chunk."""

    rows: int
    columns: list[Coded] = field(repr=False)

    def __len__(self) -> int:
        return self.rows

    def coded(self, position: int) -> Coded:
        return self.columns[position]

    def texts(self, position: int) -> pd.api.extensions.ExtensionArray:
        return self.columns[position].texts()


@contextmanager
def _opened(pa: Any, source: Source) -> Iterator[Any]:
    """Lend the file as pyarrow opens it, and its bytes; text is read as distinct values and places, to be small."""
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    content = source.read() if source.packed else source.where
    with pa.OSFile(str(content)) if isinstance(content, Path) else pa.BufferReader(content) as opened:
        texts = [column.name for column in pq.read_schema(opened) if _is_text(pa, column.type)]
        yield pq.ParquetFile(opened, read_dictionary=texts, buffer_size=_BUFFER), opened


def _refusal(failure: Exception) -> FileRefused:
    """What a failure of pyarrow means, without its words: they may hold a cell."""
    if isinstance(failure, MemoryError):
        return FileRefused(f"The Parquet table needs more memory than there is. {_REMEDY}")
    if isinstance(failure, FileNotFoundError | PermissionError):
        return FileRefused("The Parquet table cannot be opened; check the path.")
    return FileRefused(f"The Parquet table is damaged or of a kind that is not read. {_REMEDY}")


def _names(pa: Any, file: Any, limits: FileLimits) -> tuple[str, ...]:
    _check_size(file, limits)
    for position, column in enumerate(file.schema_arrow, start=1):
        _check_type(pa, column.type, position)
    names = tuple(file.schema_arrow.names)
    if len(set(names)) != len(names):
        raise FileRefused("Two columns of the Parquet table have the same name; names must differ.")
    return names


def _batches(pa: Any, file: Any, limits: FileLimits) -> Iterator[Chunk]:
    size = rows = 0
    for batch in file.iter_batches(batch_size=_BATCH, use_threads=False):
        columns = [_distinct(pa, column, position) for position, column in enumerate(batch.columns, start=1)]
        size += sum(_length(column) for column in columns)
        if size > limits.bytes:
            raise FileRefused(f"The table has more than {limits.bytes:,} bytes of text, the most that is read.")
        rows += len(batch)
        yield _Batch(len(batch), columns)
    if rows != file.metadata.num_rows:
        raise FileRefused(f"The Parquet table is cut off. {_REMEDY}")


def _check_size(file: Any, limits: FileLimits) -> None:
    rows, columns = file.metadata.num_rows, len(file.schema_arrow)
    if rows < 1 or columns < 1:
        raise FileRefused("The Parquet table has no row or no column; at least one of each is needed.")
    if columns > limits.columns:
        raise FileRefused(f"{columns:,} columns came; at most {limits.columns:,} are read.")
    if rows * columns > min(limits.cells, limits.bytes):
        raise FileRefused(
            f"The Parquet table has {rows:,} rows and {columns:,} columns, more than "
            f"{min(limits.cells, limits.bytes):,} cells, the most that is read; thin it out."
        )
    groups = (file.metadata.row_group(position) for position in range(file.metadata.num_row_groups))
    if sum(group.total_byte_size for group in groups) > limits.bytes + rows * columns * _FIXED_BYTES:
        raise FileRefused(
            f"The Parquet table unpacks to more than {limits.bytes:,} bytes, the most that is read; thin it out."
        )


def _is_text(pa: Any, kind: Any) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _check_type(pa: Any, kind: Any, position: int) -> None:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    readable = (
        _is_text(pa, kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_date(kind)
        or pa.types.is_timestamp(kind)
        or pa.types.is_time(kind)
        or pa.types.is_null(kind)
    )
    if not readable:
        raise FileRefused(
            f"Column {position} of the Parquet table holds lists, records, bytes or durations; only text, numbers, "
            "truth values, dates and times are read. Flatten or drop the column."
        )


def _length(column: Coded) -> int:
    """The bytes that a column's cells would take in a CSV."""
    lengths = np.array([len(cell.encode()) for cell in column.distinct])
    return int(np.bincount(column.places, minlength=len(lengths)) @ lengths) + len(column.places)


def _distinct(pa: Any, column: Any, position: int) -> Coded:
    """The distinct cells as text, and for each row which one it has."""
    column.validate(full=True)
    if pa.types.is_null(column.type):
        return Coded([""], np.zeros(len(column), dtype=np.int64))
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    values = coded.dictionary
    values.validate(full=True)
    cells = ["" if text is None else text for text in _text(pa, values)]
    if any("\x00" in cell or len(cell) > _MAX_CHARS for cell in cells):
        raise FileRefused(f"A cell of column {position} holds a NUL, or more than {_MAX_CHARS:,} characters.")
    places = coded.indices.fill_null(len(cells)) if coded.null_count else coded.indices
    return Coded([*cells, ""], places.to_numpy(zero_copy_only=False))


def _text(pa: Any, values: Any) -> list[str | None]:
    kind = values.type
    if pa.types.is_floating(kind):
        return _each(values, values.to_numpy(zero_copy_only=False), _shortest)
    if pa.types.is_decimal(kind):
        return _each(values, values.to_pylist(), lambda number: format(number, "f"))
    if pa.types.is_boolean(kind):
        return _each(values, values.to_pylist(), str)
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        values = values.cast(pa.timestamp(kind.unit, "UTC"))
    texts = values.cast(pa.large_string()).to_pylist()
    return [None if text is None else _moment(text) for text in texts] if pa.types.is_temporal(kind) else texts


def _shortest(number: np.floating) -> str:
    """The fewest digits that tell the number from its neighbours of the same width, in Python's notation."""
    return repr(float(str(number)))


def _each(values: Any, items: Any, write: Callable[[Any], str]) -> list[str | None]:
    known = values.is_valid().to_numpy(zero_copy_only=False)
    return [write(item) if valid else None for item, valid in zip(items, known, strict=True)]


def _moment(text: str) -> str:
    """Arrow's text of a date or time in ISO 8601: a T between, no empty fraction."""
    if text.startswith("<"):
        return "out of range"
    text = text.replace(" ", "T", 1)
    zone = "Z" if text.endswith("Z") else ""
    return (text.removesuffix("Z").rstrip("0").rstrip(".") if "." in text else text.removesuffix("Z")) + zone
