"""Algorithm 1: the share of a round, the direction of the update, and what is put out."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import tables
from support.scripted import stepped

from pmwpub.mechanisms.pmw_pub.algorithm import Output, Replay, Schedule, pmw_pub
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.round_share import split
from pmwpub.privacy.selection import PermuteAndFlip
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload


@pytest.mark.parametrize("rounds", [1, 25, 300])
@pytest.mark.parametrize("epsilon_tilde", [Fraction(1, 10), Fraction(1)])
def test_a_round_gets_epsilon_tilde_over_the_root_of_two_t(epsilon_tilde: Fraction, rounds: int) -> None:
    share = split(ZCDP.at_most(epsilon_tilde**2 / 2), rounds, selection=PermuteAndFlip)
    assert float(share.epsilon0) == pytest.approx(float(epsilon_tilde) / math.sqrt(2 * rounds), rel=1e-3)
    assert share.selection.epsilon == share.epsilon0
    assert share.measurement.scale * share.epsilon0 == pytest.approx(1)


def test_one_person_with_k_rows_gets_k_times_the_noise() -> None:
    alone, three = (split(ZCDP.at_most(1), 10, rows_per_person=k) for k in (1, 3))
    assert float(three.measurement.scale / alone.measurement.scale) == pytest.approx(3, rel=1e-6)


def _weights(atoms: int) -> st.SearchStrategy[np.ndarray]:
    return st.lists(st.floats(0.01, 1.0), min_size=atoms, max_size=atoms).map(lambda w: np.array(w) / np.sum(w))


@given(_weights(6), st.sets(st.integers(0, 5), min_size=1, max_size=5), st.floats(0.0, 1.0))
def test_the_update_moves_the_answer_towards_the_measurement(weights: np.ndarray, hit: set[int], answer: float) -> None:
    satisfied = np.array(sorted(hit), dtype=np.int64)
    before = float(weights[satisfied].sum())
    after = float(stepped(weights, satisfied, answer - before)[satisfied].sum())
    assert abs(answer - after) <= abs(answer - before) + 1e-12
    assert (after - before) * (answer - before) >= -1e-15


@given(_weights(6), st.sets(st.integers(0, 5), min_size=1, max_size=5), st.floats(0.0, 1.0))
def test_the_update_is_the_printed_one(weights: np.ndarray, hit: set[int], answer: float) -> None:
    satisfied = np.array(sorted(hit), dtype=np.int64)
    phi = np.isin(np.arange(6), satisfied)
    gap = answer - float(weights[satisfied].sum())
    printed = weights * np.exp(phi * gap / 2)
    assert stepped(weights, satisfied, gap) == pytest.approx(printed / printed.sum(), abs=1e-12)


@given(_weights(5), _weights(5), st.sets(st.integers(0, 4), min_size=1, max_size=4))
def test_a_noiseless_step_lowers_the_potential_by_a_quarter_of_the_squared_gap(
    weights: np.ndarray, truth: np.ndarray, hit: set[int]
) -> None:
    """The heart of the proof of Proposition A.1, with D* on the support: Psi falls by at least gap^2/4."""
    satisfied = np.array(sorted(hit), dtype=np.int64)
    gap = float(truth[satisfied].sum() - weights[satisfied].sum())
    after = stepped(weights, satisfied, gap)
    fall = float(np.sum(truth * np.log(after / weights)))
    assert fall >= gap**2 / 4 - 1e-12


def test_the_average_is_of_the_distributions_before_each_round() -> None:
    shape = tables.domain(3, 2)
    private, support = tables.table(shape, 500, 1), tables.support(shape, 40, 2)
    problem = PublicProblem(Workload.all_kway(shape, 2), support)
    counts = count(problem.workload, private)
    schedule = Schedule(1, split(ZCDP.at_most(1), 1), output=Output.AVERAGE, replay=Replay.OFF)
    release = pmw_pub(counts, problem, schedule)
    assert release.distribution.weights == pytest.approx(support.multiplicity / support.rows, abs=1e-15)


def test_the_output_lives_on_the_public_support() -> None:
    shape = tables.domain(3, 2, 2)
    private, support = tables.table(shape, 300, 3), tables.support(shape, 6, 4)
    problem = PublicProblem(Workload.all_kway(shape, 2), support)
    release = pmw_pub(count(problem.workload, private), problem, Schedule(20, split(ZCDP.at_most(1), 20)))
    assert release.distribution.support is support
    assert np.all(release.distribution.weights > 0)
    assert release.distribution.weights.sum() == pytest.approx(1)
