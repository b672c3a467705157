"""What replacing one row costs a noisy set of residuals, and the design that makes the most of it.

For rows x and x' that differ in the attributes B, and residuals of A with noise of variance 1/theta_A,

    rho(B) = sum over A of theta_A pi_A (1 - product over A and B of t_i),   t_i = -1/(m_i - 1),

since |P_A(e_x - e_x')|^2 = 2 pi_A - 2 (product over A of (P_i)_xx'), whose factors are 1 - 1/m_i where x and x' agree
and -1/m_i where they differ, and the cost is half of theta_A times that. The charge is the largest rho(B).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pmwpub.mechanisms.baselines.matrix.replacement_patterns import PAD, Patterns
from pmwpub.mechanisms.baselines.matrix.residuals import ResidualSpaces
from pmwpub.records import Floats

DESIGN_ATTRIBUTES = 14
"""All 2^d sets B are weighed in a design up to so many attributes."""

STEPS = 400
GAP = 1e-3


@dataclass(frozen=True, eq=False)
class Design:
    """Precisions of the residuals for a cost of 1: rho(B) <= 1 for all B, by proof.

    theta   float64 (subsets,)  1/sigma_A^2 at rho = 1
    excess  how far the sum of variances can be above the least possible, as a share; inf where nothing is known
    """

    theta: Floats
    excess: float


def replacement_cost(spaces: ResidualSpaces, theta: Floats) -> float:
    """At least the largest rho(B); no more than it, but for rounding, up to 22 attributes.

    Beyond them the lesser of two bounds: that of `Patterns`, and that of the same precisions as a sum of whole noisy
    marginals, where those of negative weight are left out.

    theta  float64 (subsets,)  1/sigma_A^2
    """
    marginals = as_marginals(spaces, theta)
    whole = float(marginals[marginals > 0].sum()) + float(np.abs(marginals).sum()) * PAD
    return min(Patterns(spaces).largest_cost(theta * kept(spaces)), whole)


@lru_cache(maxsize=8)
def best_design(spaces: ResidualSpaces) -> Design:
    """Precisions that make the sum of variances least, for a cost of 1 in the worst B.

    Minimise sum w_A/theta_A subject to sum over A of theta_A a_AB <= 1 for all B. For weights lambda on the sets B and
    c_A = sum lambda_B a_AB, theta_A proportional to sqrt(w_A/c_A) is best against lambda, and no design has a sum of
    variances below (sum sqrt(w_A c_A))^2; lambda moves towards the sets that cost most until the two agree within GAP.
    Beyond 14 attributes the precisions are those that were best if each residual were charged on its own, in closed
    form (seen to be within 3 % of the best on smaller workloads), and no excess is stated.
    """
    if len(Patterns(spaces).wide) > DESIGN_ATTRIBUTES:
        best = Design(np.sqrt(spaces.loss_weights / worst_of_each(spaces)), math.inf)
    else:
        best = _least_worst(spaces)
    theta = best.theta / replacement_cost(spaces, best.theta)
    theta.flags.writeable = False
    return Design(theta, best.excess)


def _least_worst(spaces: ResidualSpaces) -> Design:
    patterns, weights, shares = Patterns(spaces), spaces.loss_weights, kept(spaces)
    sets = np.ones((2,) * len(patterns.wide))
    sets.flat[0] = 0.0
    best = Design(np.zeros_like(weights), math.inf)
    for _ in range(STEPS):
        sets /= sets.sum()
        cost = shares * (1 - patterns.gathered(patterns.products(sets)))
        theta = np.sqrt(weights / cost)
        costs = patterns.costs(theta * shares)
        excess = float((weights / theta).sum() * costs.max() / np.sqrt(weights * cost).sum() ** 2 - 1)
        if excess < best.excess:
            best = Design(theta, excess)
        if excess <= GAP:
            break
        sets *= np.maximum(costs, 0.0)
    return best


def worst_of_each(spaces: ResidualSpaces) -> Floats:
    """float64 (subsets,): the largest rho(B) of each residual alone at theta = 1.

    The product of t_i is least where exactly one attribute of the fewest levels differs: -1/(m - 1).
    """
    least = np.array([min(spaces.shape(subset)) for subset in spaces.subsets])
    worst: Floats = kept(spaces) * (1 + 1 / (least - 1))
    return worst


def kept(spaces: ResidualSpaces) -> Floats:
    """pi_A of each subset, float64 (subsets,)."""
    return np.array([spaces.kept(subset) for subset in spaces.subsets])


def as_marginals(spaces: ResidualSpaces, theta: Floats) -> Floats:
    """The weights omega_S, of either sign, with theta_A = sum over S above A of omega_S / (product over S - A of m_i).

    A noisy marginal of variance 1/omega_S costs omega_S where any attribute of S differs (|e - e'|^2 = 2), so the sum
    over positive ones bounds rho(B) for every B.
    """
    omega = theta.copy()
    for place in range(len(spaces.subsets) - 1, -1, -1):
        subset = spaces.subsets[place]
        for inner in spaces.within(subset)[:-1]:
            others = math.prod(spaces.workload.domain.shape[a] for a in subset if a not in inner)
            omega[spaces.place[inner]] -= omega[place] / others
    return omega
