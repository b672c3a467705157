"""The best of several candidates: the exact law on whole rows, its charge, and its refusals."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import mixtures
import numpy as np
import pytest
import tables
from fakes import FixedNoise
from mixtures import Problem
from privacy.laws import exponential_masses
from statistical import AUDIT, BinnedLaw, assert_follows, assert_rejects

from pmwpub.errors import BudgetError, JobCancelled, PlanError
from pmwpub.mechanisms.assessment import Unresolved
from pmwpub.mechanisms.best_mixture import BestMixture
from pmwpub.mechanisms.best_of import Best, best_charge, best_release
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

DOMAIN = tables.domain(4)
N = 12
# 6, 3, 2 and 1 rows of the four levels: a candidate without a level has a floor of at least its rows.
PRIVATE = Dataset(DOMAIN, np.array([[0]] * 6 + [[1]] * 3 + [[2]] * 2 + [[3]]))
DRAWS = 4_000 * AUDIT


def states() -> list[BestMixture]:
    """Candidates that lack level 0, 1, 2, 3: floors of 6, 3, 2 and 1 rows."""
    workload = Workload.all_kway(DOMAIN, 1)
    found = []
    for lacking in range(4):
        support = Support.of(Dataset(DOMAIN, np.array([[level] for level in range(4) if level != lacking])))
        found.append(mixtures.solved(Problem(PRIVATE, workload, support)))
    return found


def silent(done: int, total: int) -> None:
    """Nobody is watching."""


def test_the_winner_follows_the_exponential_mechanism_on_whole_rows() -> None:
    epsilon, offered = Fraction(1), states()
    chosen = []
    for _ in range(DRAWS):
        best = best_release(offered, epsilon, private_rows=N, progress=silent)
        assert isinstance(best, Best)
        chosen.append(best.candidate)
    right = exponential_masses([-6, -3, -2, -1], epsilon, 1)
    assert_follows(replace(BinnedLaw.by_size(right, DRAWS), outcomes=(0, 1, 2, 3)), chosen)
    for factor in (Fraction(7, 10), Fraction(13, 10)):
        wrong = exponential_masses([-6, -3, -2, -1], epsilon * factor, 1)
        assert_rejects(BinnedLaw.by_size(wrong, DRAWS), chosen)


def test_more_rows_a_person_flatten_the_choice_in_proportion() -> None:
    offered, epsilon = states(), Fraction(3)
    chosen = []
    for _ in range(DRAWS):
        best = best_release(offered, epsilon, private_rows=N, rows_per_person=3, progress=silent)
        assert isinstance(best, Best)
        chosen.append(best.candidate)
    assert_follows(BinnedLaw.by_size(exponential_masses([-6, -3, -2, -1], epsilon, 3), DRAWS), chosen)


def test_one_choice_costs_an_eighth_of_epsilon_squared_however_many_candidates() -> None:
    assert best_charge(Fraction(1, 10)) == ZCDP.at_least(Fraction(1, 800))
    best = best_release(states(), Fraction(1, 10), private_rows=N, noise=FixedNoise(), progress=silent)
    assert best.rho == best_charge(Fraction(1, 10))


@pytest.mark.parametrize("rows", [1, 3])
def test_whole_steps_move_by_at_most_k_rows_of_steps(rows: int) -> None:
    generator = np.random.default_rng(11)
    for _ in range(60 * AUDIT):
        problem = mixtures.random_problem(generator)
        n = problem.counts.n
        ends = []
        for each in (problem, problem.neighbour(rows, generator)):
            interval = mixtures.solved(each).interval
            ends.append([int(4 * n * end + Fraction(1, 2)) for end in (interval.lower, interval.upper)])
        assert max(ends[0][0] - ends[1][1], ends[1][0] - ends[0][1]) <= 4 * rows


@pytest.mark.parametrize("n", [1, 2, 7])
def test_floors_of_half_rows_are_told_apart(n: int) -> None:
    # Two tied attributes that the private rows part: f is 1/2, an odd number of half rows for odd n.
    domain = tables.domain(2, 2)
    support = Support.of(Dataset(domain, np.array([[0, 0], [0, 0], [1, 1]])))
    problem = Problem(Dataset(domain, np.array([[0, 1]] * n)), Workload.all_kway(domain, 1), support)
    offered = [BestMixture(problem.counts, problem.workload, problem.support) for _ in range(2)]
    assert isinstance(best_release(offered, Fraction(1), private_rows=n, progress=silent), Best)


class Stuck(BestMixture):
    """A state whose solvers give up at once."""

    @property
    def exhausted(self) -> bool:
        return True


def open_state(kind: type[BestMixture]) -> BestMixture:
    domain = tables.domain(2, 2)
    support = Support.of(Dataset(domain, np.array([[0, 0]] * 9 + [[1, 1]])))
    problem = Problem(Dataset(domain, np.array([[0, 1]] * 50)), Workload.all_kway(domain, 1), support)
    return kind(problem.counts, problem.workload, problem.support)


def test_a_candidate_that_cannot_be_told_leaves_the_choice_unresolved_at_the_full_charge() -> None:
    best = best_release([open_state(Stuck)] * 2, Fraction(1), private_rows=50, progress=silent)
    assert best == Unresolved(best_charge(Fraction(1)))


def test_cancelling_leaves_no_choice() -> None:
    def cancel(done: int, total: int) -> None:
        raise JobCancelled("Cancelled.")

    with pytest.raises(JobCancelled):
        best_release([open_state(BestMixture)] * 2, Fraction(1), private_rows=50, progress=cancel)


def test_a_choice_of_one_or_without_a_budget_is_refused() -> None:
    with pytest.raises(PlanError):
        best_release(states()[:1], Fraction(1), private_rows=N, progress=silent)
    with pytest.raises(BudgetError):
        best_release(states(), Fraction(0), private_rows=N, progress=silent)
    with pytest.raises(BudgetError):
        best_release(states(), Fraction(1), private_rows=N, rows_per_person=0, progress=silent)
