"""The codes of many distinct cells at once: what `Schema.placer` says of each, in array arithmetic for numbers.

Privacy: as the placer: public rules alone decide, and no cell raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pmwpub.records import Floats, Ints
from pmwpub.tabular.plain_numbers import PLAIN, plain_floats
from pmwpub.tabular.schema.column_types import EncodedColumn, NumericColumn
from pmwpub.tabular.schema.table_schema import Schema

_FEW = 32


def coder(schema: Schema, column: EncodedColumn) -> Callable[[Sequence[str]], Ints]:
    """distinct cells -> int64 codes, each that of `schema.placer(column)`."""
    place = schema.placer(column)

    def one_by_one(cells: Sequence[str]) -> Ints:
        return np.fromiter(map(place, cells), np.int64, len(cells))

    if not isinstance(column, NumericColumn) or column.decimal != "." or column.thousands is not None:
        return one_by_one
    return _NumberCoder(schema, column, one_by_one).codes


class _NumberCoder:
    """Plainly written numbers together; every other cell, and a text that is a token though it is a number, alone."""

    def __init__(self, schema: Schema, column: NumericColumn, one_by_one: Callable[[Sequence[str]], Ints]) -> None:
        tokens = schema.tokens_of(column)
        self._values = column.missing_values(tokens)
        self._texts = {text for text in map(column.tidy, tokens) if column.value(text) not in {None, *self._values}}
        self._column, self._one_by_one = column, one_by_one
        self._cuts = np.array(column.cuts)
        first = len(column.own_levels)
        self._ranges = [
            (code.low, code.high, first + place)
            for place, code in enumerate(column.missing_codes)
            if code.low is not None and code.high is not None
        ]

    def codes(self, cells: Sequence[str]) -> Ints:
        """int64 (cells,)"""
        if len(cells) < _FEW:
            return self._one_by_one(cells)
        values = None if self._texts else plain_floats(cells)
        if values is not None:
            return self._of_numbers(values)
        plain = np.fromiter((self._may_be_plain(cell) for cell in cells), np.bool_, len(cells))
        values = plain_floats([cell for cell, good in zip(cells, plain, strict=True) if good])
        if values is None:
            return self._one_by_one(cells)
        codes = np.empty(len(cells), dtype=np.int64)
        codes[plain] = self._of_numbers(values)
        codes[~plain] = self._one_by_one([cell for cell, good in zip(cells, plain, strict=True) if not good])
        return codes

    def _may_be_plain(self, cell: str) -> bool:
        return cell[-1:].isdigit() and cell not in self._texts and PLAIN.issuperset(cell)

    def _of_numbers(self, values: Floats) -> Ints:
        """The bins, then clipped ends, then missing ranges, then missing codes, which go before all of these."""
        column, last = self._column, len(self._cuts) - 1
        codes = np.minimum(np.searchsorted(self._cuts, values, side="right"), last) - 1
        codes[values < column.edges[0]], codes[values > column.edges[-1]] = column.clipped
        for low, high, place in reversed(self._ranges):
            codes[(values >= low) & (values <= high)] = place
        for value, place in self._values.items():
            codes[values == value] = place
        return codes.astype(np.int64)
