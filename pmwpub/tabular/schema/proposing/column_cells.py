"""The cells of one column in all public tables, each distinct text once, and what a proposal says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from pmwpub.records import Floats, Ints
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.text.inert_cells import PLAIN_NUMBER
from pmwpub.tabular.plain_numbers import plain_floats
from pmwpub.tabular.schema.column_types import RESERVED, Column, IgnoredColumn, NumericColumn
from pmwpub.tabular.schema.draft_record import Left, Merged, Remark, Remedy, Rule

LARGEST = 1e15


@dataclass(frozen=True, eq=False)
class ColumnCells:
    """One column: of each table that has it, text -> how often.

    remedies  what a person decided about this column
    """

    name: str
    tables: tuple[Mapping[str, int], ...]
    remedies: tuple[Remedy, ...] = ()

    @classmethod
    def of(cls, name: str, tables: Sequence[TextTable], remedies: Sequence[Remedy] = ()) -> ColumnCells:
        """The column of that name, where a table has it."""
        counts = tuple(table.column(name).counts() for table in tables if name in table.header)
        return cls(name, counts, tuple(remedy for remedy in remedies if remedy.column == name))

    def asked(self, rule: Rule) -> list[str]:
        """What a person decided by one rule, in order."""
        return [remedy.value for remedy in self.remedies if remedy.rule == rule]

    def last(self, rule: Rule) -> str | None:
        """The last such decision."""
        asked = self.asked(rule)
        return asked[-1] if asked else None

    @cached_property
    def counts(self) -> dict[str, int]:
        """text -> how often in all tables, in order of first appearance."""
        found: Counter[str] = Counter()
        for table in self.tables:
            found.update(table)
        return dict(found)

    def remedy(self, rule: Rule, value: str) -> Remedy:
        """A decision that could be taken about this column."""
        return Remedy(self.name, rule, value)


@dataclass(frozen=True)
class Proposal:
    """A column, or why it is left out; with what a person should know of it."""

    column: Column
    why: str = ""
    left: Left | None = None
    remarks: tuple[Remark, ...] = ()
    merged: tuple[Merged, ...] = field(default=())

    def of(self, column: Column) -> Proposal:
        """With another form of the column."""
        return replace(self, column=column)

    def also(self, *remarks: Remark) -> Proposal:
        """With more remarks."""
        return replace(self, remarks=(*self.remarks, *remarks))


def left_out(name: str, why: str, *remedies: Remedy) -> Proposal:
    """A column that is left out, with its reason."""
    return Proposal(IgnoredColumn(name=name, kind="ignore"), left=Left(name, why, remedies))


def numbers_in(counts: Mapping[str, int], column: NumericColumn) -> tuple[Floats, Ints, list[str]]:
    """The numbers among the cells, as the column reads them, how often each stands, and the cells that are none.

    A column of version 2 whose decimals have commas also reads plain numbers with points (`written_cells`).
    """
    plain = plain_floats([*counts]) if column.decimal == "." and not column.thousands else None
    if plain is not None and bool(np.all(np.abs(plain) <= LARGEST)):
        return plain, np.fromiter(counts.values(), np.int64, len(counts)), []
    values = [column.value(column.tidy(cell)) for cell in counts]
    if column.same and column.reads_points:
        pointed = [value is None and PLAIN_NUMBER.fullmatch(cell) for cell, value in zip(counts, values, strict=True)]
        values = [
            column.value(cell.replace(".", ",")) if found else value
            for found, cell, value in zip(pointed, counts, values, strict=True)
        ]
    good = [value is not None and abs(value) <= LARGEST for value in values]
    numbers = np.array([value for value, ok in zip(values, good, strict=True) if ok], dtype=np.float64)
    often = np.array([n for n, ok in zip(counts.values(), good, strict=True) if ok], dtype=np.int64)
    return numbers, often, [cell for cell, ok in zip(counts, good, strict=True) if not ok]


def without_reserved(counts: Mapping[str, int]) -> Mapping[str, int]:
    """The cells but those that have the name of a missing or other level."""
    if not counts.keys() & set(RESERVED):
        return counts
    return {cell: often for cell, often in counts.items() if cell not in RESERVED}


def shown(cell: str) -> str:
    """A public cell in words."""
    return repr(cell if len(cell) <= 24 else cell[:23] + "…")


def share(part: int, whole: int) -> str:
    """A part in words: "15 of 37"."""
    return f"{part:,} of {whole:,}"
