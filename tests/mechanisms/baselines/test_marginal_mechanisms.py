"""ResidualPlanner and HDMM: closed-form variances, what they draw, what they are charged, and where they agree."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from support import tables
from support.fakes import FixedNoise, RecordedNoise, ScaledNoise
from support.marginal_oracles import least_squares_variances, table_of
from support.normal_bins import LAW, binned
from support.planting import plant
from support.statistical import AUDIT, assert_both_arms, assert_follows, assert_rejects

from pmwpub.errors import BudgetError, MethodRefused, PlanError
from pmwpub.mechanisms.baselines.matrix import marginal_weights, replacement
from pmwpub.mechanisms.baselines.matrix.hdmm import MarginalStrategy, hdmm
from pmwpub.mechanisms.baselines.matrix.residual_planner import MarginalAnswers, ResidualPlan, residual_planner
from pmwpub.mechanisms.baselines.matrix.residuals import Emphasis, ResidualSpaces
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset

SHAPE = tables.domain(3, 2, 4)
WORKLOAD = Workload.all_kway(SHAPE, 2)
BUDGET = ZCDP.at_most(Fraction(1, 50))
Plan = ResidualPlan | MarginalStrategy
PLANS: dict[str, Callable[..., Plan]] = {"residual planner": ResidualPlan.of, "hdmm": MarginalStrategy.of}
both = pytest.mark.parametrize("make", PLANS.values(), ids=PLANS.keys())


def run(plan: Plan, private: Dataset, noise: NoiseSource = SECURE) -> MarginalAnswers:
    counts = count(plan.spaces.closure, private)
    return (
        residual_planner(counts, plan, noise=noise)
        if isinstance(plan, ResidualPlan)
        else hdmm(counts, plan, noise=noise)
    )


def loss(plan: Plan) -> float:
    """The sum of the variances of all answers."""
    return float(np.repeat(plan.variances, np.diff(plan.spaces.workload.offsets)).sum())


@both
def test_without_noise_the_answers_are_the_counts(make: Callable[..., Plan]) -> None:
    private = tables.table(SHAPE, 70, 1)
    found = run(make(WORKLOAD, BUDGET), private, FixedNoise())
    assert found.answers == pytest.approx(count(WORKLOAD, private).counts)


@both
def test_marginals_agree_where_they_overlap_and_sum_to_n(make: Callable[..., Plan]) -> None:
    answers = run(make(WORKLOAD, BUDGET), tables.table(SHAPE, 70, 1)).answers
    first, second, third = answers[:6].reshape(3, 2), answers[6:18].reshape(3, 4), answers[18:].reshape(2, 4)
    assert first.sum(axis=1) == pytest.approx(second.sum(axis=1))
    assert first.sum(axis=0) == pytest.approx(third.sum(axis=1))
    assert third.sum() == pytest.approx(70)


@both
def test_answers_scatter_by_the_closed_form_without_bias(make: Callable[..., Plan]) -> None:
    """Mean and variance over runs, within six deviations of either."""
    private, plan, runs = tables.table(SHAPE, 70, 1), make(WORKLOAD, BUDGET), 500
    errors = np.array([run(plan, private).answers for _ in range(runs)]) - count(WORKLOAD, private).counts
    stated = np.repeat(plan.variances, np.diff(WORKLOAD.offsets))
    assert np.abs(errors.mean(axis=0) / np.sqrt(stated / runs)).max() < 6
    assert np.abs((errors**2).mean(axis=0) / stated - 1).max() < 6 * math.sqrt(2 / runs)


def test_hdmms_variances_are_those_of_dense_least_squares() -> None:
    strategy = MarginalStrategy.of(WORKLOAD, BUDGET)
    precision = np.zeros((24, 24))
    for subset, scale in strategy.scales.items():
        precision += table_of(SHAPE, subset).T @ table_of(SHAPE, subset) / float(scale) ** 2
    closed = np.repeat(strategy.variances, np.diff(WORKLOAD.offsets))
    assert closed == pytest.approx(least_squares_variances(WORKLOAD, precision), rel=1e-5)


def weighed(spaces: ResidualSpaces, seed: int) -> MarginalStrategy:
    """Shares at random."""
    return MarginalStrategy.weighted(
        spaces, np.random.default_rng(seed).dirichlet(np.ones(len(spaces.tables))), ZCDP.at_most(1)
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("sizes", "k"), [((3, 2, 4), 2), ((2, 2, 3, 2), 3), ((2, 5, 3), 1)])
def test_the_two_agree_on_what_whole_noisy_marginals_say_and_cost(sizes: tuple[int, ...], k: int, seed: int) -> None:
    """Any strategy of marginals is a plan of residuals with the same variances, at the same price."""
    theirs = weighed(ResidualSpaces(Workload.all_kway(tables.domain(*sizes), k)), seed)
    theta = 1 / theirs.noise
    assert replacement.replacement_cost(theirs.spaces, theta) == pytest.approx(1, rel=1e-9)
    ours = ResidualPlan.designed(theirs.spaces, replacement.Design(theta * (1 - 1e-9), math.inf), ZCDP.at_most(1))
    assert ours.variances == pytest.approx(theirs.variances, rel=1e-6)


@pytest.mark.parametrize("k", [1, 3])
def test_one_marginal_costs_its_closed_form(k: int) -> None:
    """A cell of N: (1 - 1/N) k^2/rho squared rows."""
    workload = Workload.of(SHAPE, [["a0", "a2"]])
    for make in PLANS.values():
        assert make(workload, BUDGET, k).variances == pytest.approx([11 / 12 * k**2 * 50], rel=2e-3)


def test_one_way_marginals_cost_their_closed_form() -> None:
    """sigma_i^2 = (sum_j sqrt(m_j - 1))/sqrt(m_i - 1)/rho, of which a cell keeps 1 - 1/m_i."""
    roots = np.sqrt([2, 1, 3])
    expected = roots.sum() / roots * 50 * np.array([2 / 3, 1 / 2, 3 / 4])
    for make in PLANS.values():
        assert make(Workload.all_kway(SHAPE, 1), BUDGET).variances == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (3, 4, 5), (2, 5, 2, 3)])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_residual_planner_is_never_above_hdmm(sizes: tuple[int, ...], k: int) -> None:
    workload = Workload.all_kway(tables.domain(*sizes), k)
    ours, theirs = ResidualPlan.of(workload, BUDGET), MarginalStrategy.of(workload, BUDGET)
    assert loss(ours) <= loss(theirs) * (1 + ours.excess)


@both
def test_an_emphasis_on_marginals_lowers_the_largest_variance_and_raises_the_sum(make: Callable[..., Plan]) -> None:
    workload = Workload.of(tables.domain(2, 3, 9, 8), [["a0", "a1"], ["a2", "a3"]])
    plain, even = make(workload, BUDGET), make(workload, BUDGET, emphasis=Emphasis.MARGINALS)
    assert loss(even) > loss(plain)
    assert even.variances.max() < plain.variances.max()


def every_marginal(workload: Workload) -> list[tuple[int, ...]]:
    attributes = range(len(workload.domain.attributes))
    return [s for size in range(1, len(attributes) + 1) for s in itertools.combinations(attributes, size)]


Loss = Callable[[np.ndarray], tuple[float, np.ndarray]]


def least_loss(losses: Loss, marginals: int) -> float:
    """A general solver's least loss over shares of the budget; `losses` gives the gradient too, by shares."""
    start = np.full(marginals, 1 / marginals)
    scale = losses(start)[0]
    found = minimize(
        lambda omega: tuple(value / scale for value in losses(omega)),
        start,
        jac=True,
        method="SLSQP",
        bounds=[(1e-6, 1)] * marginals,
        constraints={"type": "eq", "fun": lambda omega: omega.sum() - 1},
        options={"ftol": 1e-10, "maxiter": 1_000},
    )
    assert found.success
    return float(found.fun) * scale / float(BUDGET.rho)


