"""The codes of many distinct cells at once: what `Schema.placer` says of each, in array arithmetic for numbers.

Privacy: as the placer: public rules alone decide, and no cell raises. Which cells stand together in a chunk depends on
all rows, so both ways here must give a cell the placer's code: were it to depend on what stands beside the cell, one
person's row would recode other people's, and a count move by more than k. `_NumberCoder` has the proof.
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
    """Plainly written numbers together; every other cell, and a text that is a token though it is a number, alone.

    A cell's code is `place(cell)`, whatever stands beside it. Alone that is so by definition. Together go only cells of
    the letters of PLAIN that `float` reads, and whose tidied text is none of `_texts`. Tidying makes "e" of "E"
    in such a cell, or nothing: it has no white space and is ASCII. So `column.value` of the tidied cell is the same
    float, for over these letters its pattern and `float` take the same texts: what may stand beside a number has
    another letter. The placer then asks, in this order: the
    numbers that stand for no value (`_values`); the texts that do, of which those whose number is in `_values` were
    asked already, those that are no number differ from the cell, and the others are `_texts`; the ranges, the first
    that holds; the bin, or what lies outside. `_of_numbers` writes the same, the last question first. How many cells
    there are, and whether all that look plain parse, decides how fast it is done and nothing else.
    """

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
        if not (cell[-1:].isdigit() and PLAIN.issuperset(cell)):
            return False
        return not self._texts or self._column.tidy(cell) not in self._texts

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
