"""Cells that this package wrote, read as what they were written for: a released table is a table of its own schema."""

from __future__ import annotations

from collections.abc import Callable

from pmwpub.tabular.files.text.inert_cells import PLAIN_NUMBER, before_inert, inert
from pmwpub.tabular.schema.column_types import EncodedColumn, NumericColumn
from pmwpub.tabular.schema.table_schema import Schema


def placer(schema: Schema, column: EncodedColumn) -> Callable[[str], int]:
    """cell -> code as the column places it; of a cell that it does not know, as written tables have it.

    A written table names a bin by its label, the reserved levels by their names, has an apostrophe before what a
    spreadsheet would run, and a point in its numbers. The column's own rules come first: such a cell is asked for only
    where they leave it without a level, or to "other". Total, and a function of the schema and the cell alone.
    """
    place = schema.placer(column)
    written = _written(schema, column)
    unclaimed = (column.no_level, column.other_code)
    pointed = _pointed(column)

    def placed(cell: str) -> int:
        code = place(cell)
        if code not in unclaimed:
            return code
        if cell in written:
            return written[cell]
        if pointed and PLAIN_NUMBER.fullmatch(cell):
            return place(cell.replace(".", ","))
        return place(before_inert(cell))

    return placed


def _written(schema: Schema, column: EncodedColumn) -> dict[str, int]:
    """What stands for each level in a written table, where the level's own name would not be read as it."""
    levels = {label: code for code, label in enumerate(column.attribute.levels)}
    tokens = {token: column.missing_code for token in schema.tokens_of(column)}
    codes = {cell: code for code in levels.values() if (cell := schema.written(column, code)) is not None}
    return {inert(cell): code for cell, code in (tokens | codes | levels).items()} | levels


def _pointed(column: EncodedColumn) -> bool:
    """Whether a number with a point, as it is written, is one that the column would not read and cannot misread."""
    return isinstance(column, NumericColumn) and column.decimal == "," and column.thousands != "."