@pytest.mark.parametrize("sizes", [(2, 2, 2), (3, 2, 4), (2, 2, 3, 2)])
def test_hdmms_loss_is_the_least_over_all_marginals_by_a_general_solver_on_dense_matrices(
    sizes: tuple[int, ...],
) -> None:
    workload = Workload.all_kway(tables.domain(*sizes), 2)
    domain, cells = workload.domain, math.prod(sizes)
    grams = np.array([table_of(domain, s).T @ table_of(domain, s) for s in every_marginal(workload)])
    asked = sum(table_of(domain, m.attributes).T @ table_of(domain, m.attributes) for m in workload.marginals)
    # The sum is known, and what no marginal says is all but unknown.
    known = 1e-9 * np.eye(cells) + 1e6 * np.ones((cells, cells))

    def losses(omega: np.ndarray) -> tuple[float, np.ndarray]:
        covariance = np.linalg.inv(known + np.tensordot(omega, grams, axes=1))
        through = covariance @ asked @ covariance
        return float((covariance * asked).sum()), -np.einsum("sij,ij->s", grams, through)

    best, found = least_loss(losses, len(grams)), loss(MarginalStrategy.of(workload, BUDGET))
    assert best * (1 - 1e-4) <= found <= best * (1 + 1.1e-3)
    if sizes == (2, 2, 2):
        assert found == pytest.approx(874.3, rel=1e-3)


