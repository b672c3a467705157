"""DualQuery against a re-statement with plain weights, its law and charge, and best responses by brute force."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from privacy.laws import exponential_masses
from support import tables
from support.fakes import RecordedNoise, SeededNoise
from support.planting import plant
from support.statistical import AUDIT, BinnedLaw, assert_both_arms, assert_follows, assert_rejects

from pmwpub.errors import BudgetError, PlanError
from pmwpub.mechanisms.baselines import best_response as best_response_module
from pmwpub.mechanisms.baselines.best_response import Response, RowOrigin, SolverLimits, best_response
from pmwpub.mechanisms.baselines.dual_query import ETAS, SAMPLES, DualQueryPlan, dual_query, sample_queries
from pmwpub.mechanisms.baselines.query_samples import Sample, SignedQuery
from pmwpub.privacy.budget import ZCDP, ApproxDP, zcdp_of
from pmwpub.privacy.noise import SECURE
from pmwpub.privacy.selection import ExponentialMechanism
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset

SHAPE = tables.domain(3, 2, 4)
WORKLOAD = Workload.all_kway(SHAPE, 2)


def holds(workload: Workload, signed: SignedQuery, row: Sequence[int]) -> bool:
    return tables.satisfied(workload, signed.query, np.array(row)) == signed.positive


def satisfied(workload: Workload, sample: Sequence[SignedQuery], row: Sequence[int]) -> int:
    return sum(holds(workload, signed, row) for signed in sample)


def drawn_sample(workload: Workload, size: int, seed: int) -> list[SignedQuery]:
    generator = random.Random(seed)
    return [SignedQuery(generator.randrange(workload.queries), generator.random() < 0.6) for _ in range(size)]


@settings(max_examples=60)
@given(st.sampled_from([(3, 2, 4), (2, 2, 2, 2), (5, 3)]), st.integers(1, 40), st.integers(0, 10_000))
def test_the_best_response_is_that_of_brute_force(sizes: tuple[int, ...], size: int, seed: int) -> None:
    workload = Workload.all_kway(tables.domain(*sizes), 2)
    sample = drawn_sample(workload, size, seed)
    best = max(satisfied(workload, sample, row) for row in tables.all_targets(workload.domain))
    response = best_response(workload, sample, SolverLimits(30), ties=random.Random(seed))
    assert response.found is RowOrigin.OPTIMAL
    assert response.satisfied == best == satisfied(workload, sample, response.row)


@settings(max_examples=40)
@given(st.integers(1, 40), st.integers(0, 10_000))
def test_the_heuristic_says_what_its_row_satisfies_and_is_a_local_optimum(size: int, seed: int) -> None:
    sample = drawn_sample(WORKLOAD, size, seed)
    response = best_response(WORKLOAD, sample, SolverLimits(0), ties=random.Random(seed))
    assert response.found is RowOrigin.HEURISTIC
    assert response.satisfied == satisfied(WORKLOAD, sample, response.row)
    for attribute, levels in enumerate(SHAPE.shape):
        for level in range(levels):
            row = [level if a == attribute else code for a, code in enumerate(response.row)]
            assert satisfied(WORKLOAD, sample, row) <= response.satisfied


@pytest.mark.parametrize("limits", [SolverLimits(1e-6), SolverLimits(60, nodes=0)])
def test_a_limit_that_is_too_small_is_recorded_and_still_gives_a_row(limits: SolverLimits) -> None:
    workload = Workload.all_kway(tables.domain(*[6] * 14), 3)
    sample = drawn_sample(workload, 400, 3)
    response = best_response(workload, sample, limits, ties=random.Random(0))
    assert response.found in {RowOrigin.CUT_SHORT, RowOrigin.HEURISTIC}
    assert response.satisfied == satisfied(workload, sample, response.row)


@pytest.mark.parametrize("proved", [True, False])
def test_a_program_with_a_worse_row_than_the_heuristic_is_not_believed(
    proved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All ask for the first level: a solver that says anything else is wrong, whatever it proves."""
    sample = [SignedQuery(query, True) for query in (0, 6, 18)]
    monkeypatch.setattr(best_response_module, "_solved", lambda *_: (np.array([2, 1, 3]), proved))
    response = best_response(WORKLOAD, sample, SolverLimits(), ties=random.Random(0))
    assert response == Response((0, 0, 0), 3, RowOrigin.HEURISTIC)


