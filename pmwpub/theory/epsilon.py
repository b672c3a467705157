"""Between epsilon at a delta and the e of the paper, where a whole run costs e^2/2 in zCDP (Theorem 4.5)."""

from __future__ import annotations

import math
from fractions import Fraction

from pmwpub.theory.checks import check


def epsilon_tilde_of(epsilon: float, delta: Fraction) -> float:
    """The e whose e^2/2-zCDP is worth (epsilon, delta) by the conversion that the ledger uses."""
    from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of

    return math.sqrt(2.0 * float(zcdp_of(ApproxDP(as_fraction(epsilon), delta)).rho))


def epsilon_bound(epsilon_tilde: float, delta: float) -> float:
    """e^2/2 + e sqrt(2 log(1/delta)): the closed form of Theorem 4.5, for a run of e^2/2-zCDP.

    Easy to read, never below the optimal conversion that the ledger uses (`privacy.budget.epsilon_of`).
    Raises BoundError unless e > 0 and 0 < delta < 1.
    """
    check(epsilon_tilde=epsilon_tilde, delta=delta)
    return epsilon_tilde**2 / 2.0 + epsilon_tilde * math.sqrt(2.0 * math.log(1.0 / delta))


def epsilon_tilde_within(epsilon: float, delta: float) -> float:
    """The e whose `epsilon_bound` is epsilon: sqrt(L + 2 epsilon) - sqrt(L) with L = 2 log(1/delta).

    Raises BoundError unless epsilon > 0 and 0 < delta < 1.
    """
    check(epsilon=epsilon, delta=delta)
    slack = 2.0 * math.log(1.0 / delta)
    return 2.0 * epsilon / (math.sqrt(slack + 2.0 * epsilon) + math.sqrt(slack))


def epsilon_within(epsilon_tilde: float, delta: Fraction) -> float:
    """The epsilon at delta of an e^2/2-zCDP run, by the conversion that the ledger uses: `epsilon_tilde_of` undone.

    Raises BoundError unless e > 0.
    """
    from pmwpub.privacy.budget import ZCDP, epsilon_of

    check(epsilon_tilde=epsilon_tilde)
    return epsilon_of(ZCDP.at_least(Fraction(epsilon_tilde) ** 2 / 2), delta)
