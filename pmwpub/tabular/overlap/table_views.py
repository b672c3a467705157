"""What a table is known by beyond its text: its rows as the schema codes them, and their cells in plain spelling.

Columns that the schema does not code, the order of rows and columns, and how a file writes a cell do not count. The
first view is equal for rows that a mechanism cannot tell apart; the second serves where two schemas cut the same
columns into other levels, and where a level is written in another way: 1.0 for 1, nothing for NA.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pmwpub.domain import Domain
from pmwpub.records import Codes
from pmwpub.tabular.coding.encode import Encoder
from pmwpub.tabular.files.chunks import Chunk, TableStream
from pmwpub.tabular.files.row_numbers import Words, mixed, words_of
from pmwpub.tabular.files.text.inert_cells import place_in
from pmwpub.tabular.schema.table_schema import Schema

Floats = npt.NDArray[np.float64]

_NOTHING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "nat", "null", "none"})
_EMPTY = words_of([""], 1)[0, 0]


class CodedRows:
    """A number for each row by its labels: the sum over the columns of 64 bits of (column, label), modulo 2^64.

    Equal under schemas that give the row the same labels, in whatever order they list columns and levels. Parents of
    columns add nothing, for they follow from these.

    Privacy: as private as the rows.
    """

    def __init__(self, domain: Domain) -> None:
        self._bits = {}
        for place in domain.own:
            one = domain.attributes[place]
            named = [f"level {one.name}\x1f{level}" for level in one.levels]
            self._bits[place] = words_of([*named, f"no level {one.name}"], 1)[:, 0]

    def of(self, codes: Codes) -> Words:
        """uint64 (rows,) of codes (d, rows)."""
        numbers = np.zeros(codes.shape[1], dtype=np.uint64)
        for place, bits in self._bits.items():
            numbers += bits.take(codes[place])
        return numbers


class SpeltRows:
    """A number for each row by the cells of the columns that the schema codes, each in plain spelling.

    A number stands for its value; any other text is taken without case and spaces around it; what stands for nothing
    is nothing, by the schema's missing tokens or by the words that programs write.

    Privacy: as private as the rows.
    """

    def __init__(self, header: Sequence[str], schema: Schema) -> None:
        names = [column.name for column in schema.encoded]
        self._positions = [place_in(header, name) for name in names]
        self._multipliers = words_of([f"name {name}" for name in names], 1)[:, 0] | np.uint64(1)
        self._nothing = _NOTHING | {_tidy(token) for token in schema.missing_tokens}
        self._numbers = any(not math.isnan(_number(token)) for token in self._nothing)

    def of(self, chunk: Chunk) -> Words:
        """uint64 (rows,)"""
        numbers = np.zeros(len(chunk), dtype=np.uint64)
        for position, multiplier in zip(self._positions, self._multipliers, strict=True):
            column = chunk.coded(position)
            numbers += (self._words(column.distinct) * multiplier).take(column.places)
        return numbers

    def _words(self, cells: Sequence[str]) -> Words:
        try:
            values = np.array([*map(float, filter(None, cells))])
        except ValueError:
            return self._one_by_one(cells)
        if self._numbers or len(values) < len(cells) - 1 or np.isnan(values).any():
            return self._one_by_one(cells)
        words = _of_values(values)
        if len(words) < len(cells):
            words = np.insert(words, cells.index(""), _EMPTY)
        return words

    def _one_by_one(self, cells: Sequence[str]) -> Words:
        values = np.zeros(len(cells))
        texts: dict[int, str] = {}
        for place, cell in enumerate(cells):
            tidy = _tidy(cell)
            value = math.nan if tidy in self._nothing else _number(tidy)
            if math.isnan(value):
                texts[place] = "" if tidy in self._nothing else tidy
            values[place] = value
        words = _of_values(values)
        words[list(texts)] = words_of(list(texts.values()), 1)[:, 0]
        return words


class Views:
    """Both views of the tables with one header under one schema, while their rows come in.

    Privacy: as private as the table; a store keeps nothing but the HMACs of `values`.
    """

    def __init__(self, header: Sequence[str], schema: Schema) -> None:
        self._names = sorted(column.name for column in schema.encoded)
        self._coded, self._spelt = CodedRows(schema.domain), SpeltRows(header, schema)
        self._rows = 0
        self._sums = np.zeros(2, dtype=np.uint64)

    def add(self, chunk: Chunk, codes: Codes) -> Words:
        """Add rows; returns their numbers as `CodedRows` gives them."""
        coded = self._coded.of(codes)
        spelt = self._spelt.of(chunk)
        self._rows += len(chunk)
        self._sums += np.array([mixed(one).sum(dtype=np.uint64) for one in (coded, spelt)])
        return coded

    @property
    def values(self) -> tuple[bytes, bytes]:
        """32 bytes each: equal for equal rows, as coded and as spelt."""
        coded, spelt = (self._value(kind, total) for kind, total in zip(("coded", "spelt"), self._sums, strict=True))
        return coded, spelt

    def _value(self, kind: str, total: np.uint64) -> bytes:
        content = [kind, *self._names, str(self._rows), str(total)]
        return hashlib.blake2b("\x1f".join(content).encode("utf-8", "surrogatepass"), digest_size=32).digest()


def viewed(table: TableStream, schema: Schema) -> tuple[tuple[bytes, bytes], Words]:
    """The `Views.values` of a table, and its rows' coded numbers; SchemaError where it lacks a column."""
    schema.check_header(table.header, with_id=False)
    views, encoder = Views(table.header, schema), Encoder(table.header, schema)
    numbers = [views.add(chunk, encoder.codes(chunk)) for chunk in table.chunks()]
    return views.values, np.concatenate(numbers)


def _tidy(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _of_values(values: Floats) -> Words:
    return mixed((values + 0.0).view(np.uint64) + np.uint64(1))  # -0.0 + 0.0 is 0.0
