"""Lazy rounding: the grid, the exact law of what is released, and that the interval has no part in it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from privacy.laws import gaussian_masses, laplace_masses
from support.fakes import FixedNoise, ScaledNoise
from support.mixtures import Batched
from support.statistical import AUDIT, BinnedLaw, assert_follows, assert_rejects

from pmwpub.errors import BudgetError, JobCancelled
from pmwpub.mechanisms.noisy_error.lazy_rounding import Grid, rounded_cell
from pmwpub.privacy.budget import pure
from pmwpub.privacy.lattice_noise import LatticeGaussian, LatticeLaplace, LatticeLaw
from pmwpub.privacy.noise import NoiseSource

DRAWS = 3_000 * AUDIT
EPSILONS = [
    Fraction(1, 1000),
    Fraction(1, 100),
    Fraction(1, 20),
    Fraction(1, 3),
    Fraction(1),
    Fraction(7),
    Fraction(100),
]


@dataclass(frozen=True)
class Ends:
    lower: Fraction
    upper: Fraction


@lru_cache(maxsize=4096)
def closing(number: Fraction, halvings: int) -> Ends:
    """An interval around the number, lopsided, of width at most 2^-halvings, within [0, 1]."""
    width = Fraction(1, 2**halvings)
    return Ends(max(Fraction(0), number - width * 3 / 8), min(Fraction(1), number + width * 5 / 8))


@dataclass
class Closing:
    """A number known as an interval, half as wide with each refinement, `steps` times at most."""

    number: Fraction
    steps: int = 200
    done: int = 0

    @property
    def interval(self) -> Ends:
        return closing(self.number, self.done)

    @property
    def exhausted(self) -> bool:
        return self.done >= self.steps

    def refine(self) -> Ends:
        self.done += 1
        return self.interval


@dataclass(frozen=True)
class Fixed:
    """An interval that cannot be refined."""

    interval: Ends
    exhausted: bool = True

    def refine(self) -> Ends:
        return self.interval


def release(number: Fraction, law: LatticeLaw, grid: Grid, noise: NoiseSource) -> int:
    cell = rounded_cell(Closing(number), law, grid, noise=noise, progress=lambda done, total: None)
    assert cell is not None
    return cell


def exact_law(number: Fraction, law: LatticeLaw, grid: Grid) -> BinnedLaw:
    """The rounding of number + noise to the nearest multiple of the cell width (halves up), from the noise's pmf."""
    make = laplace_masses if isinstance(law, LatticeLaplace) else gaussian_masses
    masses: Counter[int] = Counter()
    for outcome, mass in zip(*make(float(law.scale)), strict=True):
        masses[math.floor((number * grid.n * grid.steps_per_row + outcome) / grid.width + Fraction(1, 2))] += mass
    outcomes = sorted(masses)
    law_of_places = BinnedLaw.by_size([masses[outcome] for outcome in outcomes], DRAWS)
    return replace(law_of_places, outcomes=tuple(outcomes))


