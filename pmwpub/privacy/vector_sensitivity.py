"""How far one person moves a whole vector of prefixes or ranges of one ordered attribute, in whole numbers.

A vector of cells has one entry that a row is in, so that replacing a row moves it by at most sqrt(2). A row is in many
prefixes at once: what a vector of them moves by grows with the levels, and must be charged as it is stated here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmwpub.errors import BudgetError

_BLOCK = 256


def prefix_reach(levels: int, rows_per_person: int = 1, *, full: bool = False, complete: bool = False) -> int:
    """The most that |a - b|^2 can be for the counts "at most level j" of two neighbours: k^2 (L - 1), or k^2 L.

    levels    L, the levels in order; j runs over the first L - 1 of them, and over the last one too if `full`
    complete  whether every row has one of the L levels, by the schema: none is missing, other, or without a level

    Privacy: a row of level l is in the prefixes j >= l, one without a level in order in none. Two rows of levels
    l < l' differ in the prefixes l <= j < l': at most L - 1 of them, for the first and the last level. A row of the
    first level and one without any differ in all prefixes that there are: L - 1, or L with the full one, which
    `complete` rules out. Replacing k rows moves the vector by at most the sum of k such moves, so by k times the
    longest, and k rows of the first level that become k of the last (or of none) attain that: k^2 times its square.

    Raises BudgetError for fewer than two levels, or no row a person.
    """
    if levels < 2 or rows_per_person < 1:
        raise BudgetError("A vector of prefixes needs two levels in order, and a person at least one row.")
    return rows_per_person**2 * (levels if full and not complete else levels - 1)


def crossed_reach(levels: int, rows_per_person: int = 1, *, full: bool = False) -> int:
    """The same for the prefixes in each of two or more cells of other attributes: k^2 2 (L - 1), or k^2 2 L if `full`.

    Privacy: a row is in prefixes of one cell alone. Two rows in one cell differ as `prefix_reach` says; two rows in
    different cells differ in all prefixes that either is in, which for two rows of the first level is every prefix of
    both cells, and no two rows differ in more.

    Raises BudgetError as `prefix_reach`.
    """
    return 2 * prefix_reach(levels, rows_per_person, full=full)


def range_reach(
    ranges: Sequence[tuple[int, int]], levels: int, rows_per_person: int = 1, *, complete: bool = False
) -> int:
    """The most that |a - b|^2 can be for the counts of rows within each range: k^2 times the largest number of ranges
    that hold one of two levels and not the other.

    ranges    (first code, last code) of each, both included; they may overlap
    levels    L, the levels in order
    complete  as `prefix_reach` has it; else a row without a level in order, which no range holds, is compared too

    Privacy: replacing a row of one level by one of another moves each range that holds exactly one of the two by one,
    and no other; k rows move the vector by at most k times the longest such move, and by that much where all k do.

    Raises BudgetError for no range, one outside the levels, or no row a person.
    """
    if not ranges or any(not 0 <= first <= last < levels for first, last in ranges) or rows_per_person < 1:
        raise BudgetError("A vector of ranges needs ranges within the levels, and a person at least one row.")
    held = np.zeros((levels + (not complete), len(ranges)))
    for place, (first, last) in enumerate(ranges):
        held[first : last + 1, place] = 1.0
    rows = np.unique(held, axis=0)  # sums of zeros and ones: exact in floats
    sizes, largest = rows.sum(axis=1), 0
    for begin in range(0, len(rows), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        apart = sizes[block, None] + sizes - 2.0 * (rows[block] @ rows.T)
        largest = max(largest, int(apart.max()))
    return rows_per_person**2 * largest