@pytest.mark.parametrize(("d", "k"), [(8, 3), (12, 3), (14, 2)])
def test_hdmms_loss_on_many_binary_attributes_is_the_least_over_all_marginals(d: int, k: int) -> None:
    """All marginals of one width get one share: F is convex and the attributes may be permuted. So d numbers are left.

    A residual of a attributes is in C(d - a, s - a) marginals of s, each of which says 2^(a - s) of it.
    """
    says = np.zeros((k, d))
    for a, s in itertools.product(range(1, k + 1), range(1, d + 1)):
        if s >= a:
            says[a - 1, s - 1] = math.comb(d - a, s - a) / 2 ** (s - a) / math.comb(d, s)
    weights = np.array(
        [math.comb(d, a) * math.comb(d - a, k - a) * 2**k / 2**a / 4 ** (k - a) for a in range(1, k + 1)]
    )

    def losses(shares: np.ndarray) -> tuple[float, np.ndarray]:
        precision = says @ shares
        return float((weights / precision).sum()), -says.T @ (weights / precision**2)

    best = least_loss(losses, d)
    workload = Workload.all_kway(tables.domain(*[2] * d), k)
    strategy = MarginalStrategy.of(workload, BUDGET)
    assert strategy.excess <= 1e-3
    assert best * (1 - 1e-4) <= loss(strategy) <= best * (1 + 1.1e-3)
    assert without_wider_ones(workload) > 1.3 * loss(strategy)


