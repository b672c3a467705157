"""How schemas were drafted before version 2: what a program that drafts its schema anew goes on with.

A plan holds its schema's hash. The same lines of Python therefore draft the same schema as ever, so that a store knows
what they bought; `drafting.propose` is what drafts from now on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pmwpub.domain import MAX_CHARACTERS
from pmwpub.errors import SchemaError
from pmwpub.records import Floats
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.schema.column_types import (
    RESERVED,
    WEIGHT,
    CategoricalColumn,
    Column,
    IgnoredColumn,
    NumericColumn,
)
from pmwpub.tabular.schema.proposing.bins import edges_of, short, step_of
from pmwpub.tabular.schema.proposing.column_cells import ColumnCells
from pmwpub.tabular.schema.table_schema import Schema

if TYPE_CHECKING:
    import pandas as pd

MISSING_TOKENS = ("", "NA", "?")
_LEVELS = 60
_BINS = 10
_FEW_NUMBERS = 20
_LARGEST = 1e15


def first_draft(tables: Sequence[TextTable]) -> Schema:
    """A schema of version 1: up to 60 levels as they occur, at most ten bins of about equal count with round edges.

    Raises SchemaError without tables, without a shared column or without one that can be encoded.

    Privacy: for public tables only; levels and bins must never come from private rows.
    """
    if not tables:
        raise SchemaError("A schema is drafted from at least one public table; none came.")
    return Schema.of(_columns(tables), MISSING_TOKENS)


def _columns(tables: Sequence[TextTable]) -> tuple[Column, ...]:
    shared = [name for name in tables[0].header if all(name in table.header for table in tables)]
    if not shared:
        raise SchemaError("The public tables share no column name; check their headers.")
    return tuple(_column(name, _counts(tables, name)) for name in shared)


def _counts(tables: Sequence[TextTable], name: str) -> pd.Series:
    """cell -> how often."""
    import pandas as pd

    found = ColumnCells.of(name, tables).counts
    return pd.Series(found, dtype="int64", index=pd.Index(list(found), dtype="str"))


def _numbers(counts: pd.Series, column: NumericColumn) -> tuple[Floats, Any]:
    """The numbers among the cells, as the column reads them, and how often each stands."""
    values = [column.value(column.tidy(str(cell))) for cell in counts.index]
    known = np.array([value is not None and abs(value) <= _LARGEST for value in values], dtype=bool)
    numbers = np.array([value for value, good in zip(values, known, strict=True) if good], dtype=np.float64)
    return numbers, counts.to_numpy()[known]


def _column(name: str, counts: pd.Series) -> Column:
    """A column for the distinct cells of `counts` (cell -> how often)."""
    missing = bool(counts.index.isin(MISSING_TOKENS).any())
    counts = counts[~counts.index.isin([*MISSING_TOKENS, *RESERVED])]
    cells = [str(cell) for cell in counts.index]
    probe = NumericColumn(name=name, kind="numeric", edges=(0.0, 1.0), outside="clip")
    numbers, repeats = _numbers(counts, probe)
    numeric = len(cells) > 0 and len(numbers) == len(cells)
    text = any(len(cell) > MAX_CHARACTERS for cell in cells) or (len(cells) > _LEVELS and not numeric)
    if name == WEIGHT or not cells or text or _names_rows(numbers, counts):
        return IgnoredColumn(name=name, kind="ignore")
    if numeric and len(cells) > _FEW_NUMBERS:
        found = _edges(np.repeat(numbers, repeats))
        return NumericColumn(name=name, kind="numeric", edges=found, outside="clip", missing=missing)
    order = np.argsort(numbers, kind="stable") if numeric else sorted(range(len(cells)), key=cells.__getitem__)
    levels = tuple(cells[i] for i in order)
    return CategoricalColumn(name=name, kind="categorical", levels=levels, missing=missing)


def _names_rows(numbers: Floats, counts: pd.Series) -> bool:
    """Whether the cells look like row numbers or IDs: many whole numbers, none of them twice."""
    return len(numbers) > 1_000 and len(numbers) == counts.sum() and bool(np.all(numbers == np.floor(numbers)))


def _edges(values: Floats) -> tuple[float, ...]:
    """Edges of at most ten bins; where half of the values or more equal the smallest, it has the first bin."""
    lowest = float(values.min())
    rest = values[values > lowest]
    if 2 * len(rest) > len(values):
        return edges_of(values, _BINS, "rounded")
    step, second = step_of(rest, _BINS - 1), float(rest.min())
    high = short(max(math.ceil(rest.max() / step), math.floor(second / step) + 1) * step)
    inner = np.quantile(rest, np.arange(1, _BINS - 1) / (_BINS - 1), method="inverted_cdf")
    rounded = {short(round(float(edge) / step) * step) for edge in inner}
    return (*sorted({lowest, second} | {edge for edge in rounded if second < edge < high}), high)