def test_rows_do_not_depend_on_how_fast_the_machine_is_unless_a_plan_says_so() -> None:
    assert DualQueryPlan(40, 20, Fraction(3), 7).limits == SolverLimits(math.inf, 2_000)
    with pytest.raises(PlanError):
        DualQueryPlan(40, 20, Fraction(3), 7, seconds=math.nan)


def test_a_query_and_its_negation_cancel() -> None:
    sample = [SignedQuery(0, True), SignedQuery(0, False), SignedQuery(3, False), SignedQuery(3, False)]
    chosen = Sample.of(WORKLOAD, sample)
    assert chosen.gains.tolist() == [-2]
    assert chosen.satisfied(np.array([0, 0, 0])) == satisfied(WORKLOAD, sample, [0, 0, 0])


def test_a_sample_that_cancels_altogether_gets_a_row_at_random() -> None:
    sample = [SignedQuery(0, True), SignedQuery(0, False)]
    rows = {best_response(WORKLOAD, sample, SolverLimits(), ties=random.Random(seed)).row for seed in range(40)}
    assert len(rows) > 10


class PlainDualQuery:
    """The published algorithm: a weight a signed query, multiplied by exp(eta (q(D) - q(x))) after each row."""

    def __init__(self, workload: Workload, private: Dataset, eta: float) -> None:
        counts = np.array(tables.brute_counts(workload, private)) / len(private)
        self.workload, self.eta = workload, eta
        self.truth = np.concatenate([counts, 1 - counts])
        self.weights = np.ones(2 * workload.queries)

    def see(self, row: Sequence[int]) -> None:
        answers = np.array([tables.satisfied(self.workload, q, np.array(row)) for q in range(self.workload.queries)])
        self.weights = self.weights * np.exp(self.eta * (self.truth - np.concatenate([answers, ~answers])))


@pytest.mark.parametrize("eta", ETAS)
def test_the_samples_law_is_that_of_the_published_weights(eta: int, monkeypatch: pytest.MonkeyPatch) -> None:
    private = tables.table(SHAPE, 40, 6)
    plain, seen = PlainDualQuery(WORKLOAD, private, eta), []
    right = ExponentialMechanism.law

    def watched(self: ExponentialMechanism, scores: np.ndarray, sensitivity: int) -> object:
        seen.append(exponential_masses(scores.tolist(), self.epsilon, sensitivity))
        return right(self, scores, sensitivity)

    monkeypatch.setattr(ExponentialMechanism, "law", watched)
    plan = DualQueryPlan(40, 20, Fraction(eta), 6, sensitivity=2)
    found = dual_query(count(WORKLOAD, private), WORKLOAD, plan, noise=SeededNoise(eta))
    assert len(seen) == 5
    for response, masses in zip(found.responses, seen, strict=False):
        plain.see(response.row)
        assert masses == pytest.approx(plain.weights / plain.weights.sum(), rel=1e-9)


def test_the_synthetic_table_is_the_rows_of_all_rounds() -> None:
    plan = DualQueryPlan(40, 20, Fraction(3), 7)
    found = dual_query(count(WORKLOAD, tables.table(SHAPE, 40, 6)), WORKLOAD, plan, noise=SeededNoise(1))
    rows = [response.row for response in found.responses]
    weights = dict(
        zip(map(tuple, found.distribution.support.codes.tolist()), found.distribution.weights.tolist(), strict=True)
    )
    assert weights == {row: pytest.approx(rows.count(row) / 7) for row in rows}
    assert sum(found.found.values()) == 7


