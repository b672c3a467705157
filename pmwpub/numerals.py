"""Numbers as people write them: thousands in groups, as this app shows them, and the point that decimals need."""

from __future__ import annotations

import re

_SEPARATORS = (",", " ", "\u00a0", "\u2009", "\u202f")
"""The comma that this app writes, and the ordinary, no-break, thin and narrow no-break space."""

_GROUPED = re.compile("|".join(f"[+-]?[1-9][0-9]{{0,2}}(?:{separator}[0-9]{{3}})+" for separator in _SEPARATORS))
LONGEST = 100
"""Characters of a whole number that are looked at."""

NEEDS_A_POINT = "with a point for decimals"


def ungrouped(text: str) -> str:
    """A whole number without the separators of its thousands: "36,842" and "36 842" -> "36842".

    Any other text comes back as it is, "36,84", ",123" and "0,500" too: what they mean is not guessed.
    """
    grouped = len(text) <= LONGEST and _GROUPED.fullmatch(text) is not None
    return re.sub(r"[^0-9+-]", "", text) if grouped else text
