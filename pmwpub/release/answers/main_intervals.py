"""How far off the shares of a release's columns may be, in few numbers: for its report and its summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from pmwpub.domain import Domain
from pmwpub.errors import PmwPubError
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import CellIntervals, MarginalIntervals
from pmwpub.queries.workload import Workload
from pmwpub.records import Bools, Floats

MISFITTING = 1.2
"""How far beyond its noise a release may miss its own tables before that is said."""

MISSES = (
    "The public rows cannot answer this release's own noisy tables within their noise: their support is too thin. The "
    "intervals are wider for it."
)

LARGE = 0.01
"""Cells of at least so large a released share are counted."""

LISTED = 12
"""So many columns are listed, those of the widest intervals first."""

MOST_LEVELS = 60
"""Levels of single columns that are listed with their own intervals, in the order of the schema."""

MOST_PAIRS = 60
"""Of the tables of two columns at most so many are looked at, spread evenly over the list of them."""


FAILURES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    PmwPubError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""Whatever can go wrong with numbers that a report is better with, in any library under them; singular matrices are
ValueErrors."""


@dataclass(frozen=True)
class IntervalReach:
    """Half the widths of the 95 % intervals of cells of at least 1 % of the rows, as shares of the rows.

    what       a column, or more of them
    cells      how many there are
    typical    the median
    largest    the largest
    """

    what: str
    cells: int
    typical: float
    largest: float


@dataclass(frozen=True)
class LevelShare:
    """A level of one column: its share of the rows, and the ends of the interval."""

    column: str
    level: str
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class MainIntervals:
    """Reaches of a release by table fit.

    columns  one a column that was measured, the widest first
    alone    of all these columns together
    pairs    of tables of two columns; None where there are none
    levels   the first levels that were counted, with their own intervals
    misfits  whether the public rows evidently cannot answer the release's own tables
    unlisted  how many levels of single columns are not among `levels`
    """

    columns: tuple[IntervalReach, ...]
    alone: IntervalReach
    pairs: IntervalReach | None
    levels: tuple[LevelShare, ...]
    misfits: bool
    unlisted: int = 0

    @property
    def listed(self) -> tuple[IntervalReach, ...]:
        """The columns that a short table has."""
        return self.columns[:LISTED]

    @property
    def left_out(self) -> str:
        """Which levels of single columns are not listed, a sentence of plain text; "" where all are."""
        if not self.unlisted:
            return ""
        some = "1 level is" if self.unlisted == 1 else f"{self.unlisted:,} levels are"
        return (
            f"{some} left out: of less than 1 % of the released rows (such as levels without a public row), without an "
            f"interval, or behind the first {MOST_LEVELS}."
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """What a summary says: plain text."""
        widest = self.columns[0]
        said = (
            f"Intervals (95 %): shares in one column are typically good to ± {points(self.alone.typical)} points, to "
            f"± {points(widest.largest)} at worst ({widest.what})"
        )
        said += f"; in two columns to ± {points(self.pairs.typical)}." if self.pairs else "."
        return (said, MISSES) if self.misfits else (said,)


def points(share: float) -> str:
    """A share in percentage points, to two digits."""
    return f"{100 * share:.2g}"


def main_intervals(made: Callable[[], CellIntervals], tables: Workload) -> MainIntervals | None:
    """The reaches of a release; None where no cell is of at least 1 %, or where they cannot be computed: a release that
    is drawn is never lost for them.

    made    makes the intervals; what fails there is no more than what fails later
    tables  that were measured

    Privacy: a function of the release and the public table alone.
    """
    try:
        return _main_intervals(made(), tables)
    except FAILURES:
        return None


def _main_intervals(intervals: CellIntervals, tables: Workload) -> MainIntervals | None:
    ones = [table.attributes for table in tables.marginals if len(table.attributes) == 1]
    pairs = [table.attributes for table in tables.marginals if len(table.attributes) == 2]
    pairs = pairs[:: -(-len(pairs) // MOST_PAIRS)] if pairs else []
    single = [intervals.of(one) for one in ones]
    halves = {tables.domain.names[one.attributes[0]]: _halves(one) for one in single}
    columns = [_reach(name, found) for name, found in halves.items() if len(found)]
    if not columns:
        return None
    of_pairs = _together([_halves(intervals.of(pair)) for pair in pairs])
    levels = tuple(islice((level for one in single for level in _levels(one, tables.domain)), MOST_LEVELS))
    return MainIntervals(
        tuple(sorted(columns, key=lambda one: -one.largest)),
        _reach("one column", _together(list(halves.values()))),
        _reach("two columns", of_pairs) if len(of_pairs) else None,
        levels,
        max(intervals.misfit.ratios) > MISFITTING,
        sum(one.shares.size for one in single) - len(levels),
    )


def _counted(found: MarginalIntervals) -> Bools:
    """Which cells are covered, and of at least 1 %."""
    counted: Bools = (found.released >= LARGE) & ~np.isnan(found.low)
    return counted


def _halves(found: MarginalIntervals) -> Floats:
    """How far each such cell may be off, on the side on which its interval reaches further."""
    halves: Floats = np.maximum(found.high - found.shares, found.shares - found.low)[_counted(found)]
    return halves


def _levels(found: MarginalIntervals, domain: Domain) -> Iterator[LevelShare]:
    column = domain.attributes[found.attributes[0]]
    for code in np.flatnonzero(_counted(found)).tolist():
        ends = (float(part[code]) for part in (found.shares, found.low, found.high))
        yield LevelShare(column.name, column.levels[code], *ends)


def _together(parts: Sequence[Floats]) -> Floats:
    return np.concatenate([np.zeros(0), *parts])


def _reach(what: str, halves: Floats) -> IntervalReach:
    return IntervalReach(what, len(halves), float(np.median(halves)), float(halves.max()))