def test_many_rounds_with_a_small_step_come_close_to_the_private_answers() -> None:
    private = Dataset(SHAPE, [[0, 0, 0]] * 600 + [[1, 1, 2]] * 300 + [[2, 1, 3]] * 100)
    counts = count(WORKLOAD, private)
    plan = DualQueryPlan(1000, 300, Fraction(1, 2), 80)
    found = dual_query(counts, WORKLOAD, plan).distribution
    for query, answer in enumerate(counts.counts / 1000):
        signed = SignedQuery(query, True)
        mass = sum(w for row, w in zip(found.support.codes, found.weights, strict=True) if holds(WORKLOAD, signed, row))
        assert mass == pytest.approx(answer, abs=0.12)


@pytest.mark.parametrize("k", [1, 3])
def test_the_charge_is_the_closed_form(k: int) -> None:
    """s eta^2 k^2 (T - 1) T (2 T - 1)/(12 n^2)."""
    plan = DualQueryPlan(1000, 50, Fraction(3), 30, k)
    assert float(plan.rho.rho) == pytest.approx(50 * 9 * k**2 * 29 * 30 * 59 / (12 * 1000**2), rel=1e-9)


@pytest.mark.parametrize("samples", SAMPLES)
@pytest.mark.parametrize("epsilon", ["0.1", "1"])
def test_a_plan_within_a_budget_has_the_most_rounds_that_fit(samples: int, epsilon: str) -> None:
    budget = zcdp_of(ApproxDP(epsilon, "1e-9"))
    plan = DualQueryPlan.within(budget, 40_000, samples, 2)
    assert plan.rho <= budget < replace(plan, rounds=plan.rounds + 1).rho


def test_a_budget_for_no_sample_and_bad_plans_are_refused() -> None:
    with pytest.raises(BudgetError, match="pays for no sample"):
        DualQueryPlan.within(ZCDP(1), 100, 500, 5)
    with pytest.raises(PlanError, match="above zero"):
        DualQueryPlan(100, 0, Fraction(1), 5)
    with pytest.raises(PlanError, match="another workload"):
        dual_query(PrivateCounts(np.array([1]), 2), WORKLOAD, DualQueryPlan(2, 1, Fraction(1), 1))


def shown_scores(private: Dataset, plan: DualQueryPlan) -> list[np.ndarray]:
    """The scores of each round, every sample forced to the first query."""
    seen: list[np.ndarray] = []

    class First:
        def draw(self, noise: object) -> int:
            return 0

    def law(self: ExponentialMechanism, scores: np.ndarray, sensitivity: int) -> First:
        seen.append(scores)
        return First()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ExponentialMechanism, "law", law)
        dual_query(count(WORKLOAD, private), WORKLOAD, plan, noise=SeededNoise(0))
    return seen


def assert_ranges_are_charged(plan: DualQueryPlan, ours: list[np.ndarray], theirs: list[np.ndarray]) -> None:
    """In each round the log ratio of weights, eta/n times the scores' difference, spans at most the charged epsilon."""
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True), start=2):
        moved = one - other
        span = (int(moved.max()) - int(moved.min())) * plan.eta / plan.n
        assert span <= plan.selection(number).epsilon, "a sample's range is wider than charged"


@settings(max_examples=60)
@given(k=st.integers(1, 3), rows=st.integers(1, 7), seed=st.integers(0, 10_000))
def test_neighbours_that_answer_alike_span_no_more_than_is_charged(k: int, rows: int, seed: int) -> None:
    private = tables.table(SHAPE, rows, seed, no_level=True)
    plan = DualQueryPlan(rows, 3, Fraction(2), 5, k, seconds=0)
    ours, theirs = (shown_scores(table, plan) for table in (private, tables.neighbour(private, k, seed + 1)))
    assert_ranges_are_charged(plan, ours, theirs)


ZEROS, THREE_MOVED = Dataset(SHAPE, [[0, 0, 0]] * 4), Dataset(SHAPE, [[0, 0, 0]] + [[1, 1, 1]] * 3)


