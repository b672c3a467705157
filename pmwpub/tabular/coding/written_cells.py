"""Cells that this package wrote, read as what they were written for: a released table is a table of its own schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pmwpub.records import Ints
from pmwpub.tabular.coding import whole_columns
from pmwpub.tabular.files.text.inert_cells import PLAIN_NUMBER, before_inert, inert
from pmwpub.tabular.schema.column_types import EncodedColumn, NumericColumn
from pmwpub.tabular.schema.table_schema import Schema

CellCoder = Callable[[Sequence[str]], Ints]
"""distinct cells -> int64 codes."""


def coder(schema: Schema, column: EncodedColumn) -> CellCoder:
    """distinct cells -> int64 codes, as the column codes them; of a cell that it does not know, as written tables do.

    A written table names a bin by its label, the reserved levels by their names, has an apostrophe before what a
    spreadsheet would run, and a point in its numbers. The column's own rules come first: such a cell is asked for only
    where they leave it without a level, or to "other". Total, and a function of the schema and the cell alone. Under
    version 1, whose private cells are not read so, a number with another mark than the column's stays none in public.
    """
    plain, place = whole_columns.coder(schema, column), schema.placer(column)
    written = _written(schema, column)
    pointed = schema.version >= 2 and isinstance(column, NumericColumn) and column.reads_points

    def placed(cell: str) -> int:
        if cell in written:
            return written[cell]
        return place(cell.replace(".", ",") if pointed and PLAIN_NUMBER.fullmatch(cell) else before_inert(cell))

    def codes(cells: Sequence[str]) -> Ints:
        found = plain(cells)
        for at in np.flatnonzero((found == column.no_level) | (found == column.other_code)).tolist():
            found[at] = placed(cells[at])
        return found

    return codes


def _written(schema: Schema, column: EncodedColumn) -> dict[str, int]:
    """What stands for each level in a written table, where the level's own name would not be read as it."""
    levels = {label: code for code, label in enumerate(column.attribute.levels)}
    tokens = {token: column.missing_code for token in schema.tokens_of(column)}
    codes = {cell: code for code in levels.values() if (cell := schema.written(column, code)) is not None}
    return {inert(cell): code for cell, code in (tokens | codes | levels).items()} | levels
