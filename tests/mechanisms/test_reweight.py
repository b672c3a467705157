"""One multiplicative-weights step, and replay, against hand calculations."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tables

from pmwpub.mechanisms.reweight import Memory, reweight
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support


def test_a_step_multiplies_the_satisfied_atoms_by_e_to_half_the_gap() -> None:
    moved = reweight(np.array([0.5, 0.25, 0.25]), np.array([0]), 0.4)
    factor = math.exp(0.2)
    assert moved == pytest.approx(np.array([0.5 * factor, 0.25, 0.25]) / (0.5 * factor + 0.5), abs=1e-15)


def test_a_positive_gap_raises_the_query_and_a_negative_one_lowers_it() -> None:
    weights = np.array([0.5, 0.5])
    assert reweight(weights, np.array([1]), 0.3)[1] > 0.5 > reweight(weights, np.array([1]), -0.3)[1]


def test_a_step_leaves_its_input_alone_and_sums_to_one() -> None:
    weights = np.full(1000, 0.001)
    moved = reweight(weights, np.arange(300), 0.77)
    assert np.all(weights == 0.001)
    assert abs(moved.sum() - 1) < 1e-12


def test_no_atom_or_every_atom_changes_nothing() -> None:
    weights = np.array([0.3, 0.7])
    assert reweight(weights, np.array([], dtype=np.int64), 1.0).tolist() == [0.3, 0.7]
    assert reweight(weights, np.array([0, 1]), 1.0).tolist() == [0.3, 0.7]


@pytest.fixture
def problem() -> PublicProblem:
    """Atoms 0, 1, 2 of one attribute; query i holds for atom i alone."""
    shape = tables.domain(3)
    return PublicProblem(Workload.all_kway(shape, 1), Support.of(Dataset(shape, [[0], [1], [2]])))


def test_a_query_measured_again_averages_and_does_not_overwrite(problem: PublicProblem) -> None:
    memory = Memory(problem, 100, 0)
    memory.add(0, 20)
    assert memory.add(0, 40).answer(100) == pytest.approx(0.3)


def test_the_average_is_taken_before_it_is_clamped(problem: PublicProblem) -> None:
    memory = Memory(problem, 100, 0)
    memory.add(0, -50)
    assert memory.add(0, 70).answer(100) == pytest.approx(0.1)
    assert memory.add(1, -5).answer(100) == 0.0
    assert memory.add(2, 105).answer(100) == 1.0


def test_replay_takes_errors_of_at_least_half_the_newest_and_leaves_the_rest(problem: PublicProblem) -> None:
    """Weights 1/3 each; gaps: query 0 is 0.6, query 1 is 0.32 (over half: due), query 2 is 0.2 (left)."""
    weights = np.full(3, 1 / 3)
    memory = Memory(problem, 30_000, 0)
    memory.add(2, 10_000 - 6_000)
    memory.add(1, 10_000 - 9_600)
    newest = memory.add(0, 10_000 + 18_000)
    moved = memory.replay(weights, newest)
    one_then_other = reweight(weights, np.array([0]), 0.6)
    one_then_other = reweight(one_then_other, np.array([1]), 400 / 30_000 - one_then_other[1])
    other_then_one = reweight(weights, np.array([1]), -0.32)
    other_then_one = reweight(other_then_one, np.array([0]), 28_000 / 30_000 - other_then_one[0])
    assert any(np.allclose(moved, expected, atol=1e-15) for expected in (one_then_other, other_then_one))


def test_the_replay_order_comes_from_the_public_seed_alone(problem: PublicProblem) -> None:
    def run(seed: int) -> list[float]:
        memory, weights = Memory(problem, 1000, seed), np.full(3, 1 / 3)
        for query, noisy in ((0, 900), (1, 10), (2, 950), (0, 880)):
            weights = memory.replay(weights, memory.add(query, noisy))
        return weights.tolist()

    assert run(3) == run(3)
    assert len({tuple(run(seed)) for seed in range(8)}) > 1
