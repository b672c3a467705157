"""Planted faults: each wrong implementation fails the very check that the right one passes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from privacy.checks import (
    CASES,
    check_conversion,
    check_fresh,
    check_gaussian,
    check_inverse,
    check_laplace,
    check_measurement,
    check_rounding,
    check_selection,
    check_selection_charge,
    check_split,
)
from privacy.laws import exponential_masses, permute_and_flip_masses
from support.fakes import ScaledNoise, SeededNoise

from pmwpub.privacy.budget import ZCDP, ApproxDP, epsilon_of, zcdp_of
from pmwpub.privacy.measurement import DiscreteGaussian
from pmwpub.privacy.noise import SECURE
from pmwpub.privacy.round_share import RoundShare, split
from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip
from pmwpub.records import Ints

HALF = ScaledNoise(Fraction(1, 2))


def caught(check: Callable[..., None], *arguments: object) -> bool:
    """Whether the check rejects: an AssertionError and nothing else."""
    try:
        check(*arguments)
    except AssertionError:
        return True
    return False


@pytest.mark.fault("half the noise")
def test_half_the_noise_is_caught() -> None:
    scale = Fraction(10)
    assert caught(check_gaussian, lambda factor, draws: HALF.gaussians([0] * draws, scale * factor), 10.0)
    assert caught(check_laplace, lambda factor, draws: HALF.laplaces([0] * draws, scale * factor), 10.0)
    measurement = DiscreteGaussian.costing(Fraction(1, 10), 1)
    assert caught(check_measurement, lambda count: measurement.measure(count, noise=HALF), Fraction(1, 10), 1)


@pytest.mark.fault("n missing")
def test_noise_for_shares_added_to_counts_is_caught() -> None:
    """n is missing: sigma = k/(n epsilon0) fits q(D), not c = n q(D)."""
    epsilon0, n = Fraction(1, 10), 1_000
    measurement = DiscreteGaussian(1 / (n * epsilon0))
    assert caught(check_measurement, measurement.measure, epsilon0, 1)


@pytest.mark.fault("wrong sensitivity for k rows")
def test_noise_for_one_row_of_three_is_caught() -> None:
    assert caught(check_measurement, DiscreteGaussian.costing(Fraction(1, 10), 1).measure, Fraction(1, 10), 3)


@pytest.mark.fault("wrong sensitivity for k rows")
def test_a_selection_for_one_row_of_three_is_caught() -> None:
    def select(scores: Ints, epsilon: Fraction, sensitivity: int, draws: int) -> Iterable[int]:
        law = ExponentialMechanism(epsilon).law(scores, 1)
        return [law.draw(SECURE) for _ in range(draws)]

    assert caught(check_selection, select, exponential_masses, CASES["four scores for three rows a person"])


@pytest.mark.fault("float noise")
def test_float_noise_is_caught() -> None:
    assert caught(check_measurement, lambda count: count + random.gauss(0, 10), Fraction(1, 10), 1)


@pytest.mark.fault("float noise")
def test_rounded_float_noise_is_caught() -> None:
    """A continuous Gaussian rounded to whole numbers has another law, plain to see at a scale of half a count."""
    assert caught(check_measurement, lambda count: count + round(random.gauss(0, 0.5)), Fraction(2), 1)


@pytest.mark.fault("permute-and-flip charged ε²/8")
def test_permute_and_flip_charged_as_the_exponential_mechanism_is_caught() -> None:
    """Its Rényi divergence on two neighbours exceeds order * epsilon^2/8."""
    assert caught(check_selection_charge, permute_and_flip_masses, lambda epsilon: ExponentialMechanism(epsilon).rho)


@pytest.mark.fault("permute-and-flip sold as the exponential mechanism")
def test_permute_and_flip_sold_as_the_exponential_mechanism_is_caught() -> None:
    def select(scores: Ints, epsilon: Fraction, sensitivity: int, draws: int) -> Iterable[int]:
        law = PermuteAndFlip(epsilon).law(scores, sensitivity)
        return [law.draw(SECURE) for _ in range(draws)]

    assert caught(check_selection, select, exponential_masses, CASES["ties at the top"])


@pytest.mark.fault("scores taken to move one way only")
def test_scores_taken_to_move_one_way_only_are_caught() -> None:
    """e^(u epsilon/k) suits scores that all move in one direction; |c - r| moves in either."""
    assert caught(
        check_selection_charge,
        lambda scores, epsilon, k: exponential_masses(scores, 2 * epsilon, k),
        lambda epsilon: ExponentialMechanism(epsilon).rho,
    )


@pytest.mark.fault("a floored weight table")
def test_a_floored_weight_table_is_caught() -> None:
    def select(scores: Ints, epsilon: Fraction, sensitivity: int, draws: int) -> Iterable[int]:
        weights = np.exp((scores - scores.max()) * float(epsilon) / (2 * sensitivity))
        floored = np.maximum(weights, 2.0**-12)
        return [int(i) for i in np.random.default_rng().choice(len(scores), size=draws, p=floored / floored.sum())]

    assert caught(check_selection, select, exponential_masses, CASES["one far above a crowd"])


@pytest.mark.fault("rounding down")
def test_charges_rounded_down_are_caught() -> None:
    assert caught(check_rounding, ZCDP.at_most, ZCDP.at_most, Fraction(1, 3))


@pytest.mark.fault("totals rounded up")
def test_totals_rounded_up_are_caught() -> None:
    assert caught(check_rounding, ZCDP.at_least, ZCDP.at_least, Fraction(1, 3))


@pytest.mark.fault("rounding down")
def test_an_epsilon_rounded_down_is_caught() -> None:
    budget, delta = ZCDP.at_least("0.05"), Fraction(1, 10**6)
    assert caught(check_conversion, lambda b, d: epsilon_of(b, d) * (1 - 1e-13), budget, delta)


@pytest.mark.fault("the looser textbook conversion")
def test_the_looser_textbook_conversion_is_caught() -> None:
    """rho + 2 sqrt(rho log(1/delta)) is valid, but it would waste more than 0.1 %."""

    def textbook(budget: ZCDP, delta: Fraction) -> float:
        rho = float(budget.rho)
        return rho + 2 * float(np.sqrt(rho * np.log(1 / float(delta))))

    assert caught(check_conversion, textbook, ZCDP.at_least("0.05"), Fraction(1, 10**6))


@pytest.mark.fault("a total one unit too large")
def test_a_total_one_unit_too_large_is_caught() -> None:
    budget = ApproxDP(Fraction(1), Fraction(1, 10**9))
    assert caught(check_inverse, lambda b: zcdp_of(b) + ZCDP(1), budget)


@pytest.mark.fault("a split that rounds up")
def test_a_split_that_rounds_up_is_caught() -> None:
    def generous(budget: ZCDP, rounds: int, *, rows_per_person: int) -> RoundShare:
        share = split(budget, rounds, rows_per_person=rows_per_person)
        epsilon0 = share.epsilon0 * (1 + Fraction(1, 10**6))
        return replace(
            share,
            epsilon0=epsilon0,
            selection=ExponentialMechanism.costing(epsilon0),
            measurement=DiscreteGaussian.costing(epsilon0, rows_per_person),
        )

    assert caught(check_split, generous, ZCDP.at_least("0.05"), 50, 1)


@pytest.mark.fault("seed reuse")
def test_a_seed_used_again_is_caught() -> None:
    assert caught(check_fresh, lambda: SeededNoise(7))


def test_the_right_implementation_passes_where_the_faults_fail() -> None:
    """The other arm of this file, for the checks whose own tests use other parameters."""

    def select(scores: Ints, epsilon: Fraction, sensitivity: int, draws: int) -> Iterable[int]:
        law = ExponentialMechanism(epsilon).law(scores, sensitivity)
        return [law.draw(SECURE) for _ in range(draws)]

    check_measurement(DiscreteGaussian.costing(Fraction(2), 1).measure, Fraction(2), 1)
    check_selection(select, exponential_masses, CASES["one far above a crowd"])
    check_split(split, ZCDP.at_least("0.05"), 50, 1)
    check_conversion(epsilon_of, ZCDP.at_least("0.05"), Fraction(1, 10**6))