@pytest.mark.fault("wrong sensitivity for k rows")
def test_samples_charged_for_one_row_of_three_are_caught() -> None:
    plan = DualQueryPlan(4, 3, Fraction(2), 5, 3, seconds=0)
    ours, theirs = (shown_scores(table, plan) for table in (ZEROS, THREE_MOVED))
    assert_ranges_are_charged(plan, ours, theirs)
    with pytest.raises(AssertionError, match="wider than charged"):
        assert_ranges_are_charged(replace(plan, sensitivity=1), ours, theirs)


@pytest.mark.fault("a score's growth with the rounds not charged")
def test_samples_charged_as_if_in_the_second_round_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = DualQueryPlan(4, 3, Fraction(2), 5, 3, seconds=0)
    ours, theirs = (shown_scores(table, plan) for table in (ZEROS, THREE_MOVED))
    plant(monkeypatch, DualQueryPlan, "selection", "self.eta * (number - 1)", "self.eta")
    with pytest.raises(AssertionError, match="wider than charged"):
        assert_ranges_are_charged(plan, ours, theirs)


def assert_every_sample_is_charged(rho: ZCDP, plan: DualQueryPlan, noise: RecordedNoise) -> None:
    """Each draw from a law uses fresh leading bits: as many as samples after the first round, each at its price."""
    drawn = [number for number in range(2, plan.rounds + 1) for _ in range(plan.samples)]
    assert sum(name == "bits" for name, _, _ in noise.calls) >= len(drawn)
    assert rho >= sum((plan.selection(number).rho for number in drawn), ZCDP(0)), "a sample was not charged"


def recorded_run() -> tuple[ZCDP, DualQueryPlan, RecordedNoise]:
    plan, noise = DualQueryPlan(40, 10, Fraction(3), 5), RecordedNoise(SeededNoise(3))
    return dual_query(count(WORKLOAD, tables.table(SHAPE, 40, 6)), WORKLOAD, plan, noise=noise).rho, plan, noise


def test_every_sample_is_charged() -> None:
    assert_every_sample_is_charged(*recorded_run())


@pytest.mark.fault("a charge skipped")
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("rho", "range(1, self.rounds + 1)", "range(1, self.rounds)"),
        ("round_cost", ".rho * self.samples", ".rho"),
        ("round_cost", "if number == 1", "if number <= 2"),
    ],
    ids=["the last round", "all samples of a round but one", "the second round"],
)
def test_a_sample_that_is_not_charged_is_caught(
    name: str, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, DualQueryPlan, name, right, wrong)
    with pytest.raises(AssertionError, match="not charged"):
        assert_every_sample_is_charged(*recorded_run())


COUNTS, HITS = PrivateCounts(np.array([9, 3, 6, 6]), 12), np.array([2, 0, 1, 1])
SMALL = Workload.all_kway(tables.domain(2, 2), 1)


def places(eta: Fraction, draws: int) -> list[int]:
    """Samples of the third round, a negation counted after all queries."""
    plan = DualQueryPlan(12, draws, eta, 3)
    return [signed.query + (0 if signed.positive else 4) for signed in sample_queries(COUNTS, HITS, plan, 3, SECURE)]


def test_samples_have_the_exact_law_of_the_weights() -> None:
    """u_q = 2 c_q - 12 hits = -6, 6, 0, 0 and the negatives, at e^(u_q eta/12)."""
    masses = [math.exp(u * 1.5 / 12) for u in (-6, 6, 0, 0, 6, -6, 0, 0)]
    law = BinnedLaw.by_size([mass / sum(masses) for mass in masses], 40_000)
    assert_both_arms(law, lambda factor, draws: places(Fraction(3, 2) / factor, draws), 40_000 * AUDIT)


@pytest.mark.fault("half the noise")
def test_samples_at_twice_the_step_are_caught() -> None:
    masses = [math.exp(u * 1.5 / 12) for u in (-6, 6, 0, 0, 6, -6, 0, 0)]
    law = BinnedLaw.by_size([mass / sum(masses) for mass in masses], 4_000)
    assert_follows(law, places(Fraction(3, 2), 4_000))
    assert_rejects(law, places(Fraction(3), 4_000))
