"""The noisy total of weights: its exact law in both arms, its sensitivity and price by hand, and planted faults."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import pytest
from privacy.laws import gaussian_masses
from support.audits import EventGate
from support.fakes import FixedNoise, ScaledNoise
from support.planting import plant, plant_twice_the_rho
from support.statistical import AUDIT, BinnedLaw, assert_both_arms, assert_rejects

from pmwpub.errors import BudgetError, PlanError
from pmwpub.mechanisms.weight_totals.total_noise import TotalNoise, total_release
from pmwpub.plans import WeightTotalPlan, weight_plans
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE
from pmwpub.privacy.vector_gaussian import VectorGaussian

RHO = Fraction(1, 2)
LAW = TotalNoise(n=1_000, cap=5, reach=10, budget=ZCDP.at_most(RHO))
"""A person of two rows of up to five units: sigma = 10/sqrt(2 rho) = 10."""
SIGMA, TOTAL, RUNS = 10.0, 2_000, 3_000 * AUDIT


def draws(factor: Fraction, number: int, total: int = TOTAL) -> Iterable[int]:
    noise = SECURE if factor == 1 else ScaledNoise(factor)
    return [total_release(total, LAW, noise=noise) - TOTAL for _ in range(number)]


def test_the_noise_and_its_price_are_those_of_a_hand_calculation() -> None:
    assert float(LAW.law.scale) == pytest.approx(SIGMA, rel=1e-9)
    assert LAW.law.rho <= LAW.budget
    assert LAW.half_width == 20  # 19.6, rounded up


def test_the_noisy_total_has_the_exact_law() -> None:
    assert_both_arms(BinnedLaw.of(*gaussian_masses(SIGMA)), draws, 10_000 * AUDIT)


@pytest.mark.fault("half the noise")
def test_half_the_noise_is_caught() -> None:
    assert_rejects(BinnedLaw.of(*gaussian_masses(SIGMA)), draws(Fraction(1, 2), 3_000))


def within(moved: int, spending: float = 1.0) -> float:
    """P(the noisy total is within ten units of ours), where the exact one is off by `moved`."""
    outcomes, masses = gaussian_masses(SIGMA / math.sqrt(spending), span=20)
    return math.fsum(mass for z, mass in zip(outcomes, masses, strict=True) if abs(z + moved) <= 10)


def assert_passed(moved: int) -> None:
    hits = sum(abs(z) <= 10 for z in draws(Fraction(1), RUNS, TOTAL + moved))
    EventGate(within(moved), RUNS).assert_passed(hits)


@pytest.mark.parametrize("moved", [0, 10], ids=["ours", "theirs"])
def test_an_event_is_as_frequent_as_the_exact_law_at_the_charged_rho_has_it(moved: int) -> None:
    assert_passed(moved)


@pytest.mark.fault("twice the charged rho in a total of weights")
def test_twice_the_charged_rho_fails_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    plant_twice_the_rho(monkeypatch, VectorGaussian)
    with pytest.raises(AssertionError, match="are expected"):
        assert_passed(0)


def plan() -> WeightTotalPlan:
    return WeightTotalPlan(
        n=1_000, rows_per_person=2, schema_sha256="0" * 64, column="w", unit="1", cap=5,
        rho_units=ZCDP.at_most(RHO).units,
    )  # fmt: skip


def test_a_plan_s_noise_is_for_k_rows_of_the_cap() -> None:
    assert plan().law == LAW


@pytest.mark.fault("k without W in a total")
def test_a_plan_that_forgets_the_cap_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, weight_plans.WeightTotalPlan, "law", "self.rows_per_person * self.cap", "self.rows_per_person")
    with pytest.raises(PlanError, match="one unit or more"):
        plan()


def test_a_noisy_total_is_a_number_that_there_can_be() -> None:
    for total, noise, expected in ((0, -3, 1), (5_000, 7, 5_000), (2_000, 7, 2_007)):
        assert total_release(total, LAW, noise=FixedNoise(noise)) == expected


@pytest.mark.parametrize("total", [-1, 5_001])
def test_a_total_that_the_rows_cannot_have_is_refused(total: int) -> None:
    with pytest.raises(PlanError, match="another table"):
        total_release(total, LAW)


@pytest.mark.parametrize(("n", "cap", "reach"), [(0, 1, 1), (1, 0, 1), (1, 2, 1)])
def test_noise_of_no_rows_or_weights_is_refused(n: int, cap: int, reach: int) -> None:
    with pytest.raises(PlanError, match="at least one row"):
        TotalNoise(n, cap, reach, ZCDP.at_most(1))


def test_noise_at_no_budget_is_refused() -> None:
    with pytest.raises(BudgetError):
        TotalNoise(1, 1, 1, ZCDP(0))
