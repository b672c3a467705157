"""The noisy error of fixed released weights: exact steps, the stated law, sensitivity, what neighbours show, faults."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import mixtures, tables
from support.fakes import FixedNoise, RecordedNoise, ScaledNoise
from support.mixtures import Batched, Problem
from support.statistical import AUDIT, BinnedLaw, assert_both_arms, shown_epsilon

from pmwpub.errors import BudgetError, PlanError
from pmwpub.mechanisms.noisy_error.release_error import error_charge, error_release, error_release_under, error_steps
from pmwpub.privacy.budget import pure
from pmwpub.privacy.lattice_noise import LatticeLaplace
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Distribution, Support

BINARY = tables.domain(2)
RUNS = 8_000 * AUDIT
SHOWN_RUNS = 40_000 * AUDIT


def one_row(level: int) -> tuple[PrivateCounts, Workload, Distribution]:
    """One private row against weights that all lie on level 0: the error is 0 for level 0 and 1 for level 1."""
    workload = Workload.all_kway(BINARY, 1)
    support = Support.of(Dataset(BINARY, np.array([[0]])))
    private = Dataset(BINARY, np.array([[level]]))
    return Problem(private, workload, support).counts, workload, Distribution.empirical(support)


def weighted(problem: Problem, generator: np.random.Generator) -> Distribution:
    """Random weights on a problem's support, some of them zero."""
    weights = generator.dirichlet(np.ones(len(problem.support))) * (generator.random(len(problem.support)) < 0.8)
    weights = weights if weights.sum() > 0 else np.ones(len(problem.support))
    return Distribution(problem.support, weights / weights.sum())


def exact_error(problem: Problem, released: Distribution) -> Fraction:
    """max_q |q(D) - q(A)| in fractions, for the weights as written."""
    worst, total = Fraction(0), sum(map(Fraction, released.weights.tolist()))
    for held, c in zip(problem.incidence.astype(bool), problem.counts.counts.tolist(), strict=True):
        mass = sum(map(Fraction, released.weights[held].tolist()), Fraction(0)) / total
        worst = max(worst, abs(Fraction(c, problem.counts.n) - mass))
    return worst


def steps_of(law: LatticeLaplace, fixed: tuple[PrivateCounts, Workload, Distribution], noise: object) -> int:
    """The released lattice step of one draw."""
    noisy = error_release_under(law, *fixed, noise=noise)  # type: ignore[arg-type]
    return int(noisy.value * fixed[0].n * law.steps_per_row)


def test_the_error_in_steps_is_that_of_fractions_within_half_a_step() -> None:
    generator = np.random.default_rng(1)
    for problem in mixtures.random_problems(60, 2):
        released = weighted(problem, generator)
        steps = error_steps(problem.counts, problem.workload, released, 64)
        assert abs(Fraction(steps, 64 * problem.counts.n) - exact_error(problem, released)) <= Fraction(
            1, 127 * problem.counts.n
        )


def test_the_error_stays_exact_where_products_outgrow_64_bits() -> None:
    n = 10**9 + 7
    support = Support(BINARY, np.array([[0], [1]]), np.array([1, 1]))
    released = Distribution(support, np.array([0.75, 0.25]))
    counts = PrivateCounts(np.array([n - 5, 5]), n)
    steps = error_steps(counts, Workload.all_kway(BINARY, 1), released, 2**20)
    assert abs(Fraction(steps, 2**20 * n) - (Fraction(1, 4) - Fraction(5, n))) <= Fraction(1, 2**21 * n)


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.sampled_from([1, 3]), st.sampled_from([None, 1, 2]), st.sampled_from([64, 256]))
def test_neighbours_move_the_error_by_at_most_k_rows_of_steps(
    seed: int, rows: int, n: int | None, steps_per_row: int
) -> None:
    generator = np.random.default_rng(seed)
    problem = mixtures.random_problem(generator, n=n)
    released = weighted(problem, generator)
    ours = error_steps(problem.counts, problem.workload, released, steps_per_row)
    theirs = error_steps(problem.neighbour(rows, generator).counts, problem.workload, released, steps_per_row)
    assert abs(ours - theirs) <= rows * steps_per_row


def test_without_noise_the_release_is_the_error_and_its_interval_surrounds_it() -> None:
    generator = np.random.default_rng(3)
    for problem in mixtures.random_problems(20, 4):
        released = weighted(problem, generator)
        noisy = error_release(problem.counts, problem.workload, released, Fraction(1), noise=FixedNoise())
        assert abs(noisy.value - exact_error(problem, released)) <= noisy.cell_width
        assert noisy.low <= noisy.value <= noisy.high
        assert (noisy.epsilon, noisy.confidence) == (1, Fraction(95, 100))


