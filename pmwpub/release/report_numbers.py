"""Numbers as a report prints them: losses of privacy rounded up, never down."""

from __future__ import annotations

from pmwpub.rounding import up as up


def percent(share: float, digits: int = 2) -> str:
    """A share in percent."""
    return f"{100 * share:.{digits}f} %"


def rows(number: int) -> str:
    """ "1 row", "3 rows"."""
    return f"{number:,} row" if number == 1 else f"{number:,} rows"
