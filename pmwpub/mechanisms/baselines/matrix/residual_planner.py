"""ResidualPlanner (Xiao, He, Zhang, Kifer 2023): marginals answered from noisy residuals, without rows.

Among all Gaussian matrix mechanisms for a set of marginals the best one measures each residual space on its own; which
precision each gets is then a small convex problem. Their paper prices neighbours that add or remove a row; here they
replace one, and n is public, so the empty residual is not measured and the precisions are those best for this price.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pmwpub.errors import BudgetError, PlanError
from pmwpub.mechanisms.baselines.matrix.replacement import Design, best_design
from pmwpub.mechanisms.baselines.matrix.residuals import (
    Emphasis,
    ResidualSpaces,
    projected,
    refuse_slow,
    scaled_projection,
)
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.vector_gaussian import VectorGaussian, sqrt_above
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.workload import Workload
from pmwpub.records import Floats


@dataclass(frozen=True, eq=False)
class MarginalAnswers:
    """Noisy answers of a workload without rows behind them; nothing in it is private.

    answers    float64 (Q,)  counts of rows, consistent between marginals and with n; `residual_planner` and `hdmm` may
               give negative ones, unbiased where every private row has a level on every attribute: a row that lacks one
               is in no query's count there, and still among the n rows that answers sum to
    variances  float64 (W,)  of the noise on each cell of each marginal, in squared rows; NaN where it is not known
    measured   how many marginals, or residuals of them, the noise was added to
    """

    answers: Floats
    variances: Floats
    rho: ZCDP
    measured: int


@dataclass(frozen=True, eq=False)
class ResidualPlan:
    """What is public before a run.

    scales       sigma_A of each subset of `spaces`, in rows
    sensitivity  k, the rows that one person may own
    rho          the charge
    excess       how far the sum of variances can be above the least possible, as a share; inf where nothing is known
    """

    spaces: ResidualSpaces
    scales: tuple[Fraction, ...]
    sensitivity: int
    rho: ZCDP
    excess: float

    @classmethod
    def of(
        cls, workload: Workload, budget: ZCDP, sensitivity: int = 1, emphasis: Emphasis = Emphasis.QUERIES
    ) -> ResidualPlan:
        """The precisions that make what `emphasis` says least for this budget.

        Raises MethodRefused for a workload with too many subsets or cells, BudgetError for too small a budget.
        """
        spaces = ResidualSpaces(workload, emphasis)
        refuse_slow(sum(map(spaces.cells, spaces.subsets)))
        return cls.designed(spaces, best_design(spaces), budget, sensitivity)

    @classmethod
    def designed(cls, spaces: ResidualSpaces, design: Design, budget: ZCDP, sensitivity: int = 1) -> ResidualPlan:
        """A design at this budget: sigma_A^2 = k^2/(rho theta_A), rounded up.

        The design costs at most 1 for one row and rho(B) rises with each 1/sigma_A^2, so this costs at most rho.
        """
        if sensitivity < 1:
            raise PlanError("One person owns at least one row.")
        if budget.units < 1:
            raise BudgetError("A share of zero buys no measurement; take more budget.")
        squares = (Fraction(sensitivity**2) / (budget.rho * Fraction(float(theta))) for theta in design.theta)
        return cls(spaces, tuple(map(sqrt_above, squares)), sensitivity, budget, design.excess)

    @property
    def _noise(self) -> Floats:
        """sigma_A^2, float64 (subsets,)."""
        return np.array([float(scale) ** 2 for scale in self.scales])

    @property
    def variances(self) -> Floats:
        """The variance of each cell of each marginal, in squared rows: float64 (W,), closed form, before any run.

        Of the noise: what rows that lack levels add to an answer's error is not in it.
        """
        return self.spaces.variances(self._noise)


def residual_planner(counts: PrivateCounts, plan: ResidualPlan, *, noise: NoiseSource = SECURE) -> MarginalAnswers:
    """Measure every residual once, and put the workload's answers together from them.

    counts  of `plan.spaces.closure`; a row without a level on an attribute of A is in no cell of A, and its residual 0
            amounts to spreading it evenly over the levels that it lacks: answers are unbiased for counts made so

    The residual of A has whole coefficients: N P_A v_A for the N cells of A. It gets discrete Gaussian noise of scale
    N sigma_A in every cell, is divided by N and projected again. The part of the noise outside the residual space,
    which a continuous mechanism would not draw, falls away, so each answer has the closed form's variance.

    Privacy: neighbours replace one person's at most k rows by as many, n fixed.
    (1) One row x replaced by x', both with all levels: the vector of A moves by N P_A (e_x - e_x'), whole numbers, and
        its noise costs |P_A (e_x - e_x')|^2/(2 sigma_A^2) (`VectorGaussian`), for this pair and this A. Noises are
        independent, so for this pair the costs add up over A: rho(B) of `replacement`, where B are the attributes in
        which x and x' differ. The charge covers the largest, not the sum over A of each one's largest.
    (2) Rows that lack levels cost no more. Let x have levels on L, x' on L'. The cost is half the sum of theta_A pi_A
        over A in L, plus that over A in L', minus twice that over A in both times the product of t_i. Fill the missing
        levels of both rows by independent uniform ones: the mean cost of the filled pair is the sum over all A of
        theta_A pi_A minus that over A in both times the same product, since a t_i of a uniform level has mean
        1/m - (1 - 1/m)/(m - 1) = 0. That is no less, and some filled pair costs at least the mean.
    (3) k rows: the moves of single rows add up, and in the norm whose square is twice the cost each is at most
        sqrt(2 max rho(B)); so k of them cost at most k^2 max rho(B).
    Dividing, projecting and adding up are post-processing; n is public.

    Raises MethodRefused for counts of another workload.
    """
    spaces, residuals = plan.spaces, {}
    for (subset, table), scale in zip(spaces.counted(counts).items(), plan.scales, strict=True):
        cells = spaces.cells(subset)
        # What this vector could cost alone is beside the point: (1) charges all of them together.
        alone = Fraction(2 * (plan.sensitivity * cells) ** 2)
        noisy = VectorGaussian(scale * cells, alone).measure(scaled_projection(table), noise=noise)
        residuals[subset] = projected(noisy / cells)
    return MarginalAnswers(spaces.answers(residuals, counts.n), plan.variances, plan.rho, len(residuals))
