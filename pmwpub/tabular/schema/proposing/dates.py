"""A public column of dates: how they are written, and the part of them that becomes an attribute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise, permutations
from typing import cast, get_args

from pmwpub.errors import SchemaError
from pmwpub.tabular.schema.column_types import DateColumn
from pmwpub.tabular.schema.date_parts import DateOrder, DatePart, date_of, part_of
from pmwpub.tabular.schema.draft_record import Remark, Remedy
from pmwpub.tabular.schema.proposing.column_cells import Proposal
from pmwpub.tabular.schema.proposing.evidence import Evidence

ORDERS: tuple[DateOrder, ...] = ("ymd", "dmy", "mdy")
_PARTS: tuple[DatePart, ...] = ("year", "month", "weekday")
"""The parts that are taken unasked, the first one first."""
APART = 0.95
"""Tables of which so much has levels that the other lacks are told apart by the column alone."""
_ANY_PIVOT = 50
"""Whether a text is a date with a year of two digits does not depend on the century, leap days of 1900 but for one."""
_THIS_CENTURY = 30
"""Years up to it that no other joins are taken to be of 20.., and all others of 19.. ."""


@dataclass(frozen=True)
class Writing:
    """How the dates of a column are written."""

    order: DateOrder
    pivot: int | None


def writings(found: Evidence) -> tuple[Writing, ...]:
    """How every cell can be read as a date; years of two digits only where it cannot with four.

    What a person decided about the order and the pivot holds. Raises SchemaError where that makes no sense.
    """
    asked = found.cells.last("order")
    if asked is not None and asked not in ORDERS:
        raise SchemaError(f"Dates are written {', '.join(ORDERS)}; {asked!r} came.")
    pivot = _asked_pivot(found)
    wanted = ORDERS if asked is None else (cast("DateOrder", asked),)
    fits = [Writing(order, pivot) for order in wanted if _all_dates(found.counts, order, pivot)]
    if not fits and pivot is None:
        for order in wanted:
            if _all_dates(found.counts, order, _ANY_PIVOT):
                chosen = _pivot(found.counts, order)
                fits += [Writing(order, chosen)] if _all_dates(found.counts, order, chosen) else []
    return tuple(fits)


def _asked_pivot(found: Evidence) -> int | None:
    asked = found.cells.last("pivot")
    if asked is None:
        return None
    if not (asked.isascii() and asked.isdigit() and int(asked) <= 100):
        raise SchemaError(f"A pivot is a year of two digits, 0 to 99, or 100 for none of 19..; {asked!r} came.")
    return int(asked)


def _all_dates(counts: Mapping[str, int], order: DateOrder, pivot: int | None) -> bool:
    return all(date_of(cell.strip(), order, pivot) is not None for cell in counts)


def _pivot(counts: Mapping[str, int], order: DateOrder) -> int:
    """Where 19.. begins: behind the widest gap between the years of two digits, which go round as a clock does.

    Years that do not go beyond 99 and are at most 30 are of this century, all of them.
    """
    days = [date_of(cell.strip(), order, 0) or date_of(cell.strip(), order, 100) for cell in counts]
    years = sorted({day.year % 100 for day in days if day is not None})
    if years[-1] <= _THIS_CENTURY:
        return 100
    around = pairwise([*years, years[0] + 100])
    _, after = max((after - before, -after) for before, after in around)
    return -after if -after < 100 else 0


def part_asked(found: Evidence) -> DatePart | None:
    """The part that a person asked for; SchemaError for what is none."""
    part = found.cells.last("part")
    if part is not None and part not in get_args(DatePart):
        raise SchemaError(f"A date has the parts {', '.join(get_args(DatePart))}; {part!r} came.")
    return cast("DatePart | None", part)


def dates(found: Evidence, writing: Writing, part: DatePart | None = None) -> Proposal:
    """A date column: of its year, where there are several, its month, and its day of the week the first that does not
    say which table a row is from, unless a person says which part; its month where all do.
    """
    cells, counts = found.cells, found.counts
    days = [_days_of(table, counts, writing) for table in cells.tables]
    years = sorted({str(day.year).zfill(4) for table in days for day in table})
    telling = [other for other in _PARTS if (len(years) > 1 or other != "year") and _tells_tables_apart(days, other)]
    unasked: DatePart = next((other for other in _PARTS[len(years) < 2 :] if other not in telling), "month")
    part = part or part_asked(found) or unasked
    column = DateColumn(
        name=cells.name,
        kind="date",
        part=part,
        order=writing.order,
        levels=tuple(years) if part == "year" else (),
        same=("trim", "casefold"),
        pivot=writing.pivot,
    )
    says = "says" if len(telling) == 1 else "say"
    apart = f" Their {' and '.join(telling)} {says} which table a row is from." if telling else ""
    centuries, ways = _centuries(found, writing, years)
    words = f"Dates: only their {part} is an attribute.{apart}{centuries} Another part may be chosen."
    others = tuple(cells.remedy("part", other) for other in ("year", "quarter", "month", "weekday") if other != part)
    return Proposal(column, f"{len(counts):,} different dates").also(
        Remark(cells.name, "date", words, (*others, *ways))
    )


def _centuries(found: Evidence, writing: Writing, years: Sequence[str]) -> tuple[str, tuple[Remedy, ...]]:
    """How years of two digits are read, in words, and what would read them otherwise."""
    if writing.pivot is None:
        return "", ()
    if writing.pivot in (0, 100):
        own, other = ("19", "20") if writing.pivot == 0 else ("20", "19")
        words = f" Their years have two digits, and all are read as years of {own}..: {years[0]} to {years[-1]}."
        return words, (found.cells.remedy("pivot", "100" if other == "20" else "0"),)
    words = (
        f" Their years have two digits: {writing.pivot:02d} to 99 are read as years of 19.., 00 to "
        f"{writing.pivot - 1:02d} as years of 20..: {years[0]} to {years[-1]}."
    )
    return words, (found.cells.remedy("pivot", "0"), found.cells.remedy("pivot", "100"))


def _days_of(table: Mapping[str, int], counts: Mapping[str, int], writing: Writing) -> Counter[date]:
    """day -> how often, of the cells of one table that have a value."""
    found: Counter[date] = Counter()
    for cell, often in table.items():
        if cell in counts and (day := date_of(cell.strip(), writing.order, writing.pivot)) is not None:
            found[day] += often
    return found


def _tells_tables_apart(days: Sequence[Mapping[date, int]], part: DatePart) -> bool:
    """Whether one part of the dates says which table a row is from.

    It does where every table has one level of it, and not all the same; or where no two tables share more than
    a twentieth of their rows' levels.
    """
    tables: list[Counter[str]] = []
    for table in filter(None, days):
        tables.append(Counter())
        for day, often in table.items():
            tables[-1][part_of(day, part)] += often
    if len(tables) < 2:
        return False
    if all(len(table) == 1 for table in tables):
        return len(set().union(*tables)) > 1
    return all(
        sum(often for level, often in one.items() if level not in other) >= APART * one.total()
        for one, other in permutations(tables, 2)
    )
