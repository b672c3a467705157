"""Proposing columns from public tables and codebooks: levels as they occur, bins by a stated rule."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from pmwpub.domain import MAX_CHARACTERS
from pmwpub.errors import SchemaError
from pmwpub.records import Floats
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.schema.codebook import Codebook, CodebookEntry
from pmwpub.tabular.schema.column_types import (
    RESERVED,
    WEIGHT,
    CategoricalColumn,
    Column,
    IdColumn,
    IgnoredColumn,
    NumericColumn,
)

MISSING_TOKENS = ("", "NA", "?")
_FEW_NUMBERS = 20
_LARGEST = 1e15


Binning = Literal["rounded", "quantiles", "width"]


@dataclass(frozen=True)
class Recipe:
    """How columns are proposed; see `table_schema.draft`. SchemaError for a number below one or another binning."""

    bins: int = 10
    binning: Binning = "rounded"
    max_levels: int = 60
    missing_tokens: tuple[str, ...] = MISSING_TOKENS

    def __post_init__(self) -> None:
        if self.bins < 1 or self.max_levels < 1:
            raise SchemaError("bins and max_levels must be at least 1.")
        if self.binning not in get_args(Binning):
            raise SchemaError(f"Bins are {', '.join(get_args(Binning))}; another way was asked for.")


def columns(tables: Sequence[TextTable], recipe: Recipe) -> tuple[Column, ...]:
    """One proposed column for each name that all tables share, in the first table's order."""
    shared = _shared(tables)
    if not shared:
        raise SchemaError("The public tables share no column name; check their headers.")
    return tuple(_column(name, _counts(tables, name), recipe) for name in shared)


def edges(tables: Sequence[TextTable], column: NumericColumn, recipe: Recipe) -> tuple[float, ...]:
    """Bin edges for a column from the public numbers that stand in it, as it reads them (strip, decimal, thousands).

    Its own edges do not matter. Raises SchemaError where there is no number.

    Privacy: for public tables only.
    """
    name = column.name
    holding = [table for table in tables if name in table.header]
    counts = _counts(holding, name) if holding else pd.Series(dtype="int64")
    numbers, repeats = _numbers(counts, column)
    if not len(numbers):
        raise SchemaError(f"Column {name!r} has no number in the public tables, so it has no bins; give its edges.")
    return _edges(np.repeat(numbers, repeats), recipe)


def from_codebook(
    codebook: Codebook, tables: Sequence[TextTable], recipe: Recipe
) -> tuple[tuple[Column, ...], tuple[str, ...]]:
    """The codebook's columns, then the other shared ones of the tables; and the missing tokens.

    Without tokens of its own, a codebook gets the recipe's, except those that it declares as levels.
    """
    declared = {value for entry in codebook.entries for value in entry.values}
    tokens = codebook.missing_tokens
    if tokens is None:
        tokens = tuple(token for token in recipe.missing_tokens if token not in declared)
    own = tuple(_from_entry(entry, tables, recipe, tokens) for entry in codebook.entries)
    named = {column.name for column in own}
    rest = [name for name in _shared(tables) if name not in named]
    recipe = Recipe(recipe.bins, recipe.binning, recipe.max_levels, tokens)
    return own + tuple(_column(name, _counts(tables, name), recipe) for name in rest), tokens


def _shared(tables: Sequence[TextTable]) -> list[str]:
    return [name for name in tables[0].header if all(name in table.header for table in tables)] if tables else []


def _counts(tables: Sequence[TextTable], name: str) -> pd.Series:
    """cell -> how often."""
    found: Counter[str] = Counter()
    for table in tables:
        found.update(table.column(name).counts())
    return pd.Series(found, dtype="int64", index=pd.Index(list(found), dtype="str"))


def _from_entry(entry: CodebookEntry, tables: Sequence[TextTable], recipe: Recipe, tokens: tuple[str, ...]) -> Column:
    rules: dict[str, Any] = dict(entry.rules)
    if entry.kind == "categorical":
        levels = entry.values or _levels(entry.name, tables, tokens)
        return CategoricalColumn(name=entry.name, kind="categorical", levels=levels, **rules)
    if entry.kind == "numeric":
        given = tuple(_edge(entry.name, value) for value in entry.values)
        rules = {"outside": "clip"} | rules
        column = NumericColumn(name=entry.name, kind="numeric", edges=given or (0.0, 1.0), **rules)
        return column if given else column.model_copy(update={"edges": edges(tables, column, recipe)})
    rules = {key: rules[key] for key in ("strip", "casefold", "beyond") if key in rules}
    if entry.kind == "id":
        return IdColumn(name=entry.name, kind="id", **rules)
    return IgnoredColumn(name=entry.name, kind="ignore", **rules)


