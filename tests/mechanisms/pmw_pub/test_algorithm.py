"""PMW^Pub against a plain re-statement of Algorithm 1, its budget, and what neighbours can see of it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tables
from support.fakes import SeededNoise
from support.scripted import Script
from support.statistical import AUDIT, shown_epsilon

from pmwpub.errors import PlanError
from pmwpub.mechanisms.pmw_pub.algorithm import Output, Release, Replay, Schedule, Start, pmw_pub, rebuild
from pmwpub.privacy.budget import ZCDP, ApproxDP, epsilon_of, zcdp_of
from pmwpub.privacy.round_share import split
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

SHAPE = tables.domain(3, 2, 4)


def problem_of(seed: int = 0, rows: int = 25) -> PublicProblem:
    return PublicProblem(Workload.all_kway(SHAPE, 2), tables.support(SHAPE, rows, seed))


def counts_of(problem: PublicProblem, seed: int = 5, rows: int = 40) -> PrivateCounts:
    return count(problem.workload, tables.table(SHAPE, rows, seed))


def plain_iterates(problem: PublicProblem, script: Script, n: int) -> list[np.ndarray]:
    """A_0 .. A_T of Algorithm 1 without replay, from the paper's formulas, with dense 0/1 queries."""
    support = problem.support
    weights = support.multiplicity / support.multiplicity.sum()
    iterates = [weights]
    for query, noisy in zip(script.queries, script.noisy_counts, strict=True):
        q = np.array([tables.satisfied(problem.workload, query, row) for row in support.codes], dtype=float)
        a = min(1.0, max(0.0, noisy / n))
        weights = weights * np.exp(q * (a - q @ weights) / 2)
        weights = weights / weights.sum()
        iterates.append(weights)
    return iterates


def schedule(script: Script, **changes: object) -> Schedule:
    return Schedule(len(script.queries), script.share, **{"replay": Replay.OFF, **changes})  # type: ignore[arg-type]


def test_the_last_iterate_is_that_of_algorithm_1() -> None:
    problem = problem_of()
    counts, script = counts_of(problem), Script([3, 11, 8, 0], [30, 2, -9, 55])
    found = pmw_pub(counts, problem, schedule(script))
    assert found.distribution.weights == pytest.approx(plain_iterates(problem, script, 40)[-1], abs=1e-13)


def test_the_average_runs_over_a_0_to_a_t_minus_1() -> None:
    problem = problem_of()
    counts, script = counts_of(problem), Script([3, 11, 8], [30, 2, 9])
    found = pmw_pub(counts, problem, schedule(script, output=Output.AVERAGE))
    iterates = plain_iterates(problem, script, 40)
    assert found.distribution.weights == pytest.approx(np.mean(iterates[:-1], axis=0), abs=1e-13)


def test_a_uniform_start_puts_equal_weight_on_each_atom() -> None:
    problem = problem_of()
    counts, script = counts_of(problem), Script([2], [20])
    found = pmw_pub(counts, problem, schedule(script, output=Output.AVERAGE, start=Start.UNIFORM))
    assert found.distribution.weights == pytest.approx(np.full(len(problem.support), 1 / len(problem.support)))


def test_scores_are_the_whole_distance_between_counts_and_rounded_answers() -> None:
    problem = problem_of()
    counts, script = counts_of(problem), Script([0], [10])
    pmw_pub(counts, problem, schedule(script))
    support = problem.support
    for query in range(problem.workload.queries):
        answer = tables.brute_answer(problem.workload, support, support.multiplicity.tolist(), query)
        rounded = math.floor(40 * answer + Fraction(1, 2))
        # Weights are quantised downward, so an exact half may fall on either side by one.
        assert abs(int(script.scores[0][query]) - abs(int(counts.counts[query]) - rounded)) <= 1
    assert script.counts == [int(counts.counts[0])]


def test_the_selection_is_told_how_many_rows_a_person_owns() -> None:
    problem, script = problem_of(), Script([0, 1], [10, 10])
    pmw_pub(counts_of(problem), problem, schedule(script, sensitivity=3))
    assert script.sensitivities == [3, 3]


@settings(max_examples=150)
@given(st.integers(1, 3), st.integers(1, 12), st.integers(0, 10_000))
def test_neighbours_that_answer_alike_see_the_same_rounded_answers_and_scores_within_k(
    k: int, rows: int, seed: int
) -> None:
    """Forced equal selections and measurements: everything that is not |c_q - r_q| or c_q is equal."""
    problem = problem_of(seed % 7)
    private = tables.table(SHAPE, rows, seed, no_level=True)
    ours, theirs = Script([3, 11, 8], [4, 0, 2]), Script([3, 11, 8], [4, 0, 2])
    mine, other = count(problem.workload, private), count(problem.workload, tables.neighbour(private, k, seed + 1))
    first = pmw_pub(mine, problem, schedule(ours, sensitivity=k, replay=Replay.HALF))
    second = pmw_pub(other, problem, schedule(theirs, sensitivity=k, replay=Replay.HALF))
    for one, two in zip(ours.scores, theirs.scores, strict=True):
        assert np.abs(one - two).max() <= k
    assert first.distribution.weights.tolist() == second.distribution.weights.tolist()
    assert (first.transcript, first.rho) == (second.transcript, second.rho)