def without_wider_ones(workload: Workload) -> float:
    """The loss where the subsets of the workload's marginals are the only candidates."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(marginal_weights, "WIDER_CELLS", 0)
        best = marginal_weights.best_weights.__wrapped__(ResidualSpaces(workload))
    assert best.spaces.wider == ()
    return loss(MarginalStrategy.weighted(best.spaces, best.omega, BUDGET))


def test_wider_candidates_are_those_of_fewest_cells_within_two_more_attributes_and_the_stated_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shape = tables.domain(2, 7, 2, 3, 1, 2)
    spaces = ResidualSpaces(Workload.of(shape, [["a0", "a1"], ["a2", "a3"], ["a5"]]))
    found = marginal_weights.wider_candidates(spaces)
    wide = [s for size in (2, 3, 4) for s in itertools.combinations((0, 1, 2, 3, 5), size)]
    assert sorted(found) == sorted(set(wide) - {(0, 1), (2, 3)})
    assert [spaces.cells(s) for s in found] == sorted(spaces.cells(s) for s in found)
    monkeypatch.setattr(marginal_weights, "WIDER_CELLS", 30)
    assert marginal_weights.wider_candidates(spaces) == ((0, 2), (0, 5), (2, 5), (0, 3), (3, 5))
    monkeypatch.setattr(marginal_weights, "MAX_LISTED", 9)
    assert all(len(s) == 4 for s in marginal_weights.wider_candidates(spaces))


def test_wider_candidates_of_a_large_workload_are_bounded_and_leave_room_for_its_own_cells() -> None:
    many = ResidualSpaces(Workload.all_kway(tables.domain(*[2] * 40), 3))
    found = marginal_weights.wider_candidates(many)
    assert {len(s) for s in found} == {4}
    assert len(found) == 250_000 // 16
    large = ResidualSpaces(Workload.of(tables.domain(4_400, 4_500, 2), [["a0", "a1"], ["a2"]]))
    assert sum(map(large.cells, large.subsets + marginal_weights.wider_candidates(large))) <= 2 * 10**7


def drawn(plan: Plan, private: Dataset) -> list[tuple[np.ndarray, Fraction]]:
    """The whole vectors that noise is added to, each with its scale."""
    noise = RecordedNoise(FixedNoise())
    run(plan, private, noise)
    assert {name for name, _, _ in noise.calls} == {"gaussians"}
    return [(np.array(values, dtype=object), scale) for _, (values, scale), _ in noise.calls]  # type: ignore[misc]


def cost_between(one: Sequence[tuple[np.ndarray, Fraction]], other: Sequence[tuple[np.ndarray, Fraction]]) -> Fraction:
    """sum |a - b|^2/(2 sigma^2) over what was drawn, exact."""
    total = Fraction(0)
    for (ours, scale), (theirs, _) in zip(one, other, strict=True):
        total += Fraction(int(((ours - theirs) ** 2).sum())) / (2 * scale**2)
    return total


def assert_charged(plan: Plan, one: Dataset, other: Dataset) -> None:
    assert cost_between(drawn(plan, one), drawn(plan, other)) <= plan.rho.rho, "two neighbours cost more than charged"


PREPARED = {name: {k: make(WORKLOAD, BUDGET, k) for k in (1, 2, 3)} for name, make in PLANS.items()}


@settings(max_examples=80)
@given(st.sampled_from(sorted(PREPARED)), st.integers(1, 3), st.integers(1, 6), st.integers(0, 10_000))
def test_neighbours_cost_no_more_than_is_charged(name: str, k: int, rows: int, seed: int) -> None:
    private = tables.table(SHAPE, rows, seed, no_level=True)
    assert_charged(PREPARED[name][k], private, tables.neighbour(private, k, seed + 1))


@both
@pytest.mark.parametrize("k", [1, 3])
def test_the_dearest_neighbours_cost_what_is_charged(make: Callable[..., Plan], k: int) -> None:
    """k equal rows replaced by k equal others: some pair of rows uses the whole charge."""
    plan = make(WORKLOAD, BUDGET, k)
    first = drawn(plan, Dataset(SHAPE, [[0, 0, 0]] * k))
    costs = [cost_between(first, drawn(plan, Dataset(SHAPE, [row] * k))) for row in tables.all_targets(SHAPE)]
    assert float(max(costs)) == pytest.approx(float(plan.rho.rho), rel=1e-6)
    assert max(costs) <= plan.rho.rho <= BUDGET.rho
    assert plan.rho.units >= BUDGET.units * (1 - 1e-6)


@both
@pytest.mark.fault("wrong sensitivity for k rows")
def test_marginals_with_noise_for_one_row_of_three_are_caught(make: Callable[..., Plan]) -> None:
    one, other = Dataset(SHAPE, [[0, 0, 0]] * 3), Dataset(SHAPE, [[1, 1, 1]] * 3)
    assert_charged(make(WORKLOAD, BUDGET, 3), one, other)
    with pytest.raises(AssertionError, match="more than charged"):
        assert_charged(make(WORKLOAD, BUDGET, 1), one, other)


def priced_anew() -> ResidualPlan:
    """A plan whose design is not one that was kept from before."""
    spaces = ResidualSpaces(WORKLOAD)
    return ResidualPlan.designed(spaces, replacement.best_design.__wrapped__(spaces), BUDGET)


@pytest.mark.fault("a charge skipped")
def test_a_residual_that_is_not_charged_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = replacement.replacement_cost

    def skipping(spaces: ResidualSpaces, theta: np.ndarray) -> float:
        return right(spaces, np.where(np.arange(len(theta)) == 3, 1e-12, theta))

    monkeypatch.setattr(replacement, "replacement_cost", skipping)
    plan, zero = priced_anew(), Dataset(SHAPE, [[0, 0, 0]])
    dearest = max(
        tables.all_targets(SHAPE), key=lambda row: cost_between(drawn(plan, zero), drawn(plan, Dataset(SHAPE, [row])))
    )
    with pytest.raises(AssertionError, match="more than charged"):
        assert_charged(plan, zero, Dataset(SHAPE, [dearest]))


@pytest.mark.fault("a charge skipped")
@pytest.mark.parametrize(
    "wrong",
    ["sum(list(chosen.values())[1:], Fraction(0))", "sum((w for s, w in chosen.items() if len(s) < 3), Fraction(0))"],
    ids=["the first one", "the wider ones"],
)
def test_a_marginal_that_is_not_charged_is_caught(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = Dataset(SHAPE, [[0, 0, 0]]), Dataset(SHAPE, [[1, 1, 1]])
    assert any(len(subset) == 3 for subset in MarginalStrategy.of(WORKLOAD, BUDGET).scales)
    assert_charged(MarginalStrategy.of(WORKLOAD, BUDGET), one, other)
    plant(monkeypatch, MarginalStrategy, "weighted", "sum(chosen.values(), Fraction(0))", wrong)
    with pytest.raises(AssertionError, match="more than charged"):
        assert_charged(MarginalStrategy.of(WORKLOAD, BUDGET), one, other)


@pytest.mark.fault("neighbours that add a row, where one is replaced")
def test_residuals_priced_for_an_added_row_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The published price, half the sum of theta_A pi_A, is that of one row more or less."""
    monkeypatch.setattr(
        replacement,
        "replacement_cost",
        lambda spaces, theta: float(theta @ [spaces.kept(subset) for subset in spaces.subsets]) / 2,
    )
    plan = priced_anew()
    with pytest.raises(AssertionError, match="more than charged"):
        assert_charged(plan, Dataset(SHAPE, [[0, 0, 0]]), Dataset(SHAPE, [[1, 1, 1]]))


