"""Proposing columns from public tables: levels as they occur, bins of about equal count."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from pmwpub.errors import SchemaError
from pmwpub.records import Floats
from pmwpub.tabular.columns import RESERVED, WEIGHT, CategoricalColumn, Column, IgnoredColumn, NumericColumn
from pmwpub.tabular.reading import TextTable

MISSING_TOKENS = ("", "NA", "?")
_FEW_NUMBERS = 20
_LARGEST = 1e15


def columns(
    tables: Sequence[TextTable], *, bins: int, max_levels: int, missing_tokens: tuple[str, ...]
) -> tuple[Column, ...]:
    """One proposed column for each name that all tables share, in the first table's order."""
    if bins < 1 or max_levels < 1:
        raise SchemaError("bins and max_levels must be at least 1.")
    shared = [name for name in tables[0].header if all(name in table.header for table in tables)]
    if not shared:
        raise SchemaError("The public tables share no column name; check their headers.")
    return tuple(
        _column(
            name, pd.concat([table.frame[name] for table in tables]).value_counts(), bins, max_levels, missing_tokens
        )
        for name in shared
    )


def _column(name: str, counts: pd.Series, bins: int, max_levels: int, missing_tokens: tuple[str, ...]) -> Column:
    """A column for the distinct cells of `counts` (cell -> how often)."""
    missing = bool(counts.index.isin(missing_tokens).any())
    counts = counts[~counts.index.isin([*missing_tokens, *RESERVED])]
    cells = [str(cell) for cell in counts.index]
    probe = NumericColumn(name=name, kind="numeric", edges=(0.0, 1.0), outside="clip")
    values = [probe.value(cell) for cell in cells]
    numbers = np.array([value for value in values if value is not None and abs(value) <= _LARGEST])
    numeric = len(cells) > 0 and len(numbers) == len(cells)
    if name == WEIGHT or not cells or (len(cells) > max_levels and not numeric) or _names_rows(numbers, counts):
        return IgnoredColumn(name=name, kind="ignore")
    if numeric and len(cells) > _FEW_NUMBERS:
        edges = _edges(np.repeat(numbers, counts.to_numpy()), bins)
        return NumericColumn(name=name, kind="numeric", edges=edges, outside="clip", missing=missing)
    order = np.argsort(numbers, kind="stable") if numeric else sorted(range(len(cells)), key=cells.__getitem__)
    levels = tuple(cells[i] for i in order)
    return CategoricalColumn(name=name, kind="categorical", levels=levels, missing=missing)


def _names_rows(numbers: Floats, counts: pd.Series) -> bool:
    """Whether the cells look like row numbers or IDs: many whole numbers, none of them twice."""
    return len(numbers) > 1_000 and len(numbers) == counts.sum() and bool(np.all(numbers == np.floor(numbers)))


def _edges(values: Floats, bins: int) -> tuple[float, ...]:
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
