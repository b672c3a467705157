"""Many numbers at once, where all are written plainly: a short cut for what a numeric column reads cell by cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmwpub.records import Floats

PLAIN = frozenset("0123456789.-+eE")
"""The letters of such numbers."""


def plain_floats(cells: Sequence[str]) -> Floats | None:
    """The numbers of all cells, exactly as `float` reads them, where they are digits with a point, sign or exponent.

    None where any cell has another letter or is no number; an infinity of a number that is too large.
    """
    if not set().union(*cells) <= PLAIN:
        return None
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        return None
