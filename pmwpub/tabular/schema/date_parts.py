"""What a date column takes of a cell: its year, quarter, month or day of the week."""

from __future__ import annotations

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

_OF_TIMES = frozenset("0123456789:.+- TZUCAPMapm")
_MARKS = "-/."


def date_of(text: str, order: DateOrder, pivot: int | None = None) -> date | None:
    """The day that a text names, a time behind it left aside; None for anything else, days that no month has included.

    order  ymd: 2012-03-31, 2012/3/31, 2012.03.31 or 20120331; dmy: 31.3.2012, 31/03/2012; mdy: 3/31/2012
    pivot  years of two digits are of 19.. from it on, and of 20.. below it; None takes years of four digits alone
    """
    day_text, time = _without_time(text)
    if not day_text.isascii() or not set(time) <= _OF_TIMES or (time and ":" not in time):
        return None
    mark = next((mark for mark in _MARKS if mark in day_text), None)
    if mark is None:
        compact = order == "ymd" and len(day_text) == 8
        parts = [day_text[:4], day_text[4:6], day_text[6:]] if compact else []
    else:
        parts = day_text.split(mark)
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        return None
    year, month, day = (parts[order.index(letter)] for letter in "ymd")
    if len(year) not in ((4,) if pivot is None else (2, 4)) or max(len(month), len(day)) > 2:
        return None
    century = 0 if pivot is None or len(year) == 4 else 1900 if int(year) >= pivot else 2000
    try:
        return date(century + int(year), int(month), int(day))
    except ValueError:
        return None


def _without_time(text: str) -> tuple[str, str]:
    """What stands before the first T or space, and behind it."""
    place = min((at for at in (text.find("T"), text.find(" ")) if at >= 0), default=len(text))
    return text[:place], text[place + 1 :]


def part_of(day: date, part: DatePart) -> str:
    """The level of a day."""
    if part == "year":
        return str(day.year)
    if part == "quarter":
        return f"Q{(day.month + 2) // 3}"
    return str(day.month) if part == "month" else LEVELS["weekday"][day.weekday()]
