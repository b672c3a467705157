"""Ji and Elkan (2013): private importance weights on the rows of a public table.

A regularised logistic regression tells private rows from public ones; its coefficients get noise; a public row x then
weighs exp(beta.x), normalised. Their paper adds noise of density exp(-c |b|) for pure epsilon-DP; here it is
discrete Gaussian on a lattice, for zCDP, so that every baseline is charged in one currency.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pmwpub.errors import DomainError, PlanError
from pmwpub.mechanisms.baselines.discrimination import Discrimination, OneHotRows
from pmwpub.privacy.budget import ZCDP, Number, as_fraction
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.vector_gaussian import VectorGaussian, sqrt_above
from pmwpub.queries.repeated_rows import RepeatedRows
from pmwpub.records import Dataset, Distribution, Floats, Ints, Support

LAMBDAS = tuple(map(Fraction, ("0.005", "0.01", "0.025", "0.05", "0.1", "0.5")))
"""The grid of lambda of Liu et al. (2021), Appendix "Discussion of other baselines"."""

LATTICE_BITS = 20
"""The lattice is finer than the sensitivity by this many bits: rounding to it costs about one part in a million."""


@dataclass(frozen=True)
class ImportancePlan:
    """What is public before a run.

    regularisation  lambda, from 10^-6 to 10^6
    rho             the budget
    sensitivity     k, the rows that one person may own

    Raises PlanError for values outside these.
    """

    regularisation: Fraction
    rho: ZCDP
    sensitivity: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "regularisation", as_fraction(self.regularisation))
        if not Fraction(1, 10**6) <= self.regularisation <= 10**6 or self.sensitivity < 1:
            raise PlanError("Importance weights need a lambda from 1e-6 to 1e6 and at least one row a person.")

    @classmethod
    def of(cls, regularisation: Number, rho: ZCDP, sensitivity: int = 1) -> ImportancePlan:
        return cls(as_fraction(regularisation), rho, sensitivity)

    @property
    def solved(self) -> float:
        """The float nearest to lambda: the one that the solver works with, and that the noise is made for."""
        return float(self.regularisation)


@dataclass(frozen=True, eq=False)
class ImportanceRelease:
    """Noisy coefficients and the weights that they give; nothing in it is private.

    coefficients  float64 (p,), one a level of each attribute, in the domain's order
    """

    coefficients: Floats
    distribution: Distribution
    rho: ZCDP


@dataclass(frozen=True)
class Lattice:
    """Where coefficients are rounded to before noise: multiples of 2^-bits, and how far one person moves them there."""

    bits: int
    squared_sensitivity: Fraction

    @classmethod
    def of(cls, plan: ImportancePlan, n: int, coefficients: int, tolerance: Fraction) -> Lattice:
        """Public: see `ji_elkan` for the bound.

        coefficients  p
        tolerance     tau, the largest gradient norm at which the solver stops
        """
        solved = Fraction(plan.solved)
        ideal = sqrt_above(Fraction(2)) * plan.sensitivity / (n * solved)
        width = sqrt_above(Fraction(coefficients))
        bits = max(0, math.ceil(width / ideal).bit_length() + LATTICE_BITS)
        reach = ideal + 2 * tolerance / solved + width / 2**bits
        return cls(bits, (reach * 2**bits) ** 2)

    def round(self, coefficients: Floats) -> Ints:
        """The nearest lattice point, halves to even; int64 (p,). (Adding 1/2 first would round twice beyond 2^52.)"""
        points: Ints = np.rint(coefficients * 2.0**self.bits).astype(np.int64)
        return points


def ji_elkan(
    private: Dataset | RepeatedRows, support: Support, plan: ImportancePlan, *, noise: NoiseSource = SECURE
) -> ImportanceRelease:
    """Private importance weights on the atoms of a public table.

    Rows are one-hot vectors x in {0, 1/sqrt(d)}^p over the levels of the d attributes, so |x| <= 1; a cell without a
    level adds nothing. With n private and m public rows the coefficients minimise (Ji and Elkan 2013, Section 3)

        J(beta) = lambda/2 |beta|^2 + 1/n sum_D log(1 + e^(-beta.x)) + 1/m sum_E log(1 + e^(beta.x)),

    get noise, and atom x, of multiplicity c_x, gets the weight c_x exp(beta.x) / sum of these.

    Privacy: neighbours D, D' replace one person's at most k of n rows; E is public.
    (1) At any beta, the gradients of J_D and J_D' differ by 1/n times a sum of at most k terms b x' - a x with a, b in
        (0, 1). The entries of x and x' are not negative, so |b x' - a x|^2 <= a^2 |x|^2 + b^2 |x'|^2 <= 2, and the
        gradients differ by at most sqrt(2) k/n. (Ji and Elkan use 2/n.)
    (2) J is lambda-strongly convex (lambda the float `plan.solved`, in J and in the bound alike): lambda |beta* -
        beta'*| <= the difference of the gradients of J_D' at these two minima, = that of J_D' and J_D at beta*, so
        |beta* - beta'*| <= sqrt(2) k/(n lambda).
    (3) The solver stops only where the true gradient is certified to be at most tau, a public number
        (`Discrimination`): by strong convexity within tau/lambda of the minimum. Rounding to the lattice h = 2^-bits
        moves p coefficients by at most h sqrt(p)/2. So lattice points of neighbours differ by at most
        sqrt(2) k/(n lambda) + 2 tau/lambda + h sqrt(p), whatever path the solver took.
    (4) They are whole multiples of h; discrete Gaussian noise on them costs `VectorGaussian.rho`. Weights and
        normalisation are post-processing.
    Not covered: time, and the event SolverError, which a strongly convex J does not bring about.

    Raises DomainError for two domains or no private row, BudgetError where the noise cannot be drawn, SolverError.
    """
    if private.domain != support.domain:
        raise DomainError("The private and the public table were made with different schemas.")
    if not len(private):
        raise DomainError("Importance weights need at least one private row.")
    task = Discrimination(OneHotRows.of_private(private), OneHotRows.of_public(support), plan.solved)
    lattice = Lattice.of(plan, len(private), support.domain.dimension, Fraction(task.tolerance))
    measurement = VectorGaussian.costing(plan.rho, lattice.squared_sensitivity)
    noisy = measurement.measure(lattice.round(task.minimise()), noise=noise)
    coefficients = noisy / 2.0**lattice.bits
    return ImportanceRelease(coefficients, importance_weights(coefficients, support), measurement.rho)


def importance_weights(coefficients: Floats, support: Support) -> Distribution:
    """A(x) proportional to c_x exp(beta.x), for the c_x public rows that equal atom x.

    coefficients  float64 (p,)
    """
    scores = OneHotRows.of_public(support).scores(coefficients)
    weights = support.multiplicity * np.exp(scores - scores.max())
    return Distribution(support, weights / weights.sum())
