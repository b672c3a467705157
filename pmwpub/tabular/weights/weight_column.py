"""The column of survey weights: named and left aside, or, with a cap and a unit, taken in whole units (version 2)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Annotated, Literal

from pydantic import BeforeValidator, SerializerFunctionWrapHandler, model_serializer, model_validator

from pmwpub.tabular.schema.column_rules import NamedColumn

MOST_UNITS = 1_000
"""The cap is at most so many units, so that sums of weights stay within 64 bits."""

MOST_TOTAL = 10**12
"""Units of a total: products with whole weights of public rows stay within 64 bits."""

LONGEST = 40
"""Characters of a weight that are looked at."""

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")


def plain_decimal(given: object) -> str:
    """One text for one positive decimal number: 0.50, 5e-1 and .5 are "0.5"; ValueError for what is none."""
    text = str(given) if isinstance(given, int | float) and not isinstance(given, bool) else given
    if not isinstance(text, str) or len(text) > LONGEST or _DECIMAL.fullmatch(text.strip()) is None:
        raise ValueError("caps, units and totals of weights are decimal numbers")
    number = Decimal(text.strip())
    if number <= 0 or not -12 <= number.adjusted() <= 15:
        raise ValueError("caps, units and totals of weights are positive, from 10^-12 to 10^15")
    written = f"{number:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


PositiveDecimal = Annotated[str, BeforeValidator(plain_decimal)]


class WeightColumn(NamedColumn):
    """How many people a row of a survey stands for (version 2).

    cap    W: a weight counts as at most so much; without a cap the column is named, and left aside
    unit   weights are rounded to whole multiples of it; W is 1 to 1,000 of them
    total  what all weights are taken to add up to, at most 10^12 units; a declared constant, against which no file is
           held
    weighs whose rows: the private table's where nothing is said, those of public tables too ("all"), or these alone
           ("public")

    Keys that are not said are not written, so that schemas from before they existed keep their hash.
    """

    kind: Literal["weight"]
    cap: PositiveDecimal | None = None
    unit: PositiveDecimal | None = None
    total: PositiveDecimal | None = None
    weighs: Literal["all", "public"] | None = None

    @model_validator(mode="after")
    def _check_units(self) -> WeightColumn:
        if (self.cap is None) != (self.unit is None) or (self.total is not None and self.cap is None):
            raise ValueError("a column of weights has a cap and a unit, or neither; a total needs both")
        if self.weighs is not None and self.cap is None:
            raise ValueError("a column of weights that says whose rows it weighs needs a cap and a unit")
        if self.weighs == "public" and self.total is not None:
            raise ValueError("a total is of the private table's weights; a column that weighs public rows has none")
        if self.cap is not None and self.unit is not None:
            units = Fraction(self.cap) / Fraction(self.unit)
            if units.denominator != 1 or not 1 <= units <= MOST_UNITS:
                raise ValueError(f"the cap of a column of weights is 1 to {MOST_UNITS:,} whole units")
            if self.total is not None and not 1 <= (self.total_units or 0) <= MOST_TOTAL:
                raise ValueError(f"the total of a column of weights is at least one unit, and at most {MOST_TOTAL:,}")
        return self

    @model_serializer(mode="wrap")
    def _without_what_is_not_said(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written: dict[str, object] = write(self)
        return {key: value for key, value in written.items() if key not in _LATER or value is not None}

    @property
    def units(self) -> tuple[Fraction, int]:
        """The unit, and the cap in units; ValueError of a column without a cap, which is left aside."""
        if self.cap is None or self.unit is None:
            raise ValueError("a column of weights without a cap is left aside")
        unit = Fraction(self.unit)
        return unit, int(Fraction(self.cap) / unit)

    @property
    def of_private(self) -> bool:
        """Whether private rows are weighed by it."""
        return self.cap is not None and self.weighs != "public"

    @property
    def of_public(self) -> bool:
        """Whether rows of public tables that have the column are weighed by it."""
        return self.cap is not None and self.weighs is not None

    @property
    def words(self) -> str:
        """By what rows are weighed, for readers."""
        unit, cap = self.units
        return f"{self.name}, in whole units of {self.unit}, at most {float(cap * unit):,.10g} each"

    @property
    def total_units(self) -> int | None:
        """The declared total in units, halves up; None where none is declared."""
        return None if self.total is None else floor(Fraction(self.total) / self.units[0] + Fraction(1, 2))

    def weight_of(self, cell: str, missing_tokens: frozenset[str] = frozenset()) -> int:
        """A cell's weight in units: min(max(floor(x/u + 1/2), 0), W/u); 0 of a cell that is missing or no number.

        missing_tokens  the schema's, tidied

        Total: no cell raises. Nothing but the cell and the schema is looked at.
        """
        unit, cap = self.units
        number = self.number_of(cell, missing_tokens)
        return min(max(floor(number / unit + Fraction(1, 2)), 0), cap)

    def number_of(self, cell: str, missing_tokens: frozenset[str] = frozenset()) -> Fraction:
        """The number that a cell writes; 0 of one that is missing or no number."""
        text = self.tidy(cell).strip()
        if text in missing_tokens or len(text) > LONGEST or _DECIMAL.fullmatch(text) is None:
            return Fraction(0)
        return Fraction(text)


_LATER = frozenset({"cap", "unit", "total", "weighs"})


def weighing_columns(columns: Iterable[NamedColumn]) -> list[WeightColumn]:
    """The columns by which private rows are weighed."""
    return [column for column in columns if isinstance(column, WeightColumn) and column.of_private]


def columns_of_public_weights(columns: Iterable[NamedColumn]) -> list[WeightColumn]:
    """The columns by which public rows are weighed."""
    return [column for column in columns if isinstance(column, WeightColumn) and column.of_public]


def check_weighing(columns: Iterable[NamedColumn], *, keeps_rows: bool) -> None:
    """ValueError for two columns by which rows of one kind are weighed, or one of private rows where k rows of an ID
    are kept."""
    weighing = weighing_columns(columns)
    if len(weighing) > 1:
        raise ValueError("at most one column of weights has a cap; the others are named without one")
    if len(columns_of_public_weights(columns)) > 1:
        raise ValueError("public rows are weighed by at most one column; the others do not say so")
    if weighing and keeps_rows:
        raise ValueError('rows are not weighed where "beyond": "keep" keeps k rows of an ID; leave out one of them')
