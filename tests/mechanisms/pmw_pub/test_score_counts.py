"""Scores by value: the same groups however they are kept, in memory that does not grow with n."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import tables

from pmwpub.mechanisms.pmw_pub import lazy_scores
from pmwpub.mechanisms.pmw_pub.algorithm import Schedule, pmw_pub
from pmwpub.mechanisms.pmw_pub.lazy_scores import DriftScores
from pmwpub.mechanisms.pmw_pub.reweight import Iterate, Memory
from pmwpub.mechanisms.pmw_pub.score_counts import LISTED, Listed, ScoreCounts, Sorted, counted
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.round_share import split
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload

MOST_BYTES = 100_000_000


def groups(found: ScoreCounts) -> list[tuple[int, int]]:
    """(value, number), largest value first."""
    top, gaps, sizes = found.groups()
    assert top == found.top
    assert (gaps.dtype, sizes.dtype) == (np.uint64, np.int64)
    return [(top - gap, size) for gap, size in zip(gaps.tolist(), sizes.tolist(), strict=True)]


def expected(scores: np.ndarray, zeros: int) -> list[tuple[int, int]]:
    return sorted((Counter(scores.tolist()) + Counter({0: zeros})).items(), reverse=True)


@pytest.mark.parametrize("kind", [Listed, Sorted])
@given(st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=5), st.integers(0, 3), st.data())
def test_the_groups_are_those_of_the_scores_as_they_are_now(
    kind: Callable[[np.ndarray, int], ScoreCounts], marginals: list[list[int]], zeros: int, data: st.DataObject
) -> None:
    """Marginals fall to smaller scores one set after another, as evaluated bounds do."""
    edges = np.cumsum([0, *map(len, marginals)])
    scores = np.array([score for marginal in marginals for score in marginal], dtype=np.int64)
    if not len(scores) + zeros:
        zeros = 1
    found = kind(scores, zeros)
    assert groups(found) == expected(scores, zeros)
    for _ in range(2):
        chosen = np.array(sorted(data.draw(st.sets(st.integers(0, len(marginals) - 1)))), dtype=np.int64)
        found.shift(chosen, edges, scores, -1)
        for w in chosen:
            scores[edges[w] : edges[w + 1]] //= 2
        found.shift(chosen, edges, scores, 1)
        assert groups(found) == expected(scores, zeros)


@pytest.mark.parametrize(("largest", "kind"), [(LISTED, Listed), (LISTED + 1, Sorted)])
def test_every_value_is_listed_up_to_four_million(largest: int, kind: type) -> None:
    found = counted(np.array([3, largest, 3], dtype=np.int64), 2)
    assert isinstance(found, kind)
    assert groups(found) == [(largest, 1), (3, 2), (0, 2)]


def peak_of(work: Callable[[], object]) -> int:
    """The bytes that were allocated on top at the most."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_as_many_scores_as_are_listed_take_at_most_100_mb() -> None:
    scores = np.arange(LISTED + 1, dtype=np.int64)
    assert peak_of(lambda: counted(scores, 0).groups()) <= MOST_BYTES


N = 10**9


@pytest.fixture
def thousand_million(monkeypatch: pytest.MonkeyPatch) -> tuple[PublicProblem, PrivateCounts]:
    """As many private rows, and scores of more than half of them; bounds are used even though they do not pay."""
    monkeypatch.setattr(lazy_scores, "SMALL", -(10**12))
    shape = tables.domain(3, 2, 4)
    problem = PublicProblem(Workload.all_kway(shape, 2), tables.support(shape, 25, 0))
    every_fifth = np.arange(problem.workload.queries) % 5 == 0
    return problem, PrivateCounts(np.where(every_fifth, N, 0).astype(np.int64), N)


def test_scores_on_a_thousand_million_rows_take_at_most_100_mb(
    thousand_million: tuple[PublicProblem, PrivateCounts],
) -> None:
    """A number for every value up to the largest would take more than 4 GB."""
    problem, counts = thousand_million
    tops = []

    def rounds() -> None:
        iterate, memory = Iterate(problem.support.multiplicity, N), Memory(problem, N, 0)
        scores = DriftScores(counts, problem, iterate, problem.start_sums)
        for query in (0, 5, 10):
            newest = memory.add(query, N)
            memory.step(iterate, newest)
            iterate.settle()
            scores.advance(iterate)
            tops.append(scores.buckets().top)
            scores.sharpen(1e-7, 0)
            assert int(scores.buckets().sizes.sum()) == problem.workload.queries

    assert peak_of(rounds) <= MOST_BYTES
    assert min(tops) > N // 2


@pytest.mark.parametrize("budget", [Fraction(1), Fraction(1, 10**6)])
def test_a_run_on_a_thousand_million_rows_takes_at_most_100_mb(
    thousand_million: tuple[PublicProblem, PrivateCounts], budget: Fraction
) -> None:
    """At a budget of 1e-9 the table of weights by gap, which has a bound of its own, adds 134 MB while it is made."""
    problem, counts = thousand_million
    schedule = Schedule(3, split(ZCDP.at_most(budget), 3))
    assert peak_of(lambda: pmw_pub(counts, problem, schedule)) <= MOST_BYTES
