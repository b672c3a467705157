"""The two noisy numbers of a candidate: exactness, charges, laws, what neighbours can see, and planted faults."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from support import mixtures, tables
from support.fakes import FixedNoise, RecordedNoise, ScaledNoise
from support.mixtures import Batched, Problem
from support.statistical import AUDIT, shown_epsilon

from pmwpub.errors import BudgetError, JobCancelled
from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.mechanisms.noisy_error.assessment import (
    AssessmentShare,
    NoisyError,
    Unresolved,
    assessment_charges,
    floor_release,
    floor_release_under,
    half_width,
    interval_about,
    start_release,
    start_release_under,
    start_steps,
)
from pmwpub.privacy.budget import ZCDP, pure
from pmwpub.privacy.lattice_noise import LatticeGaussian, LatticeLaplace
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.tasks import mechanism_work
from pmwpub.tasks.mechanism_work import AssessmentWork, PublicInput

BINARY = tables.domain(2)
RUNS = 20_000 * AUDIT


def one_row(level: int) -> Problem:
    """One private row against a public table that knows level 0 only: the floor is 0 for level 0 and 1 for level 1."""
    workload = Workload.all_kway(BINARY, 1)
    return Problem(Dataset(BINARY, np.array([[level]])), workload, Support.of(Dataset(BINARY, np.array([[0]]))))


def floors(problem: Problem, epsilon: Fraction, runs: int, factor: Fraction = Fraction(1)) -> list[int]:
    """The released cells of independent releases, with the noise at `factor` times its scale."""
    state, law, noise = mixtures.solved(problem), LatticeLaplace(epsilon), Batched(ScaledNoise(factor))
    found = []
    for _ in range(runs):
        noisy = floor_release_under(law, state, noise=noise)
        assert isinstance(noisy, NoisyError)
        found.append(round(noisy.value / noisy.cell_width))
    return found


def starts(problem: Problem, epsilon: Fraction, runs: int, factor: Fraction = Fraction(1)) -> list[int]:
    """The released starts of independent releases, to the nearest row."""
    law, noise = LatticeLaplace(epsilon), Batched(ScaledNoise(factor))
    public, counts = PublicProblem(problem.workload, problem.support), problem.counts
    releases = (start_release_under(law, counts, public, noise=noise) for _ in range(runs))
    return [round(noisy.value * counts.n) for noisy in releases]


def bought(problem: Problem, epsilon: Fraction, noise: NoiseSource, *, k: int = 1) -> dict[str, NoisyError]:
    """What a worker draws for a whole assessment, at the shares that are charged, with another source of noise."""
    shares = {share.purpose: share.epsilon for share in assessment_charges(epsilon, problem.counts.n, k)}
    source = PublicInput("", problem.workload, problem.support)
    floor, start = ((source, problem.counts, shares[part]) for part in ("floor", "start"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mechanism_work, "floor_release", partial(floor_release, noise=noise))
        patch.setattr(mechanism_work, "start_release", partial(start_release, noise=noise))
        return mechanism_work.assess(AssessmentWork(k, floor, start), lambda done, total: None)


def exact_start(problem: Problem) -> Fraction:
    return mixtures.exact_error(problem, problem.support.multiplicity)


# --- charges ---------------------------------------------------------------------------------------------------------


def test_epsilon_is_split_four_to_one_and_each_part_is_charged() -> None:
    floor, start = assessment_charges(Fraction(1, 20), 11_439, 1)
    assert (floor.purpose, floor.epsilon) == ("floor", Fraction(1, 25))
    assert (start.purpose, start.epsilon) == ("start", Fraction(1, 100))
    assert float(floor.rho.rho) == pytest.approx(1 / 1250, abs=2e-15)
    assert float(start.rho.rho) == pytest.approx(1 / 20_000, abs=2e-15)
    assert floor.sensitivity == "1/11439"


@pytest.mark.parametrize("bought", ["floor", "start"])
def test_one_part_alone_gets_all_of_epsilon(bought: str) -> None:
    shares = assessment_charges(Fraction(1, 20), 100, 3, with_floor=bought == "floor", with_start=bought == "start")
    assert [(share.purpose, share.epsilon) for share in shares] == [(bought, Fraction(1, 20))]
    assert shares[0].rho >= pure(Fraction(1, 20))


def test_buying_nothing_or_at_no_epsilon_is_refused() -> None:
    with pytest.raises(BudgetError):
        assessment_charges(Fraction(1), 10, 1, with_floor=False, with_start=False)
    with pytest.raises(BudgetError):
        assessment_charges(Fraction(0), 10, 1)


def rho_of_draws(calls: list[tuple[str, tuple[object, ...], object]], steps_per_row: int, k: int) -> Fraction:
    """What the recorded Laplace draws cost by hand: (k 2^j/scale)^2/2 each."""
    total = Fraction(0)
    for method, arguments, _ in calls:
        assert method == "laplace"
        total += (Fraction(k * steps_per_row) / Fraction(arguments[1])) ** 2 / 2  # type: ignore[arg-type]
    return total


def covers(shares: list[AssessmentShare], calls: list[tuple[str, tuple[object, ...], object]], k: int) -> bool:
    """The check that the charges add up to at least what was drawn, with a charge for each draw."""
    charged = sum((share.rho for share in shares), ZCDP(0)).rho
    return len(shares) == len(calls) and charged >= rho_of_draws(calls, 64, k)


@pytest.mark.fault("floor and start sold for one charge")
def test_the_charges_cover_every_draw_and_two_numbers_for_one_charge_are_noticed() -> None:
    problem = mixtures.random_problem(np.random.default_rng(1))
    noise = RecordedNoise()
    bought(problem, Fraction(1, 2), noise, k=2)
    shares = assessment_charges(Fraction(1, 2), problem.counts.n, 2)
    assert covers(shares, noise.calls, 2)
    assert not covers(shares[:1], noise.calls, 2)
    assert not covers(assessment_charges(Fraction(1, 2), 10, 2, with_start=False), noise.calls, 2)


# --- values ----------------------------------------------------------------------------------------------------------


def test_without_noise_the_numbers_are_the_errors_within_a_cell() -> None:
    for problem in mixtures.random_problems(60, 2):
        found = bought(problem, Fraction(20), FixedNoise())
        floor, start = found["floor"], found["start"]
        assert abs(float(floor.value) - mixtures.optimum(problem)) <= float(floor.cell_width) / 2 + 1e-9
        assert abs(start.value - exact_start(problem)) <= start.cell_width / 2


@pytest.mark.parametrize("steps_per_row", [64, 128])
def test_the_start_in_steps_is_that_of_fractions(steps_per_row: int) -> None:
    for problem in mixtures.random_problems(60, 3):
        public = PublicProblem(problem.workload, problem.support)
        scale, rows = steps_per_row * problem.counts.n, problem.support.rows
        expected = max(
            abs(steps_per_row * c - (2 * scale * s + rows) // (2 * rows))
            for c, s in zip(problem.counts.counts.tolist(), public.start_sums.tolist(), strict=True)
        )
        assert start_steps(problem.counts, public, steps_per_row) == expected
        assert abs(Fraction(expected, scale) - exact_start(problem)) <= Fraction(1, 2 * scale)


def test_the_start_stays_exact_where_whole_numbers_outgrow_64_bits() -> None:
    n, many = 10**9 + 7, 10**9 + 9
    support = Support(BINARY, np.array([[0], [1]]), np.array([many, 2]))
    problem = PublicProblem(Workload.all_kway(BINARY, 1), support)
    counts = PrivateCounts(np.array([n - 5, 5]), n)
    expected = Fraction(5, n) - Fraction(2, many + 2)
    assert abs(Fraction(start_steps(counts, problem, 2**20), 2**20 * n) - expected) <= Fraction(1, 2**21 * n)


@pytest.mark.parametrize("rows", [1, 3])
def test_the_start_moves_by_at_most_k_rows_of_steps(rows: int) -> None:
    generator = np.random.default_rng(4)
    for _ in range(200 * AUDIT):
        problem = mixtures.random_problem(generator)
        neighbour = problem.neighbour(rows, generator)
        public = PublicProblem(problem.workload, problem.support)
        moved = start_steps(problem.counts, public, 64) - start_steps(neighbour.counts, public, 64)
        assert abs(moved) <= 64 * rows


def coverage(epsilon: Fraction, noise: NoiseSource = SECURE, runs: int = 1_000 * AUDIT) -> float:
    """How often the stated interval of a floor of 3/10, ten rows, holds it."""
    private = Dataset(BINARY, np.array([[0]] * 7 + [[1]] * 3))
    state = mixtures.solved(Problem(private, Workload.all_kway(BINARY, 1), one_row(0).support))
    held = 0
    for _ in range(runs):
        noisy = floor_release(state, epsilon, noise=noise)
        assert isinstance(noisy, NoisyError)
        held += noisy.low <= Fraction(3, 10) <= noisy.high
    return held / runs


@pytest.mark.fault("n missing")
def test_the_interval_holds_the_floor_as_often_as_stated_and_missing_n_is_noticed() -> None:
    assert coverage(Fraction(2)) >= 0.92
    assert coverage(Fraction(2), ScaledNoise(Fraction(10))) < 0.92


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        ("1/2", "2/5", "3/5"),
        ("1/20", "0", "3/20"),
        ("-1/2", "0", "1/10"),
        ("3/2", "9/10", "1"),
        ("19/20", "17/20", "1"),
    ],
)
def test_an_interval_holds_all_that_its_noise_can_hide_from_an_error_between_0_and_1(
    value: str, low: str, high: str
) -> None:
    assert interval_about(Fraction(value), Fraction(1, 10)) == (Fraction(low), Fraction(high))


def test_the_ends_are_clipped_and_the_value_is_not() -> None:
    state = mixtures.solved(one_row(0))
    noisy = floor_release(state, Fraction(1), noise=FixedNoise(-5_000))
    assert isinstance(noisy, NoisyError)
    assert noisy.value < 0
    assert (noisy.low, noisy.high) == (0, 1), "at epsilon 1, one row hides in the noise"


def test_the_error_bar_is_known_before_anything_is_drawn() -> None:
    # ln 20 rows of noise at epsilon = 1 and half a cell, about half a row.
    assert float(half_width(LatticeLaplace(Fraction(1)), 1000)) == pytest.approx((np.log(20) + 0.5) / 1000, rel=0.02)
    assert float(half_width(LatticeLaplace(Fraction(1)), 1000, purpose="start")) == pytest.approx(
        np.log(20) / 1000, rel=0.02
    )


def test_gaussian_noise_is_released_and_charged_in_rho() -> None:
    law = LatticeGaussian.costing(Fraction(1, 8))
    noisy = floor_release_under(law, mixtures.solved(one_row(1)), noise=FixedNoise())
    assert isinstance(noisy, NoisyError)
    assert noisy.epsilon is None
    assert noisy.rho == law.rho <= ZCDP.at_least(Fraction(1, 8))


# --- what can go wrong -----------------------------------------------------------------------------------------------


class Stuck(BestMixture):
    """A state whose solvers give up at once."""

    @property
    def exhausted(self) -> bool:
        return True


def test_a_floor_that_cannot_be_told_is_unresolved_at_the_full_charge() -> None:
    domain = tables.domain(2, 2)
    support = Support.of(Dataset(domain, np.array([[0, 0]] * 9 + [[1, 1]])))
    problem = Problem(Dataset(domain, np.array([[0, 1]] * 50)), Workload.all_kway(domain, 1), support)
    state = Stuck(problem.counts, problem.workload, problem.support)
    assert floor_release(state, Fraction(5), noise=FixedNoise()) == Unresolved(LatticeLaplace(Fraction(5)).rho)


def test_cancelling_leaves_no_result() -> None:
    def cancel(done: int, total: int) -> None:
        raise JobCancelled("Cancelled.")

    domain = tables.domain(2, 2)
    support = Support.of(Dataset(domain, np.array([[0, 0]] * 9 + [[1, 1]])))
    problem = Problem(Dataset(domain, np.array([[0, 1]] * 50)), Workload.all_kway(domain, 1), support)
    state = BestMixture(problem.counts, problem.workload, problem.support)
    with pytest.raises(JobCancelled):
        floor_release(state, Fraction(5), noise=FixedNoise(), progress=cancel)


def test_the_noise_is_in_nothing_that_is_returned() -> None:
    marked = 7_654_321
    found = bought(one_row(1), Fraction(1), FixedNoise(marked))
    assert str(marked) not in repr(found)
    for share in assessment_charges(Fraction(1), 1, 1):
        assert found[share.purpose].rho == share.rho


# --- what neighbours can see -----------------------------------------------------------------------------------------


@pytest.mark.audit
@pytest.mark.parametrize("release", [floors, starts], ids=["floor", "start"])
def test_what_neighbours_show_is_within_epsilon_and_near_it(release: object) -> None:
    epsilon = Fraction(1)
    ours, theirs = one_row(0), one_row(1)
    shown = shown_epsilon(
        lambda runs: release(ours, epsilon, runs),  # type: ignore[operator]
        lambda runs: release(theirs, epsilon, runs),  # type: ignore[operator]
        RUNS,
        least=RUNS // 15,
    )
    assert shown <= float(epsilon)
    assert shown >= 0.8 * float(epsilon)


@pytest.mark.audit
@pytest.mark.fault("half the noise")
def test_half_the_noise_is_noticed_by_what_neighbours_show() -> None:
    half = Fraction(1, 2)
    shown = shown_epsilon(
        lambda runs: floors(one_row(0), Fraction(1), runs, half),
        lambda runs: floors(one_row(1), Fraction(1), runs, half),
        RUNS,
    )
    assert shown > 1


def moves_within_one_row(error: object, pairs: list[tuple[Problem, Problem]]) -> bool:
    """The check that a number is sensitive by 1/n, on neighbours."""
    return all(
        abs(error(first) - error(second)) <= 1 / first.counts.n + 2e-9  # type: ignore[operator]
        for first, second in pairs
    )


@pytest.mark.fault("early-stopped best-mixture error released as 1/n")
def test_an_early_stopped_error_released_at_one_row_is_noticed() -> None:
    generator = np.random.default_rng(9)
    pairs = []
    for _ in range(200):
        problem = mixtures.random_problem(generator, n=40)
        pairs.append((problem, problem.neighbour(1, generator)))
    assert moves_within_one_row(lambda problem: float(mixtures.solved(problem).interval.upper), pairs)
    assert not moves_within_one_row(mixtures.early_stopped, pairs)
