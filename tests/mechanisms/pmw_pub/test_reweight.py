"""One multiplicative-weights step, and replay, against hand calculations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support import tables
from support.scripted import iterate_of, stepped

from pmwpub.errors import DomainError
from pmwpub.mechanisms.pmw_pub.reweight import Iterate, Memory
from pmwpub.queries.incidence import PublicProblem, finest_total
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support


def test_a_step_multiplies_the_satisfied_atoms_by_e_to_half_the_gap() -> None:
    moved = stepped(np.array([0.5, 0.25, 0.25]), np.array([0]), 0.4)
    factor = math.exp(0.2)
    assert moved == pytest.approx(np.array([0.5 * factor, 0.25, 0.25]) / (0.5 * factor + 0.5), abs=1e-15)


def test_a_positive_gap_raises_the_query_and_a_negative_one_lowers_it() -> None:
    weights = np.array([0.5, 0.5])
    assert stepped(weights, np.array([1]), 0.3)[1] > 0.5 > stepped(weights, np.array([1]), -0.3)[1]


def test_a_step_touches_the_satisfied_atoms_alone_and_the_weights_sum_to_one() -> None:
    iterate = iterate_of(np.full(1000, 0.001))
    before = iterate.values.copy()
    iterate.step(np.arange(300), 0.77)
    assert np.all(iterate.values[300:] == before[300:])
    assert np.all(iterate.values[:300] > before[:300])
    assert abs(iterate.weights.sum() - 1) < 1e-12


def test_no_atom_or_every_atom_changes_nothing() -> None:
    weights = np.array([0.25, 0.75])
    assert stepped(weights, np.array([], dtype=np.int64), 1.0).tolist() == [0.25, 0.75]
    assert stepped(weights, np.array([0, 1]), 0.5).tolist() == [0.25, 0.75]


@pytest.mark.parametrize("n", [1, 44_000, 10**7])
def test_a_start_is_whole_and_in_proportion_to_the_multiplicities(n: int) -> None:
    iterate = Iterate(np.array([1, 2, 5]), n)
    assert iterate.values.tolist() == [iterate.unit, 2 * iterate.unit, 5 * iterate.unit]
    assert finest_total(n) / 8 < iterate.total == 8 * iterate.unit <= finest_total(n) / 4


def test_a_total_that_leaves_its_bounds_is_scaled_by_powers_of_two() -> None:
    """500 steps of e^(1/2) and 500 back: the weights keep their ratios, the total stays fit for whole sums."""
    iterate, most = Iterate(np.array([3, 1]), 1000), finest_total(1000)
    for _ in range(40):
        for _ in range(25):
            iterate.step(np.array([0]), 2.0)
        iterate.settle()
        assert most / 64 <= iterate.total <= most
    assert iterate.scalings > 0
    assert iterate.weights.sum() == pytest.approx(1, abs=1e-12)


def test_more_rows_than_whole_sums_can_hold_are_refused() -> None:
    with pytest.raises(DomainError, match="too many"):
        Iterate(np.array([2**50]), 10**6)


@pytest.fixture
def problem() -> PublicProblem:
    """Atoms 0, 1, 2 of one attribute; query i holds for atom i alone."""
    shape = tables.domain(3)
    return PublicProblem(Workload.all_kway(shape, 1), Support.of(Dataset(shape, [[0], [1], [2]])))


def test_a_query_measured_again_averages_and_does_not_overwrite(problem: PublicProblem) -> None:
    memory = Memory(problem, 100, 0)
    memory.add(0, 20)
    assert memory.answer(memory.add(0, 40)) == pytest.approx(0.3)


def test_the_average_is_taken_before_it_is_clamped(problem: PublicProblem) -> None:
    memory = Memory(problem, 100, 0)
    memory.add(0, -50)
    assert memory.answer(memory.add(0, 70)) == pytest.approx(0.1)
    assert memory.answer(memory.add(1, -5)) == 0.0
    assert memory.answer(memory.add(2, 105)) == 1.0


def test_replay_takes_errors_of_at_least_half_the_newest_and_leaves_the_rest(problem: PublicProblem) -> None:
    """Weights 1/3 each; gaps: query 0 is 0.6, query 1 is 0.32 (over half: due), query 2 is 0.2 (left)."""
    weights = np.full(3, 1 / 3)
    memory = Memory(problem, 30_000, 0)
    memory.add(2, 10_000 - 6_000)
    memory.add(1, 10_000 - 9_600)
    newest = memory.add(0, 10_000 + 18_000)
    iterate = iterate_of(weights)
    memory.replay(iterate, newest)
    one_then_other = stepped(weights, np.array([0]), 0.6)
    one_then_other = stepped(one_then_other, np.array([1]), 400 / 30_000 - one_then_other[1])
    other_then_one = stepped(weights, np.array([1]), -0.32)
    other_then_one = stepped(other_then_one, np.array([0]), 28_000 / 30_000 - other_then_one[0])
    assert any(np.allclose(iterate.weights, expected, atol=1e-15) for expected in (one_then_other, other_then_one))


def test_the_replay_order_comes_from_the_public_seed_alone(problem: PublicProblem) -> None:
    def run(seed: int) -> list[float]:
        memory, iterate = Memory(problem, 1000, seed), iterate_of(np.full(3, 1 / 3))
        for query, noisy in ((0, 900), (1, 10), (2, 950), (0, 880)):
            memory.replay(iterate, memory.add(query, noisy))
        return iterate.weights.tolist()  # type: ignore[no-any-return]

    assert run(3) == run(3)
    assert len({tuple(run(seed)) for seed in range(8)}) > 1
