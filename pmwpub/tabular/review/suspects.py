"""The columns of public tables that a budget would run into: those that name rows or tables, and their like."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pmwpub.numerals import read_float
from pmwpub.records import Ints
from pmwpub.tabular.review.column_counts import PublicColumn, TableColumn
from pmwpub.tabular.review.column_meanings import may_be_weight, sounds_like_weight
from pmwpub.tabular.review.row_names import names_rows
from pmwpub.tabular.review.table_names import names_tables
from pmwpub.tabular.review.verdict import Verdict
from pmwpub.tabular.schema.column_types import EncodedColumn as Drafted
from pmwpub.tabular.schema.column_types import NumericColumn
from pmwpub.tabular.weights.proposed_weights import numbers_of, proposed_weight

Coder = Callable[[Sequence[str]], Ints]
"""Cells -> their codes."""

FEW_WEIGHTS = 20
"""Distinct values below which a column is no survey weight, whatever its name."""
FEW_TEXTS = 60
"""Distinct texts up to which those of a column that is not encoded are compared between tables."""


def verdict_on(column: PublicColumn, drafted: Drafted | None, codes: Coder | None) -> Verdict | None:
    """The worst that is to be said of a column; None of an unsuspicious one.

    drafted, codes  how a schema encodes it; None where it does not, then texts are compared as they stand
    """
    found = [names_rows(column), _weight(column)]
    if drafted is not None and codes is not None:
        shares = {table.table: level_shares(table, drafted, codes) for table in column.tables}
        spellings = len(column.counts) if isinstance(drafted, NumericColumn) else len(set().union(*shares.values()))
        found.append(names_tables(column, shares, spellings=spellings))
    elif len(column.counts) <= FEW_TEXTS:
        shares = {table.table: _text_shares(table) for table in column.tables}
        found.append(names_tables(column, shares, spellings=len(column.counts)))
    return min((one for one in found if one is not None), key=lambda one: one.rank, default=None)


def _weight(column: PublicColumn) -> Verdict | None:
    """A survey weight says how many people a row stands for, not what they are like."""
    sure = sounds_like_weight(column.name)
    if not (sure or may_be_weight(column.name)) or len(column.counts) < min(FEW_WEIGHTS, column.rows // 2 + 1):
        return None
    if not all(_is_positive(cell) for cell in column.counts):
        return None
    proposed = proposed_weight(numbers_of(column.name, column.counts))
    why = (
        f"Its name is that of a survey weight, and its {len(column.counts):,} distinct values are positive numbers: it "
        "says how many people a row stands for."
        if sure
        else f"Its {len(column.counts):,} distinct values are positive numbers: a survey's weights, which say how many "
        "people a row stands for, or a body's."
    )
    return Verdict(column.name, "weight", why, "leave out" if sure else "keep", leaves_out=sure, weight=proposed)


def _is_positive(cell: str) -> bool:
    try:
        return read_float(cell) > 0
    except ValueError:
        return False


def level_shares(table: TableColumn, drafted: Drafted, codes: Coder) -> dict[str, float]:
    """level -> share of the table's rows that have one, the missing levels among them."""
    counts = table.all_counts
    found = codes(list(counts)).astype(np.int64)
    often = np.bincount(found, np.fromiter(counts.values(), float, len(counts)), drafted.attribute.size + 1)
    total, levels = often[:-1].sum(), drafted.attribute.levels
    return {levels[code]: float(often[code] / total) for code in np.flatnonzero(often[:-1])}


def _text_shares(table: TableColumn) -> dict[str, float]:
    return {text: often / table.rows for text, often in table.counts.items()}
