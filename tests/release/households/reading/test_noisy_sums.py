"""Intervals by the law of the noise: their coverage is summed over the exact law, and never drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pmwpub.release.households.reading.measured_households import NoisyTable
from pmwpub.release.households.reading.noisy_sums import NoisySum

Law = tuple[np.ndarray, np.ndarray]


def law(sigma: float) -> Law:
    """The whole numbers of a discrete Gaussian, and the probability of each, from its definition."""
    support = np.arange(-math.ceil(9 * sigma) - 3, math.ceil(9 * sigma) + 4, dtype=np.float64)
    masses = np.exp(-(support**2) / (2 * sigma**2))
    return support, masses / masses.sum()


@pytest.mark.parametrize("sigma", [0.2, 0.4, 0.7, 1.0, 1.3, 2.0, 5.5, 31.7])
def test_a_cell_lies_in_its_interval_in_95_of_100_draws_at_any_scale(sigma: float) -> None:
    noise, masses = law(sigma)
    ends = [NoisySum(400 + one, sigma).interval(0.0, 1e9) for one in noise]
    covered = sum(mass for (low, high), mass in zip(ends, masses, strict=True) if low <= 400 <= high)
    assert covered >= 0.95
    if sigma > 5:
        assert covered < 0.967, "intervals are no wider than they need be"


@pytest.mark.fault("half a count left out of an interval")
def test_without_half_a_count_whole_noise_is_covered_too_seldom() -> None:
    """At sigma = 1 the normal quantile alone covers -1, 0 and 1: 0.88 of the draws."""
    noise, masses = law(1.0)
    assert sum(mass for one, mass in zip(noise, masses, strict=True) if abs(one) <= 1.96) < 0.89
    assert NoisySum(0.0, 1.0).interval(-9.0, 9.0)[1] >= 2


@pytest.mark.parametrize(
    ("top", "bottom", "s", "t"),
    [(40, 900, 8.0, 5.0), (0, 300, 8.0, 12.0), (250, 260, 6.0, 6.0), (3, 8, 0.6, 0.6), (5, 20, 1.0, 4.0),
     (30, 60, 12.0, 25.0), (30, 40, 3.0, 30.0), (70, 100, 1.0, 9.0)],
)  # fmt: skip
def test_a_ratio_lies_in_its_interval_in_95_of_100_draws(top: int, bottom: int, s: float, t: float) -> None:
    """Also where the lower number is hardly told apart from zero, as 60 with a deviation of 25 is."""
    upper, own = law(s)
    lower, beside = law(t)
    covered = 0.0
    for x, p in zip(top + upper, own, strict=True):
        if p < 1e-9:
            continue
        for y, q in zip(bottom + lower, beside, strict=True):
            low, high = NoisySum(x, s).over(NoisySum(y, t), 0.0, 1.0) or (0.0, 1.0)
            covered += p * q if low <= top / bottom <= high else 0.0
    assert covered >= 0.95 - 1e-6


def test_the_ends_of_a_ratio_are_the_roots_of_fieller_s_equation() -> None:
    """x = 50 and y = 200 with reaches 10 and 20: (200^2 - 20^2) r^2 - 2*50*200 r + 50^2 - 10^2 = 0."""
    z = 1.959963984540054
    low, high = NoisySum(50.0, 9.5 / z).over(NoisySum(200.0, 19.5 / z), 0.0, 1.0) or (0.0, 1.0)
    assert np.roots([39_600.0, -20_000.0, 2_400.0]) == pytest.approx([high, low])


def test_a_ratio_over_what_may_be_nothing_has_no_interval() -> None:
    assert NoisySum(5.0, 1.0).over(NoisySum(3.0, 2.0), 0.0, 1.0) is None
    assert NoisySum(5.0, 1.0).over(NoisySum(-300.0, 2.0), 0.0, 1.0) is None


def test_what_is_known_to_sum_to_n_is_used() -> None:
    """Sizes 1 to 3 of n = 100 with noisy counts 50, 30, 10: 10 are lacking, so 10/3 go to each."""
    table = NoisyTable(np.array([50.0, 30.0, 10.0]), 6.0, 100)
    persons = table.sum(np.array([1.0, 2.0, 3.0]))
    assert persons.value == pytest.approx(140 + 2 * 10)
    assert persons.deviation == pytest.approx(6 * math.sqrt(2))  # factors -1, 0, 1
    assert table.cell([1]).value == pytest.approx(30 + 10 / 3)
    assert table.cell([1]).deviation == pytest.approx(6 * math.sqrt(2 / 3))
    everyone = table.sum(np.ones(3))
    assert (everyone.value, everyone.deviation) == (pytest.approx(100), pytest.approx(0))


def test_what_is_not_known_to_sum_to_n_is_left_as_it_was_drawn() -> None:
    table = NoisyTable(np.array([50.0, 30.0, 10.0]), 6.0, None)
    persons = table.sum(np.array([1.0, 2.0, 3.0]))
    assert (persons.value, persons.deviation) == (140, pytest.approx(6 * math.sqrt(14)))
    assert table.cell([1]) == NoisySum(30.0, 6.0)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 4.0])
def test_the_number_of_persons_lies_in_its_interval_in_95_of_100_draws(sigma: float) -> None:
    """120, 50 and 30 households of 1, 2 and 3 persons; the law of the noise of three cells, one by one."""
    true, n = np.array([120.0, 50.0, 30.0]), 200
    noise, masses = law(sigma)
    likely = masses > 1e-7
    covered, persons = 0.0, float(true @ [1, 2, 3])
    for first, p in zip(noise[likely], masses[likely], strict=True):
        for last, q in zip(noise[likely], masses[likely], strict=True):  # the second cell has the mean factor
            found = NoisyTable(true + [first, 0.0, last], sigma, n).sum(np.array([1.0, 2.0, 3.0]))
            low, high = found.interval(n, 3 * n)
            covered += p * q if low <= persons <= high else 0.0
    assert covered >= 0.95 - 1e-6
