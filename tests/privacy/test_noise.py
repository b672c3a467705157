"""Noise has its stated law, its scale never shrinks, and what it costs is what OpenDP's map says."""

from __future__ import annotations

import math
from fractions import Fraction

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from privacy.checks import DRAWS, check_fresh, check_gaussian, check_laplace
from privacy.laws import gaussian_masses, laplace_masses
from support.fakes import RecordedNoise, SeededNoise
from support.statistical import BinnedLaw, assert_both_arms, assert_follows, assert_rejects

from pmwpub.errors import BudgetError, MechanismError
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import (
    MAX_SCALE,
    MAX_VALUE,
    SECURE,
    NoiseSource,
    SecureNoise,
    bernoulli_exp,
    float_above,
    gaussian_rho,
    laplace_epsilon,
)


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(3700, 13)])
def test_gaussian_noise_has_its_law(scale: Fraction) -> None:
    check_gaussian(lambda factor, draws: SECURE.gaussians([0] * draws, scale * factor), float(scale))


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(3700, 13)])
def test_laplace_noise_has_its_law(scale: Fraction) -> None:
    check_laplace(lambda factor, draws: SECURE.laplaces([0] * draws, scale * factor), float(scale))


def test_single_draws_have_the_laws_of_vectors() -> None:
    draws = 4_000
    assert_follows(
        BinnedLaw.of(*gaussian_masses(5.0), bins=20), [SECURE.gaussian(3, Fraction(5)) - 3 for _ in range(draws)]
    )
    assert_follows(
        BinnedLaw.of(*laplace_masses(5.0), bins=20), [SECURE.laplace(-3, Fraction(5)) + 3 for _ in range(draws)]
    )


def test_noise_is_added_to_each_value() -> None:
    values = [0, 1_000_000, -1_000_000, 2**61]
    for drawn in (SECURE.gaussians(values, Fraction(1)), SECURE.laplaces(values, Fraction(1))):
        assert all(
            isinstance(noisy, int) and abs(noisy - value) < 1_000 for value, noisy in zip(values, drawn, strict=True)
        )


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 7), Fraction(1), Fraction(10**18 + 1, 10**18), Fraction(7, 3)])
def test_bernoulli_exp_succeeds_with_probability_e_to_minus_x(x: Fraction) -> None:
    chance = math.exp(-x)
    if x == 0:
        assert all(SECURE.bernoulli_exp(x) for _ in range(1_000))
        return
    law = BinnedLaw.by_size([1 - chance, chance], DRAWS)
    assert_both_arms(law, lambda factor, draws: [int(SECURE.bernoulli_exp(x * factor)) for _ in range(draws)], DRAWS)


def test_bernoulli_exp_of_a_huge_x_ends_and_fails() -> None:
    assert not SECURE.bernoulli_exp(Fraction(10**30))


