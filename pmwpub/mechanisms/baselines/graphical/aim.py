"""AIM (McKenna, Mullins, Sheldon, Miklau 2022): a marginal a round, where the model is worst for the workload."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.mechanisms.baselines.graphical.fitted_model import Model, NoisyMarginals, distances, expected_distance
from pmwpub.mechanisms.baselines.graphical.mst import selection_costing
from pmwpub.mechanisms.baselines.matrix.residual_planner import MarginalAnswers
from pmwpub.mechanisms.baselines.matrix.residuals import ResidualSpaces, Subset
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.counts import count
from pmwpub.queries.repeated_rows import RepeatedRows
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Ints

ROUNDS_AN_ATTRIBUTE = 16
MEASURING = Fraction(9, 10)
LEAST_UNITS = 1_000
"""Less than this is left unspent: no round could be made of it."""


@dataclass(frozen=True)
class AimPlan:
    """AIM's settings.

    rho          the budget
    sensitivity  k, the rows that one person may own
    megabytes    the largest model: what it may grow to as the budget is spent (their paper: 80)
    iterations   of a fit in between (their program: as many)
    last         of the last fit (their program: as many)
    """

    rho: ZCDP
    sensitivity: int = 1
    megabytes: float = 8.0
    iterations: int = 1_000
    last: int = 2_500

    def __post_init__(self) -> None:
        if self.sensitivity < 1:
            raise PlanError("One person owns at least one row.")

    def first_share(self, attributes: int) -> Share:
        """A round's share where 16 rounds an attribute are planned."""
        return Share.of(ZCDP(self.rho.units // (ROUNDS_AN_ATTRIBUTE * attributes)))


@dataclass(frozen=True)
class Share:
    """What one round may spend: nine tenths on a measurement, one on a selection."""

    measuring: ZCDP
    selecting: ZCDP

    @classmethod
    def of(cls, rho: ZCDP) -> Share:
        measuring = ZCDP.at_most(rho.rho * MEASURING)
        return cls(measuring, rho - measuring)

    @property
    def rho(self) -> ZCDP:
        return self.measuring + self.selecting

    def measurement(self, sensitivity: int) -> VectorGaussian:
        """Of one marginal: k replaced rows move it by at most sqrt(2) k."""
        return VectorGaussian.costing(self.measuring, 2 * sensitivity**2)


@dataclass
class Purse:
    """The budget of a run, spent before each draw; never below nothing."""

    left: ZCDP

    def spend(self, rho: ZCDP) -> None:
        """Raises BudgetError where it is not there."""
        self.left = self.left - rho


def aim(
    private: Dataset | RepeatedRows, workload: Workload, plan: AimPlan, *, noise: NoiseSource = SECURE
) -> MarginalAnswers:
    """Run AIM, and answer the workload from its model.

    Privacy: neighbours replace one person's at most k of n rows, n public. Measuring a marginal costs
    `VectorGaussian.rho` at squared sensitivity 2 k^2. The score of subset r is the whole number
    w_r (|c_r - m_r|_1 - e_r), where the model's rounded table m_r, the expected distance e_r and the weight w_r depend
    on earlier outputs and public numbers; it moves by at most 2 k w_r, so by 2 k times the largest weight on offer,
    which is the sensitivity that the exponential mechanism gets. What is offered, the shares, and when noise is halved
    are functions of earlier outputs. Each draw is spent from a purse of rho before it is made: composition with shares
    chosen on the way is a privacy filter, valid for zCDP (Feldman and Zrnic 2021). Fitting is post-processing.

    Raises MethodRefused without the extra `peers` or for a workload of too many subsets.
    """
    spaces = ResidualSpaces(workload)
    tables = spaces.counted(count(spaces.closure, private))
    ones: list[Subset] = [subset for subset in spaces.subsets if len(subset) == 1]
    known, purse, share = (
        NoisyMarginals(workload.domain.shape, len(private)),
        Purse(plan.rho),
        plan.first_share(len(ones)),
    )
    for one in ones:
        purse.spend(share.measuring)
        known.measure(one, tables[one], share.measurement(plan.sensitivity), noise)
    model = known.model(plan.iterations)
    while purse.left.units >= LEAST_UNITS:
        if purse.left < share.rho * 2:
            share = Share.of(purse.left)
        purse.spend(share.rho)
        subset = _worst(spaces, tables, model, known, plan, share, purse, noise)
        known.measure(subset, tables[subset], share.measurement(plan.sensitivity), noise)
        before, model = model, known.model(plan.iterations, model)
        if _hardly_moved(before, model, subset, share.measurement(plan.sensitivity)):
            share = Share.of(share.rho * 4)
    last = known.model(plan.last, model)
    return known.answers([last.counts(marginal.attributes) for marginal in workload.marginals], plan.rho)


def _worst(
    spaces: ResidualSpaces,
    tables: dict[Subset, Ints],
    model: Model,
    known: NoisyMarginals,
    plan: AimPlan,
    share: Share,
    purse: Purse,
    noise: NoiseSource,
) -> Subset:
    """One subset by the exponential mechanism, among those that keep the model small enough."""
    allowed = plan.megabytes * float(1 - purse.left.rho / plan.rho.rho)
    base = known.size()
    offered = [s for s in spaces.subsets if (size := known.size([s])) <= max(allowed, base) or size <= base]
    weights = np.array([_weight(spaces.workload, subset) for subset in offered], dtype=np.int64)
    scale = float(share.measurement(plan.sensitivity).scale)
    expected = np.array([expected_distance(scale, spaces.cells(subset)) for subset in offered], dtype=np.int64)
    scores = weights * (distances(tables, model, offered) - expected)
    law = selection_costing(share.selecting)
    return offered[law.select(scores, 2 * plan.sensitivity * int(weights.max()), noise=noise)]


def _weight(workload: Workload, subset: Subset) -> int:
    """How much a subset tells of the workload: the attributes that it shares with each marginal, summed."""
    return sum(len(set(subset) & set(marginal.attributes)) for marginal in workload.marginals)


def _hardly_moved(before: Model, after: Model, subset: Subset, measurement: VectorGaussian) -> bool:
    """Whether a measurement taught the model no more than its noise would: then noise is halved."""
    moved = float(np.abs(after.counts(subset) - before.counts(subset)).sum())
    return moved <= expected_distance(float(measurement.scale), before.counts(subset).size)
