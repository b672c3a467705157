"""Columns that name the row, or the person that several rows belong to: IDs and row numbers, whatever they are called.

A draw from any law repeats itself about as often as it hits neighbouring whole numbers: of n independent draws with
probabilities p_i, the expected number of equal pairs is C(n, 2) sum p_i^2, that of pairs one apart
n (n - 1) sum p_i p_(i+1), by Cauchy and Schwarz at most twice as many. So a column whose values are all different while
m pairs of them follow one another happens with probability about (2/3)^m at most if the values were drawn: they were
handed out, like numbers. Amounts with gaps, which differ by chance, have no such pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pmwpub.records import Ints
from pmwpub.tabular.files.text.first_lines import ROW_NAMES
from pmwpub.tabular.plain_numbers import plain_floats
from pmwpub.tabular.review.column_counts import PublicColumn, TableColumn
from pmwpub.tabular.review.column_meanings import sounds_like_id, sounds_like_measure
from pmwpub.tabular.review.verdict import Advice, Verdict
from pmwpub.tabular.schema.proposing.clothed_numbers import are_clothed

FEWEST = 20
"""Rows with a value below which a table says nothing about whether its rows are named."""
HANDED_OUT = 23
"""Pairs that follow one another, with no value twice: (2/3)^23 is below 1e-4."""
CLIPPED = 100
"""The same beside one repeated end, for a sentinel among short runs of numbers is more common than clipped IDs."""
MANY_ROWS = 1_000
UNIFORM = 1.63
"""Kolmogorov's statistic times the root of n, at 1 %."""
MOST_OF_ONE = 10
"""Rows that one ID has at most, on average, to be recognised."""
MANY_IDS = 60
LOOKED_AT = 1_000
"""Distinct values, the first ones, by which it is told whether values are amounts or texts."""

_OF_AMOUNTS = frozenset("0123456789.,' +-%$€£eE/:T\u2019\u00a0\u202f")
"""Letters of numbers in some writing, and of dates and times."""


def names_rows(column: PublicColumn) -> Verdict | None:
    """What is to be said of a column that names rows or people; None where it does not seem to.

    The tables with at least `FEWEST` values must agree. Row names that R or pandas wrote need none: somebody said so.
    """
    if column.name == ROW_NAMES:
        return _named(column, "a first column without a name, as R and pandas write the names of rows")
    for judge in (_each_its_own, _clipped, _repeated, _spread):
        found = _agreed(column, judge)
        if found is not None:
            return found
    return None


def _agreed(column: PublicColumn, judge: Callable[[PublicColumn, TableColumn], Verdict | None]) -> Verdict | None:
    seen = [table for table in column.tables if table.rows >= FEWEST]
    found = [judge(column, table) for table in seen]
    return found[0] if found and all(verdict is not None for verdict in found) else None


