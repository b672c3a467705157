"""HDMM's marginal strategies (McKenna, Miklau, Hay, Machanavajjhala 2018, OPT_M), with Gaussian noise.

The strategy measures whole marginals, each with a precision of its own (`marginal_weights`), some of them wider than
the workload's, and the workload is answered by least squares. Over marginals that has a closed form, residual by
residual, so no vector over the domain is ever made; Liu et al. (2021) could not run HDMM on ACS and ADULT because of
that vector. HDMM's paper adds Laplace noise for pure epsilon-DP; Gaussian noise for zCDP is what later work by its
authors uses, and what every baseline here is charged in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pmwpub.errors import BudgetError, PlanError
from pmwpub.mechanisms.baselines.matrix.marginal_weights import best_weights
from pmwpub.mechanisms.baselines.matrix.residual_planner import MarginalAnswers
from pmwpub.mechanisms.baselines.matrix.residuals import Emphasis, ResidualSpaces, Subset, projected, refuse_slow
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.vector_gaussian import VectorGaussian, sqrt_above
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.workload import Workload
from pmwpub.records import Floats


@dataclass(frozen=True, eq=False)
class MarginalStrategy:
    """What is public before a run.

    scales       sigma_S of each measured marginal, in rows
    sensitivity  k, the rows that one person may own
    rho          the charge: at least the sum of k^2/sigma_S^2
    excess       how far the sum of variances can be above the least that strategies of the candidate marginals reach,
                 as a share (`marginal_weights`); inf where nothing is known
    """

    spaces: ResidualSpaces
    scales: dict[Subset, Fraction]
    sensitivity: int
    rho: ZCDP
    excess: float

    @classmethod
    def of(
        cls, workload: Workload, budget: ZCDP, sensitivity: int = 1, emphasis: Emphasis = Emphasis.QUERIES
    ) -> MarginalStrategy:
        """The weights of marginals that make what `emphasis` says least for this budget.

        Raises MethodRefused for a workload with too many subsets or cells, BudgetError for too small a budget.
        """
        best = best_weights(ResidualSpaces(workload, emphasis))
        return cls.weighted(best.spaces, best.omega, budget, sensitivity, best.excess)

    @classmethod
    def weighted(
        cls, spaces: ResidualSpaces, weights: Floats, budget: ZCDP, sensitivity: int = 1, excess: float = math.inf
    ) -> MarginalStrategy:
        """Marginals with shares of the budget: sigma_S^2 = k^2/(rho omega_S), rounded up, so that it costs at most rho.

        weights  float64 (tables,)  omega of `spaces.tables`, not negative; taken as shares of their exact sum
        """
        if sensitivity < 1:
            raise PlanError("One person owns at least one row.")
        if budget.units < 1:
            raise BudgetError("A share of zero buys no measurement; take more budget.")
        chosen = {spaces.tables[place]: Fraction(float(weights[place])) for place in np.flatnonzero(weights)}
        refuse_slow(sum(map(spaces.cells, chosen)))
        total = sum(chosen.values(), Fraction(0))
        scales = {s: sqrt_above(sensitivity**2 * total / (budget.rho * weight)) for s, weight in chosen.items()}
        return cls(spaces, scales, sensitivity, budget, excess)

    def measurement(self, subset: Subset) -> VectorGaussian:
        """The noise on one marginal: one person's k rows move it by at most sqrt(2) k."""
        return VectorGaussian(self.scales[subset], Fraction(2 * self.sensitivity**2))

    @property
    def noise(self) -> Floats:
        """sigma_A^2, the variance of the least-squares residual of each subset: float64 (subsets,).

        A marginal S above A, summed to A, has the noise sigma_S^2 (product over S - A of m_i) in each cell; independent
        estimates add up their inverses.
        """
        precision = np.zeros(len(self.spaces.subsets))
        for subset, scale in self.scales.items():
            for inner in self.spaces.needed(subset):
                others = self.spaces.cells(subset) / self.spaces.cells(inner)
                precision[self.spaces.place[inner]] += 1 / (float(scale) ** 2 * others)
        return 1 / precision

    @property
    def variances(self) -> Floats:
        """The variance of each cell of each marginal, in squared rows: float64 (W,), closed form, before any run.

        Of the noise: what rows that lack levels add to an answer's error is not in it.
        """
        return self.spaces.variances(self.noise)


def hdmm(counts: PrivateCounts, strategy: MarginalStrategy, *, noise: NoiseSource = SECURE) -> MarginalAnswers:
    """Measure the strategy's marginals, and answer the workload by weighted least squares with n rows in all.

    counts  of `strategy.spaces.closure`; a row without a level on an attribute of S is in no cell of S. With such
            rows the measured tables disagree, since a wider one holds fewer of them; least squares then answers with a
            mixture of theirs, so answers are biased against the queries' counts, and err by more than `variances`.

    Noise of one scale on all cells of S has independent parts in the residual spaces of S, so least squares splits: the
    residual of A is the average of what each measured S above A says of it, weighted by inverse variances.

    Privacy: neighbours replace one person's at most k rows by as many, n fixed. A row is in at most one cell of S, so
    replacing it moves the table of S by e - e', e or -e', of norm at most sqrt(2), and k rows by sqrt(2) k; discrete
    Gaussian noise of scale sigma_S costs k^2/sigma_S^2 (`VectorGaussian`). These add up over the measured marginals;
    a pair of rows that differ in every attribute attains the sum. Least squares is post-processing; n is public.

    Raises MethodRefused for counts of another workload.
    """
    spaces, tables = strategy.spaces, strategy.spaces.counted(counts)
    sums = {subset: np.zeros(spaces.shape(subset)) for subset in spaces.subsets}
    precision = dict.fromkeys(spaces.subsets, 0.0)
    for subset, scale in strategy.scales.items():
        noisy = strategy.measurement(subset).measure(tables[subset], noise=noise).astype(float)
        for inner in spaces.needed(subset):
            outside = tuple(axis for axis, attribute in enumerate(subset) if attribute not in inner)
            weight = spaces.cells(inner) / spaces.cells(subset) / float(scale) ** 2
            sums[inner] += weight * noisy.sum(axis=outside)
            precision[inner] += weight
    residuals = {subset: projected(sums[subset] / precision[subset]) for subset in spaces.subsets}
    answers = spaces.answers(residuals, counts.n)
    return MarginalAnswers(answers, strategy.variances, strategy.rho, len(strategy.scales))