@pytest.mark.parametrize("n", [1, 2, 3, 40, 1_000_003])
def test_below_is_uniform(n: int) -> None:
    assert all(0 <= SECURE.below(n) < n for _ in range(100))
    if n == 1:
        return
    cells = min(n, 40)
    law = BinnedLaw.of(
        list(range(cells)), [-(-(c + 1) * n // cells) - -(-c * n // cells) for c in range(cells)], bins=cells
    )
    assert_follows(law, [SECURE.below(n) * cells // n for _ in range(DRAWS)])
    assert_rejects(law, [int(SECURE.below(n) * 0.9) * cells // n for _ in range(DRAWS)])


@pytest.mark.parametrize("k", [1, 5, 64, 130])
def test_bits_are_uniform_from_the_first_to_the_last(k: int) -> None:
    width = min(k, 5)
    law = BinnedLaw.of(list(range(2**width)), [1.0] * 2**width, bins=2**width)
    drawn = [SECURE.bits(k) for _ in range(DRAWS)]
    assert max(drawn) < 2**k
    assert_follows(law, [value >> (k - width) for value in drawn])
    assert_follows(law, [value & (2**width - 1) for value in drawn])
    assert_rejects(law, [(value | SECURE.bits(k)) & (2**width - 1) for value in drawn])


@given(st.fractions(min_value=Fraction(1, 10**12), max_value=2**53))
def test_the_float_scale_is_the_smallest_that_is_not_below_the_fraction(scale: Fraction) -> None:
    drawn = float_above(scale)
    assert Fraction(drawn) >= scale
    assert Fraction(math.nextafter(drawn, 0.0)) < scale


@settings(max_examples=200)
@given(st.fractions(min_value=Fraction(1, 100), max_value=10**9), st.integers(1, 20))
def test_the_charge_covers_the_cost_of_the_noise_that_is_drawn(scale: Fraction, sensitivity: int) -> None:
    drawn = Fraction(float_above(scale))
    assert gaussian_rho(scale, sensitivity).rho >= (sensitivity / drawn) ** 2 / 2
    assert laplace_epsilon(scale, sensitivity) >= sensitivity / drawn


@settings(max_examples=200)
@given(st.fractions(min_value=Fraction(1, 100), max_value=10**6), st.integers(1, 20))
def test_the_charge_wastes_next_to_nothing(scale: Fraction, sensitivity: int) -> None:
    exact = (sensitivity / scale) ** 2 / 2
    assert gaussian_rho(scale, sensitivity).rho <= exact * (1 + Fraction(1, 10**12)) + Fraction(1, 10**15)
    assert laplace_epsilon(scale, sensitivity) <= sensitivity / scale * (1 + Fraction(1, 10**12))


def test_hand_calculated_charges() -> None:
    """Whole where the float of OpenDP's map is exact (1/2, 9/8); at 1/200 that float lies above, and is rounded up."""
    assert gaussian_rho(Fraction(1), 1) == ZCDP(5 * 10**14)
    assert gaussian_rho(Fraction(2), 3) == ZCDP(1125 * 10**12)
    assert gaussian_rho(Fraction(10), 1) == ZCDP(5 * 10**12 + 1)
    assert laplace_epsilon(Fraction(4), 1) == Fraction(1, 4)


@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-1), Fraction(MAX_SCALE + 1), Fraction(10**400)])
def test_scales_out_of_range_are_refused_before_anything_is_drawn(scale: Fraction) -> None:
    for refused in (
        lambda: SECURE.gaussian(0, scale),
        lambda: SECURE.laplaces([0], scale),
        lambda: gaussian_rho(scale, 1),
        lambda: laplace_epsilon(scale, 1),
    ):
        with pytest.raises(BudgetError):
            refused()


def test_values_near_the_ends_of_the_integer_type_are_refused() -> None:
    """OpenDP saturates there, which would change the law."""
    with pytest.raises(MechanismError):
        SECURE.gaussian(MAX_VALUE + 1, Fraction(1))


def test_noise_of_the_largest_scale_does_not_saturate() -> None:
    law = BinnedLaw.of(list(range(-90, 90)), [math.exp(-abs(z + 0.5)) for z in range(-90, 90)], bins=20)
    assert_follows(law, [value // MAX_SCALE for value in SECURE.laplaces([0] * 20_000, Fraction(MAX_SCALE))])


def test_a_sensitivity_below_one_and_a_negative_x_are_refused() -> None:
    with pytest.raises(BudgetError):
        gaussian_rho(Fraction(1), 0)
    with pytest.raises(BudgetError):
        laplace_epsilon(Fraction(1), 0)
    with pytest.raises(MechanismError):
        SECURE.bernoulli_exp(Fraction(-1, 2))


def test_a_scale_with_an_infinite_cost_is_refused() -> None:
    with pytest.raises(BudgetError):
        gaussian_rho(Fraction(1, 10**200), 1)


def test_the_secure_source_has_no_seed() -> None:
    check_fresh(SecureNoise)


def test_bernoulli_exp_uses_whole_numbers_only() -> None:
    recorded = RecordedNoise(SeededNoise(5))
    source: NoiseSource = recorded
    for _ in range(50):
        bernoulli_exp(Fraction(5, 3), source)
    assert {method for method, _, _ in recorded.calls} == {"below"}
    assert all(isinstance(arguments[0], int) for _, arguments, _ in recorded.calls)