def _each_its_own(column: PublicColumn, table: TableColumn) -> Verdict | None:
    if len(table.counts) != table.rows:
        return None
    numbers, all_differ = table.whole_numbers, f"all {table.rows:,} values of {table.table} differ"
    if numbers is None:
        return None if _measured(table) else _text(column, table, all_differ)
    following = int(np.count_nonzero(np.diff(numbers) == 1))
    if following >= HANDED_OUT or (sounds_like_id(column.name) and following >= table.rows // 2):
        if sounds_like_measure(column.name) and table.rows <= MANY_ROWS:
            return _perhaps(column, f"{all_differ} and {following:,} of them follow one another")
        why = f"{all_differ}, and {following:,} of them are one more than another: numbers that were handed out"
        return _named(column, why)
    if sounds_like_id(column.name):
        return _named(column, f"{all_differ}, and its name is that of an ID")
    if table.rows > MANY_ROWS and _evenly_spread(numbers):
        return _named(column, f"{all_differ} and are spread evenly from {numbers[0]} to {numbers[-1]}")
    return None


def _text(column: PublicColumn, table: TableColumn, all_differ: str) -> Verdict | None:
    if _amounts(table) and not sounds_like_id(column.name):
        codes = _digits(table)
        few = codes and table.rows <= MANY_IDS
        why = f"{all_differ}, codes of digits"
        return None if not codes else _perhaps(column, why) if few else _named(column, why)
    return _named(column, f"{all_differ}, so that each says which row it is")


def _amounts(table: TableColumn) -> bool:
    """Whether most values are numbers in some writing, or dates, or all have a unit; some of many are looked at."""
    cells = list(table.counts)[:LOOKED_AT]
    return sum(map(_is_amount, cells)) > len(cells) // 2 or are_clothed(cells)


def _is_amount(cell: str) -> bool:
    return set(cell) <= _OF_AMOUNTS and any(map(str.isdecimal, cell))


def _clipped(column: PublicColumn, table: TableColumn) -> Verdict | None:
    """Numbers that were handed out, and one end that all beyond it were set to."""
    numbers = table.whole_numbers
    if numbers is None or int(np.count_nonzero(table.often > 1)) != 1 or sounds_like_measure(column.name):
        return None
    spike = int(max(table.counts, key=table.counts.__getitem__))
    if spike not in (numbers[0], numbers[-1]):
        return None
    following = int(np.count_nonzero(np.diff(numbers[numbers != spike]) == 1))
    if following < CLIPPED and not (sounds_like_id(column.name) and following >= HANDED_OUT):
        return None
    repeats = table.counts[str(spike)]
    return _named(
        column,
        f"{len(numbers) - 1:,} values of {table.table} differ and {following:,} of them are one more than another, "
        f"and {repeats:,} rows have {spike}, as if numbers beyond it had been clipped",
    )


def _repeated(column: PublicColumn, table: TableColumn) -> Verdict | None:
    """Several rows a person: as many values as a tenth of the rows or more, each about as often."""
    distinct = len(table.counts)
    mean = table.rows / distinct
    if not 1 < mean <= MOST_OF_ONE or distinct < FEWEST // 2 or _measured(table):
        return None
    if not sounds_like_id(column.name) and not _stand_together(column, table, distinct):
        return None
    if table.whole_numbers is None and not sounds_like_id(column.name) and _amounts(table) and not _digits(table):
        return None
    why = (
        f"{table.table} has {distinct:,} values in {table.rows:,} rows, {mean:.1f} rows for each and at most "
        f"{int(table.often.max())}: several rows of one person, household or firm"
    )
    return Verdict(column.name, "repeated id", _sentence(why), "declare id", leaves_out=True)


def _measured(table: TableColumn) -> bool:
    """Whether all values are numbers and some have decimals, which no ID has, whatever its name."""
    return table.whole_numbers is None and not _digits(table) and plain_floats([*table.counts]) is not None


def _digits(table: TableColumn) -> bool:
    return all(cell.isascii() and cell.isdecimal() for cell in table.counts)


def _stand_together(column: PublicColumn, table: TableColumn, distinct: int) -> bool:
    """Whether the rows of each value are neighbours, and the values about equally frequent, which draws are not."""
    if sounds_like_measure(column.name) or distinct <= MANY_IDS or table.runs > 1.02 * distinct + 1:
        return False
    if float(np.var(table.often)) >= 0.6 * table.rows / distinct:
        return False
    numbers = table.whole_numbers
    return numbers is None or int(np.count_nonzero(np.diff(numbers) == 1)) >= distinct // 2


def _spread(column: PublicColumn, table: TableColumn) -> Verdict | None:
    """Few rows, all different, long numbers of one length: maybe drawn IDs, maybe amounts."""
    numbers = table.whole_numbers
    if numbers is None or len(numbers) != table.rows or sounds_like_measure(column.name):
        return None
    lengths = {len(cell) for cell in table.counts}
    if len(lengths) == 1 and lengths.pop() >= 6 and _evenly_spread(numbers):
        why = f"all {table.rows:,} values of {table.table} differ, have as many digits and are spread evenly"
        return _perhaps(column, why)
    return None


def _evenly_spread(numbers: Ints) -> bool:
    """Whether distinct rising numbers look drawn evenly between their ends (Kolmogorov's test at 1 %)."""
    low, high = int(numbers[0]), int(numbers[-1])
    if high == low:
        return False
    share = (numbers - low) / (high - low)
    steps = np.arange(1, len(numbers) + 1) / len(numbers)
    return float(np.abs(share - steps).max()) * math.sqrt(len(numbers)) < UNIFORM


def _named(column: PublicColumn, why: str) -> Verdict:
    remedy: Advice = "declare id" if sounds_like_id(column.name) else "leave out"
    return Verdict(column.name, "names rows", _sentence(why), remedy, leaves_out=True)


def _perhaps(column: PublicColumn, why: str) -> Verdict:
    words = f"{why}; if it says which row it is, leave it out"
    return Verdict(column.name, "may name rows", _sentence(words), "keep", leaves_out=False)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
