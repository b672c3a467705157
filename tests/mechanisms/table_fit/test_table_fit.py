"""The fit of table fit against oracles: a general solver, dense normal laws, loops; and what a rebuild needs."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.table_fit.toy_tables import BUDGET, CONSTANTS, PUBLIC, SHAPE, WORKLOAD, planned, released
from scipy import stats
from scipy.optimize import brentq, minimize
from support import tables
from support.fakes import FixedNoise, SeededNoise

from pmwpub.errors import DomainError, PlanError
from pmwpub.mechanisms.table_fit import prior_strength as strengths
from pmwpub.mechanisms.table_fit import table_fit as engine
from pmwpub.mechanisms.table_fit.fit_constants import EvidenceRule
from pmwpub.mechanisms.table_fit.one_way_estimates import OneWayEstimates, lacking_levels, one_way_estimates, scales
from pmwpub.mechanisms.table_fit.table_fit import FitChoices, TableRelease, refit
from pmwpub.mechanisms.table_fit.table_fit_kernels import _tilt
from pmwpub.mechanisms.table_fit.table_reweighting import Reweighting
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.mechanisms.table_fit.widest_cells import WidestCells
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Distribution, Floats, Support

LARGE = ZCDP.at_most(10_000)


def indicators(workload: Workload, support: Support) -> Floats:
    """float64 (Q, m) of zeros and ones, by the definition."""
    return np.array(
        [[tables.satisfied(workload, q, row) for row in support.codes] for q in range(workload.queries)], dtype=float
    )


def answers_of(workload: Workload, distribution: Distribution) -> Floats:
    return indicators(workload, distribution.support) @ distribution.weights


# ---- the fit


@pytest.mark.parametrize("three_way", [None, Fraction(1, 4)])
def test_a_fit_is_the_least_of_divergence_and_weighted_squares_by_a_general_solver(three_way: Fraction | None) -> None:
    support = tables.support(SHAPE, 14, 3)
    plan = planned(support=support, three_way=three_way)
    rng = np.random.default_rng(5)
    dense, prior = indicators(plan.tables, support), support.multiplicity / support.rows
    answers = dense @ rng.dirichlet(np.ones(len(support))) + rng.normal(0, 0.05, len(dense))
    variances = rng.uniform(0.02, 0.5, len(dense))

    def loss(free: Floats) -> float:
        weights = np.exp(free - free.max())
        weights = weights / weights.sum()
        misfit = (dense @ weights - answers) ** 2 / (2 * variances)
        return float(weights @ np.log(weights / prior) + misfit.sum())

    best = minimize(loss, np.log(prior), method="BFGS", options={"gtol": 1e-9, "maxiter": 5_000})
    expected = np.exp(best.x - best.x.max())
    every = np.arange(6 if three_way is None else 7)
    found, _ = Reweighting(plan, support).fit(prior, answers, variances, every, most=2_001, tolerance=1e-14)
    assert found == pytest.approx(expected / expected.sum(), abs=2e-5)
    assert loss(np.log(found)) <= best.fun + 1e-8


@settings(max_examples=200)
@given(
    mass=st.floats(1e-9, 1.0),
    answer=st.floats(-0.5, 1.5),
    variance=st.floats(0.005, 50.0),
    begin=st.floats(-30.0, 30.0),
)
def test_a_tilt_solves_its_equation(mass: float, answer: float, variance: float, begin: float) -> None:
    def f(x: float) -> float:
        return mass * math.exp(x) - answer + variance * x

    found = _tilt(mass, answer, variance, begin)
    if f(-30.0) >= 0:
        assert found == -30.0
    else:
        assert found == pytest.approx(brentq(f, -30.0, 40.0, xtol=1e-13), abs=1e-8)


def test_with_little_noise_the_answers_come_near_to_any_that_the_support_can_give() -> None:
    full = Support.full(SHAPE)
    private = tables.table(SHAPE, 500, 9)
    found = released(private, planned(support=full, budget=LARGE, complete=True), full)
    plan = planned(WORKLOAD, full)
    exact = count(plan.tables, private).counts / 500
    start = np.abs(answers_of(plan.tables, Distribution.empirical(full)) - exact).max()
    assert np.abs(answers_of(plan.tables, found.distribution) - exact).max() < 0.1 * start


def test_without_evidence_the_public_table_stays() -> None:
    """At a tiny budget the cautious rule takes the largest strength: nobody moves, and hardly any weight does."""
    cautious = replace(CONSTANTS, evidence=EvidenceRule.LARGEST_WITHIN_MARGIN)
    plan = planned(budget=ZCDP.at_most(Fraction(1, 10**7)), complete=True, constants=cautious)
    found = released(tables.table(SHAPE, 100, 2), plan)
    assert found.choices.moved == ()
    assert found.choices.strength == pytest.approx(200_000)
    moved = found.distribution.weights - Distribution.empirical(PUBLIC).weights
    assert np.abs(moved).sum() < 0.02


# ---- the 1-way estimates


def test_complete_estimates_are_the_least_squares_of_tables_that_are_centred() -> None:
    """By hand for attribute 0: its own table and two sums of pairs, each shifted to sum one, by inverse variance."""
    plan = planned(complete=True)
    noisy = np.random.default_rng(3).integers(-20, 60, plan.tables.queries)
    n, offsets = 50, plan.tables.offsets
    found, sigma = one_way_estimates(plan.tables, scales(plan, n), noisy, n), scales(plan, n)
    own, first, second = (noisy[offsets[t] : offsets[t + 1]] / n for t in (0, 3, 4))
    parts = [(own, sigma[0] ** 2)]
    parts += [(first.reshape(3, 2).sum(1), 2 * sigma[3] ** 2), (second.reshape(3, 4).sum(1), 4 * sigma[4] ** 2)]
    weights = [1 / variance for _, variance in parts]
    expected = sum(w * (y + (1 - y.sum()) / 3) for w, (y, _) in zip(weights, parts, strict=True)) / sum(weights)
    assert found.shares[:3] == pytest.approx(expected)
    assert found.deviations[:3] == pytest.approx([1 / math.sqrt(sum(weights))] * 3)


def test_sums_over_an_attribute_that_lacks_levels_are_left_out_and_its_own_estimates_are_not_centred() -> None:
    """By hand, where attribute 1 lacks levels: 0 and 2 have their own tables and one another's sums."""
    plan = planned()
    noisy = np.random.default_rng(4).integers(-20, 60, plan.tables.queries)
    n, offsets, sigma = 50, plan.tables.offsets, scales(plan, 50)
    found = one_way_estimates(plan.tables, scales(plan, n), noisy, n, (1,))
    tables_of = [noisy[begin:end] / n for begin, end in itertools.pairwise(offsets)]

    def mean(parts: list[tuple[Floats, float]], centred: bool) -> Floats:
        weights = [1 / variance for _, variance in parts]
        shifted = [y + centred * (1 - y.sum()) / len(y) for y, _ in parts]
        return sum(w * y for w, y in zip(weights, shifted, strict=True)) / sum(weights)

    pairs = {(0, 1): tables_of[3].reshape(3, 2), (0, 2): tables_of[4].reshape(3, 4), (1, 2): tables_of[5].reshape(2, 4)}
    first = [(tables_of[0], sigma[0] ** 2), (pairs[0, 2].sum(1), 4 * sigma[4] ** 2)]
    second = [
        (tables_of[1], sigma[1] ** 2),
        (pairs[0, 1].sum(0), 3 * sigma[3] ** 2),
        (pairs[1, 2].sum(1), 4 * sigma[5] ** 2),
    ]
    assert found.shares[:3] == pytest.approx(mean(first, True))
    assert found.shares[3:5] == pytest.approx(mean(second, False))
    assert found.lacking == (1,)


