"""A measurement is a whole count plus discrete Gaussian noise of k/epsilon0 counts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from privacy.checks import check_measurement
from support.fakes import FixedNoise, RecordedNoise

from pmwpub.errors import BudgetError
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.measurement import DiscreteGaussian


@pytest.mark.parametrize(("epsilon0", "sensitivity"), [(Fraction(1, 10), 1), (Fraction(1, 4), 3)])
def test_a_measurement_has_noise_of_k_over_epsilon0_counts(epsilon0: Fraction, sensitivity: int) -> None:
    check_measurement(DiscreteGaussian.costing(epsilon0, sensitivity).measure, epsilon0, sensitivity)


def test_a_measurement_costs_half_of_epsilon0_squared() -> None:
    for epsilon0, sensitivity in ((Fraction(1, 2), 1), (Fraction(173, 10_000), 1), (Fraction(1, 4), 3)):
        charged = DiscreteGaussian.costing(epsilon0, sensitivity).rho
        assert ZCDP.at_least(epsilon0**2 / 2) <= charged + ZCDP(1)
        assert charged <= ZCDP.at_least(epsilon0**2 / 2) + ZCDP(1)


def test_a_measurement_asks_the_noise_source_once_with_its_own_scale() -> None:
    noise = RecordedNoise(FixedNoise(offset=4))
    assert DiscreteGaussian(Fraction(7, 3)).measure(10, noise=noise) == 14
    assert noise.calls == [("gaussian", (10, Fraction(7, 3)), 14)]


@pytest.mark.parametrize(("scale", "sensitivity"), [(0, 1), (-1, 1), (1, 0), (2**53 + 1, 1)])
def test_parameters_out_of_range_are_refused(scale: int, sensitivity: int) -> None:
    with pytest.raises(BudgetError):
        DiscreteGaussian(Fraction(scale), sensitivity)


@pytest.mark.parametrize("epsilon0", [Fraction(0), Fraction(-1), Fraction(1, 10**17)])
def test_a_share_that_buys_nothing_is_refused(epsilon0: Fraction) -> None:
    with pytest.raises(BudgetError):
        DiscreteGaussian.costing(epsilon0, 1)