def narrow(law: LatticeLaw, n: int) -> Grid:
    """Cells an eighth of the noise wide, so that many of them are likely and the test sees the shape."""
    return Grid(n, law.steps_per_row, 2 * (math.floor(law.scale) // 16) + 1)


LAWS = [LatticeLaplace(Fraction(1, 2)), LatticeLaplace(Fraction(1), 3), LatticeGaussian(Fraction(2))]


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("number", [Fraction(1, 7), Fraction(7, 40)], ids=str)
def test_the_release_is_the_exact_rounding_of_the_number_plus_noise(number: Fraction, law: LatticeLaw) -> None:
    for grid in (narrow(law, 20), Grid.of(law, 20)):
        noise = Batched()
        draws = [release(number, law, grid, noise) for _ in range(DRAWS)]
        assert_follows(exact_law(number, law, grid), draws)


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize(
    "factor", [Fraction(7, 10), Fraction(13, 10), Fraction(1, 20)], ids=["0.7", "1.3", "n missing"]
)
def test_noise_of_another_scale_is_noticed(law: LatticeLaw, factor: Fraction) -> None:
    number, grid = Fraction(1, 7), narrow(law, 20)
    noise = Batched(ScaledNoise(factor))
    draws = [release(number, law, grid, noise) for _ in range(DRAWS)]
    span = exact_law(number, law, grid).outcomes
    assert_rejects(exact_law(number, law, grid), [min(max(draw, span[0]), span[-1]) for draw in draws])


@pytest.mark.fault("early-stopped best-mixture error released as 1/n")
def test_an_early_stopped_number_is_noticed() -> None:
    # The planted fault: the interval's upper end, half a row off, is released as if it were the number.
    law = LatticeLaplace(Fraction(1, 2))
    number, grid, noise = Fraction(1, 7), narrow(law, 20), Batched()
    draws = [release(number + Fraction(1, 40), law, grid, noise) for _ in range(DRAWS)]
    assert_rejects(exact_law(number, law, grid), draws)


@given(
    number=st.fractions(0, 1, max_denominator=500),
    offset=st.integers(-3000, 3000),
    epsilon=st.sampled_from(EPSILONS),
    n=st.integers(1, 50),
    rows=st.integers(1, 3),
)
def test_the_cell_depends_on_the_number_rounded_to_whole_steps_alone(
    number: Fraction, offset: int, epsilon: Fraction, n: int, rows: int
) -> None:
    law = LatticeLaplace(epsilon, rows)
    grid = Grid.of(law, n)
    steps = math.floor(number * n * law.steps_per_row + Fraction(1, 2))
    expected = math.floor(Fraction(steps + offset, grid.width) + Fraction(1, 2))
    assert release(number, law, grid, FixedNoise(offset)) == expected


@given(
    first=st.fractions(0, 1),
    move=st.fractions(-1, 1),
    n=st.integers(1, 100),
    rows=st.integers(1, 5),
    epsilon=st.sampled_from(EPSILONS),
)
def test_whole_steps_move_by_at_most_k_rows_of_steps(
    first: Fraction, move: Fraction, n: int, rows: int, epsilon: Fraction
) -> None:
    steps = LatticeLaplace(epsilon, rows).steps_per_row
    second = first + move * rows / n
    moved = math.floor(first * n * steps + Fraction(1, 2)) - math.floor(second * n * steps + Fraction(1, 2))
    assert abs(moved) <= rows * steps


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("n", [1, 2, 11_439])
def test_an_optimum_of_whole_or_half_rows_resolves_at_once(epsilon: Fraction, n: int) -> None:
    sliver = Fraction(1, 10**14)
    for rows in (1, 3):
        law = LatticeLaplace(epsilon, rows)
        grid = Grid.of(law, n)
        for halves in {0, 1, 2, n, 2 * n - 1, 2 * n}:
            number = Fraction(halves, 2 * n)
            for offset in (0, 1, -1, grid.width // 2, grid.width // 2 + 1, -(grid.width // 2), -(grid.width // 2) - 1):
                state = Fixed(Ends(max(Fraction(0), number - sliver), min(Fraction(1), number + sliver)))
                assert rounded_cell(state, law, grid, noise=FixedNoise(offset), progress=_silent) is not None


@pytest.mark.parametrize("j", range(21))
@pytest.mark.parametrize("n", [1, 7, 11_439])
def test_no_whole_or_half_row_lies_on_an_edge_of_any_lattice(n: int, j: int) -> None:
    """An optimum c/n or c/(2n), known to a sliver only, leaves a single cell wherever the noise moves it to."""
    sliver = Fraction(1, 10**14)
    for width in {1, 3, 2**j + 1, 2 * 2**j + 1, 100 * 2**j + 1} - {2}:
        grid = Grid(n, max(2, 2**j), width)
        for halves in (0, 1, 2, n, 2 * n - 1, 2 * n):
            number = Fraction(halves, 2 * n)
            for shift in {0, 1, -1, width // 2, width // 2 + 1, -(width // 2), -(width // 2) - 1, 10**6 + j}:
                assert grid.cell(number - sliver, shift) == grid.cell(number + sliver, shift)


def test_a_cell_is_half_open() -> None:
    grid = Grid(10, 64, 5)
    edge = Fraction(5, 2) / 640
    assert grid.cell(edge, 0) == 1
    assert grid.cell(edge - Fraction(1, 10**30), 0) == 0
    assert grid.cell(-edge, 0) == 0
    assert grid.cell(Fraction(0), 5) == 1
    assert grid.midpoint(3) == Fraction(15, 640)


@pytest.mark.parametrize("width", [0, -1, 4])
def test_a_cell_of_an_even_width_is_refused(width: int) -> None:
    with pytest.raises(BudgetError):
        Grid(10, 64, width)


def test_an_interval_that_stays_too_wide_is_unresolved_and_never_guessed() -> None:
    law = LatticeLaplace(Fraction(1))
    state = Closing(Fraction(1, 3), steps=2)
    assert rounded_cell(state, law, Grid.of(law, 1000), noise=FixedNoise(), progress=_silent) is None


def test_cancelling_ends_the_release_without_a_result() -> None:
    law = LatticeLaplace(Fraction(1))

    def cancel(done: int, total: int) -> None:
        raise JobCancelled("Cancelled.")

    with pytest.raises(JobCancelled):
        rounded_cell(Closing(Fraction(1, 3)), law, Grid.of(law, 1000), noise=FixedNoise(), progress=cancel)


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_the_lattice_is_fine_enough_and_rows_are_whole_steps(epsilon: Fraction) -> None:
    for rows in (1, 3):
        law = LatticeLaplace(epsilon, rows)
        assert law.steps_per_row & (law.steps_per_row - 1) == 0
        assert max(64, 64 * epsilon) <= law.steps_per_row < 2 * max(64, 64 * epsilon)
        assert law.scale == Fraction(rows * law.steps_per_row) / epsilon
        assert abs(Grid.of(law, 7).width - law.scale) <= 1


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_the_charge_covers_epsilon_and_hardly_more(epsilon: Fraction) -> None:
    charged = LatticeLaplace(epsilon, 2).rho
    assert pure(epsilon) <= charged
    assert charged.rho <= pure(epsilon).rho * (1 + Fraction(1, 10**9)) + Fraction(2, 10**15)


@pytest.mark.parametrize("rho", [Fraction(1, 10**6), Fraction(1, 50), Fraction(3)], ids=str)
def test_a_gaussian_bought_at_rho_costs_at_most_rho(rho: Fraction) -> None:
    charged = LatticeGaussian.costing(rho, 3).rho.rho
    assert rho * (1 - Fraction(1, 10**6)) <= charged <= rho + Fraction(1, 10**15)


@pytest.mark.parametrize("law", [*LAWS, LatticeLaplace(Fraction(100)), LatticeGaussian(Fraction(1, 9))], ids=str)
@pytest.mark.parametrize("confidence", [Fraction(1, 2), Fraction(95, 100), Fraction(999, 1000)], ids=str)
def test_the_noise_stays_within_its_reach_as_often_as_stated(law: LatticeLaw, confidence: Fraction) -> None:
    make = laplace_masses if isinstance(law, LatticeLaplace) else gaussian_masses
    reach = law.reach(confidence)
    inside = math.fsum(mass for outcome, mass in zip(*make(float(law.scale)), strict=True) if abs(outcome) <= reach)
    closer = math.fsum(mass for outcome, mass in zip(*make(float(law.scale)), strict=True) if abs(outcome) <= reach - 3)
    assert inside >= float(confidence) - 1e-12
    assert closer < float(confidence)


@pytest.mark.parametrize("confidence", [Fraction(0), Fraction(1), Fraction(3, 2)])
def test_a_confidence_outside_its_range_is_refused(confidence: Fraction) -> None:
    with pytest.raises(BudgetError):
        LatticeLaplace(Fraction(1)).reach(confidence)


def test_parameters_that_allow_no_noise_are_refused() -> None:
    for bad in (Fraction(0), Fraction(-1)):
        with pytest.raises(BudgetError):
            LatticeLaplace(bad)
        with pytest.raises(BudgetError):
            LatticeGaussian(bad)
        with pytest.raises(BudgetError):
            LatticeGaussian.costing(bad)
    with pytest.raises(BudgetError):
        LatticeLaplace(Fraction(1), 0)


def _silent(done: int, total: int) -> None:
    """Nobody is watching."""
