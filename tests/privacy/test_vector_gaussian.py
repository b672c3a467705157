"""Noise on integer vectors: its scale, its charge, its law."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from privacy.laws import gaussian_masses, renyi
from support.fakes import FixedNoise, RecordedNoise, ScaledNoise
from support.normal_bins import LAW, binned
from support.planting import plant
from support.statistical import AUDIT, assert_both_arms, assert_rejects

from pmwpub.errors import BudgetError, MechanismError
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE
from pmwpub.privacy.vector_gaussian import VectorGaussian, sqrt_above


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**12))
def test_square_roots_are_rounded_up_by_little_and_fit_a_float(square: Fraction) -> None:
    root = sqrt_above(square)
    assert square <= root**2 <= square * (1 + Fraction(1, 2**37))
    assert Fraction(float(root)) == root


def assert_within(measurement: VectorGaussian, budget: ZCDP) -> None:
    assert measurement.rho <= budget, "a charge beyond the budget"


@given(st.integers(10**6, 10**16), st.fractions(min_value=Fraction(1, 10), max_value=10**6))
def test_noise_for_a_budget_costs_no_more_and_hardly_less(units: int, squared: Fraction) -> None:
    measurement = VectorGaussian.costing(ZCDP(units), squared)
    assert_within(measurement, ZCDP(units))
    assert measurement.rho.units >= units * (1 - 2**-30) - 1


def assert_charged(measurement: VectorGaussian, moves: tuple[int, ...] = (1, 2)) -> None:
    """Entries that move so: the Rényi divergences of their exact laws add up to no more than is charged."""
    outcomes, _ = gaussian_masses(float(measurement.scale), span=20)
    for order in (1.5, 2.0, 8.0):
        total = 0.0
        for move in moves:
            ours, theirs = (
                [math.exp(-((z - place) ** 2) / (2 * float(measurement.scale) ** 2)) for z in outcomes]
                for place in (0, move)
            )
            total += renyi([p / sum(ours) for p in ours], [q / sum(theirs) for q in theirs], order)
        assert total <= order * float(measurement.rho.rho) * (1 + 1e-9), "the vector moves further than is charged"


def test_the_charge_is_that_of_the_whole_vector_on_exact_laws() -> None:
    """Entries moved by 1 and 2: |a - b|^2 = 5."""
    assert_charged(VectorGaussian(Fraction(3), Fraction(5)))
    assert_charged(VectorGaussian.costing(ZCDP.at_most(Fraction(5, 18)), 5))


@pytest.mark.fault("wrong sensitivity for k rows")
def test_a_vector_charged_for_its_largest_move_alone_is_caught() -> None:
    with pytest.raises(AssertionError, match="further than is charged"):
        assert_charged(VectorGaussian(Fraction(3), Fraction(4)))


@pytest.mark.fault("a charge skipped")
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("rho", "(2 * self.scale**2)", "(4 * self.scale**2)"),
        ("rho", "ZCDP.at_least(self.squared_sensitivity", "ZCDP.at_least((self.squared_sensitivity - 1)"),
    ],
)
def test_a_vector_of_which_a_part_is_not_charged_is_caught(
    name: str, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, VectorGaussian, name, right, wrong)
    with pytest.raises(AssertionError, match="further than is charged"):
        assert_charged(VectorGaussian(Fraction(3), Fraction(5)))


@pytest.mark.fault("half the noise")
def test_a_vector_with_noise_for_twice_its_budget_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, VectorGaussian, "costing", "(2 * rho.rho)", "(4 * rho.rho)")
    budget = ZCDP.at_most(Fraction(5, 18))
    with pytest.raises(AssertionError, match="beyond the budget"):
        assert_within(VectorGaussian.costing(budget, 5), budget)


def test_noise_is_asked_for_each_entry_at_the_stated_scale() -> None:
    noise = RecordedNoise(FixedNoise(offset=2))
    measurement = VectorGaussian(Fraction(7, 2), Fraction(1))
    assert measurement.measure(np.array([[1, 2], [3, -4]]), noise=noise).tolist() == [[3, 4], [5, -2]]
    assert [(name, args) for name, args, _ in noise.calls] == [("gaussians", ([1, 2, 3, -4], Fraction(7, 2)))]


def draw(factor: Fraction, draws: int) -> list[int]:
    measurement = VectorGaussian(Fraction(1000), Fraction(1))
    noise = SECURE if factor == 1 else ScaledNoise(factor)
    return binned(measurement.measure(np.full(draws, 12), noise=noise) - 12, 1000.0)


def test_the_noise_has_the_stated_law() -> None:
    assert_both_arms(LAW, draw, 8_000 * AUDIT)


@pytest.mark.fault("half the noise")
def test_half_the_noise_on_a_vector_is_caught() -> None:
    assert_rejects(LAW, draw(Fraction(1, 2), 2_000))


def test_no_budget_no_sensitivity_and_large_entries_are_refused() -> None:
    with pytest.raises(BudgetError, match="share of zero"):
        VectorGaussian.costing(ZCDP(0), 1)
    with pytest.raises(BudgetError, match="positive sensitivity"):
        VectorGaussian(Fraction(1), Fraction(0))
    with pytest.raises(MechanismError, match="2\\^62"):
        VectorGaussian(Fraction(1), Fraction(1)).measure(np.array([2**63 - 1]))
