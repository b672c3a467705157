"""The columns of public tables that a budget would run into: those that name rows or tables, and their like."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pmwpub.records import Ints
from pmwpub.tabular.plain_numbers import plain_floats
from pmwpub.tabular.review.column_counts import PublicColumn, TableColumn
from pmwpub.tabular.review.column_meanings import sounds_like_weight
from pmwpub.tabular.review.row_names import names_rows
from pmwpub.tabular.review.table_names import names_tables
from pmwpub.tabular.review.verdict import Verdict
from pmwpub.tabular.schema.column_types import EncodedColumn, NumericColumn

Placer = Callable[[str], int]

FEW_WEIGHTS = 20
"""Distinct values below which a column is no survey weight, whatever its name."""
MANY = 100
"""Distinct cells from which on plain numbers are placed together."""


def verdict_on(column: PublicColumn, drafted: EncodedColumn | None, place: Placer | None) -> Verdict | None:
    """The worst that is to be said of a column; None of an unsuspicious one.

    drafted, place  how a schema encodes it, and the code of a cell under it; None where none does
    """
    found = [names_rows(column), _weight(column)]
    if drafted is not None and place is not None:
        shares = {table.table: level_shares(table, drafted, place) for table in column.tables}
        spellings = len(column.counts) if isinstance(drafted, NumericColumn) else len(set().union(*shares.values()))
        found.append(names_tables(column, shares, spellings=spellings))
    return min((one for one in found if one is not None), key=lambda one: one.rank, default=None)


def _weight(column: PublicColumn) -> Verdict | None:
    """A survey weight says how many people a row stands for, not what they are like."""
    if not sounds_like_weight(column.name) or len(column.counts) < min(FEW_WEIGHTS, column.rows // 2 + 1):
        return None
    if not all(_is_positive(cell) for cell in column.counts):
        return None
    why = (
        f"Its name is that of a survey weight, and its {len(column.counts):,} distinct values are positive numbers: it "
        "says how many people a row stands for."
    )
    return Verdict(column.name, "weight", why, "leave out", leaves_out=True)


def _is_positive(cell: str) -> bool:
    try:
        return 0 < float(cell) < float("inf")
    except ValueError:
        return False


def level_shares(table: TableColumn, drafted: EncodedColumn, place: Placer) -> dict[str, float]:
    """level -> share of the table's rows that have one, the missing level among them."""
    counts = table.all_counts
    codes = _codes(table, drafted, place)
    often = np.bincount(codes, np.fromiter(counts.values(), float, len(counts)), drafted.attribute.size + 1)
    total = often[:-1].sum()
    levels = drafted.attribute.levels
    return {levels[code]: float(often[code] / total) for code in np.flatnonzero(often[:-1])}


def _codes(table: TableColumn, drafted: EncodedColumn, place: Placer) -> Ints:
    """The code of each distinct cell; of many plain numbers at once."""
    cells = list(table.all_counts)
    plain = isinstance(drafted, NumericColumn) and not drafted.missing_codes and len(cells) > MANY
    plain = plain and not table.blank & table.all_counts.keys()
    values = plain_floats(cells) if plain else None
    if values is None or not isinstance(drafted, NumericColumn):
        return np.fromiter((place(cell) for cell in cells), np.int64, len(cells))
    inside = (values >= drafted.edges[0]) & (values <= drafted.edges[-1])
    found = np.minimum(np.searchsorted(drafted.cuts, values, side="right"), len(drafted.cuts) - 1) - 1
    for at in np.flatnonzero(~inside):
        found[at] = place(cells[at])
    return found
