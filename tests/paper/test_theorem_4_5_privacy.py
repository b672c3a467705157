"""Theorem 4.5: a run is ½ε̃²-zCDP in total, and (ε(δ), δ)-DP by the optimal conversion and its closed form."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.mechanisms.pmw_pub.algorithm import Schedule
from pmwpub.privacy.budget import UNIT, ZCDP, epsilon_of
from pmwpub.privacy.round_share import split
from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip
from pmwpub.theory import epsilon_bound


@pytest.mark.parametrize("law", [ExponentialMechanism, PermuteAndFlip])
@pytest.mark.parametrize("rounds", [1, 5, 100, 1000])
@pytest.mark.parametrize("epsilon_tilde", ["0.01", "0.153", "2"])
def test_two_t_charges_of_half_epsilon0_squared_make_half_epsilon_tilde_squared(
    law: type, rounds: int, epsilon_tilde: str
) -> None:
    total = ZCDP.at_most(Fraction(epsilon_tilde) ** 2 / 2)
    share = split(total, rounds, selection=law)
    spent = Schedule(rounds, share).rho
    assert spent == (share.selection.rho + share.measurement.rho) * rounds
    assert spent <= total
    assert spent.units >= 0.999 * total.units


def test_selection_and_measurement_cost_half_of_epsilon0_squared_each() -> None:
    share = split(ZCDP.at_most(1), 7)
    half = share.epsilon0**2 / 2
    for part in (share.selection, share.measurement):
        assert 0 <= part.rho.rho - half <= half / 10**9 + Fraction(2, UNIT)


def _conversion_on_a_grid(rho: float, delta: float) -> float:
    """inf over alpha of rho alpha + log(1/(alpha delta))/(alpha - 1) + log(1 - 1/alpha), as printed."""
    alpha = 1 + np.geomspace(1e-4, 1e6, 2_000_001)
    values = rho * alpha + np.log(1 / (alpha * delta)) / (alpha - 1) + np.log1p(-1 / alpha)
    return float(values.min())


@pytest.mark.parametrize("rho", [1e-5, 0.05, 0.5, 4.0])
@pytest.mark.parametrize("delta", [1e-10, 1e-6, 1e-2])
def test_the_conversion_is_the_printed_infimum(rho: float, delta: float) -> None:
    found = epsilon_of(ZCDP.at_least(repr(rho)), Fraction(repr(delta)))
    assert found == pytest.approx(max(0.0, _conversion_on_a_grid(rho, delta)), rel=1e-6, abs=1e-9)


@given(st.floats(1e-3, 5.0), st.floats(1e-12, 0.1))
def test_the_closed_form_is_never_below_the_optimal_conversion(epsilon_tilde: float, delta: float) -> None:
    exact = Fraction(repr(epsilon_tilde))
    assert epsilon_of(ZCDP.at_most(exact**2 / 2), Fraction(repr(delta))) <= epsilon_bound(epsilon_tilde, delta)


def test_the_closed_form_at_the_papers_numbers() -> None:
    # rho = 0.05: eps~ = sqrt(0.1); 0.05 + sqrt(2 ln 10^6 * 0.1)
    assert epsilon_bound(math.sqrt(0.1), 1e-6) == pytest.approx(0.05 + 1.6622581, abs=1e-6)
    assert epsilon_of(ZCDP.at_most("0.05"), Fraction(1, 10**6)) == pytest.approx(1.471595, abs=1e-6)
