"""Arguments of the bounds."""

from __future__ import annotations

import math

from pmwpub.errors import BoundError


def check(**arguments: float) -> None:
    """BoundError unless beta and delta lie in (0, 1), counts are at least 1, and the rest is positive and finite."""
    for name, value in arguments.items():
        if name in {"beta", "delta"}:
            fits, needed = 0 < value < 1, "between 0 and 1"
        elif name in {"n", "m", "queries", "rows_per_person"}:
            fits, needed = value >= 1, "at least 1"
        else:
            fits, needed = 0 < value < math.inf, "positive and finite"
        if not fits:
            raise BoundError(f"{name} must be {needed}; {value:g} came.")
