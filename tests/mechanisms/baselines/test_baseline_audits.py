"""What two neighbours show of each baseline, end to end: near what the exact law gives, and never beyond the charge.

The event is fixed by the law, and every run is one of the whole mechanism. What selections tell is nothing on these
tables, or is left aside where the event's law does not depend on it; the upper gate is then that of the measurements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from privacy.laws import gaussian_masses
from scipy import stats
from scipy.optimize import brentq
from support import product_model, tables
from support.audits import Audit
from support.fakes import RecordedNoise, ScaledNoise
from support.marginal_oracles import projection, table_of
from support.planting import plant

from pmwpub.mechanisms.baselines.dual_query import DualQueryPlan, dual_query
from pmwpub.mechanisms.baselines.graphical.aim import AimPlan, aim
from pmwpub.mechanisms.baselines.graphical.mst import MstPlan, mst
from pmwpub.mechanisms.baselines.ji_elkan import ImportancePlan, ji_elkan
from pmwpub.mechanisms.baselines.matrix.hdmm import MarginalStrategy, hdmm
from pmwpub.mechanisms.baselines.matrix.residual_planner import ResidualPlan, residual_planner
from pmwpub.mechanisms.baselines.mwem import full_problem, mwem
from pmwpub.mechanisms.pmw_pub.algorithm import Schedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.round_share import split
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

pytestmark = pytest.mark.audit

ONE = ZCDP.at_most(1)
CUT = 1.5
PAIRS = Workload.all_kway(tables.domain(2, 2), 2)
K = 20
"""Rows of one person, so that whole numbers of rows are a fine scale for the noise."""
OURS, THEIRS = Dataset(PAIRS.domain, [[0, 0]] * 2 * K), Dataset(PAIRS.domain, [[0, 0]] * K + [[1, 1]] * K)
OTHERS = [[0, 0], [0, 1], [1, 0], [1, 1]] * 300
"""So many that MST takes no level for rare."""
LEVELS = Workload.all_kway(tables.domain(2), 1)


@dataclass(frozen=True)
class Case:
    """A mechanism on two neighbours.

    happens  runs it on ours or theirs: whether the event happened
    wrong    the event's probabilities with noise that costs twice the rho: sqrt(1/2) of it
    """

    audit: Audit
    happens: Callable[[bool, NoiseSource], bool]
    wrong: tuple[float, float]

    @classmethod
    def of_normal(cls, apart: float, rho: ZCDP, value: Callable[[bool, NoiseSource], float]) -> Case:
        """`value` is normal of deviation 1 about 0 on theirs and about `apart` on ours."""
        ours, theirs = (float(stats.norm.sf(math.sqrt(2) * (CUT - mean))) for mean in (apart, 0))
        return cls(Audit.of_normal(apart, rho, CUT), lambda ours, noise: value(ours, noise) >= CUT, (ours, theirs))

    def hits(self, ours: bool, noise: NoiseSource = SECURE) -> int:
        return sum(self.happens(ours, noise) for _ in range(self.audit.runs))


def of_hdmm() -> Case:
    """The cells that the person is in or would be in: their difference, of the least-squares answers."""
    strategy = MarginalStrategy.of(PAIRS, ONE, K)
    counts = {ours: count(strategy.spaces.closure, OURS if ours else THEIRS) for ours in (True, False)}
    gram = [table_of(PAIRS.domain, s).T @ table_of(PAIRS.domain, s) / float(v) ** 2 for s, v in strategy.scales.items()]
    deviation = _deviation(sum(gram))

    def value(ours: bool, noise: NoiseSource) -> float:
        return float(hdmm(counts[ours], strategy, noise=noise).answers @ [1, 0, 0, -1]) / deviation

    return Case.of_normal(2 * K / deviation, strategy.rho, value)


def of_residual_planner() -> Case:
    plan = ResidualPlan.of(PAIRS, ONE, K)
    counts = {ours: count(plan.spaces.closure, OURS if ours else THEIRS) for ours in (True, False)}
    gram = np.zeros((4, 4))
    for subset, scale in zip(plan.spaces.subsets, plan.scales, strict=True):
        to_subset = table_of(PAIRS.domain, subset)
        gram += to_subset.T @ projection([2] * len(subset)) @ to_subset / float(scale) ** 2
    deviation = _deviation(gram)

    def value(ours: bool, noise: NoiseSource) -> float:
        return float(residual_planner(counts[ours], plan, noise=noise).answers @ [1, 0, 0, -1]) / deviation

    return Case.of_normal(2 * K / deviation, plan.rho, value)


def _deviation(precision: np.ndarray) -> float:
    """Of the first cell minus the last, by dense least squares."""
    ends = np.array([1, 0, 0, -1])
    return math.sqrt(float(ends @ np.linalg.pinv(precision) @ ends))


def of_ji_elkan() -> Case:
    """One of two rows; lambda is large. The coefficients move by a half of what the noise is made for."""
    shape, plan = tables.domain(2), ImportancePlan.of("10", ZCDP.at_most(4))
    public = Support.of(Dataset(shape, [[0], [1]]))
    private = {True: Dataset(shape, [[0], [0]]), False: Dataset(shape, [[0], [1]])}
    centres = {ours: _tilt(rows, public) for ours, rows in private.items()}
    # sqrt(2)/(n lambda) at rho = 4, for n = 2.
    deviation = math.sqrt(2) / 20 / math.sqrt(8)
    apart = abs(centres[True] - centres[False]) / deviation
    sign = math.copysign(1 / deviation, centres[True] - centres[False])

    def value(ours: bool, noise: NoiseSource) -> float:
        found = ji_elkan(private[ours], public, plan, noise=noise).coefficients
        return sign * (float(found[0] - found[1]) / math.sqrt(2) - centres[False])

    return Case.of_normal(apart, ZCDP.at_most(Fraction(apart**2 / 2)), value)


def _tilt(private: Dataset, public: Support) -> float:
    """(beta_0 - beta_1)/sqrt(2) at the minimum of J for one attribute of two levels, where J is a sum over levels."""
    ours = np.bincount(private.codes[:, 0], minlength=2) / len(private)
    theirs = public.multiplicity / public.multiplicity.sum()
    first, second = (
        brentq(lambda b, p=p, q=q: 10 * b - p / (1 + math.exp(b)) + q / (1 + math.exp(-b)), -1, 1, xtol=1e-14)
        for p, q in zip(ours, theirs, strict=True)
    )
    return float(first - second) / math.sqrt(2)


def of_mwem() -> Case:
    """Three rows of six, two rounds. A query on the second level says the same as one on the first, mirrored."""
    made = Schedule(2, split(ZCDP.at_most(2), 2, rows_per_person=3), sensitivity=3)
    problem = full_problem(LEVELS)
    counts = {True: count(LEVELS, Dataset(LEVELS.domain, [[0]] * 6))}
    counts[False] = count(LEVELS, Dataset(LEVELS.domain, [[0]] * 3 + [[1]] * 3))

    def happens(ours: bool, noise: NoiseSource) -> bool:
        lines = mwem(counts[ours], problem, made, noise=noise).transcript
        return sum(line.noisy_count if line.query == 0 else 6 - line.noisy_count for line in lines) >= least

    scale = float(made.share.measurement.scale)
    least = math.ceil(6 + CUT * math.sqrt(2) * scale)
    sums, right = _sum_of_two(scale)
    ours, theirs = (np.interp(sums, sums + mean, right, left=0, right=0) for mean in (12, 6))
    audit = Audit.of_masses(ours, theirs, sums >= least, made.share.measurement.rho * 2)
    sums, wrong = _sum_of_two(scale / math.sqrt(2))
    return Case(audit, happens, (float(wrong[sums >= least - 12].sum()), float(wrong[sums >= least - 6].sum())))


def _sum_of_two(scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes and probabilities of the sum of two discrete Gaussians of this scale."""
    outcomes, masses = gaussian_masses(scale)
    return np.arange(2 * outcomes[0], 2 * outcomes[-1] + 1), np.convolve(masses, masses)


