"""The best of several candidates: its exact law however little is known of the floors, its charge, and its refusals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from privacy.laws import exponential_masses, permute_and_flip_masses
from support import mixtures, tables
from support.fakes import BitStream, FixedNoise
from support.mixtures import Problem
from support.statistical import AUDIT, BinnedLaw, assert_follows, assert_rejects, expected_epsilon, shown_epsilon

from pmwpub.errors import BudgetError, JobCancelled, PlanError
from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.mechanisms.noisy_error.assessment import Unresolved
from pmwpub.mechanisms.noisy_error.choose_best import FIRST_BITS, Best, best_charge, best_release, shortfall
from pmwpub.mechanisms.noisy_error.lazy_rounding import Refinable
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.selection import PermuteAndFlip
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

DOMAIN = tables.domain(4)
N = 12
# 6, 3, 2 and 1 rows of the four levels: a candidate without a level has a floor of at least its rows.
PRIVATE = Dataset(DOMAIN, np.array([[0]] * 6 + [[1]] * 3 + [[2]] * 2 + [[3]]))
FLOORS = (6, 3, 2, 1)
DRAWS = 4_000 * AUDIT
FEWER = 1_500 * AUDIT
RUNS = 10_000 * AUDIT


@dataclass(frozen=True)
class Ends:
    lower: Fraction
    upper: Fraction


@dataclass
class Closing:
    """A number known as a lopsided interval, half as wide with each of `steps` refinements."""

    number: Fraction
    steps: int = 400
    done: int = 0

    @property
    def interval(self) -> Ends:
        width = Fraction(1, 2**self.done)
        return Ends(max(Fraction(0), self.number - width * 3 / 8), min(Fraction(1), self.number + width * 5 / 8))

    @property
    def exhausted(self) -> bool:
        return self.done >= self.steps

    def refine(self) -> Ends:
        self.done += 1
        return self.interval


@dataclass(frozen=True)
class Known:
    """A number that is known exactly."""

    number: Fraction
    exhausted: bool = True

    @property
    def interval(self) -> Ends:
        return Ends(self.number, self.number)

    def refine(self) -> Ends:
        return self.interval


def states() -> list[BestMixture]:
    """Candidates that lack level 0, 1, 2, 3: floors of 6, 3, 2 and 1 rows."""
    workload = Workload.all_kway(DOMAIN, 1)
    found = []
    for lacking in range(4):
        support = Support.of(Dataset(DOMAIN, np.array([[level] for level in range(4) if level != lacking])))
        found.append(BestMixture(Problem(PRIVATE, workload, support).counts, workload, support))
    return found


def choose(offered: Sequence[Refinable], epsilon: Fraction, rows: int = 1, noise: NoiseSource = SECURE) -> int:
    best = best_release(offered, epsilon, private_rows=N, rows_per_person=rows, noise=noise)
    assert isinstance(best, Best)
    return best.candidate


def masses(floors: Sequence[Fraction], epsilon: Fraction, rows: int = 1) -> list[float]:
    """The exponential mechanism on -n f, from the independent law of whole scores: in units of 1/denominator rows."""
    denominator = math.lcm(*(floor.denominator for floor in floors))
    scores = [-int(N * floor * denominator) for floor in floors]
    return exponential_masses(scores, epsilon, rows * denominator)


SCORES = [
    (FLOORS, Fraction(1), 1),
    (FLOORS, Fraction(3), 3),
    ((1, 1, 1), Fraction(2), 1),
    ((0, 12), Fraction(1, 10), 1),
    ((Fraction(5, 2), 2, Fraction(1, 7), Fraction(29, 3), 2), Fraction(2), 1),
]
"""Floors in rows, epsilon, rows a person: whole and broken rows, ties, near and far."""


@pytest.mark.parametrize(("rows", "epsilon", "k"), SCORES)
def test_the_winner_follows_the_exponential_mechanism_on_the_exact_floors(
    rows: tuple[Fraction, ...], epsilon: Fraction, k: int
) -> None:
    floors = [Fraction(row) / N for row in rows]
    chosen = [choose([Closing(floor, done=7) for floor in floors], epsilon, k) for _ in range(FEWER)]
    assert_follows(BinnedLaw.by_size(masses(floors, epsilon, k), FEWER), chosen)


def test_the_winner_among_real_candidates_follows_the_law_and_wrong_laws_are_noticed() -> None:
    epsilon, offered = Fraction(1), states()
    floors = [Fraction(row, N) for row in FLOORS]
    chosen = [choose(offered, epsilon) for _ in range(DRAWS)]
    assert_follows(BinnedLaw.by_size(masses(floors, epsilon), DRAWS), chosen)
    for factor in (Fraction(7, 10), Fraction(13, 10)):
        assert_rejects(BinnedLaw.by_size(masses(floors, epsilon * factor), DRAWS), chosen)
    flipped = permute_and_flip_masses([-row for row in FLOORS], epsilon, 1)
    assert_rejects(BinnedLaw.by_size(flipped, DRAWS), chosen)


@pytest.mark.fault("early-stopped best-mixture error released as 1/n")
def test_permute_and_flip_and_an_early_stopped_floor_are_noticed() -> None:
    """Planted faults: the other law charged epsilon^2/8, and upper ends released as if they were the floors."""
    epsilon = Fraction(1)
    right = BinnedLaw.by_size(masses([Fraction(row, N) for row in FLOORS], epsilon), DRAWS)
    law = PermuteAndFlip(epsilon).law(-np.array(FLOORS), 1)
    assert_rejects(right, [law.draw(SECURE) for _ in range(DRAWS)])
    early = [Known(Fraction(row + 1 + place % 2, N)) for place, row in enumerate(FLOORS)]
    assert_rejects(right, [choose(early, epsilon) for _ in range(DRAWS)])


def test_what_is_known_on_the_way_has_no_part_in_the_choice() -> None:
    """Lazy equals eager bit for bit: on one threshold, open intervals choose what exact floors choose."""
    generator = np.random.default_rng(3)
    for _ in range(200 * AUDIT):
        denominator = int(generator.integers(1, 50))
        floors = [Fraction(int(part), denominator) for part in generator.integers(0, denominator + 1, 4)]
        epsilon = Fraction(int(generator.integers(1, 400)), 100)
        leading = int.from_bytes(generator.bytes(64), "big")
        lazy = choose([Closing(floor) for floor in floors], epsilon, noise=BitStream(leading, 512))
        started = [Closing(floor, done=int(generator.integers(0, 30))) for floor in floors]
        eager = choose([Known(floor) for floor in floors], epsilon, noise=BitStream(leading, 512))
        assert lazy == choose(started, epsilon, noise=BitStream(leading, 512)) == eager


@pytest.mark.parametrize("side", [-1, 1])
def test_a_threshold_next_to_the_edge_of_two_ties_asks_for_more_bits_and_is_decided(side: int) -> None:
    """Two equal floors meet at U = 1/2; bits beyond the first 128 decide which side a U within 2^-200 of it is on."""
    width = 4 * FIRST_BITS
    noise = BitStream((1 << (width - 1)) + side * (1 << (width - 200)), width)
    tied = [Closing(Fraction(1, 3)), Closing(Fraction(1, 3))]
    assert choose(tied, Fraction(1), noise=noise) == (1 + side) // 2
    assert noise.used > FIRST_BITS


def test_candidates_that_hardly_matter_are_never_refined() -> None:
    """A floor hundreds of rows behind has next to no weight: only the two leaders need work."""
    offered = [Closing(Fraction(1, 50)), Closing(Fraction(1, 40)), Closing(Fraction(9, 10), done=4)]
    for _ in range(50):
        best_release(offered, Fraction(1), private_rows=10_000)
    assert offered[2].done == 4
    assert min(offered[0].done, offered[1].done) > 4


def test_intervals_of_several_rows_are_narrow_enough_for_a_small_epsilon() -> None:
    """Floors known to 5 of 11,439 rows, at epsilon = 1/100: an exact floor is needed in about 1 % of the draws."""
    refined, runs, n = 0, 2_000, 11_439
    for _ in range(runs):
        offered = [Closing(Fraction(place + 20, n), done=11) for place in range(3)]
        best_release(offered, Fraction(1, 100), private_rows=n)
        refined += any(state.done > 11 for state in offered)
    assert refined < runs / 20


def test_one_choice_costs_an_eighth_of_epsilon_squared_however_many_candidates() -> None:
    assert best_charge(Fraction(1, 10)) == ZCDP.at_least(Fraction(1, 800))
    for offered in (states(), states()[:2]):
        best = best_release(offered, Fraction(1, 10), private_rows=N, noise=FixedNoise())
        assert best.rho == best_charge(Fraction(1, 10))


# --- what neighbours can see -----------------------------------------------------------------------------------------


def loss(first: Sequence[float], second: Sequence[float], n: int, epsilon: float, rows: int = 1) -> float:
    """The largest log ratio of the two exact laws, in floats."""
    logs = []
    for errors in (first, second):
        scores = -np.array(errors) * n * epsilon / (2 * rows)
        logs.append(scores - scores.max() - np.log(np.exp(scores - scores.max()).sum()))
    return float(np.abs(logs[0] - logs[1]).max())


def supports_of(problem: Problem, generator: np.random.Generator) -> list[Support]:
    """Six small supports on the problem's domain."""
    domain = problem.private.domain
    tables_ = [np.stack([generator.integers(0, size, 8) for size in domain.shape], axis=1) for _ in range(6)]
    return [Support.of(Dataset(domain, codes)) for codes in tables_]


