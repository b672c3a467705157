"""What the two versions of the schema file may say: each has keys that the other lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pmwpub.tabular.schema.column_types import Column, DateColumn, EncodedColumn, NumericColumn, WeightColumn
from pmwpub.tabular.written_numbers import FIRST_MARKS

FOREIGN: Mapping[int, set[str]] = {1: {"same"}, 2: {"strip", "casefold"}}
"""Keys of a column that a version does not write."""


def check_first(columns: Iterable[Column]) -> None:
    """ValueError where a column of version 1 has something of version 2."""
    for column in columns:
        if needs_second(column):
            raise ValueError(
                f"column {column.name!r} has what version 1 lacks (same, missing codes, parents, a repeated edge, or "
                'the kinds ordered, date and weight): edges must rise strictly there; write "version": 2'
            )


def check_second(columns: Iterable[Column]) -> None:
    """ValueError where a column of version 2 has what version 1 had in its place."""
    for column in columns:
        if column.strip or column.casefold:
            raise ValueError(f'column {column.name!r}: version 2 writes "same": ["trim", "casefold"] for these rules')


def check_reads_back(column: EncodedColumn, missing_tokens: tuple[str, ...]) -> None:
    """ValueError where what a release writes for a level of a column of version 2 would be read as another level.

    A level is written by its name, or as a cell of its own. A name that the column leaves to "other", or without a
    level, is still read as its level where written tables are read; so that is no fault.
    """
    place = column.placer(missing_tokens, reads_labels=True)
    unclaimed = {column.no_level, column.other_code}
    for code, label in enumerate(column.attribute.levels):
        written = column.written(code, missing_tokens)
        named_well = place(label) in {code, *unclaimed}
        if not named_well or (written is not None and place(written) != code):
            raise ValueError(
                f"column {column.name!r}: the level {label!r} would read as another level of the column; give it "
                "another name, or another missing code"
            )


def needs_second(column: Column) -> bool:
    """Whether version 1 cannot say what a column says."""
    kinds = isinstance(column, (DateColumn, WeightColumn)) or column.kind == "ordered"
    codes = isinstance(getattr(column, "missing", False), tuple) or bool(getattr(column, "parents", ()))
    return kinds or codes or bool(column.same) or (isinstance(column, NumericColumn) and _written_newly(column))


def _written_newly(column: NumericColumn) -> bool:
    """Whether a bin holds one value, or numbers are written as version 1 did not know."""
    marks = column.thousands is not None and column.thousands not in FIRST_MARKS
    return bool(column.spikes or column.prefix or column.suffix or marks)
