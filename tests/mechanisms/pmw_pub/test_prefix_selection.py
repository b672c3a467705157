"""Prefix queries in a run of PMW^Pub: bounds above the scores, the exact law of selection, Algorithm 1 itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from privacy.laws import exponential_masses
from support import tables
from support.fakes import SeededNoise
from support.scripted import Script
from support.statistical import AUDIT, BinnedLaw, assert_follows, assert_rejects

from pmwpub.mechanisms.pmw_pub import lazy_scores
from pmwpub.mechanisms.pmw_pub.algorithm import Replay, Schedule, pmw_pub, rebuild
from pmwpub.mechanisms.pmw_pub.bounding_levels import BoundingLevels
from pmwpub.mechanisms.pmw_pub.lazy_scores import DriftScores
from pmwpub.mechanisms.pmw_pub.reweight import Iterate, Memory
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.round_share import RoundShare, split
from pmwpub.privacy.selection import ExponentialMechanism
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Ints

SHAPE = tables.ordered(tables.domain(5, 2, 4), 4, 0, 4)
"""The first attribute has a level behind its four in order; the second has no order."""


@pytest.fixture(autouse=True)
def bounds_even_where_they_do_not_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small problems take the lazy path too."""
    monkeypatch.setattr(lazy_scores, "SMALL", -(10**12))


def problem_of(k: int = 2, seed: int = 3, rows: int = 25) -> PublicProblem:
    return PublicProblem(Workload.all_kway(SHAPE, k, prefixes=["a0", "a2"]), tables.support(SHAPE, rows, seed))


def counts_of(problem: PublicProblem, rows: int, seed: int) -> PrivateCounts:
    return count(problem.workload, tables.table(SHAPE, rows, seed, no_level=True))


def truth(problem: PublicProblem, counts: PrivateCounts, iterate: Iterate) -> list[int]:
    """|c_q - r_q| by Python's own whole numbers, atom by atom."""
    whole = [math.floor(value) for value in iterate.values]
    return [
        abs(
            c - math.floor(counts.n * tables.brute_answer(problem.workload, problem.support, whole, q) + Fraction(1, 2))
        )
        for q, c in enumerate(counts.counts.tolist())
    ]


class _At:
    """A source whose draw below n is one given number."""

    def __init__(self, place: int) -> None:
        self.place = place

    def below(self, n: int) -> int:
        return self.place


def bounds_of(scores: DriftScores) -> dict[int, int]:
    """query -> bound, read from the grouped bounds."""
    buckets = scores.buckets()
    return {
        buckets.member(place, _At(member)): buckets.top - gap  # type: ignore[arg-type]
        for place, (gap, size) in enumerate(zip(buckets.gaps.tolist(), buckets.sizes.tolist(), strict=True))
        for member in range(size)
    }


def check_bounds(k: int, n: int, seed: int, steps: list[tuple[int, float]]) -> None:
    """Bounds of every round lie at or above the scores, and what is evaluated is exact."""
    problem = problem_of(k, seed)
    counts, iterate = counts_of(problem, n, seed + 1), Iterate(problem.support.multiplicity, n)
    memory, scores = Memory(problem, n, seed), DriftScores(counts, problem, iterate, problem.start_sums)
    assert bounds_of(scores) == dict(enumerate(truth(problem, counts, iterate)))
    for query, share in steps:
        newest = memory.add(query % problem.workload.queries, round(share * n))
        memory.step(iterate, newest)
        memory.replay(iterate, newest)
        iterate.settle()
        scores.advance(iterate)
        expected, bounds = truth(problem, counts, iterate), bounds_of(scores)
        assert sorted(bounds) == list(range(len(expected)))
        assert all(bounds[q] >= expected[q] for q in bounds), "a bound lies below its score"
        chosen = (17 * query + 5) % problem.workload.queries
        assert scores.resolve(chosen) == (bounds[chosen], expected[chosen])
    assert scores.exact().tolist() == truth(problem, counts, iterate)


STEPS = st.lists(st.tuples(st.integers(0, 200), st.floats(0, 1)), min_size=1, max_size=5)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 3), st.sampled_from([1, 2, 37, 900]), st.integers(0, 999), STEPS)
def test_bounds_are_never_below_the_scores_and_evaluated_scores_are_exact(
    k: int, n: int, seed: int, steps: list[tuple[int, float]]
) -> None:
    check_bounds(k, n, seed, steps)


@pytest.mark.fault("prefixes bounded as cells")
def test_bounds_of_a_single_level_in_the_place_of_all_up_to_it_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_cells(self: BoundingLevels, by_level: Ints) -> Ints:
        """Of "at most j" the change of level j alone: tighter, and wrong."""
        parts = [by_level[self.starts[a] : self.starts[a] + length] for a, _, length in self.prefixes]
        return np.concatenate([by_level, *parts])

    monkeypatch.setattr(BoundingLevels, "extended", of_cells)
    with pytest.raises(AssertionError, match="below its score"):
        check_bounds(2, 900, 1, [(50, 1.0), (44, 0.0), (60, 1.0)])