def test_rows_lack_levels_where_a_table_sums_to_less_than_its_noise_explains() -> None:
    plan = planned()
    noisy = np.zeros(plan.tables.queries, dtype=np.int64)
    scale, root = float(plan.noises[0].scale), math.sqrt(3)
    n = 10_000
    noisy[[2, 4, 8]] = [n - math.floor(1.99 * scale * root), n - 10_000, n + 500]
    assert lacking_levels(plan, noisy, n) == (1,)
    noisy[2] = n - math.ceil(2.01 * scale * root)
    assert lacking_levels(plan, noisy, n) == (0, 1)
    assert lacking_levels(planned(complete=True), noisy, n) == ()


def test_a_tenth_of_rows_without_a_level_on_one_attribute_is_evident() -> None:
    rng = np.random.default_rng(8)
    codes = np.stack([rng.integers(s, size=4_000) for s in SHAPE.shape], axis=1)
    codes[rng.random(4_000) < 1 / 10, 2] = SHAPE.shape[2]
    plan = planned()
    for seed in range(5):
        found = released(Dataset(SHAPE, codes), plan, noise=SeededNoise(seed)).choices.lacking
        assert 2 in found


# ---- the evidence


def dense_covariance(plan: TableSchedule, support: Support) -> tuple[Floats, Floats]:
    ones = Workload(SHAPE, plan.tables.marginals[: plan.one_way])
    rows = np.repeat(indicators(ones, support), support.multiplicity, axis=1)
    return rows.mean(axis=1), np.cov(rows, bias=True)


def test_cells_vary_together_as_on_the_public_rows() -> None:
    plan = planned(complete=True)
    shares, covariance = dense_covariance(plan, PUBLIC)
    found = WidestCells.of(plan, PUBLIC)
    assert found.shares == pytest.approx(shares)
    assert found.covariance == pytest.approx(covariance, abs=1e-14)
    assert found.owner.tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 2]