def largest_loss(error: Callable[[Problem], float], rows: int, pairs: int) -> float:
    """Over neighbours, of a choice between the candidate that rose most and a hundred of the one that fell most."""
    generator, losses = np.random.default_rng(11), []
    for _ in range(pairs):
        first = mixtures.random_problem(generator, n=40)
        second, supports = first.neighbour(rows, generator), supports_of(first, generator)
        errors = [
            np.array([error(Problem(each.private, each.workload, support)) for support in supports])
            for each in (first, second)
        ]
        moved = errors[1] - errors[0]
        offered = [int(moved.argmax())] + [int(moved.argmin())] * 100
        losses.append(loss(errors[0][offered], errors[1][offered], 40, 1.0, rows))
    return max(losses)


@pytest.mark.parametrize("rows", [1, 3])
def test_neighbours_choose_alike_within_epsilon(rows: int) -> None:
    assert largest_loss(lambda problem: float(mixtures.solved(problem).interval.upper), rows, 25 * AUDIT) <= 1 + 1e-6


@pytest.mark.fault("early-stopped best-mixture error released as 1/n")
def test_early_stopped_errors_would_break_epsilon() -> None:
    """The planted fault again, as what neighbours see: the recipe's errors move by more than a row."""
    assert largest_loss(mixtures.early_stopped, 1, 150) > 1.05