VOTES, LEAST_VOTES = 50, 26


@dataclass
class FirstLevel:
    """A first round, uniform and free, whose samples all ask for the first level; any other draw is the source's."""

    source: NoiseSource
    left: int = VOTES

    def below(self, n: int) -> int:
        self.left -= 1
        return 0 if self.left >= 0 else self.source.below(n)

    def bits(self, k: int) -> int:
        return self.source.bits(k)


def of_dual_query() -> Case:
    """One row, two rounds of 50 samples. The first adds the first level, whatever the private row is.

    A sample asks for one level or the other. The second round's ask for the first with odds e^(2 eta (c - 1)) where the
    private table has it c times, and how often they did shows in the row and in how much it satisfies.
    """
    # s (2 eta)^2/8 = 1.
    eta = Fraction(math.sqrt(8 / VOTES) / 2).limit_denominator(1000)
    plan = DualQueryPlan(1, VOTES, eta, 2, seconds=0)
    counts = {ours: count(LEVELS, Dataset(LEVELS.domain, [[0 if ours else 1]])) for ours in (True, False)}

    def happens(ours: bool, noise: NoiseSource) -> bool:
        found = dual_query(counts[ours], LEVELS, plan, noise=FirstLevel(noise))  # type: ignore[arg-type]
        first, second = found.responses
        assert first.row == (0,)
        return (second.satisfied if second.row == (0,) else VOTES - second.satisfied) >= LEAST_VOTES

    right, wrong = ([_votes(step * float(eta), c - 1) for c in (1, 0)] for step in (1, math.sqrt(2)))
    enough = np.arange(VOTES + 1) >= LEAST_VOTES
    audit = Audit.of_masses(right[0], right[1], enough, plan.rho)
    return Case(audit, happens, (float(wrong[0][enough].sum()), float(wrong[1][enough].sum())))