def test_no_more_cells_are_looked_at_than_stated_and_those_of_the_widest_spread() -> None:
    plan = planned(complete=True, constants=replace(CONSTANTS, evidence_cells=4))
    shares, covariance = dense_covariance(plan, PUBLIC)
    found = WidestCells.of(plan, PUBLIC)
    spread = shares * (1 - shares)
    assert spread[found.chosen].min() >= np.delete(spread, found.chosen).max()
    assert found.covariance == pytest.approx(covariance[np.ix_(found.chosen, found.chosen)], abs=1e-14)
    assert released(tables.table(SHAPE, 80, 1), plan).choices.strength > 0


def assembled(plan: TableSchedule, support: Support, deviations: Floats, moved: tuple[int, ...], rows: float) -> Floats:
    """K/N + the sum over moved attributes of K_a K_a^T + diag(sigma^2), densely."""
    _, covariance = dense_covariance(plan, support)
    owner = np.repeat(np.arange(3), SHAPE.shape)
    total = covariance / rows + np.diag(deviations**2)
    for a in moved:
        total = total + covariance[:, owner == a] @ covariance[:, owner == a].T
    return total


@pytest.mark.parametrize("moved", [(), (1,), (2, 0)])
def test_likelihoods_are_those_of_the_normal_law(moved: tuple[int, ...]) -> None:
    plan, rng = planned(complete=True), np.random.default_rng(2)
    shares, _ = dense_covariance(plan, PUBLIC)
    deviations = np.repeat([0.02, 0.03, 0.05], SHAPE.shape)
    estimates = OneWayEstimates(shares + rng.normal(0, 0.06, 9), deviations)
    evidence = strengths.PriorEvidence(plan, WidestCells.of(plan, PUBLIC), estimates)

    def expected(moved: tuple[int, ...], rows: float) -> float:
        law = stats.multivariate_normal(np.zeros(9), assembled(plan, PUBLIC, deviations, moved, rows))
        return float(law.logpdf(estimates.shares - shares))

    apart = expected((), 100.0) - evidence.likelihood((), 100.0)
    for rows in (20.0, 300.0, 1e5):
        assert evidence.likelihood(moved, rows) == pytest.approx(expected(moved, rows) - apart)
    more = evidence.with_one_more(moved, [50.0, 400.0])
    assert set(more) == {0, 1, 2} - set(moved)
    for a, found in more.items():
        assert found == pytest.approx(max(expected((*moved, a), rows) for rows in (50.0, 400.0)) - apart)


def test_the_geometric_mean_and_the_margin_choose_as_stated() -> None:
    grid, likelihoods = np.array([20.0, 200.0, 2_000.0]), np.log([0.25, 0.5, 0.25])
    assert strengths._chosen(grid, likelihoods, CONSTANTS) == pytest.approx(200.0)
    skewed = np.log([0.5, 0.5, 1e-9])
    assert strengths._chosen(grid, skewed, CONSTANTS) == pytest.approx(math.sqrt(20 * 200), rel=1e-6)
    cautious = replace(CONSTANTS, evidence=EvidenceRule.LARGEST_WITHIN_MARGIN)
    assert strengths._chosen(grid, np.array([0.0, -1.9, -2.1]), cautious) == 200.0


def test_an_attribute_that_moved_is_found_and_the_others_keep_the_prior() -> None:
    rng = np.random.default_rng(8)
    public = Dataset(SHAPE, np.stack([rng.integers(s, size=4_000) for s in SHAPE.shape], axis=1))
    codes = np.stack([rng.integers(s, size=4_000) for s in SHAPE.shape], axis=1)
    codes[:, 1] = rng.random(4_000) < 0.9
    support = Support.of(public)
    plan = planned(support=support, complete=True, budget=ZCDP.at_most(Fraction(1, 10)))
    for seed in range(5):
        assert released(Dataset(SHAPE, codes), plan, support, SeededNoise(seed)).choices.moved == (1,)


def test_missing_levels_alone_do_not_move_an_attribute() -> None:
    """A third of the private rows lacks attribute 1, at random: how its levels stand to one another did not move."""
    rng = np.random.default_rng(8)
    public = Dataset(SHAPE, np.stack([rng.integers(s, size=4_000) for s in SHAPE.shape], axis=1))
    codes = np.stack([rng.integers(s, size=4_000) for s in SHAPE.shape], axis=1)
    codes[rng.random(4_000) < 1 / 3, 1] = SHAPE.shape[1]
    support = Support.of(public)
    plan = planned(support=support, budget=ZCDP.at_most(Fraction(1, 10)))
    for seed in range(5):
        found = released(Dataset(SHAPE, codes), plan, support, SeededNoise(seed))
        assert found.choices.moved == ()
        assert found.choices.strength > 200


