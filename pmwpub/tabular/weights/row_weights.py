"""The weight of each row of a table, in whole units, and private rows that carry theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pmwpub.domain import Domain
from pmwpub.records import Codes, Ints
from pmwpub.tabular.files.chunks import Chunk
from pmwpub.tabular.files.text.inert_cells import place_in, stands_in
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.weight_column import WeightColumn


@dataclass(frozen=True, eq=False)
class WeightReader:
    """Reads the weights of tables with one header, chunk by chunk.

    Privacy: a row's weight is a function of its own cell and the schema, between 0 and the cap, whatever the cell says.
    """

    column: WeightColumn
    position: int
    tokens: frozenset[str]

    @classmethod
    def of(cls, header: Sequence[str], schema: Schema) -> WeightReader | None:
        """Of tables with this header under this schema; None where the schema weighs no row."""
        column = schema.weight_column
        if column is None:
            return None
        return cls(column, place_in(header, column.name), frozenset(map(column.tidy, schema.missing_tokens)))

    @classmethod
    def of_public(cls, header: Sequence[str], schema: Schema) -> WeightReader | None:
        """Of public tables with this header; None where the schema weighs no public row, or they lack the column."""
        column = schema.public_weights
        if column is None or not stands_in(header, column.name):
            return None
        return cls(column, place_in(header, column.name), frozenset(map(column.tidy, schema.missing_tokens)))

    def weights(self, chunk: Chunk) -> Ints:
        """int64 (rows,), each 0 to the cap in units."""
        coded = chunk.coded(self.position)
        units = [self.column.weight_of(cell, self.tokens) for cell in coded.distinct]
        found: Ints = np.array(units, dtype=np.int64)[coded.places]
        return found


class _CodedRows(Protocol):
    @property
    def domain(self) -> Domain: ...
    def __len__(self) -> int: ...
    def blocks(self) -> Iterator[Codes]: ...


class _ReadWithWeights(_CodedRows, Protocol):
    def read_with_weights(self) -> Iterator[tuple[Codes, Ints]]: ...


class _RowsAlone:
    """The rows of what carries weights, without them."""

    rows: _CodedRows

    @property
    def domain(self) -> Domain:
        return self.rows.domain

    def __len__(self) -> int:
        return len(self.rows)

    def blocks(self) -> Iterator[Codes]:
        """(d, rows) codes, without weights: for what compares rows, and counts none."""
        return self.rows.blocks()


@dataclass(frozen=True, eq=False, repr=False)
class WeighedTable(_RowsAlone):
    """Private rows in memory, with the weight of each.

    own  int64 (n,), each 0 to the cap in units

    Privacy: private rows and weights; the repr shows nothing.
    """

    rows: _CodedRows
    own: Ints

    def weighed_blocks(self) -> Iterator[tuple[Codes, Ints]]:
        """Blocks as in `blocks`, each with the weights of its rows."""
        begin = 0
        for block in self.rows.blocks():
            end = begin + block.shape[1]
            yield block, self.own[begin:end]
            begin = end


@dataclass(frozen=True, eq=False, repr=False)
class WeighedFile(_RowsAlone):
    """Private rows that stay in their file, read with the weight of each.

    Privacy: private rows; nothing of them is written anywhere.
    """

    rows: _ReadWithWeights

    def weighed_blocks(self) -> Iterator[tuple[Codes, Ints]]:
        """Blocks as in `blocks`, each with the weights of its rows."""
        return self.rows.read_with_weights()
