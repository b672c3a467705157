"""How schemas were drafted before version 2: what a program that drafts its schema anew goes on with.

A plan holds its schema's hash. The same lines of Python therefore draft the same schema as ever, so that a store knows
what they bought; `drafting.propose` is what drafts from now on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

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
from pmwpub.tabular.schema.proposing.bins import short, step_of
from pmwpub.tabular.schema.proposing.public_cells import PublicCells
from pmwpub.tabular.schema.table_schema import Schema

MISSING_TOKENS = ("", "NA", "?")
_LEVELS = 60
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
    found = PublicCells.of(name, tables).counts
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
        found = _rounded(np.repeat(numbers, repeats))
        return NumericColumn(name=name, kind="numeric", edges=found, outside="clip", missing=missing)
    order = np.argsort(numbers, kind="stable") if numeric else sorted(range(len(cells)), key=cells.__getitem__)
    levels = tuple(cells[i] for i in order)
    return CategoricalColumn(name=name, kind="categorical", levels=levels, missing=missing)


def _names_rows(numbers: Floats, counts: pd.Series) -> bool:
    """Whether the cells look like row numbers or IDs: many whole numbers, none of them twice."""
    return len(numbers) > 1_000 and len(numbers) == counts.sum() and bool(np.all(numbers == np.floor(numbers)))


def _rounded(values: Floats, bins: int = 10) -> tuple[float, ...]:
    """Rounded, strictly rising edges around quantiles of `values`; the outer two cover all of them.

    Where at least half of the values equal the smallest (no income, no gain), it gets a bin of its own.
    """
    lowest = float(values.min())
    rest = values[values > lowest]
    spike = 2 * len(rest) <= len(values) and bins > 1
    if spike:
        values, bins = rest, bins - 1
    step = step_of(values, bins)
    low = lowest if spike else short(math.floor(lowest / step) * step)
    first = {low, float(values.min())} if spike else {low}
    high = short(max(math.ceil(values.max() / step), math.floor(max(first) / step) + 1) * step)
    inner = np.quantile(values, np.arange(1, bins) / bins, method="inverted_cdf")
    edges = {short(round(float(edge) / step) * step) for edge in inner}
    return (*sorted(first | {edge for edge in edges if max(first) < edge < high}), high)
