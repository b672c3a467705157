"""Residual spaces, the price of replacing a row, and designs: against dense linear algebra and all pairs of rows."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from support import tables
from support.marginal_oracles import least_squares_variances, projection, residual_costs, table_of

from pmwpub.errors import MethodRefused
from pmwpub.mechanisms.baselines.matrix import replacement_patterns
from pmwpub.mechanisms.baselines.matrix.replacement import (
    as_marginals,
    best_design,
    kept,
    replacement_cost,
    worst_of_each,
)
from pmwpub.mechanisms.baselines.matrix.residuals import (
    Emphasis,
    ResidualSpaces,
    projected,
    refuse_slow,
    scaled_projection,
)
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.workload import Marginal, Workload

SHAPE = tables.domain(3, 2, 4)
SPACES = ResidualSpaces(Workload(SHAPE, (Marginal((0, 1)), Marginal((1, 2)), Marginal((2,)))))


def random_theta(spaces: ResidualSpaces, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).exponential(size=len(spaces.subsets)) + 0.01


def test_the_subsets_are_all_nonempty_ones_within_the_marginals() -> None:
    assert SPACES.subsets == ((0,), (1,), (2,), (0, 1), (1, 2))
    assert SPACES.closure.queries == 3 + 2 + 4 + 6 + 8


def test_an_attribute_of_one_level_adds_no_residual() -> None:
    spaces = ResidualSpaces(Workload.all_kway(tables.domain(3, 1, 2), 2))
    assert spaces.subsets == ((0,), (2,), (0, 2))
    with pytest.raises(MethodRefused, match="two levels"):
        ResidualSpaces(Workload.all_kway(tables.domain(1, 1), 1))


def test_projections_are_those_of_the_definition_and_whole_where_scaled() -> None:
    table = np.arange(24).reshape(3, 2, 4) ** 2
    dense = projection([3, 2, 4]) @ table.ravel()
    assert projected(table.astype(float)).ravel() == pytest.approx(dense)
    assert scaled_projection(table).dtype == np.int64
    assert scaled_projection(table).ravel() == pytest.approx(24 * dense)


def test_exact_residuals_give_the_exact_answers_back() -> None:
    private = tables.table(SHAPE, 50, 3)
    counted = SPACES.counted(count(SPACES.closure, private))
    residuals = {subset: projected(table.astype(float)) for subset, table in counted.items()}
    assert SPACES.answers(residuals, 50) == pytest.approx(count(SPACES.workload, private).counts)


def test_a_row_that_lacks_a_level_is_spread_evenly_over_the_levels() -> None:
    """One row: level 1 of the first attribute, none of the second (two levels)."""
    spaces = ResidualSpaces(Workload.of(SHAPE, [["a0", "a1"]]))
    counted = spaces.counted(count(spaces.closure, tables.Dataset(SHAPE, [[1, 2, 0]])))
    residuals = {subset: projected(table.astype(float)) for subset, table in counted.items()}
    assert spaces.answers(residuals, 1) == pytest.approx([0, 0, 0.5, 0.5, 0, 0])


@pytest.mark.parametrize("seed", range(3))
def test_variances_are_those_of_dense_least_squares(seed: int) -> None:
    theta = random_theta(SPACES, seed)
    precision = np.zeros((24, 24))
    for weight, subset in zip(theta, SPACES.subsets, strict=True):
        to_subset = table_of(SHAPE, subset)
        precision += weight * to_subset.T @ projection(SPACES.shape(subset)) @ to_subset
    dense = least_squares_variances(SPACES.workload, precision)
    closed = np.repeat(SPACES.variances(1 / theta), np.diff(SPACES.workload.offsets))
    assert closed == pytest.approx(dense, rel=1e-5)
    assert float(SPACES.loss_weights @ (1 / theta)) == pytest.approx(float(closed.sum()))
    even = ResidualSpaces(SPACES.workload, Emphasis.MARGINALS)
    assert float(even.loss_weights @ (1 / theta)) == pytest.approx(float(SPACES.variances(1 / theta).sum()))


def dearest_pair(spaces: ResidualSpaces, theta: np.ndarray) -> float:
    """The largest cost over all pairs of rows, those that lack levels too."""
    weights = dict(zip(spaces.subsets, theta, strict=True))
    vectors = np.array([vector for _, vector in residual_costs(spaces.workload.domain, weights)])
    squares = (vectors**2).sum(axis=1)
    return float((squares[:, None] + squares[None, :] - 2 * vectors @ vectors.T).max() / 2)


@settings(max_examples=25)
@given(st.sampled_from([(3, 2, 4), (2, 2, 2), (5, 3), (2, 3, 2)]), st.integers(1, 3), st.integers(0, 10_000))
def test_the_charge_is_the_cost_of_the_dearest_pair_of_rows(sizes: tuple[int, ...], k: int, seed: int) -> None:
    spaces = ResidualSpaces(Workload.all_kway(tables.domain(*sizes), min(k, len(sizes))))
    theta = random_theta(spaces, seed)
    dearest = dearest_pair(spaces, theta)
    assert dearest * (1 - 1e-12) <= replacement_cost(spaces, theta) <= dearest * (1 + 1e-8)


@pytest.mark.parametrize("frontier", [1, 50, 400, 10**6])
@pytest.mark.parametrize("seed", range(3))
def test_with_many_attributes_the_charge_is_a_bound_above_the_dearest_pair(
    frontier: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    spaces = ResidualSpaces(Workload.all_kway(tables.domain(2, 3, 4, 2, 3), 3))
    theta = random_theta(spaces, seed)
    exact = replacement_cost(spaces, theta)
    monkeypatch.setattr(replacement_patterns, "EXACT_ATTRIBUTES", 0)
    monkeypatch.setattr(replacement_patterns, "FRONTIER", frontier)
    bound = replacement_cost(spaces, theta)
    assert exact * (1 - 1e-12) <= bound <= float(theta @ worst_of_each(spaces)) * (1 + 1e-9)
    if frontier == 10**6:
        assert bound <= exact * (1 + 1e-9)


@settings(max_examples=40)
@given(st.integers(2, 4), st.integers(0, 10_000))
def test_k_rows_cost_at_most_k_squared_times_one(k: int, seed: int) -> None:
    theta = random_theta(SPACES, seed)
    rng = np.random.default_rng(seed)
    vectors = [vector for _, vector in residual_costs(SHAPE, dict(zip(SPACES.subsets, theta, strict=True)))]
    moved = sum(vectors[rng.integers(len(vectors))] - vectors[rng.integers(len(vectors))] for _ in range(k))
    assert float(moved @ moved) / 2 <= k**2 * replacement_cost(SPACES, theta)


def test_precisions_as_marginals_are_the_same_precisions() -> None:
    theta = random_theta(SPACES, 4)
    omega = as_marginals(SPACES, theta)
    again = [
        sum(
            omega[place] * SPACES.cells(subset) / SPACES.cells(outer)
            for place, outer in enumerate(SPACES.subsets)
            if set(subset) <= set(outer)
        )
        for subset in SPACES.subsets
    ]
    assert again == pytest.approx(theta)


def test_one_marginal_is_best_measured_as_it_is() -> None:
    """Noise of variance 1 on its N cells: rho = 1, and a cell keeps 1 - 1/N of it since n is known."""
    spaces = ResidualSpaces(Workload.of(SHAPE, [["a0", "a2"]]))
    design = best_design(spaces)
    assert spaces.variances(1 / design.theta) == pytest.approx([1 - 1 / 12], rel=1e-3)
    assert design.excess <= 1e-3


def test_one_way_marginals_share_a_budget_by_the_fourth_root_of_their_variances() -> None:
    """Minimise sum (m_i - 1) sigma_i^2 with sum 1/sigma_i^2 = 1: sigma_i^2 = sum_j sqrt(m_j - 1)/sqrt(m_i - 1)."""
    spaces = ResidualSpaces(Workload.all_kway(SHAPE, 1))
    design, roots = best_design(spaces), np.sqrt([2, 1, 3])
    assert 1 / design.theta == pytest.approx(roots.sum() / roots, rel=5e-3)


@pytest.mark.parametrize("sizes", [(3, 2), (2, 2), (4, 3, 2)])
def test_the_design_is_the_optimum_of_a_general_solver(sizes: tuple[int, ...]) -> None:
    spaces = ResidualSpaces(Workload.all_kway(tables.domain(*sizes), 2))
    shares = kept(spaces)
    rows = []
    for differ in itertools.product((False, True), repeat=len(sizes)):
        factors = [math.prod(-1 / (sizes[a] - 1) if differ[a] else 1.0 for a in subset) for subset in spaces.subsets]
        rows.append(shares * (1 - np.array(factors)))
    loss, costs = spaces.loss_weights, np.array(rows)
    start = np.full(len(spaces.subsets), 0.3)
    reference = minimize(
        lambda theta: float((loss / theta).sum()),
        start,
        method="SLSQP",
        bounds=[(1e-6, None)] * len(start),
        constraints={"type": "ineq", "fun": lambda theta: 1 - costs @ theta},
        options={"ftol": 1e-10, "maxiter": 500},
    )
    design = best_design(spaces)
    assert reference.success
    assert float((loss / design.theta).sum()) == pytest.approx(reference.fun, rel=1.5e-3)
    assert (costs @ design.theta).max() <= 1


def test_many_attributes_get_precisions_in_closed_form_at_a_cost_within_one() -> None:
    spaces = ResidualSpaces(Workload.all_kway(tables.domain(*[2, 3, 4] * 5), 2))
    design = best_design(spaces)
    assert design.excess == math.inf
    assert replacement_cost(spaces, design.theta) == pytest.approx(1)


def test_too_many_cells_and_counts_of_another_workload_are_refused() -> None:
    with pytest.raises(MethodRefused, match="about 47 minutes of noise"):
        refuse_slow(10**8)
    with pytest.raises(MethodRefused, match="count `closure`"):
        SPACES.counted(PrivateCounts(np.array([1]), 2))
