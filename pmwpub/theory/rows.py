"""How many rows suffice for a small best-mixture error (Proposition 4.3), and how far two populations are apart."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pmwpub.errors import BoundError
from pmwpub.theory.checks import check


def private_rows_needed(alpha: float, beta: float, queries: int) -> int:
    """The n of Proposition 4.3: the least whole n >= (8/alpha^2) log(4 Q/beta).

    With `public_rows_needed` it makes the best-mixture error at most alpha with probability 1 - beta.
    Raises BoundError unless alpha > 0, 0 < beta < 1 and Q >= 1.
    """
    check(alpha=alpha, beta=beta, queries=queries)
    return math.ceil(8.0 / alpha**2 * math.log(4.0 * queries / beta))


def public_rows_needed(
    alpha: float, beta: float, queries: int, *, second_divergence: float, max_divergence: float
) -> int:
    """The m of Proposition 4.3: the least whole m >= (32/alpha^2 e^D2 + 8/(3 alpha) e^Dinf) log((4 Q + 4)/beta).

    second_divergence, max_divergence  D_2 and D_infinity of the private population from the public one, in
    nats: see `renyi_divergence`. Both are 0 for the same population, and D_infinity is the larger.
    Raises BoundError for divergences that cannot be, and as `private_rows_needed` does.
    """
    check(alpha=alpha, beta=beta, queries=queries)
    if not 0 <= second_divergence <= max_divergence < math.inf:
        raise BoundError(
            f"0 <= D_2 <= D_infinity < infinity is needed; {second_divergence:g} and {max_divergence:g} came."
        )
    spread = 32.0 / alpha**2 * math.exp(second_divergence) + 8.0 / (3.0 * alpha) * math.exp(max_divergence)
    return math.ceil(spread * math.log((4.0 * queries + 4.0) / beta))


def renyi_divergence(private: npt.ArrayLike, public: npt.ArrayLike, order: float) -> float:
    """D_a(mu || nu) = log(sum_x mu(x)^a nu(x)^(1-a)) / (a - 1), in nats; order 2 or infinity for Proposition 4.3.

    private, public  float64 (cells,): mu and nu, each summing to one

    Definition 2.4 prints 1/(1 - a), which would be negative; its uses need 1/(a - 1). Infinite where mu has mass
    and nu none. Raises BoundError for an order of at most 1, or where mu and nu are no distributions alike.
    """
    mu, nu = np.asarray(private, dtype=np.float64), np.asarray(public, dtype=np.float64)
    if not order > 1:
        raise BoundError(f"The order of a Rényi divergence must exceed 1; {order:g} came.")
    if mu.shape != nu.shape or any(np.any(p < 0) or not math.isclose(p.sum(), 1.0, abs_tol=1e-9) for p in (mu, nu)):
        raise BoundError("Two distributions on the same cells are needed, each summing to one.")
    if np.any(nu[mu > 0] == 0):
        return math.inf
    log_ratio = np.log(mu[mu > 0]) - np.log(nu[mu > 0])
    if math.isinf(order):
        return max(0.0, float(log_ratio.max()))
    exponents = np.log(mu[mu > 0]) + (order - 1.0) * log_ratio
    peak = float(exponents.max())
    return max(0.0, (peak + math.log(float(np.exp(exponents - peak).sum()))) / (order - 1.0))