ROWS_OF_ONE = ((1, 0, 0, 0, 0), (0, 1, 1, 1, 1))
"""Floors, in rows, of five candidates on one private row: all but the first lack the neighbour's level."""


def of_one_row(level: int) -> list[BestMixture]:
    """Candidates for one private row of that level of two: the first knows level 1 only, the others level 0 only."""
    domain = tables.domain(2)
    private, workload = Dataset(domain, np.array([[level]])), Workload.all_kway(domain, 1)
    supports = [Support.of(Dataset(domain, np.array([[known]]))) for known in (1, 0, 0, 0, 0)]
    return [mixtures.solved(Problem(private, workload, support)) for support in supports]


@pytest.mark.audit
@pytest.mark.parametrize("epsilon", [Fraction(2), Fraction(3)])
def test_what_neighbours_show_is_within_epsilon_and_near_the_exact_loss(epsilon: Fraction) -> None:
    ours, theirs = of_one_row(0), of_one_row(1)

    def draws(offered: list[BestMixture], runs: int) -> list[int]:
        found = (best_release(offered, epsilon, private_rows=1) for _ in range(runs))
        return [best.candidate for best in found if isinstance(best, Best)]

    shown = shown_epsilon(lambda runs: draws(theirs, runs), lambda runs: draws(ours, runs), RUNS)
    laws = [exponential_masses([-row for row in rows], epsilon, 1) for rows in ROWS_OF_ONE]
    exact = expected_epsilon(laws[1], laws[0], 10**12)
    assert exact <= float(epsilon)
    assert 0.8 * exact <= shown <= float(epsilon)


