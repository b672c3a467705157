"""Columns that name the table: constant ones, waves, regions, and levels that one public table has and another lacks.

No reweighting of a table B gives mass to a level that its rows lack. So where table A has shares p of a column, the
best mixture on B's levels is off by the largest missing share at least; and the missing mass M has to go somewhere on
B's b levels, so by M/b. The larger of the two is the best-mixture error of this one column (a 1-way workload) exactly,
for spreading M evenly reaches it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations

from pmwpub.tabular.review.column_counts import PublicColumn
from pmwpub.tabular.review.verdict import Verdict
from pmwpub.tabular.schema.proposing.dates import APART

FEWEST = 4
"""Rows with a value, in all tables, below which a column that does not change says nothing."""
WORTH_SAYING = 0.05
"""Best-mixture error between public tables that is pointed out."""

Shares = Mapping[str, Mapping[str, float]]
"""table -> level -> share of the table's rows that have one."""


@dataclass(frozen=True)
class Separation:
    """What one table lacks of another in one column.

    truth, candidate  the tables' names; the candidate's rows are reweighted
    missing           share of the truth's rows whose level the candidate lacks
    error             the best-mixture error of this column alone
    level             the level with the largest missing share, "" without one
    """

    truth: str
    candidate: str
    missing: float
    error: float
    level: str


def names_tables(column: PublicColumn, shares: Shares, *, spellings: int) -> Verdict | None:
    """What is to be said of a column that tells the tables apart; None where it does not.

    shares     of the column's levels; of bins, where it is numeric
    spellings  how many values stand in it, spellings of one counted once
    """
    if column.rows < FEWEST or not column.counts:
        return None
    if spellings == 1 and not column.has_blanks:
        cell = next(iter(column.counts))
        why = (
            f"All {column.rows:,} public rows have the same value ({_short(cell)}); there is nothing to learn from it."
        )
        return Verdict(column.name, "constant", why, "leave out", leaves_out=True)
    return (_constant_each(column, shares) if spellings > 1 else None) or _apart(column, shares)


def separations(shares: Shares) -> list[Separation]:
    """Each table as the truth against each other one, the largest error first; shares by table and level."""
    found = [
        _separation(truth, candidate, shares[truth], shares[candidate])
        for truth, candidate in permutations(shares, 2)
        if shares[truth] and shares[candidate]
    ]
    return sorted(found, key=lambda one: -one.error)


def _separation(truth: str, candidate: str, wanted: Mapping[str, float], there: Mapping[str, float]) -> Separation:
    lacking = {level: share for level, share in wanted.items() if level not in there}
    level = max(lacking, key=lacking.__getitem__, default="")
    missing = min(1.0, sum(lacking.values()))
    return Separation(truth, candidate, missing, max(lacking.get(level, 0.0), missing / len(there)), level)


def _constant_each(column: PublicColumn, shares: Shares) -> Verdict | None:
    """One level in each table, and not the same in all; numbers in one bin are told apart by themselves."""
    seen = [table for table in column.tables if table.rows]
    if len(seen) < 2 or any(table.rows < 2 or len(shares.get(table.table, {})) > 1 for table in seen):
        return None
    alone = all(len(table.counts) == 1 for table in seen)
    found = [next(iter((not alone and shares.get(table.table)) or table.counts)) for table in seen]
    if len(set(found)) == 1:
        return None
    values = ", ".join(f"{_short(value)} in {table.table}" for value, table in zip(found[:3], seen, strict=False))
    more = f" and so on in {len(seen) - 3} more" if len(seen) > 3 else ""
    what = "value" if alone else "level"
    why = f"It has one {what} in each table ({values}{more}): it says which table a row is from. {_lost(shares)}"
    return Verdict(column.name, "names tables", why.rstrip(), "leave out", leaves_out=True)


def _apart(column: PublicColumn, shares: Shares) -> Verdict | None:
    found = separations(shares)
    if not found or found[0].error < WORTH_SAYING:
        return None
    if all(one.missing >= APART for one in found):
        why = f"The tables share {'no' if all(one.missing == 1 for one in found) else 'hardly any'} level of it: "
        why += f"it says which table a row is from. {_lost(shares)}"
        return Verdict(column.name, "names tables", why, "leave out", leaves_out=True)
    return Verdict(column.name, "separating", _lost(shares), "keep", leaves_out=False)


def _lost(shares: Shares) -> str:
    """The worst pair in words; "" where the levels are the same, as where a column is numeric and in one bin."""
    worst = next(iter(separations(shares)), None)
    if worst is None or not worst.level:
        return ""
    return (
        f"{worst.missing:.0%} of the rows of {worst.truth} have a level that {worst.candidate} lacks (such as "
        f"{_short(worst.level)}): no reweighting of {worst.candidate} can answer this column better than to "
        f"{worst.error:.3f}."
    )


def _short(cell: str) -> str:
    return repr(cell if len(cell) <= 24 else cell[:23] + "…")
