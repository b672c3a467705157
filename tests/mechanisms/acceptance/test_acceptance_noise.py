"""Numbers held against bars: their exact law, their charge, what verdicts mean, and the faults that must be noticed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cache, partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from privacy.laws import gaussian_masses, renyi
from support.fakes import FixedNoise, RecordedNoise, ScaledNoise
from support.planting import plant
from support.statistical import AUDIT, BinnedLaw, assert_both_arms, assert_rejects

from pmwpub.errors import BudgetError, PlanError
from pmwpub.mechanisms.acceptance import acceptance_noise
from pmwpub.mechanisms.acceptance.acceptance_noise import (
    AcceptanceNoise,
    SoldNumber,
    acceptance_release,
    least_budget,
    verdict,
)
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE

DRAWS = 4_000 * AUDIT
CELL = SoldNumber(sensitivity=64, bar=1_280, rounding=1, reach=64_001)
"""One row of 1,000, held against 2 % of them."""

SUM = SoldNumber(sensitivity=300, bar=3_000, rounding=0, reach=10**6)
TWO = AcceptanceNoise((CELL, SUM), ZCDP.at_most("0.05"))
SMALL = AcceptanceNoise((SoldNumber(3, 60, 0, 1_000), SoldNumber(2, 20, 1, 1_000)), ZCDP.at_most("0.5"))


def test_the_price_is_that_of_the_hand_calculation() -> None:
    """Both move by a twentieth and a tenth of their bars: shares of 1/5 and 4/5 of 0.05, so rho is 0.01 and 0.04;
    sigma = 64/sqrt(0.02) = 452.5 and 300/sqrt(0.08) = 1060.7."""
    assert [float(one.scale) for one in TWO.noises] == pytest.approx([64 / math.sqrt(0.02), 300 / math.sqrt(0.08)])
    assert [float(one.rho.rho) for one in TWO.noises] == pytest.approx([0.01, 0.04])
    assert TWO.half_widths == (math.ceil(1.96 * 64 / math.sqrt(0.02)) + 1, math.ceil(1.96 * 300 / math.sqrt(0.08)))


numbers = st.builds(
    SoldNumber,
    sensitivity=st.integers(1, 10**6),
    bar=st.integers(1, 10**9),
    rounding=st.integers(0, 50),
    reach=st.just(10**12),
)


@given(st.lists(numbers, min_size=1, max_size=5), st.integers(10**9, 10**15))
def test_what_is_charged_covers_the_sum_of_squares_and_is_within_the_budget(sold: list[SoldNumber], units: int) -> None:
    shares = [Fraction(one.sensitivity, one.bar) ** 2 for one in sold]
    if any(units * share < sum(shares) for share in shares):
        return  # a share of nothing
    law = AcceptanceNoise(tuple(sold), ZCDP(units))
    exact = sum(
        (one.sensitivity**2 / (2 * noise.scale**2) for one, noise in zip(sold, law.noises, strict=True)), Fraction(0)
    )
    assert exact <= law.rho.rho <= Fraction(units, 10**15)
    assert law.rho.rho < exact + Fraction(len(sold), 10**15)


@settings(max_examples=40)
@given(st.lists(numbers, min_size=1, max_size=4), st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(1, 7)]))
def test_the_least_budget_reaches_every_bar_and_a_little_less_does_not(sold: list[SoldNumber], part: Fraction) -> None:
    found = least_budget(sold, part)
    if found is None:
        assert (
            any(one.rounding + 1 > part * one.bar for one in sold)
            or max(one.sensitivity / one.bar for one in sold) > 10**3
        )
        return
    law = AcceptanceNoise(tuple(sold), found)
    assert all(width <= part * one.bar for width, one in zip(law.half_widths, sold, strict=True))
    less = math.floor(found.units * Fraction(99_999, 100_000)) - 2
    if less < 1:
        return
    try:
        tighter = AcceptanceNoise(tuple(sold), ZCDP(less))
    except BudgetError:  # a share of nothing
        return
    assert any(width > part * one.bar for width, one in zip(tighter.half_widths, sold, strict=True))


@pytest.mark.parametrize("sigma", ["0.5", "1", "1.5", "3", "10", "77.7", "1000"])
def test_the_half_width_holds_at_least_95_percent_of_the_exact_law(sigma: str) -> None:
    number = SoldNumber(1, 10**6, 0, 10**6)
    noise = acceptance_noise.VectorGaussian(Fraction(sigma), Fraction(1))
    outcomes, masses = gaussian_masses(float(sigma))
    width = number.half_width(noise)
    assert math.fsum(m for z, m in zip(outcomes, masses, strict=True) if abs(z) <= width) >= 0.95
    assert width <= 1.96 * float(sigma) + 1


def chance_of_passing_beyond(sigma: Fraction) -> float:
    """By the exact law, of a number that is a whole `rounding` too small and stands for one just beyond its bar."""
    number = SoldNumber(1, 500, 3, 10**6)
    width = number.half_width(acceptance_noise.VectorGaussian(sigma, Fraction(1)))
    outcomes, masses = gaussian_masses(float(sigma))
    noisy = [number.bar + 1 - number.rounding + z for z in outcomes]
    said = [acceptance_noise.verdict(one, width, number.bar) for one in noisy]
    return math.fsum(m for one, m in zip(said, masses, strict=True) if one == "passed")


def test_a_number_beyond_its_bar_is_passed_in_at_most_one_draw_of_forty() -> None:
    for sigma in (Fraction(1), Fraction(9), Fraction(137)):
        assert 0 < chance_of_passing_beyond(sigma) <= 0.025 or sigma == 1


@pytest.mark.fault("a verdict by the number alone")
def test_a_verdict_by_the_number_alone_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, acceptance_noise, "verdict", "noisy + half_width <= bar", "noisy <= bar")
    assert chance_of_passing_beyond(Fraction(9)) > 0.5


def test_verdicts_need_the_whole_interval_on_one_side_of_the_bar() -> None:
    assert [verdict(noisy, 10, 100) for noisy in (-50, 90, 91, 110, 111)] == [
        "passed",
        "passed",
        "open",
        "open",
        "missed",
    ]


def test_each_number_is_drawn_once_at_its_own_scale_and_nothing_else() -> None:
    noise = RecordedNoise(FixedNoise(offset=-5))
    assert acceptance_release((70, -3), TWO, noise=noise) == (65, -8)
    assert [(name, args) for name, args, _ in noise.calls] == [
        ("gaussians", ([70], TWO.noises[0].scale)),
        ("gaussians", ([-3], TWO.noises[1].scale)),
    ]


def test_numbers_of_other_criteria_are_refused() -> None:
    for values in ((1,), (1, 2, 3), (64_002, 0), (0, -(10**6) - 1)):
        with pytest.raises(PlanError, match="other criteria"):
            acceptance_release(values, TWO)


@pytest.mark.parametrize(
    ("sensitivity", "bar", "rounding", "reach"), [(0, 1, 0, 9), (1, 0, 0, 9), (1, 1, -1, 9), (1, 1, 0, 2**62 + 1)]
)
def test_what_cannot_be_sold_is_refused(sensitivity: int, bar: int, rounding: int, reach: int) -> None:
    with pytest.raises(PlanError):
        SoldNumber(sensitivity, bar, rounding, reach)


def test_the_charge_is_that_of_the_worst_neighbours_on_the_exact_law() -> None:
    """Each number moves by its sensitivity: Renyi divergences add up over them."""
    for order in (1.5, 2.0, 8.0):
        total = 0.0
        for number, noise in zip(SMALL.numbers, SMALL.noises, strict=True):
            scale = float(noise.scale)
            outcomes, _ = gaussian_masses(scale, span=20)
            ours, theirs = (
                [math.exp(-((z - place) ** 2) / (2 * scale**2)) for z in outcomes] for place in (0, number.sensitivity)
            )
            total += renyi([p / sum(ours) for p in ours], [q / sum(theirs) for q in theirs], order)
        assert order * float(SMALL.rho.rho) * 0.99 <= total <= order * float(SMALL.rho.rho) * (1 + 1e-9)


# ---- the law of the noise


VALUES = (40, -7)


@cache
def drawn(factor: Fraction, draws: int) -> tuple[tuple[int, ...], ...]:
    """Noisy numbers at so many times the stated scales."""
    noise = SECURE if factor == 1 else ScaledNoise(factor)
    return tuple(acceptance_release(VALUES, SMALL, noise=noise) for _ in range(draws))


def residuals(place: int, factor: Fraction, draws: int) -> Iterable[int]:
    return (noisy[place] - VALUES[place] for noisy in drawn(factor, draws))


LAWS = tuple(BinnedLaw.of(*gaussian_masses(float(one.scale), span=20)) for one in SMALL.noises)


@pytest.mark.audit
@pytest.mark.parametrize("place", [0, 1])
def test_every_number_has_the_exact_law_of_its_scale_and_other_scales_are_noticed(place: int) -> None:
    assert_both_arms(LAWS[place], partial(residuals, place), DRAWS)


@pytest.mark.fault("half the noise")
def test_half_the_noise_is_noticed() -> None:
    assert_rejects(LAWS[0], residuals(0, Fraction(1, 2), 1_000))


# ---- planted faults in the charge


def assert_charges_each_number() -> None:
    for sold in itertools.product((CELL, SUM), repeat=2):
        law = AcceptanceNoise(sold, ZCDP.at_most("0.05"))
        exact = sum(one.sensitivity**2 / (2 * own.scale**2) for one, own in zip(sold, law.noises, strict=True))
        assert law.rho.rho >= exact, "the numbers cost more than is charged"
        assert law.rho <= law.budget, "the numbers cost more than the budget"


def test_each_number_is_charged() -> None:
    assert_charges_each_number()


@pytest.mark.fault("a criterion not charged")
def test_a_number_that_is_not_charged_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, AcceptanceNoise, "rho", "in self.noises", "in self.noises[:1]")
    with pytest.raises(AssertionError, match="more than is charged"):
        assert_charges_each_number()


@pytest.mark.fault("the budget given to every criterion")
def test_a_budget_that_every_number_gets_whole_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, AcceptanceNoise, "noises", "self.budget.units * weight / total", "self.budget.units")
    with pytest.raises(AssertionError, match="more than the budget"):
        assert_charges_each_number()