@pytest.mark.audit
@pytest.mark.fault("half the noise")
def test_half_the_stated_noise_is_noticed_by_what_neighbours_show() -> None:
    """The planted fault: a choice at four times the epsilon that is charged."""
    ours, theirs = of_one_row(0), of_one_row(1)

    def draws(offered: list[BestMixture], runs: int) -> list[int]:
        found = (best_release(offered, Fraction(8), private_rows=1) for _ in range(runs))
        return [best.candidate for best in found if isinstance(best, Best)]

    assert shown_epsilon(lambda runs: draws(theirs, runs), lambda runs: draws(ours, runs), RUNS) > 2


# --- what can go wrong -----------------------------------------------------------------------------------------------


def test_a_candidate_that_cannot_be_told_leaves_the_choice_unresolved_at_the_full_charge() -> None:
    stuck = [Closing(Fraction(1, 2), steps=3), Closing(Fraction(1, 2), steps=3)]
    best = best_release(stuck, Fraction(5), private_rows=50, noise=FixedNoise(place=0.5))
    assert best == Unresolved(best_charge(Fraction(5)))
    assert all(state.exhausted for state in stuck)


def test_a_candidate_that_cannot_be_told_is_no_hindrance_where_it_does_not_matter() -> None:
    offered = [Known(Fraction(0)), Closing(Fraction(4, 5), steps=3)]
    best = best_release(offered, Fraction(1), private_rows=1_000, noise=FixedNoise(place=0.5))
    assert best == Best(0, best_charge(Fraction(1)))


def test_cancelling_leaves_no_choice() -> None:
    def cancel(done: int, total: int) -> None:
        raise JobCancelled("Cancelled.")

    with pytest.raises(JobCancelled):
        best_release([Closing(Fraction(1, 2))] * 2, Fraction(1), private_rows=50, progress=cancel)


def test_a_choice_of_one_or_without_a_budget_is_refused() -> None:
    with pytest.raises(PlanError):
        best_release(states()[:1], Fraction(1), private_rows=N)
    with pytest.raises(BudgetError):
        best_release(states(), Fraction(0), private_rows=N)
    with pytest.raises(BudgetError):
        best_release(states(), Fraction(1), private_rows=N, rows_per_person=0)


@pytest.mark.parametrize(("epsilon", "candidates", "rows", "k"), [("1/20", 3, 11_439, 1), ("1/2", 12, 300, 2)])
def test_the_shortfall_is_missed_with_at_most_the_stated_probability(
    epsilon: str, candidates: int, rows: int, k: int
) -> None:
    """Worst case: all others lie just beyond it. Their share of the mass, from the law itself."""
    gap = shortfall(Fraction(epsilon), candidates, rows, k, missed=0.05)
    others = (candidates - 1) * math.exp(-gap * rows * float(Fraction(epsilon)) / (2 * k))
    assert 0.02 < others / (1 + others) <= 0.05