def run_secure(seed: int, rounds: int, budget: ZCDP) -> tuple[Release, PublicProblem, Schedule, int]:
    problem = problem_of(seed)
    counts = counts_of(problem, seed + 1, 400)
    made = Schedule(rounds, split(budget, rounds), replay_seed=seed)
    return pmw_pub(counts, problem, made, noise=SeededNoise(seed)), problem, made, counts.n


@pytest.mark.parametrize("output", list(Output))
def test_the_transcript_and_the_public_seed_rebuild_the_weights_exactly(output: Output) -> None:
    problem = problem_of(2)
    counts = counts_of(problem, 3, 400)
    made = Schedule(12, split(ZCDP.at_most(1), 12), replay_seed=9, output=output)
    found = pmw_pub(counts, problem, made)
    again = rebuild(problem, made, found.transcript, counts.n)
    assert again.weights.tobytes() == found.distribution.weights.tobytes()


def assert_every_round_is_charged(charged: Schedule, found: Release) -> None:
    """The charge covers each line of the transcript with one selection and one measurement."""
    spent = sum((charged.share.selection.rho + charged.share.measurement.rho for _ in found.transcript), ZCDP(0))
    assert charged.rho >= spent, "a round was not charged"


def test_a_run_is_charged_for_every_round_and_stays_within_half_epsilon_squared() -> None:
    budget = zcdp_of(ApproxDP("1", "1e-8"))
    found, _, made, _ = run_secure(1, 20, budget)
    assert len(found.transcript) == 20
    assert_every_round_is_charged(made, found)
    assert found.rho == made.rho <= budget
    assert float((budget - made.rho).rho / budget.rho) < 1e-3


@pytest.mark.fault("a round not charged")
def test_a_round_that_is_not_charged_is_caught() -> None:
    budget = zcdp_of(ApproxDP("1", "1e-8"))
    found, _, _, _ = run_secure(1, 20, budget)
    with pytest.raises(AssertionError, match="not charged"):
        assert_every_round_is_charged(Schedule(19, split(budget, 20)), found)


def test_a_long_run_with_a_large_budget_comes_close_to_the_best_mixture() -> None:
    """The public support holds every possible row, so the best-mixture error is zero."""
    shape = tables.domain(2, 3)
    rows = tables.all_targets(shape)
    problem = PublicProblem(Workload.all_kway(shape, 2), Support.of(Dataset(shape, rows)))
    private = Dataset(shape, [rows[i] for i in (0, 0, 0, 0, 1, 3, 3, 5, 5, 5)] * 200)
    counts = count(problem.workload, private)
    made = Schedule(60, split(ZCDP.at_most(2000), 60))
    weights = pmw_pub(counts, problem, made).distribution.weights
    assert np.abs(weights - np.array([0.4, 0.1, 0.0, 0.2, 0.0, 0.3])).max() < 0.05


def test_progress_counts_the_rounds() -> None:
    problem, script, seen = problem_of(), Script([0, 1, 2], [1, 2, 3]), []
    pmw_pub(counts_of(problem), problem, schedule(script), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_counts_of_another_workload_and_no_round_are_refused() -> None:
    problem, script = problem_of(), Script([0], [1])
    with pytest.raises(PlanError, match="another workload"):
        pmw_pub(PrivateCounts(np.array([1, 2]), 3), problem, schedule(script))
    with pytest.raises(PlanError, match="at least one round"):
        Schedule(0, script.share)


@pytest.mark.audit
def test_the_claimed_epsilon_holds_end_to_end() -> None:
    """Worst case: one query, all rows against all but one; T = 2. The audit's bound stays below the claim."""
    shape = tables.domain(2)
    problem = PublicProblem(Workload.all_kway(shape, 1), Support.of(Dataset(shape, [[0], [1]])))
    made = Schedule(2, split(ZCDP.at_most(Fraction(1, 2)), 2))
    delta = 1e-6

    def draw(private: Dataset, runs: int) -> list[int]:
        counts = count(problem.workload, private)
        found = []
        for _ in range(runs):
            lines = pmw_pub(counts, problem, made).transcript
            # A query on level 1 says the same as one on level 0, mirrored.
            found.append(sum(line.noisy_count if line.query == 0 else 2 - line.noisy_count for line in lines))
        return found

    shown = shown_epsilon(
        lambda runs: draw(Dataset(shape, [[0], [0]]), runs),
        lambda runs: draw(Dataset(shape, [[0], [1]]), runs),
        2_500 * AUDIT,
        delta=delta,
    )
    assert 0.3 < shown <= epsilon_of(made.rho, Fraction(1, 10**6))
