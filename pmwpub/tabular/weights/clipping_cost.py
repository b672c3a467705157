"""What clipping weights costs, as public tables show it: for choosing W, which no private row may."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pmwpub.errors import SchemaError
from pmwpub.records import Floats
from pmwpub.tabular.coding.encode import Encoder
from pmwpub.tabular.files.chunks import Places
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.text.inert_cells import place_in, stands_in
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.proposed_weights import numbers_of
from pmwpub.tabular.weights.weight_column import WeightColumn

NO_COLUMN = "The public table has no column {name!r}, so it cannot show what clipping costs."

MOST_AVERAGE = Fraction(10) ** 15


@dataclass(frozen=True)
class ClippingCost:
    """What one cap costs on one public table.

    clipped  the share of all weight that lies above the cap
    above    the share of rows that weigh more
    shift    by how much the weighted share of a level changes at most, and of which column
    total    what the clipped weights sum up to
    average  how many average rows one row of the cap counts as, 10^15 at most: by so much noise grows beside rows that
             count as one
    """

    cap: Fraction
    clipped: float
    above: float
    shift: float
    column: str
    total: float
    average: float


def clipping_costs(
    table: TextTable, schema: Schema, caps: Sequence[Fraction], *, of: str | None = None
) -> list[ClippingCost]:
    """The cost of each cap on a public table, of sums of the numbers as they are written, however large or small.

    of  the column of weights; the schema's own where none is said

    Raises SchemaError where no column is said and the schema weighs no rows, or the table lacks columns or has no
    weight.
    """
    column = schema.weight_column or schema.public_weights if of is None else WeightColumn(name=of, kind="weight")
    if column is None:
        raise SchemaError("The schema weighs no rows: give its column of weights a cap and a unit.")
    schema.check_header(table.header, with_id=False)
    if not stands_in(table.header, column.name):
        raise SchemaError(NO_COLUMN.format(name=column.name))
    tokens = frozenset(map(column.tidy, schema.missing_tokens))
    cells = table.cells.coded(place_in(table.header, column.name))
    numbers = [max(Fraction(0), column.number_of(cell, tokens)) for cell in cells.distinct]
    weights = _Weights(numbers, cells.places)
    if not weights.total > 0:
        raise SchemaError(f"No row of the public table weighs anything by its column {column.name!r}.")
    codes = Encoder(table.header, schema, written=True).codes(table.cells)
    return [_cost(schema, codes, weights, cap) for cap in caps]


def weights_in(table: TextTable, schema: Schema, name: str) -> dict[Fraction, int]:
    """The positive weights of a public table, rising, and how many rows have each; SchemaError without the column."""
    if not stands_in(table.header, name):
        raise SchemaError(NO_COLUMN.format(name=name))
    column = WeightColumn(name=name, kind="weight")
    tokens = frozenset(map(column.tidy, schema.missing_tokens))
    return numbers_of(name, table.cells.coded(place_in(table.header, name)).counts(), tokens)


@dataclass(frozen=True, eq=False)
class _Weights:
    """What public rows weigh: the numbers that stand in the table, one of them positive, and where each row's is."""

    numbers: Sequence[Fraction]
    places: Places

    @property
    def total(self) -> Fraction:
        """Exact: sums of floats may pass the largest."""
        often = np.bincount(self.places, minlength=len(self.numbers)).tolist()
        return sum((number * times for number, times in zip(self.numbers, often, strict=True)), Fraction(0))

    @property
    def scaled(self) -> Floats:
        """Each row's over a power of two that is about the largest number: neither infinite nor all zero."""
        top = max(self.numbers)
        scale = Fraction(2) ** (top.numerator.bit_length() - top.denominator.bit_length())
        found: Floats = np.array([float(number / scale) for number in self.numbers], dtype=np.float64)[self.places]
        return found

    def clipped(self, cap: Fraction) -> _Weights:
        return _Weights([min(number, cap) for number in self.numbers], self.places)


def _cost(schema: Schema, codes: np.ndarray, weights: _Weights, cap: Fraction) -> ClippingCost:
    clipped = weights.clipped(cap)
    sides, shifts = (weights.scaled, clipped.scaled), {}
    for place, attribute in enumerate(schema.domain.attributes):
        before, after = (np.bincount(codes[place], own, minlength=attribute.size + 1)[:-1] / own.sum() for own in sides)
        shifts[attribute.name] = float(np.abs(after - before).max())
    worst = max(shifts, key=lambda name: shifts[name])
    beyond = np.array([number > cap for number in weights.numbers])
    return ClippingCost(
        cap=cap,
        clipped=float(1 - clipped.total / weights.total),
        above=float(np.mean(beyond[weights.places])),
        shift=shifts[worst],
        column=worst,
        total=float(clipped.total),
        average=float(min(cap * len(weights.places) / clipped.total, MOST_AVERAGE)),
    )
