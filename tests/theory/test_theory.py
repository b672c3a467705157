"""The calculators against hand calculations; the statements themselves are tested in tests/paper."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.errors import BoundError
from pmwpub.theory import (
    accuracy_bound,
    advised_rounds,
    epsilon_bound,
    epsilon_tilde_within,
    fewest_rounds,
    private_rows_needed,
    public_rows_needed,
    renyi_divergence,
    rounds_of_least_bound,
)


def test_private_rows_of_the_proposition_by_hand() -> None:
    # 8 / 0.1^2 * ln(4 * 100 / 0.05) = 800 * ln 8000 = 800 * 8.9871968
    assert private_rows_needed(0.1, 0.05, 100) == 7190


def test_public_rows_of_the_proposition_by_hand() -> None:
    # (32 / 0.01 + 8 / 0.3) * ln(404 / 0.05) = 3226.6667 * 8.9971472
    assert public_rows_needed(0.1, 0.05, 100, second_divergence=0, max_divergence=0) == 29031
    # (2 * 3200 + 4 * 26.6667) * 8.9971472
    wide = public_rows_needed(0.1, 0.05, 100, second_divergence=math.log(2), max_divergence=math.log(4))
    assert wide == 58542


def test_divergences_by_hand() -> None:
    # sum mu^2/nu = 0.25/0.25 + 0.25/0.75 = 4/3; the largest ratio is 2
    assert renyi_divergence([0.5, 0.5], [0.25, 0.75], 2) == pytest.approx(math.log(4 / 3))
    assert renyi_divergence([0.5, 0.5], [0.25, 0.75], math.inf) == pytest.approx(math.log(2))
    assert renyi_divergence([0.3, 0.7, 0.0], [0.3, 0.7, 0.0], 2) == 0.0


def test_a_divergence_is_infinite_where_the_public_population_lacks_a_cell() -> None:
    assert renyi_divergence([0.5, 0.5], [1.0, 0.0], 2) == math.inf
    assert renyi_divergence([1.0, 0.0], [0.5, 0.5], math.inf) == pytest.approx(math.log(2))


def test_the_accuracy_bound_by_hand() -> None:
    # e n = 5000, log(3/beta) = 2: sqrt(0.3684136 + 0.000008 + 0.0011314) + 20 * 6.9077553 / 5000 + sqrt(0.02)
    beta = 3 / math.exp(2)
    bound = accuracy_bound(0.5, 50, n=10_000, m=100, queries=1000, beta=beta, best_mixture=0.01)
    assert bound == pytest.approx(0.02 + 0.6079087 + 0.0276310 + 0.1414214, abs=1e-6)


def test_the_accuracy_bound_needs_seven_log_three_over_beta_rounds() -> None:
    assert fewest_rounds(0.05) == 29  # 7 * ln 60 = 28.66
    with pytest.raises(BoundError, match="at least 29 rounds"):
        accuracy_bound(1.0, 28, n=1000, m=100, queries=10, beta=0.05)


@pytest.mark.parametrize(("epsilon_tilde", "n"), [(0.01, 100), (0.15, 40_000), (1.0, 1000), (3.0, 50_000)])
def test_the_rounds_of_least_bound_are_the_best_of_all(epsilon_tilde: float, n: int) -> None:
    facts = {"n": n, "m": 9460, "queries": 282_986, "beta": 0.05}
    found = rounds_of_least_bound(epsilon_tilde, **facts)
    tried = range(fewest_rounds(0.05), 2 * found + 100)
    best = min(accuracy_bound(epsilon_tilde, rounds, **facts) for rounds in tried)
    assert accuracy_bound(epsilon_tilde, found, **facts) == pytest.approx(best, rel=1e-12)


def test_the_closed_form_of_epsilon_by_hand() -> None:
    # delta = e^-8: sqrt(2 * 8) = 4
    assert epsilon_bound(1.0, math.exp(-8)) == pytest.approx(0.5 + 4.0)
    assert epsilon_tilde_within(4.5, math.exp(-8)) == pytest.approx(1.0)


@given(st.floats(1e-6, 50), st.floats(1e-300, 0.999))
def test_the_closed_form_and_its_inverse_agree(epsilon: float, delta: float) -> None:
    assert epsilon_bound(epsilon_tilde_within(epsilon, delta), delta) == pytest.approx(epsilon, rel=1e-9)


def test_advised_rounds_by_hand() -> None:
    queries = 22_026  # ln = 9.99998
    assert advised_rounds(Fraction(1, 100), 10_000, queries, 0.1) == 100
    assert advised_rounds(0.01, 10_000, queries, 0.1, rows_per_person=2) == 25


def test_advised_rounds_stay_between_five_and_three_hundred() -> None:
    assert advised_rounds(0.01, 10_000, 22_026, 0.001) == 5
    assert advised_rounds(0.01, 10_000, 22_026, 1.0) == 300
    assert advised_rounds(0.01, 10_000, 22_026, 0.0) == 5
    assert advised_rounds(0.01, 10_000, 1, 0.1) == 300


def test_without_an_estimate_twenty_five_rounds_are_advised() -> None:
    assert advised_rounds(0.01, 10_000, 22_026) == 25


@pytest.mark.parametrize(
    "call",
    [
        lambda: private_rows_needed(0.0, 0.05, 10),
        lambda: private_rows_needed(0.1, 1.0, 10),
        lambda: private_rows_needed(0.1, 0.05, 0),
        lambda: private_rows_needed(math.nan, 0.05, 10),
        lambda: public_rows_needed(0.1, 0.05, 10, second_divergence=1.0, max_divergence=0.5),
        lambda: public_rows_needed(0.1, 0.05, 10, second_divergence=1.0, max_divergence=math.inf),
        lambda: renyi_divergence([0.5, 0.5], [0.5, 0.5], 1.0),
        lambda: renyi_divergence([0.5, 0.5], [0.5, 0.4], 2.0),
        lambda: renyi_divergence([0.5, 0.5], [1.0], 2.0),
        lambda: accuracy_bound(0.5, 50, n=1000, m=100, queries=10, beta=0.05, best_mixture=1.5),
        lambda: epsilon_bound(-1.0, 1e-6),
        lambda: epsilon_tilde_within(1.0, 0.0),
        lambda: advised_rounds(0.0, 1000, 10),
        lambda: advised_rounds(0.1, 1000, 10, -0.1),
        lambda: advised_rounds(0.1, 1000, 10, np.nan),
    ],
)
def test_arguments_out_of_range_are_refused_by_name(call) -> None:
    with pytest.raises(BoundError):
        call()
