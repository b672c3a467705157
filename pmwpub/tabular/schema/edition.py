"""What the two versions of the schema file may say: each has keys that the other lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pmwpub.tabular.schema.column_types import Column, DateColumn, NumericColumn, WeightColumn

FOREIGN: Mapping[int, set[str]] = {1: {"same"}, 2: {"strip", "casefold"}}
"""Keys of a column that a version does not write."""


def check_first(columns: Iterable[Column]) -> None:
    """ValueError where a column of version 1 has something of version 2."""
    for column in columns:
        if needs_second(column):
            raise ValueError(
                f"column {column.name!r} has what version 1 lacks (same, missing codes, a repeated edge, or the kinds "
                'ordered, date and weight): edges must rise strictly there; write "version": 2'
            )


def check_second(columns: Iterable[Column]) -> None:
    """ValueError where a column of version 2 has what version 1 had in its place."""
    for column in columns:
        if column.strip or column.casefold:
            raise ValueError(f'column {column.name!r}: version 2 writes "same": ["trim", "casefold"] for these rules')


def needs_second(column: Column) -> bool:
    """Whether version 1 cannot say what a column says."""
    kinds = isinstance(column, (DateColumn, WeightColumn)) or column.kind == "ordered"
    codes = isinstance(getattr(column, "missing", False), tuple)
    return kinds or codes or bool(column.same) or (isinstance(column, NumericColumn) and bool(column.spikes))
