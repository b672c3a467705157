"""Lemma 4.2: the exact best-mixture error is 1/n-sensitive; k/n where one person owns k rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from paper import oracles
from support import tables

from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

# What HiGHS leaves in an objective near 1.
SOLVER = 1e-7
SHAPE = tables.domain(2, 3, 2)
WORKLOAD = Workload.all_kway(SHAPE, 2)


def _optimum(private: Dataset, support: Support) -> float:
    return oracles.best_mixture_error(WORKLOAD, oracles.answers(WORKLOAD, private), support)


@settings(max_examples=60)
@given(st.integers(1, 25), st.sampled_from([1, 2, 3]), st.integers(1, 12), st.integers(0, 10**6))
def test_the_optimum_moves_by_at_most_k_over_n(n: int, k: int, public_rows: int, seed: int) -> None:
    private, support = tables.table(SHAPE, n, seed), tables.support(SHAPE, public_rows, seed + 1)
    other = tables.neighbour(private, k, seed + 2)
    before, after = (_optimum(data, support) for data in (private, other))
    assert abs(before - after) <= min(k, n) / n + SOLVER


@settings(max_examples=40)
@given(st.integers(1, 25), st.integers(1, 12), st.integers(0, 10**6))
def test_the_certified_interval_holds_the_optimum(n: int, public_rows: int, seed: int) -> None:
    private, support = tables.table(SHAPE, n, seed), tables.support(SHAPE, public_rows, seed + 1)
    state = BestMixture(count(WORKLOAD, private), WORKLOAD, support)
    exact = _optimum(private, support)
    while not state.exhausted:
        assert float(state.interval.lower) - SOLVER <= exact <= float(state.interval.upper) + SOLVER
        state.refine()
    interval = state.interval
    assert float(interval.lower) - SOLVER <= exact <= float(interval.upper) + SOLVER
    assert interval.upper - interval.lower <= Fraction(1, 10**6)


def test_one_row_can_move_it_by_all_of_one_over_n() -> None:
    """S = {0} and D = c rows at 1, n - c at 0: f = c/n."""
    shape = tables.domain(2)
    workload, support = Workload.all_kway(shape, 1), Support.of(Dataset(shape, [[0]]))
    for moved in range(5):
        private = Dataset(shape, [[1]] * moved + [[0]] * (10 - moved))
        state = BestMixture(count(workload, private), workload, support)
        while not state.exhausted:
            state.refine()
        assert state.interval.lower == state.interval.upper == Fraction(moved, 10)


def _early_stopped(truth: np.ndarray, matrix: np.ndarray, steps: int) -> float:
    """The paper's plots: multiplicative weights on the worst query, stopped after some steps; the last error."""
    weights = np.full(matrix.shape[1], 1 / matrix.shape[1])
    for _ in range(steps):
        gap = truth - matrix @ weights
        worst = int(np.argmax(np.abs(gap)))
        weights *= np.exp(matrix[worst] * gap[worst] / 2)
        weights /= weights.sum()
    return float(np.abs(truth - matrix @ weights).max())


def test_an_early_stopped_search_is_not_so_sensitive() -> None:
    """Why only the optimum may be released at 1/n: neighbours move the stopped search by several times as much."""
    n, cells = 5000, np.array(tables.all_targets(SHAPE))
    matrix, moves = oracles.membership(WORKLOAD, cells), []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        private = Dataset(SHAPE, cells[rng.choice(len(cells), size=n, p=rng.dirichlet(np.ones(len(cells))))])
        pair = (private, tables.neighbour(private, 1, seed + 99))
        before, after = (_early_stopped(count(WORKLOAD, data).counts / n, matrix, steps=100) for data in pair)
        moves.append(abs(before - after) * n)
    assert max(moves) > 2
