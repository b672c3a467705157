"""PMW^Pub end to end against its exact law at what is charged: right noise passes, noise for twice the rho fails.

A lower bound on epsilon cannot see a doubled rho at any size that CI affords; the probability of one event can.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from mechanisms.pmw_pub.exact_law import RIGHT, Event
from mechanisms.pmw_pub.toy_problems import CASES, FAULTS, FULL, POWER, Case
from support.fakes import RecordedNoise
from support.planting import plant, plant_twice_the_rho
from support.scripted import Script
from support.statistical import ALPHA, AUDIT

from pmwpub.mechanisms.pmw_pub import lazy_scores
from pmwpub.mechanisms.pmw_pub.algorithm import Schedule, pmw_pub
from pmwpub.privacy import selection
from pmwpub.privacy.measurement import DiscreteGaussian
from pmwpub.privacy.noise import SECURE, NoiseSource

every = pytest.mark.parametrize("name", CASES)
CHARGED = 1e-12
"""What a schedule leaves of its budget at most."""

Plant = Callable[[pytest.MonkeyPatch], None]


def in_selection(patch: pytest.MonkeyPatch) -> None:
    """epsilon is sqrt(2) times what is charged."""
    wrong = "epsilon * Fraction(1_414_213_562, 10**9) / (2 * sensitivity)"
    plant(patch, selection, "_rate", "epsilon / (2 * sensitivity)", wrong)


def in_measurement(patch: pytest.MonkeyPatch) -> None:
    """The scale is sqrt(1/2) of what is charged."""
    plant_twice_the_rho(patch, DiscreteGaussian)


def in_both(patch: pytest.MonkeyPatch) -> None:
    in_selection(patch)
    in_measurement(patch)


@pytest.fixture
def case(name: str, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A case by its name; where it says so, bounds are used even though they do not pay."""
    if CASES[name].lazy:
        monkeypatch.setattr(lazy_scores, "SMALL", -(10**12))
    return CASES[name]


def hits(case: Case, ours: bool, runs: int, noise: NoiseSource = SECURE) -> int:
    """In how many runs of the whole mechanism the event happens."""
    counts, found = case.counts(ours), 0
    for _ in range(runs):
        release = pmw_pub(counts, case.problem, case.schedule, noise=noise)
        found += case.event.happens([(line.query, line.noisy_count) for line in release.transcript])
    return found


def assert_passed(case: Case, ours: bool) -> None:
    gate = case.gate(ours, AUDIT)
    gate.assert_passed(hits(case, ours, gate.runs))


@pytest.mark.audit
@every
@pytest.mark.parametrize("ours", [True, False], ids=["ours", "theirs"])
def test_an_event_is_as_frequent_as_the_exact_law_at_the_charged_rho_has_it(case: Case, ours: bool) -> None:
    assert 0 <= case.toy.rho - float(case.schedule.rho.rho) < CHARGED
    assert_passed(case, ours)


def assert_caught(case: Case, ours: bool = True) -> None:
    """An audit is of both neighbours; either one's gate must fail, and here one alone does."""
    with pytest.raises(AssertionError, match="are expected"):
        assert_passed(case, ours)


@pytest.mark.audit
@pytest.mark.fault("twice the charged rho in selection")
@every
def test_twice_the_charged_rho_in_selection_fails_the_audit(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    in_selection(monkeypatch)
    assert_caught(case)


@pytest.mark.audit
@pytest.mark.fault("twice the charged rho in measurement")
@every
def test_twice_the_charged_rho_in_measurement_fails_the_audit(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    in_measurement(monkeypatch)
    assert_caught(case, ours=False)


@pytest.mark.audit
@pytest.mark.fault("twice the charged rho in both")
@every
def test_twice_the_charged_rho_in_both_fails_the_audit(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    in_both(monkeypatch)
    assert_caught(case)


@every
@pytest.mark.parametrize("times", [1, FULL])
@pytest.mark.parametrize("ours", [True, False], ids=["ours", "theirs"])
def test_the_gate_passes_the_exact_law_and_catches_each_fault_almost_surely(case: Case, ours: bool, times: int) -> None:
    """By the binomial law, exactly; `benchmarks/audit_power.py` shows the same by simulation."""
    gate = case.gate(ours, times)
    assert gate.catching(gate.exact) <= ALPHA
    for spending in FAULTS.values():
        assert gate.catching(case.probability(ours, spending)) > POWER


@every
def test_the_enumerated_answers_are_those_that_the_package_rounds_to(case: Case) -> None:
    """|c_q - r_q| of random paths, replayed through the package: the law's reweighting and replay are its own."""
    rng, answers, true = np.random.default_rng(11), case.answers, np.array(case.true(True))
    for _ in range(200):
        queries = rng.integers(len(true), size=case.toy.rounds).tolist()
        places = rng.integers(len(answers.counts), size=case.toy.rounds).tolist()
        script = Script(queries, answers.counts[places].tolist())
        pmw_pub(case.counts(True), case.problem, Schedule(case.toy.rounds, script.share))
        for done, scores in enumerate(script.scores):
            expected = np.abs(true - answers.before[tuple(queries[:done])][tuple(places[:done])])
            assert scores.tolist() == expected.tolist()


@every
def test_the_expected_selections_of_all_queries_together_are_the_rounds(case: Case) -> None:
    """A count of any size is a hit: over queries and hits, P(at least that many hits) sums to T, under each law."""
    low, high = int(case.answers.counts[0]), int(case.answers.counts[-1])
    for law in case.laws.values():
        expected = math.fsum(
            law.probability(Event(query, low, high, least))
            for query in range(case.toy.queries)
            for least in range(1, case.toy.rounds + 1)
        )
        assert expected == pytest.approx(case.toy.rounds, abs=1e-11)


@pytest.mark.parametrize("name", ["three queries, T = 2", "three queries, T = 3", "three prefixes, T = 2"])
def test_the_lazy_cases_propose_by_bounds_that_are_above_the_scores(case: Case) -> None:
    noise = RecordedNoise(SECURE)
    hits(case, True, 50, noise)
    assert "bernoulli_exp" in {method for method, _, _ in noise.calls}


def test_the_right_law_of_one_round_is_what_a_hand_calculation_gives() -> None:
    """Two queries: r = (12, 5) and c = (2, 9), so 10 against 4 at the rate 3/10; sigma = 10/3, from -3 to 7."""
    case = CASES["two queries, T = 1"]
    weights = np.exp(-0.5 * (0.3 * np.arange(-60, 61)) ** 2)
    within = weights[55:66].sum() / weights.sum()
    assert case.event.query == 0
    assert (case.event.low, case.event.high) == (-3, 7)
    assert case.probability(True, RIGHT) == pytest.approx(within / (1 + np.exp(-1.8)), abs=1e-12)
