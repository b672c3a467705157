"""In which columns private cells may not fit the schema, by public facts alone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

from pmwpub.tabular.schema.column_types import (
    CategoricalColumn,
    DateColumn,
    EncodedColumn,
    NumericColumn,
    text_of_number,
)
from pmwpub.tabular.schema.table_schema import Schema

Danger = Literal["spellings", "texts", "codes", "other", "dates", "range"]
DANGERS: tuple[Danger, ...] = get_args(Danger)
"""The most pressing first."""


@dataclass(frozen=True)
class MisfitRisk:
    """A column whose private cells may take no level, "(other)" or a clipped end, and why, in words."""

    column: str
    danger: Danger
    why: str


def misfit_risks(schema: Schema, spelt_apart: Collection[str] = ()) -> tuple[MisfitRisk, ...]:
    """The columns that public facts call risky, the most pressing first.

    spelt_apart  columns whose values the public tables themselves spell in several ways

    A categorical column of a few plain whole numbers is none: there is one way to write them.

    Privacy: a function of the schema and of public tables; no private row is looked at.
    """
    found = [risk for column in schema.encoded if (risk := _risk_of(column, column.name in spelt_apart)) is not None]
    return tuple(sorted(found, key=lambda risk: DANGERS.index(risk.danger)))


def _risk_of(column: EncodedColumn, spelt_apart: bool) -> MisfitRisk | None:
    if spelt_apart:
        return MisfitRisk(column.name, "spellings", "The public tables spell values of it in several ways.")
    if isinstance(column, NumericColumn):
        return MisfitRisk(column.name, "range", _range_words(column))
    if isinstance(column, DateColumn):
        return MisfitRisk(column.name, "dates", "A date that is written in another order has no level.")
    return _risk_of_levels(column)


def _range_words(column: NumericColumn) -> str:
    ends = f"{text_of_number(column.edges[0])} to {text_of_number(column.edges[-1])}"
    fate = {"clip": "go into the end bins", "other": 'become "(other)"', "none": "have no level"}[column.outside]
    return f"Numbers beyond {ends} {fate}; what is no number misfits too."


def _risk_of_levels(column: CategoricalColumn) -> MisfitRisk | None:
    if any(letter.isalpha() for level in column.levels for letter in level):
        return MisfitRisk(column.name, "texts", "Its levels are texts, which can be misspelt.")
    if any(len(level) > 1 and level.startswith("0") for level in column.levels):
        return MisfitRisk(column.name, "codes", "Its levels are codes, whose leading zeros get lost.")
    if column.other:
        return MisfitRisk(column.name, "other", 'Values that are no level of it become "(other)".')
    return None
