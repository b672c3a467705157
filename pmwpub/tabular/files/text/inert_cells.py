"""Cells that a spreadsheet will not run as formulas, and names that were written so, found again."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SIGN = r"[=+\-@\uff1d\uff0b\uff0d\uff20]"
_FORMULA = re.compile(rf"[\s']*{_SIGN}|'*[\t\r\n]")
_GAP = re.compile(rf"([\s'\";|]+)({_SIGN}?)")
_CUTS = frozenset(";|\t\r\n")
PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def inert(cell: str) -> str:
    """`cell` with an apostrophe in front when a spreadsheet would run it; plain numbers stay.

    So also behind white space, which an import may trim, and inside the cell behind what a spreadsheet of another
    country cuts the line at: semicolon, tab, bar, line break. A cell that already has such apostrophes gets one more,
    so that different cells stay different.
    """
    if PLAIN_NUMBER.fullmatch(cell):
        return cell
    safe = _GAP.sub(_guarded, cell)
    return "'" + safe if _FORMULA.match(cell) else safe


def before_inert(cell: str) -> str:
    """A cell without the one apostrophe that `inert` put in front; any other as it is."""
    return cell[1:] if cell.startswith("'") and inert(cell[1:]) == cell else cell


def _guarded(gap: re.Match[str]) -> str:
    """White space, quotes and cuts with what follows; a sign behind a cut gets its apostrophe.

    The pattern takes each gap whole, whatever follows, so that no character is looked at twice.
    """
    blank, sign = gap.groups()
    return f"{blank}'{sign}" if sign and not _CUTS.isdisjoint(blank) else gap[0]


def stands_in(header: Sequence[str], name: str) -> bool:
    """Whether a column stands in a header, maybe with its name made inert."""
    return name in header or inert(name) in header


def place_in(header: Sequence[str], name: str) -> int:
    """The position of a column that stands in a header; ValueError where it does not."""
    return list(header).index(name if name in header else inert(name))
