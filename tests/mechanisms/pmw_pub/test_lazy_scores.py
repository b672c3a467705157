"""Lazily evaluated scores: never below the truth, equal to it once evaluated, and selected with the exact law."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from privacy.laws import exponential_masses
from support import tables
from support.fakes import SeededNoise
from support.scripted import Script
from support.statistical import AUDIT, BinnedLaw, assert_follows, assert_rejects

from pmwpub.mechanisms.pmw_pub import lazy_scores, score_counts
from pmwpub.mechanisms.pmw_pub.algorithm import Replay, Schedule, Start, pmw_pub
from pmwpub.mechanisms.pmw_pub.lazy_scores import DriftScores
from pmwpub.mechanisms.pmw_pub.reweight import Iterate, Memory
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.round_share import RoundShare, split
from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip
from pmwpub.privacy.selection_laws import ExponentialLaw, ScoreBuckets
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.threads import Threads
from pmwpub.queries.workload import Workload
from pmwpub.records import Ints

SHAPE = tables.domain(3, 2, 4, 2)


@pytest.fixture(autouse=True)
def bounds_even_where_they_do_not_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small problems take the lazy path too."""
    monkeypatch.setattr(lazy_scores, "SMALL", -(10**12))


@dataclass
class Run:
    """A few rounds of a small problem, with what an eager implementation would know."""

    counts: PrivateCounts
    problem: PublicProblem
    iterate: Iterate
    memory: Memory
    scores: DriftScores

    @classmethod
    def of(cls, seed: int, n: int, k: int = 3, crew: Threads | None = None) -> Run:
        problem = PublicProblem(Workload.all_kway(SHAPE, k), tables.support(SHAPE, 30, seed))
        rows = min(n, 1_000)
        few = count(problem.workload, tables.table(SHAPE, rows, seed + 1, no_level=True))
        counts = PrivateCounts(few.counts * (n // rows), n)  # each row so many times: n rows without drawing them
        iterate = Iterate(problem.support.multiplicity, n)
        scores = DriftScores(counts, problem, iterate, problem.start_sums, crew or Threads())
        return cls(counts, problem, iterate, Memory(problem, n, seed), scores)

    def step(self, query: int, noisy_count: int) -> None:
        newest = self.memory.add(query, noisy_count)
        self.memory.step(self.iterate, newest)
        self.memory.replay(self.iterate, newest)
        self.iterate.settle()
        self.scores.advance(self.iterate)

    def truth(self) -> list[int]:
        """|c_q - r_q| by Python's own whole numbers, atom by atom."""
        whole = [math.floor(value) for value in self.iterate.values]
        found = []
        for query, c in enumerate(self.counts.counts.tolist()):
            answer = tables.brute_answer(self.problem.workload, self.problem.support, whole, query)
            found.append(abs(c - math.floor(self.counts.n * answer + Fraction(1, 2))))
        return found

    def bounds(self) -> Iterator[tuple[int, int]]:
        """(query, bound) of every query, read from the grouped bounds."""
        buckets = self.scores.buckets()
        for place, (gap, size) in enumerate(zip(buckets.gaps.tolist(), buckets.sizes.tolist(), strict=True)):
            for member in range(size):
                yield buckets.member(place, _At(member)), buckets.top - gap  # type: ignore[arg-type]


@dataclass
class _At:
    """A source whose draw below n is one given number."""

    place: int

    def below(self, n: int) -> int:
        assert self.place < n
        return self.place


@pytest.fixture(params=["listed", "sorted"])
def grouping(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of scores for every value, as small tables have them, or for those that occur, as huge ones have."""
    if request.param == "sorted":
        monkeypatch.setattr(score_counts, "LISTED", -1)


STEPS = st.lists(st.tuples(st.integers(0, 200), st.floats(0, 1)), min_size=1, max_size=5)


@pytest.mark.usefixtures("grouping")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 999), st.sampled_from([1, 2, 37, 10_000, 10**7]), st.integers(1, 4), STEPS, st.randoms())
def test_bounds_are_never_below_the_scores_and_evaluated_scores_are_exact(
    seed: int, n: int, k: int, steps: list[tuple[int, float]], random: object
) -> None:
    """In every round; some marginals are evaluated in between, so that bounds of several ages stand side by side."""
    run = Run.of(seed, n, k)
    for query, share in steps:
        run.step(query % run.problem.workload.queries, round(share * n))
        truth = run.truth()
        bounds = dict(run.bounds())
        assert sorted(bounds) == list(range(len(truth)))
        assert all(bounds[q] >= truth[q] for q in bounds)
        for _ in range(2):
            q = random.randrange(len(truth))  # type: ignore[attr-defined]
            assert run.scores.resolve(q) == (bounds[q], truth[q])
            assert dict(run.bounds())[q] == truth[q]
            bounds = dict(run.bounds())


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 999), st.sampled_from([1, 500, 10**6, 10**7]), STEPS)
def test_rounded_answers_are_those_of_an_eager_run_to_the_bit(
    seed: int, n: int, steps: list[tuple[int, float]]
) -> None:
    lazy = Run.of(seed, n)
    for query, share in steps:
        lazy.step(query % lazy.problem.workload.queries, round(share * lazy.counts.n))
        lazy.scores.resolve(0)
    sums = lazy.problem.sums(np.floor(lazy.iterate.values).astype(np.int64))
    total, rows = int(np.floor(lazy.iterate.values).sum()), lazy.counts.n
    eager = [(2 * rows * s + total) // (2 * total) for s in sums.tolist()]
    assert lazy.scores.answers().tolist() == eager
    assert lazy.scores.exact().tolist() == lazy.truth()


def test_weights_that_were_scaled_are_summed_up_afresh() -> None:
    run = Run.of(3, 500)
    run.step(4, 30)
    run.iterate._scale(0.25)
    run.step(9, 400)
    assert run.iterate.scalings == 1
    assert dict(run.bounds()) == dict(enumerate(run.truth()))


def test_queries_that_neither_table_touches_have_score_zero_and_are_all_reached() -> None:
    """One row, one atom: of 24 cells of the 3-way marginal (3, 2, 4) at most two are touched."""
    problem = PublicProblem(Workload.of(SHAPE, [["a0", "a1", "a2"]]), tables.support(SHAPE, 1, 0))
    counts = count(problem.workload, tables.table(SHAPE, 1, 5))
    iterate = Iterate(problem.support.multiplicity, 1)
    scores = DriftScores(counts, problem, iterate, problem.start_sums)
    buckets = scores.buckets()
    untouched = {buckets.member(len(buckets.gaps) - 1, _At(place)) for place in range(int(buckets.sizes[-1]))}  # type: ignore[arg-type]
    apart = counts.counts.argmax() != problem.start_sums.argmax()
    assert untouched == set(range(24)) - (
        {int(counts.counts.argmax()), int(problem.start_sums.argmax())} if apart else set()
    )
    assert buckets.sizes.sum() == buckets.count == len(scores) == 24


def test_two_threads_compute_what_one_does() -> None:
    with Threads(2) as crew:
        one, two = Run.of(8, 700), Run.of(8, 700, crew=crew)
        for run in (one, two):
            run.step(5, 300)
            run.step(40, 10)
        assert dict(one.bounds()) == dict(two.bounds())
        assert one.scores.exact().tolist() == two.scores.exact().tolist()


# The law


class Bounded:
    """Scores with bounds far above them; `resolve` and `sharpen` tighten them as a lazy evaluation does."""

    def __init__(self, scores: list[int], slack: list[int]) -> None:
        self.true, self.known = list(scores), [u + s for u, s in zip(scores, slack, strict=True)]

    def __len__(self) -> int:
        return len(self.true)

    def exact(self) -> Ints:
        self.known = list(self.true)
        return np.array(self.true, dtype=np.int64)

    def sharpen(self, rate: float, rejections: int) -> None:
        for position in sorted(range(len(self.true)), key=lambda i: -self.known[i])[: 2**rejections]:
            self.known[position] = self.true[position]

    def buckets(self) -> ScoreBuckets:
        known = np.array(self.known, dtype=np.int64)
        values, sizes = np.unique(known, return_counts=True)
        return ScoreBuckets(known, int(values[-1]), (values[-1] - values[::-1]).astype(np.uint64), sizes[::-1])

    def resolve(self, position: int) -> tuple[int, int]:
        bound, self.known[position] = self.known[position], self.true[position]
        return bound, self.true[position]


CASES = {
    "one": ([7], [50]),
    "all equal": ([5] * 6, [0, 3, 9, 40, 200, 1]),
    "ties at the top": ([90, 90, 60, 60, 0], [0, 500, 0, 700, 900]),
    "bounds in the wrong order": ([10, 9, 8, 7, 6, 5], [0, 2, 4, 6, 8, 10]),
    "bounds far above the truth": ([3, 2, 1, 0, 0], [10**6, 10**6, 0, 10**6, 5]),
    "a million rows": ([999_999, 999_990, 400_000, 0], [1, 0, 600_000, 10**6]),
    "one row": ([1, 0, 1, 0, 0], [0, 1, 0, 1, 0]),
}
EPSILONS = ["0.01", "0.3", "2", "50"]


def draws_of(scores: list[int], slack: list[int], epsilon: Fraction, draws: int, noise: NoiseSource) -> list[int]:
    mechanism = ExponentialMechanism(epsilon)
    return [mechanism.choose(Bounded(scores, slack), 1, noise=noise) for _ in range(draws)]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", CASES)
def test_the_law_is_the_exact_one_whatever_the_bounds(name: str, epsilon: str) -> None:
    scores, slack = CASES[name]
    draws = 1_500 * AUDIT
    law = BinnedLaw.by_size(exponential_masses(scores, Fraction(epsilon), 1), draws)
    assert_follows(law, draws_of(scores, slack, Fraction(epsilon), draws, SECURE))


@pytest.mark.parametrize("name", ["bounds in the wrong order", "ties at the top"])
def test_another_epsilon_is_told_apart_under_the_same_bounds(name: str) -> None:
    scores, slack = CASES[name]
    epsilon, draws = Fraction(1) if name.startswith("bounds") else Fraction(1, 20), 8_000
    law = BinnedLaw.by_size(exponential_masses(scores, epsilon, 1), draws)
    assert_follows(law, draws_of(scores, slack, epsilon, draws, SECURE))
    for factor in (Fraction(7, 10), Fraction(13, 10)):
        assert_rejects(law, draws_of(scores, slack, epsilon * factor, draws, SECURE))


class Forgetful(Bounded):
    """Bounds that stay as loose as they are: more attempts, the same law."""

    def resolve(self, position: int) -> tuple[int, int]:
        return self.known[position], self.true[position]

    def sharpen(self, rate: float, rejections: int) -> None:
        """Nothing."""


LOOSE = Forgetful([20, *[0] * 10], [0, *[30] * 10])


def floored(self: ExponentialMechanism, scores: Bounded, sensitivity: int, *, noise: NoiseSource = SECURE) -> int:
    """A planted fault: no weight is smaller than e^(-3) of the largest one in sight."""
    rate = self.epsilon / (2 * sensitivity)
    least = max(scores.known) - int(3 / rate)
    while True:
        raised = [max(known, least) for known in scores.known]
        position = ExponentialLaw(ScoreBuckets.of(np.array(raised, dtype=np.int64)), rate).draw(noise)
        _, score = scores.resolve(position)
        if noise.bernoulli_exp(rate * (raised[position] - max(score, least))):
            return position


def check_loose_bounds(draws: int = 1_000) -> None:
    """Weights of 1 and ten times e^(-4), under bounds that say e^2 for each of the ten."""
    mechanism = ExponentialMechanism(Fraction(2, 5))
    law = BinnedLaw.by_size(exponential_masses(LOOSE.true, Fraction(2, 5), 1), draws)
    assert_follows(law, [mechanism.choose(LOOSE, 1) for _ in range(draws)])


def test_bounds_that_are_never_tightened_keep_the_law() -> None:
    check_loose_bounds()


@pytest.mark.fault("a floored weight table under lazy bounds")
def test_a_weight_table_floored_relative_to_the_bounds_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the true maximum e^(-3) lies below all weights but the smallest; beside the bounds it lifts those."""
    monkeypatch.setattr(ExponentialMechanism, "choose", floored)
    with pytest.raises(AssertionError, match="do not follow"):
        check_loose_bounds()


@settings(max_examples=50)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=20), st.integers(0, 10**6))
def test_known_scores_are_drawn_as_an_eager_selection_draws_them(scores: list[int], seed: int) -> None:
    """Equal draws under a shared source: with nothing to reject, both read the same bits."""
    mechanism = ExponentialMechanism(Fraction(1, 3))
    eager = mechanism.select(np.array(scores, dtype=np.int64), 1, noise=SeededNoise(seed))
    assert mechanism.choose(Bounded(scores, [0] * len(scores)), 1, noise=SeededNoise(seed)) == eager


def test_permute_and_flip_evaluates_everything() -> None:
    scores = Bounded([5, 3, 1], [10, 20, 30])
    PermuteAndFlip(Fraction(1)).choose(scores, 1)
    assert scores.known == scores.true


# In a run


def pairs_of(
    choose: Callable[[DriftScores, NoiseSource], int] | None, draws: int, start: Start
) -> tuple[list[int], PublicProblem, PrivateCounts, Schedule]:
    """The second selection of two-round runs whose measurements, and first selections, are fixed."""
    problem = PublicProblem(Workload.all_kway(SHAPE, 2), tables.support(SHAPE, 20, 3))
    counts = count(problem.workload, tables.table(SHAPE, 60, 4))
    mechanism = ExponentialMechanism(Fraction(1))
    found = []

    class Fixed(Script):
        def choose(self, scores: DriftScores, sensitivity: int, *, noise: NoiseSource = SECURE) -> int:  # type: ignore[override]
            if not self.sensitivities:
                self.sensitivities.append(sensitivity)
                return 7
            found.append(choose(scores, noise) if choose else mechanism.choose(scores, sensitivity, noise=noise))
            return found[-1]

    schedule = Schedule(2, split(ZCDP.at_most(1), 2), start=start, replay=Replay.HALF)
    for _ in range(draws):
        script = Fixed([], [50, 50])
        share = RoundShare(schedule.share.epsilon0, script, script)  # type: ignore[arg-type]
        pmw_pub(counts, problem, Schedule(2, share, start=start))
    return found, problem, counts, schedule


@pytest.mark.usefixtures("grouping")
@pytest.mark.parametrize("start", list(Start))
def test_the_second_round_of_a_run_selects_by_the_scores_of_the_moved_weights(start: Start) -> None:
    """The pmf is computed from weights that a plain re-statement of the step gives."""
    draws = 3_000
    found, problem, counts, _ = pairs_of(None, draws, start)
    iterate = Iterate(
        problem.support.multiplicity if start is Start.PUBLIC else np.ones(len(problem.support), dtype=np.int64), 60
    )
    memory = Memory(problem, 60, 0)
    newest = memory.add(7, 50)
    memory.step(iterate, newest)
    memory.replay(iterate, newest)
    whole = [math.floor(value) for value in iterate.values]
    scores = [
        abs(c - math.floor(60 * tables.brute_answer(problem.workload, problem.support, whole, q) + Fraction(1, 2)))
        for q, c in enumerate(counts.counts.tolist())
    ]
    law = BinnedLaw.by_size(exponential_masses(scores, Fraction(1), 1), draws)
    assert_follows(law, found)
    starts = problem.start_sums if start is Start.PUBLIC else problem.coverage
    stale = [
        abs(c - 60 * s // int(starts[:6].sum())) for c, s in zip(counts.counts.tolist(), starts.tolist(), strict=True)
    ]
    assert law.power(exponential_masses(stale, Fraction(1), 1), draws) > 0.99


def test_a_run_in_two_threads_is_the_run_in_one() -> None:
    problem = PublicProblem(Workload.all_kway(SHAPE, 2), tables.support(SHAPE, 40, 2))
    counts = count(problem.workload, tables.table(SHAPE, 900, 6))
    schedule = Schedule(15, split(ZCDP.at_most(Fraction(1, 2)), 15))
    one, two = (pmw_pub(counts, problem, schedule, noise=SeededNoise(5), threads=threads) for threads in (1, 2))
    assert one.transcript == two.transcript
    assert one.distribution.weights.tobytes() == two.distribution.weights.tobytes()
