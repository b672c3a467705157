"""What a date column takes of a cell: its year, quarter, month or day of the week."""

from __future__ import annotations

import re
from datetime import date
from typing import Literal

DatePart = Literal["year", "quarter", "month", "weekday"]
DateOrder = Literal["ymd", "dmy", "mdy"]

LEVELS: dict[DatePart, tuple[str, ...]] = {
    "year": (),
    "quarter": ("Q1", "Q2", "Q3", "Q4"),
    "month": tuple(str(month) for month in range(1, 13)),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
"""The levels of each part; the years are those that the schema declares."""

_TIME = r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d*)?)?(?: ?(?:Z|UTC|[AaPp][Mm]|[+-]\d{2}:?\d{2}))?)?"
_PATTERNS: dict[DateOrder, re.Pattern[str]] = {
    "ymd": re.compile(rf"(?:(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}})|(\d{{4}})(\d{{2}})(\d{{2}})){_TIME}", re.ASCII),
    "dmy": re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{4}}){_TIME}", re.ASCII),
    "mdy": re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{4}}){_TIME}", re.ASCII),
}


def date_of(text: str, order: DateOrder) -> date | None:
    """The day that a text names, a time behind it left aside; None for anything else, days that no month has included.

    order  ymd: 2012-03-31, 2012/3/31, 2012.03.31 or 20120331; dmy: 31.3.2012, 31/03/2012; mdy: 3/31/2012
    """
    found = _PATTERNS[order].fullmatch(text)
    if found is None:
        return None
    if order == "ymd":
        year, month, day = (found[1], found[3], found[4]) if found[1] else (found[5], found[6], found[7])
    else:
        year, month, day = found[4], *((found[3], found[1]) if order == "dmy" else (found[1], found[3]))
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def part_of(day: date, part: DatePart) -> str:
    """The level of a day."""
    if part == "year":
        return str(day.year)
    if part == "quarter":
        return f"Q{(day.month + 2) // 3}"
    return str(day.month) if part == "month" else LEVELS["weekday"][day.weekday()]
