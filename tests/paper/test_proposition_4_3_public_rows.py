"""Proposition 4.3: with enough private and public rows, f <= alpha with probability at least 1 - beta."""

from __future__ import annotations

import math

import numpy as np
from paper import oracles
from scipy import stats
from support import tables

from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.theory import private_rows_needed, public_rows_needed, renyi_divergence

SHAPE = tables.domain(2, 3)
WORKLOAD = Workload.all_kway(SHAPE, 2)
CELLS = np.array(tables.all_targets(SHAPE))
PRIVATE = np.array([0.3, 0.2, 0.1, 0.2, 0.1, 0.1])
PUBLIC = np.array([0.1, 0.1, 0.1, 0.2, 0.2, 0.3])
ALPHA, BETA, RUNS = 0.25, 0.5, 40


def _drawn(rng: np.random.Generator, masses: np.ndarray, rows: int) -> Dataset:
    return Dataset(SHAPE, CELLS[rng.choice(len(CELLS), size=rows, p=masses)])


def _drawn_error(rng: np.random.Generator, public: np.ndarray, n: int, m: int) -> float:
    """f of fresh private rows on the support of fresh public ones."""
    private, support = _drawn(rng, PRIVATE, n), Support.of(_drawn(rng, public, m))
    return oracles.best_mixture_error(WORKLOAD, oracles.answers(WORKLOAD, private), support)


def _rows() -> tuple[int, int]:
    divergences = {
        "second_divergence": renyi_divergence(PRIVATE, PUBLIC, 2),
        "max_divergence": renyi_divergence(PRIVATE, PUBLIC, math.inf),
    }
    return (
        private_rows_needed(ALPHA, BETA, WORKLOAD.queries),
        public_rows_needed(ALPHA, BETA, WORKLOAD.queries, **divergences),
    )


def test_with_the_rows_it_asks_for_the_best_mixture_error_stays_within_alpha() -> None:
    rng, (n, m) = np.random.default_rng(7), _rows()
    failures = 0
    for _ in range(RUNS):
        failures += _drawn_error(rng, PUBLIC, n, m) > ALPHA
    assert stats.binom.sf(failures - 1, RUNS, BETA) > 1e-6


def test_without_a_finite_divergence_no_number_of_public_rows_helps() -> None:
    rng, (n, m) = np.random.default_rng(8), _rows()
    lacking = np.array([0.0, 0.2, 0.1, 0.2, 0.2, 0.3])
    assert renyi_divergence(PRIVATE, lacking, 2) == math.inf
    assert _drawn_error(rng, lacking, n, m) >= 0.3 - 0.05


def test_rarer_public_support_needs_more_public_rows() -> None:
    near, far = (
        public_rows_needed(ALPHA, BETA, 6, second_divergence=d2, max_divergence=d_max)
        for d2, d_max in ((0.0, 0.0), (1.0, 3.0))
    )
    assert far > 2 * near
