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

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pmwpub.errors import FileRefused
from pmwpub.tabular.container import Limits

_REMEDY = "Write the table again, or export it as UTF-8 CSV."
_MAX_CHARS = 131_072  # of one cell, as in a CSV
_BATCH = 65_536
_FIXED_BYTES = 32  # the widest number that Parquet holds

Texts = list[tuple[str, pd.api.extensions.ExtensionArray]]


def text_columns(content: bytes, limits: Limits) -> Texts:
    """(name, cells as text) of each column, in file order.

    Before anything is decompressed, rows times columns must keep `limits.cells` and, as each cell of a CSV takes a
    byte, `limits.bytes`; text is kept by distinct values until its whole length is known to keep `limits.bytes`.

    Raises FileRefused for what is damaged, encrypted, nested, too large or without rows; no message holds a cell.
    """
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    try:
        file = pq.ParquetFile(pa.BufferReader(content), read_dictionary=_dictionaries(pa, pq, content))
        _check_size(file, limits)
        for position, field in enumerate(file.schema_arrow, start=1):
            _check_type(pa, field.type, position)
        return _columns(pa, file, limits)
    except MemoryError as failure:
        raise FileRefused(f"The Parquet table needs more memory than there is. {_REMEDY}") from failure
    except (pa.ArrowException, OSError, ValueError, OverflowError):
        refusal = FileRefused(f"The Parquet table is damaged or of a kind that is not read. {_REMEDY}")
    raise refusal


def _dictionaries(pa: Any, pq: Any, content: bytes) -> list[str]:
    """The text columns' names, to be read as distinct values and places: one long text a million times is small."""
    schema = pq.read_schema(pa.BufferReader(content))
    return [field.name for field in schema if _is_text(pa, field.type)]


def _check_size(file: Any, limits: Limits) -> None:
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


def _columns(pa: Any, file: Any, limits: Limits) -> Texts:
    found: Texts = []
    size = 0
    names = file.schema_arrow.names
    if len(set(names)) != len(names):
        raise FileRefused("Two columns of the Parquet table have the same name; names must differ.")
    for position, name in enumerate(names, start=1):
        parts = []
        for batch in file.iter_batches(batch_size=_BATCH, columns=[name], use_threads=False):
            cells, codes = _distinct(pa, batch.column(0), position)
            lengths = np.array([len(cell.encode()) for cell in cells] or [0])
            size += int(lengths[codes].sum()) + len(codes)
            if size > limits.bytes:
                raise FileRefused(f"The table has more than {limits.bytes:,} bytes of text, the most that is read.")
            parts.append(pd.array(cells, dtype="str").take(codes))
        whole = pd.concat([pd.Series(part) for part in parts], ignore_index=True)
        if len(whole) != file.metadata.num_rows:
            raise FileRefused(f"Column {position} of the Parquet table is cut off. {_REMEDY}")
        found.append((name, whole.array))
    return found


def _distinct(pa: Any, column: Any, position: int) -> tuple[list[str], np.ndarray]:
    """The distinct cells as text, and for each row which one it has."""
    column.validate(full=True)
    if pa.types.is_null(column.type):
        return [""], np.zeros(len(column), dtype=np.int64)
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    values = coded.dictionary
    values.validate(full=True)
    cells = ["" if text is None else text for text in _text(pa, values)]
    if any("\x00" in cell or len(cell) > _MAX_CHARS for cell in cells):
        raise FileRefused(f"A cell of column {position} holds a NUL, or more than {_MAX_CHARS:,} characters.")
    codes = coded.indices.fill_null(len(cells)).to_numpy(zero_copy_only=False).astype(np.int64)
    return [*cells, ""], codes


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
