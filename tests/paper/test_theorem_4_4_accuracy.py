"""Theorem 4.4: T = Θ(e n √log m/log Q + log 1/β) rounds, error O(√(log Q (√log m + log 1/β)/(n e)) + f)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from pmwpub.errors import BoundError
from pmwpub.privacy.budget import ZCDP, epsilon_of
from pmwpub.theory import (
    accuracy_bound,
    accuracy_line,
    accuracy_terms,
    epsilon_tilde_of,
    rounds_of_least_bound,
    signal_needed,
)

M, QUERIES, BETA = 12_000, 121_848, 0.05
FACTS = {"m": M, "queries": QUERIES, "beta": BETA}


def _printed(signal: float, rounds: float, best_mixture: float = 0.0) -> float:
    """The bound as Proposition A.1 prints it, in e n."""
    tail = math.log(3 / BETA)
    root = math.sqrt(4 * math.log(M) / rounds + 4 * rounds / signal**2 + 4 * math.sqrt(tail) / signal)
    return (
        2 * best_mixture
        + root
        + 2 * math.sqrt(2 * rounds) / signal * math.log(QUERIES)
        + math.sqrt(tail / (2 * rounds))
    )


def _least(signal: float, best_mixture: float = 0.0) -> float:
    """The least of it over real T, by an independent minimiser."""
    found = optimize.minimize_scalar(
        lambda t: _printed(signal, math.exp(t), best_mixture), bounds=(math.log(29), math.log(1e12)), method="bounded"
    )
    return float(found.fun)


def test_the_terms_add_up_to_the_printed_bound() -> None:
    terms = accuracy_terms(0.2, 400, n=10_000, best_mixture=0.01, **FACTS)
    assert terms.total == pytest.approx(_printed(2000, 400, 0.01), rel=1e-12)
    assert terms.floor == pytest.approx(0.02)
    # 2 sqrt(800)/2000 ln 121,848 = 0.0282843 * 11.710530
    assert terms.selection == pytest.approx(0.331224, abs=1e-5)
    assert terms.total == accuracy_bound(0.2, 400, n=10_000, best_mixture=0.01, **FACTS)


@pytest.mark.parametrize("n", [10**5, 10**6, 10**7])
def test_the_best_number_of_rounds_grows_as_the_theorem_says(n: int) -> None:
    """Proportional to e n, to sqrt(log m) and to 1/log Q, where these, not log 1/beta, decide."""
    base = rounds_of_least_bound(1.0, n=n, **FACTS)
    assert rounds_of_least_bound(2.0, n=n, **FACTS) == pytest.approx(2 * base, rel=0.02)
    squared = {**FACTS, "queries": QUERIES**2}
    assert rounds_of_least_bound(1.0, n=n, **squared) == pytest.approx(base / 2, rel=0.02)
    more_rows = {**FACTS, "m": M**4}
    assert rounds_of_least_bound(1.0, n=n, **more_rows) == pytest.approx(2 * base, rel=0.15)


def test_the_least_bound_shrinks_with_the_root_of_the_private_rows() -> None:
    bounds = [
        accuracy_bound(1.0, rounds_of_least_bound(1.0, n=n, **FACTS), n=n, **FACTS)
        for n in (10**6, 4 * 10**6, 16 * 10**6)
    ]
    assert bounds[1] == pytest.approx(bounds[0] / 2, rel=0.01)
    assert bounds[2] == pytest.approx(bounds[0] / 4, rel=0.01)


def test_the_constant_of_the_theorem_is_between_three_and_six_here() -> None:
    """O(...) in numbers: the least bound over sqrt(log Q (sqrt(log m) + log 1/beta)/(n e))."""
    for signal in (10**4, 10**6, 10**8):
        scale = math.sqrt(math.log(QUERIES) * (math.sqrt(math.log(M)) + math.log(1 / BETA)) / signal)
        assert 3 < _least(signal) / scale < 6


@given(st.floats(0.02, 0.9), st.floats(0.0, 0.4))
def test_the_signal_that_is_needed_gives_the_error_and_a_little_less_does_not(error: float, share: float) -> None:
    best_mixture = share * error
    signal = signal_needed(error, best_mixture=best_mixture, **FACTS)
    assert _least(signal, best_mixture) == pytest.approx(error, rel=1e-3)
    rounds = rounds_of_least_bound(signal, n=1, **FACTS)
    assert accuracy_bound(signal, rounds, n=1, best_mixture=best_mixture, **FACTS) <= error
    assert _least(0.999 * signal, best_mixture) > error


def test_no_number_of_rows_brings_the_bound_to_twice_the_best_mixture_error() -> None:
    with pytest.raises(BoundError, match="Another public table"):
        signal_needed(0.1, best_mixture=0.05, **FACTS)


def test_epsilon_becomes_the_papers_by_the_ledgers_own_conversion() -> None:
    delta = Fraction(1, 10**10)
    tilde = epsilon_tilde_of(1.0, delta)
    assert epsilon_of(ZCDP.at_least(Fraction(tilde**2 / 2)), delta) == pytest.approx(1.0, abs=1e-6)
    # The closed form of Theorem 4.5 is never below it.
    assert tilde**2 / 2 + math.sqrt(2 * math.log(10**10)) * tilde >= 1.0


def test_the_line_falls_with_epsilon_has_its_own_rounds_and_says_what_it_rests_on() -> None:
    line = accuracy_line(
        (1.0, 0.1, 5.0), delta=Fraction(1, 4 * 10**8), n=20_000, m=M, queries=QUERIES, best_mixture=0.01
    )
    assert line.epsilons == (0.1, 1.0, 5.0)
    assert list(line.errors) == sorted(line.errors, reverse=True)
    for epsilon, error, rounds in zip(line.epsilons, line.errors, line.rounds, strict=True):
        signal = epsilon_tilde_of(epsilon, Fraction(1, 4 * 10**8)) * 20_000
        assert error == pytest.approx(_printed(signal, rounds, 0.01))
        assert error == pytest.approx(_least(signal, 0.01), rel=1e-3)
    words = " ".join(line.hypotheses)
    for said in ("0.95", "best-mixture", "average", "no replay", "worst case"):
        assert said in words
    assert line.says_something


def test_with_k_rows_a_person_the_line_is_that_of_a_table_of_n_over_k_rows() -> None:
    lines = [
        accuracy_line((1.0,), delta=Fraction(1, 10**9), n=n, m=M, queries=QUERIES, rows_per_person=k)
        for n, k in ((40_000, 4), (10_000, 1))
    ]
    assert np.allclose(lines[0].errors, lines[1].errors)
    assert not accuracy_line((0.01,), delta=Fraction(1, 10**6), n=1000, m=M, queries=QUERIES).says_something
