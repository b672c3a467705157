"""Public rows that break rules: how many, and which ones, for whoever wants to look at them. Never private rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmwpub.tabular.coding.encode import Encoder
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.schema.table_schema import Schema

FIRST = 20
"""So many rows are named."""


@dataclass(frozen=True)
class BrokenRows:
    """The rows of one public table that have a level everywhere and break one rule.

    rows   how many
    first  the numbers of the first of them, counted from 1 below the header
    """

    rows: int
    first: tuple[int, ...]

    @property
    def words(self) -> str:
        """The numbers in words: "rows 3, 17 and 5 more"."""
        listed = ", ".join(f"{number:,}" for number in self.first)
        more = self.rows - len(self.first)
        return f"row{'s' if self.rows > 1 else ''} {listed}" + (f" and {more:,} more" if more else "")


def broken_rows(table: TextTable, schema: Schema, *, first: int = FIRST) -> tuple[BrokenRows, ...]:
    """For each rule the rows of a public table that break it; SchemaError where it lacks columns of the schema."""
    if schema.row_rules is None:
        return ()
    schema.check_header(table.header, with_id=False)
    codes = Encoder(table.header, schema, written=True).codes(table.cells).T
    whole = np.all(codes < np.asarray(schema.domain.shape), axis=1)
    places = [np.flatnonzero(broken & whole) for broken in schema.row_rules.broken_by_rule(codes)]
    return tuple(BrokenRows(len(one), tuple((one[:first] + 1).tolist())) for one in places)
