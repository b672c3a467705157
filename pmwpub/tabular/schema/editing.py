"""A schema as rows of a table that people edit, and back; every rule of the schema file is a cell.

Names of levels stay: a bin is named by its two edges alone, so an edge that is added splits one bin and leaves the
others' names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pmwpub.errors import SchemaError
from pmwpub.tabular.schema.codebook import CHOICES, FLAGS, yes
from pmwpub.tabular.schema.column_types import CategoricalColumn, Column, NumericColumn, text_of_number
from pmwpub.tabular.schema.table_schema import Schema, refusal

FIELDS = (
    "name", "kind", "values", "missing", "other", "outside", "strip", "casefold", "decimal", "thousands", "beyond"
)  # fmt: skip
"""The cells of a row: `values` are the levels or, as text, the edges; a rule that a kind lacks is False or ""."""

_OF_KIND: Mapping[str, Sequence[str]] = {
    "categorical": ("missing", "other", "strip", "casefold"),
    "numeric": ("missing", "other", "strip", "casefold", "outside", "decimal", "thousands"),
    "id": ("strip", "casefold", "beyond"),
    "ignore": ("strip", "casefold"),
}
_COLUMN: TypeAdapter[Column] = TypeAdapter(Column)

Row = dict[str, Any]


def rows_of(schema: Schema) -> list[Row]:
    """One row a column, in schema order, with the keys FIELDS."""
    return [_row(column) for column in schema.columns]


def schema_of(rows: Iterable[Mapping[str, Any]], missing_tokens: Sequence[str]) -> Schema:
    """The schema that rows describe; a row without a name and kind is left out, a rule that its kind lacks is ignored.

    Cells may be blank, None or NaN for "not given"; `values` may be a list or one text, a value a line. Raises
    SchemaError, naming the row, for what version 1 does not allow.
    """
    kept = [(place, row) for place, row in enumerate(rows, start=1) if _given(row, "name") or _given(row, "kind")]
    return Schema.of([_column(row, place) for place, row in kept], missing_tokens)


def _row(column: Column) -> Row:
    values: list[str] = []
    if isinstance(column, CategoricalColumn):
        values = list(column.levels)
    elif isinstance(column, NumericColumn):
        values = [text_of_number(edge) for edge in column.edges]
    rules: Row = {key: getattr(column, key, False) for key in FLAGS}
    rules |= {key: getattr(column, key, None) or "" for key in CHOICES}
    found = {"name": column.name, "kind": column.kind, "values": values} | rules
    return {key: found[key] for key in FIELDS}


def _column(row: Mapping[str, Any], place: int) -> Column:
    kind = str(_given(row, "kind") or "")
    body: Row = {"name": str(_given(row, "name") or ""), "kind": kind}
    for key in _OF_KIND.get(kind, ()):
        given = _given(row, key)
        if given is not None:
            body[key] = yes(given, f"{key} in row {place}") if key in FLAGS else str(given)
    values = _values(row)
    if kind == "categorical":
        body["levels"] = values
    elif kind == "numeric":
        body["edges"] = [_edge(value, place) for value in values]
    try:
        return _COLUMN.validate_python({key: tuple(v) if isinstance(v, list) else v for key, v in body.items()})
    except ValidationError as failure:
        raise refusal(failure, where=f"row {place}") from failure


def _given(row: Mapping[str, Any], key: str) -> Any:
    """The cell, or None where it is blank; NaN is the one value that differs from itself."""
    cell = row.get(key)
    return None if cell is None or (isinstance(cell, float) and cell != cell) or cell == "" else cell


def _values(row: Mapping[str, Any]) -> list[str]:
    cell = row.get("values")
    if isinstance(cell, str):
        return cell.split("\n")
    return [] if cell is None or isinstance(cell, float) else [str(value) for value in cell]


def _edge(text: str, place: int) -> float:
    try:
        return float(text)
    except ValueError as failure:
        raise SchemaError(f"The edges in row {place} are numbers with a point; something else came.") from failure
