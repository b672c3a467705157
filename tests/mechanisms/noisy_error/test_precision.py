"""A wanted error bar buys the smallest epsilon of three digits that has it."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from pmwpub.errors import BudgetError
from pmwpub.mechanisms.noisy_error.assessment import assessment_charges, half_width
from pmwpub.mechanisms.noisy_error.precision import epsilon_within
from pmwpub.privacy.lattice_noise import LatticeLaplace


def bar(epsilon: Fraction, n: int, rows: int, **parts: bool) -> Fraction:
    first = assessment_charges(epsilon, n, rows, **parts)[0]  # type: ignore[arg-type]
    return half_width(LatticeLaplace(first.epsilon, rows), n, purpose=first.purpose)


@pytest.mark.parametrize("parts", [{}, {"with_start": False}, {"with_floor": False}], ids=str)
@pytest.mark.parametrize(("n", "rows"), [(1, 1), (11_439, 1), (11_439, 3), (10**7, 1)])
@pytest.mark.parametrize("precision", [Fraction(1, 2), Fraction(1, 200), Fraction(1, 10**5)], ids=str)
def test_the_bar_is_met_and_the_next_smaller_epsilon_misses_it(
    precision: Fraction, n: int, rows: int, parts: dict[str, bool]
) -> None:
    epsilon = epsilon_within(precision, n, rows, **parts)
    assert bar(epsilon, n, rows, **parts) <= precision
    digit = Fraction(10) ** (math.floor(math.log10(float(epsilon)) + 1e-12) - 2)
    assert (epsilon / digit).denominator == 1
    assert bar(epsilon - digit, n, rows, **parts) > precision


def test_half_a_percent_of_the_census_takes_the_epsilon_of_a_hand_calculation() -> None:
    # 0.005 * 11,439 = 57.195 rows = (ln 20 + 1/2) / eps: 0.06112 for the floor, and 5/4 of it for floor and start.
    assert float(epsilon_within(Fraction(1, 200), 11_439, with_start=False)) == pytest.approx(0.0612, abs=2e-4)
    assert float(epsilon_within(Fraction(1, 200), 11_439)) == pytest.approx(0.0765, abs=2e-4)


def test_a_start_alone_has_no_cell_and_needs_less() -> None:
    # ln 20 / 57.195 rows.
    assert float(epsilon_within(Fraction(1, 200), 11_439, with_floor=False)) == pytest.approx(0.0524, abs=2e-4)


@pytest.mark.parametrize("precision", [Fraction(0), Fraction(-1, 2), Fraction(1), Fraction(2)])
def test_a_precision_outside_its_range_is_refused(precision: Fraction) -> None:
    with pytest.raises(BudgetError):
        epsilon_within(precision, 100)


def test_a_precision_that_no_epsilon_buys_is_refused() -> None:
    with pytest.raises(BudgetError, match="No epsilon"):
        epsilon_within(Fraction(1, 10**9), 10)