def residuals(make: Callable[..., Plan], noise: NoiseSource, draws: int) -> list[int]:
    """One answer's error in every run, in equally likely bins of the stated law; so much noise that no steps show."""
    workload = Workload.all_kway(tables.domain(3), 1)
    plan, private = make(workload, ZCDP.at_most(Fraction(1, 10**6))), tables.table(workload.domain, 30, 5)
    counts = count(plan.spaces.closure, private)
    truth = int(counts.counts[1])
    mechanism: Callable[..., MarginalAnswers] = residual_planner if isinstance(plan, ResidualPlan) else hdmm
    found = [float(mechanism(counts, plan, noise=noise).answers[1]) - truth for _ in range(draws)]
    return binned(found, math.sqrt(plan.variances[0]))


@both
def test_answers_have_the_stated_law(make: Callable[..., Plan]) -> None:
    def draw(factor: Fraction, draws: int) -> list[int]:
        return residuals(make, SECURE if factor == 1 else ScaledNoise(factor), draws)

    assert_both_arms(LAW, draw, 4_000 * AUDIT)


@both
@pytest.mark.fault("half the noise")
def test_marginals_with_half_the_noise_are_caught(make: Callable[..., Plan]) -> None:
    assert_follows(LAW, residuals(make, SECURE, 400))
    assert_rejects(LAW, residuals(make, ScaledNoise(Fraction(1, 2)), 400))


@both
def test_a_budget_of_few_units_is_kept_too(make: Callable[..., Plan]) -> None:
    plan = make(WORKLOAD, ZCDP(3))
    assert plan.rho == ZCDP(3)
    assert_charged(plan, Dataset(SHAPE, [[0, 0, 0]]), Dataset(SHAPE, [[1, 1, 1]]))


@both
def test_bad_budgets_sensitivities_and_counts_are_refused(make: Callable[..., Plan]) -> None:
    with pytest.raises(BudgetError, match="share of zero"):
        make(WORKLOAD, ZCDP(0))
    with pytest.raises(PlanError, match="at least one row"):
        make(WORKLOAD, BUDGET, 0)
    mechanism = residual_planner if make == ResidualPlan.of else hdmm
    with pytest.raises(MethodRefused, match="count `closure`"):
        mechanism(PrivateCounts(np.array([1, 1]), 2), make(WORKLOAD, BUDGET))  # type: ignore[arg-type]


@both
def test_a_workload_with_too_much_noise_is_refused_in_minutes(make: Callable[..., Plan]) -> None:
    with pytest.raises(MethodRefused, match="minutes of noise"):
        make(Workload.of(tables.domain(*[100] * 4), [["a0", "a1", "a2", "a3"]]), BUDGET)
