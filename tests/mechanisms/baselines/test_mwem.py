"""MWEM against a dense re-statement of its algorithm, its laws and charge, and what neighbours can see of it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from privacy.laws import exponential_masses, gaussian_masses
from support import tables
from support.fakes import RecordedNoise, ScaledNoise, SeededNoise
from support.planting import plant
from support.scripted import Script
from support.statistical import AUDIT, BinnedLaw, assert_both_arms, assert_follows, assert_rejects

from pmwpub.errors import DomainError, MethodRefused
from pmwpub.mechanisms.baselines.mwem import full_problem, inside, mwem, projected, refusal
from pmwpub.mechanisms.pmw_pub.algorithm import Output, Release, Replay, Schedule, Start, pmw_pub
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.round_share import RoundShare, split
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Support

SHAPE = tables.domain(3, 2, 4)
WORKLOAD = Workload.all_kway(SHAPE, 2)


def dense_queries(workload: Workload) -> np.ndarray:
    """bool (Q, cells): every query on every possible row, by the definition."""
    rows = [np.array(row) for row in tables.all_targets(workload.domain)]
    return np.array([[tables.satisfied(workload, q, row) for row in rows] for q in range(workload.queries)])


class DenseMwem:
    """MWEM on a vector with one entry a possible row, and a 0/1 matrix of queries: nothing shared with the package."""

    def __init__(self, workload: Workload, counts: list[int], n: int) -> None:
        self.queries = dense_queries(workload)
        self.counts, self.n = np.array(counts), n
        self.weights = np.full(self.queries.shape[1], 1 / self.queries.shape[1])
        self.answers: dict[int, list[int]] = {}

    def scores(self) -> np.ndarray:
        return np.abs(self.counts - self.n * (self.queries @ self.weights))

    def measured(self, query: int, noisy_count: int, order: Callable[[list[int]], None]) -> None:
        """The update, then the replay of past measurements that are still half as far off; `order` shuffles those."""
        self.answers.setdefault(query, []).append(noisy_count)
        self._step(query)
        bar = abs(self._gap(query)) / 2
        due = [past for past in self.answers if abs(self._gap(past)) >= bar]
        order(due)
        for past in due:
            self._step(past)

    def _gap(self, query: int) -> float:
        answer = min(1.0, max(0.0, float(np.mean(self.answers[query])) / self.n))
        return answer - float(self.queries[query] @ self.weights)

    def _step(self, query: int) -> None:
        moved = self.weights * np.exp(self.queries[query] * self._gap(query) / 2)
        self.weights = moved / moved.sum()


@pytest.mark.parametrize("seed", range(5))
def test_it_equals_a_dense_mwem_draw_by_draw(seed: int) -> None:
    import random

    rng = np.random.default_rng(seed)
    queries = rng.integers(WORKLOAD.queries, size=12).tolist()
    script = Script(queries, rng.integers(-5, 60, size=12).tolist())
    private = tables.table(SHAPE, 50, seed)
    schedule = Schedule(12, script.share, replay_seed=seed)
    found = mwem(count(WORKLOAD, private), full_problem(WORKLOAD), schedule)
    dense, order = DenseMwem(WORKLOAD, tables.brute_counts(WORKLOAD, private), 50), random.Random(seed)
    for number, query in enumerate(queries):
        # Whole scores against real ones: half a row of rounding, and the weights are rounded downward.
        assert np.abs(script.scores[number] - dense.scores()).max() <= 0.5 + 1e-6
        assert script.counts[number] == dense.counts[query]
        dense.measured(query, script.noisy_counts[number], order.shuffle)
    assert found.distribution.weights == pytest.approx(dense.weights, abs=1e-13)
    assert [(line.query, line.noisy_count) for line in found.transcript] == list(
        zip(queries, script.noisy_counts, strict=True)
    )


def test_it_equals_pmw_pub_on_a_public_table_that_holds_every_row_once_draw_by_draw() -> None:
    counts = count(WORKLOAD, tables.table(SHAPE, 300, 3))
    schedule = Schedule(15, split(ZCDP.at_most(1), 15), replay_seed=4)
    public = Support.of(tables.Dataset(SHAPE, tables.all_targets(SHAPE)))
    ours, theirs = RecordedNoise(SeededNoise(8)), RecordedNoise(SeededNoise(8))
    mine = mwem(counts, full_problem(WORKLOAD), schedule, noise=ours)
    other = pmw_pub(counts, PublicProblem(WORKLOAD, public), schedule, noise=theirs)
    assert ours.calls == theirs.calls
    assert mine.transcript == other.transcript
    assert mine.distribution.weights.tobytes() == other.distribution.weights.tobytes()


def test_the_start_is_uniform_whatever_the_schedule_says() -> None:
    script = Script([0], [10])
    schedule = Schedule(1, script.share, output=Output.AVERAGE, start=Start.PUBLIC)
    found = mwem(count(WORKLOAD, tables.table(SHAPE, 20, 0)), full_problem(WORKLOAD), schedule)
    assert found.distribution.weights == pytest.approx(np.full(24, 1 / 24))


def test_the_full_domain_holds_every_row_once_in_order() -> None:
    support = Support.full(SHAPE)
    assert support.codes.tolist() == [list(row) for row in tables.all_targets(SHAPE)]
    assert support.multiplicity.tolist() == [1] * 24


def test_a_domain_that_is_too_large_is_refused_with_its_size_and_memory() -> None:
    large = Workload.all_kway(tables.domain(*[10] * 12), 1)
    assert "1.00e+12 possible rows" in refusal(large)
    assert "88 TB" in refusal(large)
    with pytest.raises(MethodRefused, match="Pick fewer attributes"):
        full_problem(large)
    assert refusal(Workload.all_kway(tables.domain(*[10] * 7), 1)) == ""
    assert refusal(WORKLOAD) == ""


def test_too_many_marginals_for_the_cells_are_refused_with_a_time() -> None:
    slow = Workload.all_kway(tables.domain(*[2] * 23), 5)
    assert "s a round for 33,649 marginals of 8,388,608 possible rows" in refusal(slow)


def test_a_support_that_is_not_the_full_domain_is_refused() -> None:
    problem, script = PublicProblem(WORKLOAD, tables.support(SHAPE, 5, 0)), Script([0], [1])
    with pytest.raises(MethodRefused, match="all 24 possible rows"):
        mwem(count(WORKLOAD, tables.table(SHAPE, 20, 0)), problem, Schedule(1, script.share))


def test_a_projection_keeps_the_marginals_inside_it_and_their_counts() -> None:
    smaller = inside(WORKLOAD, ["a2", "a0"])
    private = tables.table(SHAPE, 30, 1, no_level=True)
    assert smaller.domain.names == ("a0", "a2")
    assert [marginal.attributes for marginal in smaller.marginals] == [(0, 1)]
    whole = count(WORKLOAD, private).counts
    assert count(smaller, projected(private, ["a2", "a0"])).counts.tolist() == whole[6:18].tolist()
    assert len(projected(private, ["a0"])) == 30


def test_a_projection_without_a_marginal_or_with_an_unknown_name_is_refused() -> None:
    with pytest.raises(MethodRefused, match="None of the workload's 3 marginals"):
        inside(WORKLOAD, ["a0"])
    with pytest.raises(DomainError, match="no attribute"):
        inside(WORKLOAD, ["a0", "z"])


@settings(max_examples=60)
@given(st.integers(1, 3), st.integers(1, 12), st.integers(0, 10_000))
def test_neighbours_that_answer_alike_see_scores_and_counts_within_k(k: int, rows: int, seed: int) -> None:
    private = tables.table(SHAPE, rows, seed, no_level=True)
    ours, theirs = Script([3, 11, 8], [4, 0, 2]), Script([3, 11, 8], [4, 0, 2])
    found = [
        mwem(count(WORKLOAD, table), full_problem(WORKLOAD), Schedule(3, script.share, sensitivity=k))
        for table, script in ((private, ours), (tables.neighbour(private, k, seed + 1), theirs))
    ]
    for one, two in zip(ours.scores, theirs.scores, strict=True):
        assert np.abs(one - two).max() <= k
    assert max(abs(one - two) for one, two in zip(ours.counts, theirs.counts, strict=True)) <= k
    assert found[0].distribution.weights.tolist() == found[1].distribution.weights.tolist()


def selected_first(noise: NoiseSource, factor: Fraction, draws: int, sensitivity: int = 1) -> list[int]:
    """The first selection of so many runs, epsilon multiplied by a factor."""
    counts = PrivateCounts(np.array([9, 3, 6, 6]), 12)
    problem = full_problem(Workload.all_kway(tables.domain(2, 2), 1))
    share = split(ZCDP.at_most(Fraction(1, 5)), 1, rows_per_person=sensitivity)
    law = type(share.selection)(share.selection.epsilon * factor)  # type: ignore[call-arg]
    schedule = Schedule(1, RoundShare(share.epsilon0, law, share.measurement), sensitivity)
    return [mwem(counts, problem, schedule, noise=noise).transcript[0].query for _ in range(draws)]


def test_its_selection_has_the_exact_law_of_the_exponential_mechanism() -> None:
    epsilon = split(ZCDP.at_most(Fraction(1, 5)), 1).selection.epsilon
    law = BinnedLaw.by_size(exponential_masses([3, 3, 0, 0], epsilon, 1), 4_000)
    assert_both_arms(law, lambda factor, draws: selected_first(SECURE, 1 / factor**3, draws), 4_000 * AUDIT)


@pytest.mark.fault("wrong sensitivity for k rows")
def test_an_mwem_that_selects_for_one_row_of_three_is_caught() -> None:
    epsilon = split(ZCDP.at_most(Fraction(1, 5)), 1, rows_per_person=3).selection.epsilon
    law = BinnedLaw.by_size(exponential_masses([3, 3, 0, 0], epsilon, 3), 4_000)
    assert_follows(law, selected_first(SECURE, Fraction(1), 2_000, sensitivity=3))
    assert_rejects(law, selected_first(SECURE, Fraction(3), 2_000, sensitivity=3))


def residuals(noise: NoiseSource, draws: int) -> tuple[list[int], float]:
    """Noisy minus true counts over many rounds, and the stated scale."""
    counts = count(WORKLOAD, tables.table(SHAPE, 200, 7))
    rounds = 250
    schedule = Schedule(rounds, split(ZCDP.at_most(Fraction(10)), rounds), replay=Replay.OFF)
    problem, found = full_problem(WORKLOAD), []
    while len(found) < draws:
        lines = mwem(counts, problem, schedule, noise=noise).transcript
        found += [line.noisy_count - int(counts.counts[line.query]) for line in lines]
    return found, float(schedule.share.measurement.scale)


def gaussian_law(scale: float) -> BinnedLaw:
    return BinnedLaw.of(*gaussian_masses(scale), bins=12)


def test_its_measurements_have_the_stated_gaussian_law() -> None:
    def draw(factor: Fraction, draws: int) -> list[int]:
        return residuals(ScaledNoise(factor) if factor != 1 else SECURE, draws)[0]

    assert_both_arms(gaussian_law(residuals(SECURE, 1)[1]), draw, 4_000 * AUDIT)


@pytest.mark.fault("half the noise")
def test_an_mwem_with_half_the_noise_is_caught() -> None:
    found, scale = residuals(ScaledNoise(Fraction(1, 2)), 1_000)
    assert_rejects(gaussian_law(scale), found)


def assert_charged(rho: ZCDP, share: RoundShare, lines: int) -> None:
    assert rho >= (share.selection.rho + share.measurement.rho) * lines, "a round was not charged"


def run_of_ten() -> tuple[Release, RoundShare]:
    share = split(ZCDP.at_most(1), 10)
    counts = count(WORKLOAD, tables.table(SHAPE, 100, 0))
    return mwem(counts, full_problem(WORKLOAD), Schedule(10, share), noise=SeededNoise(1)), share


def test_every_round_is_charged() -> None:
    found, share = run_of_ten()
    assert len(found.transcript) == 10
    assert_charged(found.rho, share, 10)
    assert found.rho <= ZCDP.at_most(1)


@pytest.mark.fault("a round not charged")
@pytest.mark.parametrize("wrong", ["self.share.rho * (self.rounds - 1)", "self.share.measurement.rho * self.rounds"])
def test_an_mwem_round_or_selection_that_is_not_charged_is_caught(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, Schedule, "rho", "self.share.rho * self.rounds", wrong)
    found, share = run_of_ten()
    with pytest.raises(AssertionError, match="not charged"):
        assert_charged(found.rho, share, len(found.transcript))