def _votes(eta: float, difference: int) -> np.ndarray:
    """The law of the number of votes for the first level."""
    return stats.binom.pmf(np.arange(VOTES + 1), VOTES, 1 / (1 + math.exp(-2 * eta * difference)))


def of_peer(run: Callable[[Dataset, NoiseSource], object], rho: float) -> Case:
    """All measurements, weighted by their precision: in every table the person is in the first cell or in the last.

    Whatever was selected, and however the budget was cut up, the sum of 2 k^2/sigma^2 is 2 rho for the `rho` that goes
    into measurements. So the sum of k (first - last)/sigma^2 is normal of that variance (its increments have the
    predictable variance 2 k^2/sigma^2), about 0 on theirs and about 2 rho on ours.
    """
    private = {
        ours: Dataset(PAIRS.domain, [*OTHERS, *(OURS if ours else THEIRS).codes.tolist()]) for ours in (True, False)
    }

    def value(ours: bool, noise: NoiseSource) -> float:
        calls = RecordedNoise(noise)
        run(private[ours], calls)
        drawn = [(args[1], answer) for name, args, answer in calls.calls if name == "gaussians"]
        told = sum((a[0] - a[-1]) / float(scale) ** 2 for scale, a in drawn)  # type: ignore[index, arg-type]
        return float(told) * K / math.sqrt(2 * rho)

    return Case.of_normal(math.sqrt(2 * rho), ZCDP.at_most(Fraction(rho)), value)


def of_mst() -> Case:
    """Two thirds of the budget are measurements."""
    plan = MstPlan(ZCDP.at_most(Fraction(3, 2)), K)
    return of_peer(lambda private, noise: mst(private, PAIRS, plan, noise=noise), 1.0)


def of_aim() -> Case:
    """Two first marginals have 9/10 of 1/32 each, and measurements 9/10 of all that is left."""
    first = 2 * 0.9 / 32
    share = first + 0.9 * (1 - first)
    plan = AimPlan(ZCDP.at_most(Fraction(1 / share)), K)
    return of_peer(lambda private, noise: aim(private, PAIRS, plan, noise=noise), 1.0)


CASES = {
    "hdmm": of_hdmm,
    "residual planner": of_residual_planner,
    "ji-elkan": of_ji_elkan,
    "mwem": of_mwem,
    "mst": of_mst,
    "aim": of_aim,
    "dual query": of_dual_query,
}
every = pytest.mark.parametrize("name", CASES)


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    product_model.stand_in(monkeypatch)


@every
def test_neighbours_show_what_the_exact_law_gives_and_no_more_than_is_charged(name: str) -> None:
    case = CASES[name]()
    case.audit.assert_sharp(*case.wrong)
    case.audit.assert_passed(case.hits(True), case.hits(False))


@every
@pytest.mark.fault("half the noise")
def test_half_the_noise_fails_the_audit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case, noise = CASES[name](), ScaledNoise(Fraction(1, 2))
    if name == "dual query":
        plant(monkeypatch, DualQueryPlan, "selection", "(2 * self.eta", "(4 * self.eta")
    with pytest.raises(AssertionError, match="beyond"):
        case.audit.assert_passed(case.hits(True, noise), case.hits(False, noise))