def test_the_charge_covers_the_one_draw_that_is_made() -> None:
    noise = RecordedNoise()
    noisy = error_release(*one_row(1), Fraction(1, 2), rows_per_person=1, noise=noise)
    ((method, (_, scale), _),) = noise.calls
    assert method == "laplace"
    charge = error_charge(Fraction(1, 2), 1, 1)
    # (k 2^j/scale)^2/2 by hand, j = 6.
    assert charge.rho.rho >= (64 / Fraction(scale)) ** 2 / 2  # type: ignore[arg-type]
    assert noisy.rho == charge.rho >= pure(Fraction(1, 2))
    assert charge.sensitivity == "1/1"


def test_counts_of_another_workload_and_no_epsilon_are_refused() -> None:
    counts, workload, released = one_row(0)
    with pytest.raises(PlanError):
        error_release(PrivateCounts(np.array([1]), 1), workload, released, Fraction(1))
    with pytest.raises(BudgetError):
        error_release(counts, workload, released, Fraction(0))


def stated_law(centre: int, scale: float) -> BinnedLaw:
    """Discrete Laplace: P(z) in proportion to e^(-|z|/scale)."""
    reach = math.ceil(40 * scale)
    offsets = range(-reach, reach + 1)
    return BinnedLaw.of([centre + z for z in offsets], [math.exp(-abs(z) / scale) for z in offsets])


def draws_at(law: LatticeLaplace, factor: Fraction, draws: int) -> list[int]:
    noise = Batched(ScaledNoise(factor))
    return [steps_of(law, one_row(1), noise) for _ in range(draws)]


@pytest.mark.audit
@pytest.mark.parametrize("k", [1, 3])
def test_the_released_step_is_discrete_laplace_around_the_error_and_other_scales_are_noticed(k: int) -> None:
    law = LatticeLaplace(Fraction(8), k)
    # An error of one row is 512 steps; k rows at epsilon 8 make a scale of 64 k steps.
    assert_both_arms(stated_law(512, 64.0 * k), lambda factor, draws: draws_at(law, factor, draws), RUNS)


def noisy_errors(level: int, epsilon: Fraction, runs: int, factor: Fraction = Fraction(1)) -> list[int]:
    """Released errors of independent releases, to the nearest row."""
    law, fixed, noise = LatticeLaplace(epsilon), one_row(level), Batched(ScaledNoise(factor))
    return [round(Fraction(steps_of(law, fixed, noise), law.steps_per_row)) for _ in range(runs)]


def shown(epsilon: Fraction, factor: Fraction = Fraction(1)) -> float:
    return shown_epsilon(
        lambda runs: noisy_errors(0, epsilon, runs, factor),
        lambda runs: noisy_errors(1, epsilon, runs, factor),
        SHOWN_RUNS,
        least=SHOWN_RUNS // 15,
        rank=float,
    )


@pytest.mark.audit
def test_what_neighbours_show_is_within_epsilon_and_near_it() -> None:
    assert 0.8 <= shown(Fraction(1)) <= 1


@pytest.mark.audit
@pytest.mark.fault("half the noise")
def test_half_the_noise_is_noticed_by_what_neighbours_show() -> None:
    assert shown(Fraction(1), Fraction(1, 2)) > 1


@pytest.mark.audit
@pytest.mark.fault("wrong sensitivity for k rows")
def test_noise_for_one_row_where_a_person_owns_three_is_noticed() -> None:
    """Three rows of one person move the error by three rows; noise of one row's scale shows far more than epsilon."""
    workload, released = one_row(0)[1:]
    law, noise = LatticeLaplace(Fraction(1), 1), Batched()

    def draws(level: int, runs: int) -> list[int]:
        counts = Problem(Dataset(BINARY, np.array([[level]] * 3)), workload, released.support).counts
        return [steps_of(law, (counts, workload, released), noise) // 64 for _ in range(runs)]

    assert shown_epsilon(lambda runs: draws(0, runs), lambda runs: draws(1, runs), RUNS // 2) > 1


def moves_within_one_row(released_for: Callable[[list[int]], list[float]]) -> bool:
    """The neighbour check on two tables of four rows that differ in one, for weights chosen as given."""
    support, workload = Support(BINARY, np.array([[0], [1]]), np.array([1, 1])), Workload.all_kway(BINARY, 1)

    def steps(private: list[int]) -> int:
        counts = Problem(Dataset(BINARY, np.array([[level] for level in private])), workload, support).counts
        return error_steps(counts, workload, Distribution(support, np.array(released_for(private))), 64)

    return abs(steps([0, 0, 1, 1]) - steps([0, 1, 1, 1])) <= 64


@pytest.mark.fault("weights fitted to the table whose error is sold")
def test_weights_fitted_to_the_very_table_instead_of_stored_ones_are_noticed() -> None:
    assert moves_within_one_row(lambda private: [0.25, 0.75])
    assert not moves_within_one_row(lambda private: [0.5, 0.5] if private.count(1) == 2 else [1.0, 0.0])
