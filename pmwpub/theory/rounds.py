"""The rule for the number of rounds."""

from __future__ import annotations

import math
from fractions import Fraction

from pmwpub.errors import BoundError
from pmwpub.theory.checks import check

FEWEST_ROUNDS, MOST_ROUNDS = 5, 300
ROUNDS_WITHOUT_ESTIMATE = 25


def advised_rounds(
    rho: Fraction | float, n: int, queries: int, error: float | None = None, *, rows_per_person: int = 1
) -> int:
    """A default for T: rho (n e/log Q)^2, rounded down, within 5..300; 25 without an estimate of e.

    rho    the budget of the whole release
    error  e, the max error expected at the end, as a share of n: from a public table that plays the truth,
           never from private rows, and never the error that the unchanged table starts with

    Selection tells an error e from noise only if eps0 n e >~ log Q, where T eps0^2 = rho.
    Raises BoundError for arguments out of range.
    """
    check(rho=float(rho), n=n, queries=queries, rows_per_person=rows_per_person)
    if error is None:
        return ROUNDS_WITHOUT_ESTIMATE
    if not 0 <= error <= 1:
        raise BoundError(f"An error is a share of n, in [0, 1]; {error:g} came.")
    if queries == 1:
        return MOST_ROUNDS if error else FEWEST_ROUNDS
    resolved = float(rho) * (n / rows_per_person * error / math.log(queries)) ** 2
    return int(min(MOST_ROUNDS, max(FEWEST_ROUNDS, resolved)))
