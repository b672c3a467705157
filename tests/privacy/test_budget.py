"""Budgets add exactly, conversions never understate, and a split uses nearly all of what it may."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import dp_accounting
import hypothesis.strategies as st
import numpy as np
import pytest
from dp_accounting.rdp import RdpAccountant
from hypothesis import given
from privacy.checks import check_conversion, check_inverse, check_rounding, check_split

from pmwpub.errors import BudgetError
from pmwpub.privacy.budget import ZCDP, ApproxDP, Number, as_fraction, epsilon_of, pure, zcdp_of
from pmwpub.privacy.round_share import split
from pmwpub.privacy.selection import PermuteAndFlip

UNITS = st.integers(0, 10**20)
RHOS = np.geomspace(1e-9, 100, 40)
DELTAS = ("1e-2", "1e-5", "1e-6", "1e-10", "1e-14")
GRID = [(ZCDP.at_least(float(rho)), Fraction(delta)) for rho in RHOS for delta in DELTAS]


# Arithmetic


@given(UNITS, UNITS, UNITS)
def test_composition_is_exact_and_ordered(a: int, b: int, c: int) -> None:
    first, second, third = ZCDP(a), ZCDP(b), ZCDP(c)
    assert first + second == second + first
    assert (first + second) + third == first + (second + third)
    assert (first + second) - second == first
    assert first + ZCDP(0) == first
    assert (first <= second) == (first.rho <= second.rho)
    assert (first + second).rho == first.rho + second.rho


@given(UNITS, st.integers(0, 2_000))
def test_repetition_is_repeated_addition(a: int, times: int) -> None:
    assert (ZCDP(a) * times).rho == (times * ZCDP(a)).rho == times * ZCDP(a).rho


@given(st.fractions(min_value=0, max_value=1_000))
def test_charges_round_up_and_totals_round_down(rho: Fraction) -> None:
    check_rounding(ZCDP.at_least, ZCDP.at_most, rho)


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=100))
def test_pure_epsilon_costs_half_its_square(epsilon: Fraction) -> None:
    assert pure(epsilon) == ZCDP.at_least(epsilon**2 / 2)


def test_a_number_means_what_was_typed() -> None:
    tenth = Fraction(1, 10)
    assert (
        as_fraction("0.1") == as_fraction(0.1) == as_fraction(Decimal("0.1")) == as_fraction(np.float64(0.1)) == tenth
    )
    assert as_fraction("1e-9") == Fraction(1, 10**9)
    assert as_fraction(np.int64(3)) == 3
    assert ApproxDP(0.1, "1e-6") == ApproxDP(tenth, Fraction(1, 10**6))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "number",
    ["", "x", "nan", float("nan"), float("inf"), "1/0", None, Decimal("inf"), "1e999999999", "1e-999999999", "9" * 500],
    ids=lambda number: str(number)[:12],
)
def test_what_is_no_number_is_refused(number: Number) -> None:
    with pytest.raises(BudgetError):
        as_fraction(number)


@pytest.mark.parametrize("units", [-1, 1.0, "1", True])
def test_only_whole_units_make_a_budget(units: int) -> None:
    with pytest.raises(BudgetError):
        ZCDP(units)


def test_a_budget_cannot_fall_below_zero() -> None:
    with pytest.raises(BudgetError):
        ZCDP(1) - ZCDP(2)
    with pytest.raises(BudgetError):
        ZCDP(1) * -1


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("0", "1e-6"), ("-1", "1e-6"), ("1", "0"), ("1", "1"), ("1", "-1e-6"), ("1e300", "1e-6")]
)
def test_parameters_out_of_range_are_refused(epsilon: str, delta: str) -> None:
    with pytest.raises(BudgetError):
        ApproxDP(epsilon, delta)  # type: ignore[arg-type]


# Conversion


def test_the_conversion_is_opendps_on_200_points_never_below_it() -> None:
    assert len(GRID) == 200
    for budget, delta in GRID:
        check_conversion(epsilon_of, budget, delta)


def test_the_conversion_is_dp_accountings_on_200_points_never_below_it() -> None:
    """dp_accounting takes the least over a list of orders; here, a fine one around the best."""
    for budget, delta in GRID:
        rho = float(budget.rho)
        best = 1 + math.sqrt(math.log(1 / float(delta)) / rho)
        orders = [1 + (best - 1) * factor for factor in np.geomspace(0.05, 2, 400)]
        event = dp_accounting.GaussianDpEvent(1 / math.sqrt(2 * rho))
        oracle = RdpAccountant(orders).compose(event).get_epsilon(float(delta))
        assert epsilon_of(budget, delta) <= 1.001 * oracle + 1e-12
        assert epsilon_of(budget, delta) >= oracle * (1 - 1e-4) - 1e-12
        assert epsilon_of(budget, delta) >= dp_accounting.get_epsilon_gaussian(1 / math.sqrt(2 * rho), float(delta))


@pytest.mark.parametrize(("rho", "delta", "epsilon"), [("0.05", "1e-6", 1.471595), ("0.5", "1e-10", 6.839329)])
def test_reference_conversions(rho: str, delta: str, epsilon: float) -> None:
    assert epsilon_of(ZCDP.at_least(rho), delta) == pytest.approx(epsilon, abs=5e-7)


def test_no_budget_converts_to_epsilon_zero() -> None:
    assert epsilon_of(ZCDP(0), "1e-6") == 0.0


@given(st.integers(1, 10**18), st.integers(1, 10**16))
def test_epsilon_rises_with_rho(units: int, more: int) -> None:
    assert epsilon_of(ZCDP(units), "1e-9") <= epsilon_of(ZCDP(units + more), "1e-9")


@pytest.mark.parametrize("delta", ["0", "1", "-0.1"])
def test_delta_out_of_range_is_refused(delta: str) -> None:
    with pytest.raises(BudgetError):
        epsilon_of(ZCDP(1), delta)


@pytest.mark.parametrize("epsilon", ["0.001", "0.01", "0.1", "0.25", "1", "3", "10", "100"])
@pytest.mark.parametrize("delta", ["1e-4", "1e-9", "1e-14"])
def test_the_total_is_the_largest_that_fits(epsilon: str, delta: str) -> None:
    check_inverse(zcdp_of, ApproxDP(Fraction(epsilon), Fraction(delta)))


# Splitting

EPSILONS = ("0.01", "0.02", "0.1", "0.25", "1", "10")
ROUNDS = (1, 2, 3, 25, 50, 300, 999, 1_000)
SIZES = (1_000, 11_439, 10**6, 10**7)


@pytest.mark.parametrize("rows_per_person", [1, 3])
def test_a_split_fits_and_uses_999_of_1000(rows_per_person: int) -> None:
    for epsilon, n, rounds in itertools.product(EPSILONS, SIZES, ROUNDS):
        budget = zcdp_of(ApproxDP(Fraction(epsilon), Fraction(1, n * n)))
        check_split(split, budget, rounds, rows_per_person)


@given(st.integers(2, 10**18), st.integers(1, 1_000), st.integers(1, 5))
def test_no_split_overspends(units: int, rounds: int, rows_per_person: int) -> None:
    try:
        share = split(ZCDP(units), rounds, rows_per_person=rows_per_person)
    except BudgetError:
        assert units // rounds < 1_000
        return
    assert share.rho * rounds <= ZCDP(units)
    assert share.selection.rho.rho >= share.epsilon0**2 / 2
    assert share.measurement.rho.rho >= share.epsilon0**2 / 2 * (1 - Fraction(1, 2**50))
    assert share.selection.epsilon == 2 * share.epsilon0
    assert share.measurement.scale == rows_per_person / share.epsilon0


def test_the_paper_s_round_share() -> None:
    """Algorithm 1: epsilon0 = eps~/sqrt(2 T), where the budget is eps~^2/2."""
    share = split(ZCDP.at_least("0.5"), 50)
    assert float(share.epsilon0) == pytest.approx(1 / math.sqrt(2 * 50), rel=1e-12)


def test_a_split_for_permute_and_flip_costs_the_same_at_half_the_epsilon() -> None:
    budget = ZCDP.at_least("0.05")
    paper, default = split(budget, 50, selection=PermuteAndFlip), split(budget, 50)
    assert paper.rho * 50 <= budget
    assert paper.selection.epsilon == paper.epsilon0
    assert default.selection.epsilon == 2 * default.epsilon0
    assert paper.epsilon0 == default.epsilon0


@pytest.mark.parametrize(("units", "rounds"), [(0, 1), (1, 1), (999, 1_000), (5, 0), (5, -1)])
def test_a_share_of_zero_is_refused(units: int, rounds: int) -> None:
    with pytest.raises(BudgetError):
        split(ZCDP(units), rounds)


# Weight


def test_budgets_do_not_wait_for_opendp() -> None:
    code = (
        "import sys, pmwpub.privacy.selection, pmwpub.privacy.budget;"
        "print(any('opendp' in name or 'gmpy2' in name for name in sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"