@pytest.mark.parametrize("k", [1, 3])
@settings(max_examples=60, deadline=None)
@given(st.integers(1, 3), st.integers(3, 40), st.integers(0, 10_000))
def test_one_person_moves_every_score_by_at_most_k(k: int, ways: int, rows: int, seed: int) -> None:
    """For the same weights, rows without levels among them."""
    problem = problem_of(ways, seed)
    private, iterate = tables.table(SHAPE, rows, seed, no_level=True), Iterate(problem.support.multiplicity, rows)
    pair = (private, tables.neighbour(private, k, seed + 1))
    found = [DriftScores(count(problem.workload, own), problem, iterate, problem.start_sums) for own in pair]
    iterate.step(problem.members(seed % problem.workload.queries), 0.7)
    iterate.settle()
    for scores in found:
        scores.advance(iterate)
    one, other = (scores.exact() for scores in found)
    assert np.abs(one - other).max() <= k


# The law of a selection in a run


def second_selections(
    draws: int, choose: Callable[[DriftScores, NoiseSource], int]
) -> tuple[list[int], PublicProblem, PrivateCounts]:
    """The second selection of two-round runs whose first selection, a prefix, and measurements are fixed."""
    problem = problem_of()
    counts = counts_of(problem, 60, 4)
    first, found = problem.workload.queries - 2, []

    class Fixed(Script):
        def choose(self, scores: DriftScores, sensitivity: int, *, noise: NoiseSource = SECURE) -> int:  # type: ignore[override]
            if not self.sensitivities:
                self.sensitivities.append(sensitivity)
                return first
            found.append(choose(scores, noise))
            return found[-1]

    for _ in range(draws):
        script = Fixed([], [50, 50])
        pmw_pub(counts, problem, Schedule(2, RoundShare(Fraction(1), script, script)))  # type: ignore[arg-type]
    return found, problem, counts


def law_of_second(problem: PublicProblem, counts: PrivateCounts, draws: int) -> BinnedLaw:
    """From weights that a plain re-statement of the first round gives."""
    iterate, memory = Iterate(problem.support.multiplicity, 60), Memory(problem, 60, 0)
    newest = memory.add(problem.workload.queries - 2, 50)
    memory.step(iterate, newest)
    memory.replay(iterate, newest)
    return BinnedLaw.by_size(exponential_masses(truth(problem, counts, iterate), Fraction(1), 1), draws)


def test_selection_among_cells_and_prefixes_has_the_exact_law_and_another_epsilon_is_told_apart() -> None:
    draws = 3_000 * AUDIT
    found, problem, counts = second_selections(
        draws, lambda s, noise: ExponentialMechanism(Fraction(1)).choose(s, 1, noise=noise)
    )
    law = law_of_second(problem, counts, draws)
    assert_follows(law, found)
    assert any(problem.workload.is_prefix(query) for query in found)
    assert not all(problem.workload.is_prefix(query) for query in found)
    for factor in (Fraction(7, 10), Fraction(13, 10)):
        mechanism = ExponentialMechanism(factor)
        assert_rejects(law, second_selections(draws, lambda s, noise, m=mechanism: m.choose(s, 1, noise=noise))[0])  # type: ignore[misc]


# Algorithm 1


def test_a_run_over_prefixes_is_that_of_algorithm_1_and_can_be_made_again() -> None:
    """Weights by the paper's formula with dense 0/1 queries, without replay; then from the transcript alone."""
    problem = problem_of()
    prefixes = [q for q in range(problem.workload.queries) if problem.workload.is_prefix(q)]
    script = Script([prefixes[0], 3, prefixes[-1], prefixes[4]], [30, 2, -9, 55])
    counts = counts_of(problem, 40, 5)
    off = Schedule(4, script.share, replay=Replay.OFF)
    found = pmw_pub(counts, problem, off)
    weights = problem.support.multiplicity / problem.support.multiplicity.sum()
    for query, noisy in zip(script.queries, script.noisy_counts, strict=True):
        q = np.array([tables.satisfied(problem.workload, query, row) for row in problem.support.codes], dtype=float)
        weights = weights * np.exp(q * (min(1.0, max(0.0, noisy / 40)) - q @ weights) / 2)
        weights = weights / weights.sum()
    assert found.distribution.weights == pytest.approx(weights, abs=1e-13)
    assert script.counts == [int(counts.counts[query]) for query in script.queries]
    again = rebuild(problem, off, found.transcript, 40)
    assert again.weights.tobytes() == found.distribution.weights.tobytes()


def test_a_release_learns_a_shift_of_an_ordered_column() -> None:
    """Private rows are older than public ones at each level a little; with much budget the prefixes come near."""
    shape = tables.ordered(tables.domain(20, 2), 20, 0)
    rng = np.random.default_rng(5)
    private = Dataset(
        shape, np.stack([np.minimum(rng.integers(0, 20, 5_000) + 4, 19), rng.integers(0, 2, 5_000)], axis=1)
    )
    problem = PublicProblem(Workload.all_kway(shape, 1, prefixes=["a0"]), tables.support(shape, 3_000, 1))
    counts, schedule = count(problem.workload, private), Schedule(40, split(ZCDP.at_most(5), 40))
    release = pmw_pub(counts, problem, schedule, noise=SeededNoise(7))
    start = np.abs(counts.counts / counts.n - problem.start_sums / problem.support.rows).max()
    whole = np.floor(release.distribution.weights * 2**50).astype(np.int64)
    end = np.abs(counts.counts / counts.n - problem.sums(whole) / int(whole.sum())).max()
    assert start > 0.15
    assert end < start / 3
