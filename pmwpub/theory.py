"""The bounds of Liu, Vietri, Steinke, Ullman and Wu (2021) as calculators, and the rule for rounds.

n private rows, m public rows (with repetition), Q queries, T rounds; log is natural. With k rows a person every
n below stands for n/k, since noise and sensitivity both grow by k. Everything here is public arithmetic.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pmwpub.errors import BoundError

FEWEST_ROUNDS, MOST_ROUNDS = 5, 300
ROUNDS_WITHOUT_ESTIMATE = 25


def private_rows_needed(alpha: float, beta: float, queries: int) -> int:
    """The n of Proposition 4.3: the least whole n >= (8/alpha^2) log(4 Q/beta).

    With `public_rows_needed` it makes the best-mixture error at most alpha with probability 1 - beta.
    Raises BoundError unless alpha > 0, 0 < beta < 1 and Q >= 1.
    """
    _check(alpha=alpha, beta=beta, queries=queries)
    return math.ceil(8.0 / alpha**2 * math.log(4.0 * queries / beta))


def public_rows_needed(
    alpha: float, beta: float, queries: int, *, second_divergence: float, max_divergence: float
) -> int:
    """The m of Proposition 4.3: the least whole m >= (32/alpha^2 e^D2 + 8/(3 alpha) e^Dinf) log((4 Q + 4)/beta).

    second_divergence, max_divergence  D_2 and D_infinity of the private population from the public one, in
    nats: see `renyi_divergence`. Both are 0 for the same population, and D_infinity is the larger.
    Raises BoundError for divergences that cannot be, and as `private_rows_needed` does.
    """
    _check(alpha=alpha, beta=beta, queries=queries)
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


def fewest_rounds(beta: float) -> int:
    """The T from which the accuracy bound holds: 7 log(3/beta), rounded up (Proposition A.1)."""
    _check(beta=beta)
    return math.ceil(7.0 * math.log(3.0 / beta))


def accuracy_bound(
    epsilon_tilde: float, rounds: int, *, n: int, m: int, queries: int, beta: float, best_mixture: float = 0.0
) -> float:
    """The error that PMW^Pub stays within with probability 1 - beta (Proposition A.1).

    2 f + sqrt(4 log m/T + 4 T/(e n)^2 + 4 sqrt(log(3/beta))/(e n)) + 2 sqrt(2 T) log Q/(e n) + sqrt(log(3/beta)/(2 T))

    epsilon_tilde  e, where e^2/2 is the whole run's rho; best_mixture  f, the best-mixture error of the support

    It is proved for the paper's own setting: selection at eps0 (ours, at 2 eps0, only does better), the averaged
    output, no replay, noise before clamping. Raises BoundError out of range, or below `fewest_rounds`.
    """
    _check(beta=beta, queries=queries, epsilon_tilde=epsilon_tilde, n=n, m=m)
    if rounds < fewest_rounds(beta):
        raise BoundError(f"The bound needs at least {fewest_rounds(beta)} rounds at beta = {beta:g}; {rounds} came.")
    if not 0 <= best_mixture <= 1:
        raise BoundError(f"A best-mixture error lies in [0, 1]; {best_mixture:g} came.")
    signal, tail = epsilon_tilde * n, math.log(3.0 / beta)
    drift = 4.0 * math.log(m) / rounds + 4.0 * rounds / signal**2 + 4.0 * math.sqrt(tail) / signal
    selection = 2.0 * math.sqrt(2.0 * rounds) * math.log(queries) / signal
    return 2.0 * best_mixture + math.sqrt(drift) + selection + math.sqrt(tail / (2.0 * rounds))


def rounds_of_least_bound(epsilon_tilde: float, *, n: int, m: int, queries: int, beta: float) -> int:
    """The T >= `fewest_rounds` at which `accuracy_bound` is least: Theorem 4.4's choice, with its constants.

    The bound is convex in sqrt(T), so the first T after which it no longer falls is the best one.
    """

    def falls_after(rounds: int) -> bool:
        here, after = (
            accuracy_bound(epsilon_tilde, t, n=n, m=m, queries=queries, beta=beta) for t in (rounds, rounds + 1)
        )
        return after < here

    below = fewest_rounds(beta)
    if not falls_after(below):
        return below
    step = 1
    while falls_after(below + step):
        step *= 2
    above = below + step
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if falls_after(middle) else (below, middle)
    return above


def epsilon_bound(epsilon_tilde: float, delta: float) -> float:
    """e^2/2 + e sqrt(2 log(1/delta)): the closed form of Theorem 4.5, for a run of e^2/2-zCDP.

    Easy to read, never below the optimal conversion that the ledger uses (`privacy.budget.epsilon_of`).
    Raises BoundError unless e > 0 and 0 < delta < 1.
    """
    _check(epsilon_tilde=epsilon_tilde, delta=delta)
    return epsilon_tilde**2 / 2.0 + epsilon_tilde * math.sqrt(2.0 * math.log(1.0 / delta))


def epsilon_tilde_within(epsilon: float, delta: float) -> float:
    """The e whose `epsilon_bound` is epsilon: sqrt(L + 2 epsilon) - sqrt(L) with L = 2 log(1/delta).

    Raises BoundError unless epsilon > 0 and 0 < delta < 1.
    """
    _check(epsilon=epsilon, delta=delta)
    slack = 2.0 * math.log(1.0 / delta)
    return 2.0 * epsilon / (math.sqrt(slack + 2.0 * epsilon) + math.sqrt(slack))


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
    _check(rho=float(rho), n=n, queries=queries, rows_per_person=rows_per_person)
    if error is None:
        return ROUNDS_WITHOUT_ESTIMATE
    if not 0 <= error <= 1:
        raise BoundError(f"An error is a share of n, in [0, 1]; {error:g} came.")
    if queries == 1:
        return MOST_ROUNDS if error else FEWEST_ROUNDS
    resolved = float(rho) * (n / rows_per_person * error / math.log(queries)) ** 2
    return int(min(MOST_ROUNDS, max(FEWEST_ROUNDS, resolved)))


def _check(**arguments: float) -> None:
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