def _edge(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as failure:
        raise SchemaError(f"The edges of column {name!r} of the codebook are numbers with a point.") from failure


def _levels(name: str, tables: Sequence[TextTable], tokens: tuple[str, ...]) -> tuple[str, ...]:
    holding = [table for table in tables if name in table.header]
    cells = {cell for table in holding for cell in table.column(name).counts()} - {*tokens, *RESERVED}
    if not cells:
        raise SchemaError(f"Column {name!r} of the codebook has no levels, and the public tables have none for it.")
    return tuple(sorted(cells))


def _numbers(counts: pd.Series, column: NumericColumn) -> tuple[Floats, Any]:
    """The numbers among the cells, as the column reads them, and how often each stands."""
    values = [column.value(column.tidy(str(cell))) for cell in counts.index]
    known = np.array([value is not None and abs(value) <= _LARGEST for value in values], dtype=bool)
    numbers = np.array([value for value, good in zip(values, known, strict=True) if good], dtype=np.float64)
    return numbers, counts.to_numpy()[known]


def _column(name: str, counts: pd.Series, recipe: Recipe) -> Column:
    """A column for the distinct cells of `counts` (cell -> how often)."""
    missing = bool(counts.index.isin(recipe.missing_tokens).any())
    counts = counts[~counts.index.isin([*recipe.missing_tokens, *RESERVED])]
    cells = [str(cell) for cell in counts.index]
    probe = NumericColumn(name=name, kind="numeric", edges=(0.0, 1.0), outside="clip")
    numbers, repeats = _numbers(counts, probe)
    numeric = len(cells) > 0 and len(numbers) == len(cells)
    text = any(len(cell) > MAX_CHARACTERS for cell in cells) or (len(cells) > recipe.max_levels and not numeric)
    if name == WEIGHT or not cells or text or _names_rows(numbers, counts):
        return IgnoredColumn(name=name, kind="ignore")
    if numeric and len(cells) > _FEW_NUMBERS:
        found = _edges(np.repeat(numbers, repeats), recipe)
        return NumericColumn(name=name, kind="numeric", edges=found, outside="clip", missing=missing)
    order = np.argsort(numbers, kind="stable") if numeric else sorted(range(len(cells)), key=cells.__getitem__)
    levels = tuple(cells[i] for i in order)
    return CategoricalColumn(name=name, kind="categorical", levels=levels, missing=missing)


def _names_rows(numbers: Floats, counts: pd.Series) -> bool:
    """Whether the cells look like row numbers or IDs: many whole numbers, none of them twice."""
    return len(numbers) > 1_000 and len(numbers) == counts.sum() and bool(np.all(numbers == np.floor(numbers)))


def _edges(values: Floats, recipe: Recipe) -> tuple[float, ...]:
    if recipe.binning == "rounded":
        return _rounded(values, recipe.bins)
    return _quantiles(values, recipe.bins) if recipe.binning == "quantiles" else _width(values, recipe.bins)


def _quantiles(values: Floats, bins: int) -> tuple[float, ...]:
    """The smallest value, the quantiles as values that occur, the largest; fewer bins where they tie."""
    found = sorted({float(x) for x in np.quantile(values, np.arange(bins + 1) / bins, method="inverted_cdf")})
    return tuple(found) if len(found) > 1 else (found[0], _above(found[0]))


def _width(values: Floats, bins: int) -> tuple[float, ...]:
    """Equal steps from the smallest to the largest value."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return (low, _above(low))
    inner = {_tidy(low + (high - low) * step / bins) for step in range(1, bins)}
    return (low, *sorted(edge for edge in inner if low < edge < high), high)


def _above(value: float) -> float:
    """The next edge of a bin that holds one value only."""
    return value + max(1.0, abs(value) * 1e-9)


def _rounded(values: Floats, bins: int) -> tuple[float, ...]:
    """Rounded, strictly rising edges around quantiles of `values`; the outer two cover all of them.

    Where at least half of the values equal the smallest (no income, no gain), it gets a bin of its own.
    """
    lowest = float(values.min())
    rest = values[values > lowest]
    spike = 2 * len(rest) <= len(values) and bins > 1
    if spike:
        values, bins = rest, bins - 1
    step = _step(values, bins)
    low = lowest if spike else _tidy(math.floor(lowest / step) * step)
    first = {low, float(values.min())} if spike else {low}
    high = _tidy(max(math.ceil(values.max() / step), math.floor(max(first) / step) + 1) * step)
    inner = np.quantile(values, np.arange(1, bins) / bins, method="inverted_cdf")
    edges = {_tidy(round(float(edge) / step) * step) for edge in inner}
    return (*sorted(first | {edge for edge in edges if max(first) < edge < high}), high)


def _tidy(value: float) -> float:
    return float(f"{value:.12g}")


def _step(values: Floats, bins: int) -> float:
    """1, 2 or 5 times a power of ten, a few steps to a bin of the middle of the data."""
    spread = float(np.quantile(values, 0.9) - np.quantile(values, 0.1)) or float(np.ptp(values))
    rough = max(spread / bins / 2, 1e-9 * max(1.0, float(np.abs(values).max())))
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (5, 2, 1) if factor * power <= rough * (1 + 1e-9))
