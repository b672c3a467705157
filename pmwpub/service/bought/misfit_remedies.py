"""What to do about private cells that the schema does not fit."""

from __future__ import annotations

from pmwpub.tabular.schema.column_types import DateColumn, EncodedColumn, NumericColumn
from pmwpub.tabular.schema.table_schema import Schema

NEVER = "Never copy levels from private rows into the schema: it would tell of them, and no charge covers that."

_TEXTS = (
    "Compare how its values are written. Name the spellings or levels that a codebook or a public table has, let the "
    "column compare without case and spaces, or mend the private file by a fixed rule for each cell, and load it again."
)
_NUMBERS = (
    "Widen its edges to the range that is publicly known, and declare a code beyond them as missing, as a codebook has "
    "it. Check the decimal mark."
)
_DATES = "Check in which order its dates are written, and which years it names."


def remedy(schema: Schema, column: str) -> str:
    """What to do where many cells of a column do not fit; "" for a column that the schema has no more."""
    found = next((one for one in schema.encoded if one.name == column), None)
    return "" if found is None else _remedy(found)


def _remedy(column: EncodedColumn) -> str:
    if isinstance(column, NumericColumn):
        return _NUMBERS
    return _DATES if isinstance(column, DateColumn) else _TEXTS