# ---- rebuilding


def rebuilt(found: TableRelease, plan: TableSchedule, n: int, support: Support = PUBLIC) -> Floats:
    return refit(support, plan, found.noisy, found.choices, n).weights


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([1, 2, 3]))
def test_a_rebuild_gives_the_same_bits(seed: int, complete: bool, way: int) -> None:
    plan = planned(Workload.all_kway(SHAPE, way), complete=complete)
    found = released(tables.table(SHAPE, 40, seed, no_level=not complete), plan, noise=SeededNoise(seed))
    assert rebuilt(found, plan, 40).tobytes() == found.distribution.weights.tobytes()


def test_a_rebuild_takes_the_choices_from_the_record() -> None:
    plan = planned(complete=True)
    found = released(tables.table(SHAPE, 40, 1), plan, noise=SeededNoise(1))
    choices = found.choices
    other = replace(choices, strength=choices.strength * 1.5, sweeps=(choices.sweeps[0], 3, 1))
    assert rebuilt(replace(found, choices=other), plan, 40).tobytes() != found.distribution.weights.tobytes()


def test_what_does_not_belong_together_is_refused() -> None:
    plan = planned()
    found = released(tables.table(SHAPE, 40, 1), plan)
    with pytest.raises(PlanError, match="other tables"):
        engine.table_fit(PrivateCounts(np.array([1, 1]), 2), PUBLIC, plan)
    with pytest.raises(DomainError, match="different schemas"):
        engine.table_fit(count(plan.tables, tables.table(SHAPE, 9, 1)), tables.support(tables.domain(2), 9, 1), plan)
    with pytest.raises(PlanError, match="Noisy tables of 35 cells"):
        refit(PUBLIC, plan, found.noisy[1:], found.choices, 40)
    with pytest.raises(PlanError, match="is in no table"):
        refit(PUBLIC, plan, found.noisy, replace(found.choices, moved=(7,)), 40)
    with pytest.raises(PlanError, match="positive"):
        FitChoices(0.0, 1.0, (), (0, 1, 1))
    with pytest.raises(PlanError, match="three numbers"):
        FitChoices(1.0, 1.0, (), (0, -1, 1))


# ---- shapes that occur


@pytest.mark.parametrize("sizes", [(1,), (1, 1, 2), (300, 2), (2, 2, 2, 2, 2, 2)], ids=str)
@pytest.mark.parametrize("complete", [True, False])
def test_any_shape_gives_a_distribution_that_is_rebuilt(sizes: tuple[int, ...], complete: bool) -> None:
    """One level alone; more levels than a byte holds; a single public row; cells without public mass."""
    shape = tables.domain(*sizes)
    for rows in (1, 30):
        support = tables.support(shape, rows, 4)
        plan = planned(Workload.all_kway(shape, min(3, len(sizes))), support, complete=complete)
        found = released(tables.table(shape, 25, 6, no_level=not complete), plan, support)
        assert found.distribution.weights.sum() == pytest.approx(1.0)
        assert found.noisy.dtype == np.int64
        assert found.noisy.shape == (plan.tables.queries,)
        assert rebuilt(found, plan, 25, support).tobytes() == found.distribution.weights.tobytes()


def test_a_workload_on_some_attributes_leaves_the_others_alone() -> None:
    shape = tables.domain(2, 3, 2, 4)
    support = tables.support(shape, 50, 2)
    plan = planned(Workload.of(shape, [["a1", "a3"], ["a2"]]), support, complete=True)
    found = released(tables.table(shape, 200, 5), plan, support)
    assert plan.attributes == (1, 2, 3)
    assert set(found.choices.moved) <= {1, 2, 3}


def test_tables_without_noise_are_the_counts_and_progress_ends_where_it_said() -> None:
    plan, steps = planned(), []
    counts = count(plan.tables, tables.table(SHAPE, 40, 1, no_level=True))
    found = engine.table_fit(
        counts, PUBLIC, plan, noise=FixedNoise(), progress=lambda done, total: steps.append((done, total))
    )
    assert found.noisy.tolist() == counts.counts.tolist()
    assert [done for done, _ in steps] == list(range(engine.steps_of(plan) + 1))
    assert {total for _, total in steps} == {engine.steps_of(plan)}
    assert found.rho == plan.rho <= BUDGET


def test_a_large_problem_takes_fewer_passes_but_an_odd_number_and_at_least_three() -> None:
    def passes(updates: int) -> int:
        plan = planned(constants=replace(CONSTANTS, most_updates=updates))
        return engine._pair_sweeps(plan, PUBLIC)

    each = 6 * len(PUBLIC)
    assert [passes(each * times) for times in (0, 3, 4, 6, 7, 40, 41, 500)] == [3, 3, 3, 5, 7, 39, 41, 41]
