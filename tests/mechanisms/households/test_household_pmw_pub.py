"""PMW^Pub over households against plain formulas on dense tables, its charge, and what a neighbour can see of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.households.toy_households import Home, homes, households, tables, vectors
from support.planting import plant
from support.scripted import Script

from pmwpub.errors import DomainError, PlanError
from pmwpub.mechanisms.households import household_atoms, household_pmw_pub, household_rounds
from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdCounts, count_households
from pmwpub.mechanisms.households.household_pmw_pub import HouseholdRoundRelease, replayed_weights
from pmwpub.mechanisms.households.household_rounds import HouseholdRounds
from pmwpub.mechanisms.households.household_scores import HouseholdProblem
from pmwpub.mechanisms.households.household_steps import started
from pmwpub.mechanisms.pmw_pub.algorithm import Output, Replay, Start
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.measurement import DiscreteGaussian
from pmwpub.privacy.round_share import RoundShare
from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip

H = 3
PUBLIC: list[Home] = [
    ((0, 0, 0), (0, 1, 1)), ((0, 1, 1), (0, 0, 0)), ((1, 1, 0),), ((1, 2, 1), (1, 2, 0)),
    ((0, 1, 0), (0, 0, 1), (0, 0, 0)), ((1, 0, 1), (1, 1, 0)), ((0, 2, 1),),
]  # fmt: skip
PRIVATE: list[Home] = [PUBLIC[0], PUBLIC[3], PUBLIC[4], PUBLIC[4], PUBLIC[6]]
N = len(PRIVATE)
CHILDREN, ALONE = 2, tables(H).persons.queries
"""The query of persons that are children, by two as far as two of one home; that of homes of one person."""


class Level:
    """One level's measurement of a script, which says for what sensitivity it is made."""

    def __init__(self, script: Script, sensitivity: int) -> None:
        self.script, self.sensitivity, self.rho, self.shown = script, sensitivity, script.rho, []

    def measure(self, count: int, *, noise: object = None) -> int:
        self.shown.append(count)
        return self.script.measure(count)


def scripted(script: Script, n: int = N, **settings: object) -> HouseholdRounds:
    persons, own = (Level(script, most) for most in (H, 1))
    share = RoundShare(Fraction(1), script, persons)  # type: ignore[arg-type]
    return HouseholdRounds(len(script.queries), share, own, n, H, **settings)  # type: ignore[arg-type]


def planned(rho: Fraction, rounds: int, n: int = N, **settings: object) -> HouseholdRounds:
    return household_rounds.household_rounds(ZCDP.at_most(rho), rounds, n=n, largest=H, **settings)  # type: ignore[arg-type]


def problem_of(public: Sequence[Home] = PUBLIC) -> HouseholdProblem:
    return HouseholdProblem(tables(H), HouseholdAtoms.of(households(public, H)))


def counted(some: Sequence[Home]) -> HouseholdCounts:
    return count_households(tables(H), households(some, H))


def run(some: Sequence[Home], schedule: HouseholdRounds) -> HouseholdRoundRelease:
    return household_pmw_pub.household_pmw_pub(counted(some), problem_of(), schedule)


def dense(some: HouseholdAtoms) -> np.ndarray:
    """float64 (m, Q): x_h(q), by loops over the persons of each atom."""
    edges, codes = some.households.starts.tolist(), some.households.persons.codes.tolist()
    found = []
    for begin, end in pairwise(edges):
        levels = vectors(tuple(tuple(person) for person in codes[begin:end]), H)
        found.append([cell for level in levels for table in level for cell in table])
    return np.array(found, dtype=float)


def plain_iterates(script: Script, n: int = N) -> list[np.ndarray]:
    """A_0 .. A_T without replay: the step of Algorithm 1 for the query x_h(q)/M_q, which lies in [0, 1]."""
    atoms = problem_of().atoms
    x, weights = dense(atoms), atoms.multiplicity / atoms.multiplicity.sum()
    iterates = [weights]
    for query, noisy in zip(script.queries, script.noisy_counts, strict=True):
        most = max(1.0, x[:, query].max())
        q, a = x[:, query] / most, min(1.0, max(0.0, noisy / n / most))
        weights = weights * np.exp(q * (a - q @ weights) / 2)
        weights = weights / weights.sum()
        iterates.append(weights)
    return iterates


# ---- Algorithm 1


QUERIES, NOISY = [CHILDREN, ALONE, 0, 9, CHILDREN + 1], [9, 4, -3, 2, 99]


def assert_the_last_weights_are_those_of_the_formulas() -> None:
    script = Script(QUERIES, NOISY)
    found = run(PRIVATE, scripted(script, replay=Replay.OFF))
    assert found.weights == pytest.approx(plain_iterates(script)[-1], abs=1e-12), "another step than Algorithm 1's"


def test_the_last_weights_are_those_of_the_plain_formulas() -> None:
    assert dense(problem_of().atoms)[:, CHILDREN].max() == 2, "a query of which one home has two persons"
    assert_the_last_weights_are_those_of_the_formulas()


@pytest.mark.fault("an atom counted in one cell")
def test_a_run_whose_atoms_are_counted_once_a_cell_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = "shape=(len(self), workload.queries))"
    plant(monkeypatch, household_atoms.HouseholdAtoms, "incidence", right, right + ".minimum(1)")
    with pytest.raises(AssertionError, match="another step"):
        assert_the_last_weights_are_those_of_the_formulas()


def test_the_average_runs_over_the_weights_before_each_round() -> None:
    script = Script(QUERIES, NOISY)
    found = run(PRIVATE, scripted(script, replay=Replay.OFF, output=Output.AVERAGE))
    assert found.weights == pytest.approx(np.mean(plain_iterates(script)[:-1], axis=0), abs=1e-12)


def test_a_uniform_start_puts_equal_weight_on_each_different_household() -> None:
    script = Script([CHILDREN], [4])
    found = run(PRIVATE, scripted(script, output=Output.AVERAGE, start=Start.UNIFORM))
    assert found.weights == pytest.approx(np.full(6, 1 / 6))


def test_scores_of_each_round_are_whole_and_of_the_weights_by_then() -> None:
    """u = (H/Delta)|c - floor(n q(A) + 1/2)|; weights are rounded down to units of 2^-40 and less of the whole, so an
    exact half may fall by one."""
    script = Script(QUERIES, NOISY)
    schedule = scripted(script, replay=Replay.OFF)
    run(PRIVATE, schedule)
    x, counts = dense(problem_of().atoms), dense(HouseholdAtoms.of(households(PRIVATE, H)))
    exact = HouseholdAtoms.of(households(PRIVATE, H)).multiplicity @ counts
    units = np.array([1] * ALONE + [H] * (x.shape[1] - ALONE))
    for scores, weights in zip(script.scores, plain_iterates(script), strict=False):
        answers = N * (weights @ x)
        expected = units * np.abs(exact - np.floor(answers + 0.5))
        apart, half = np.abs(scores - expected), np.abs(answers % 1 - 0.5) < 1e-9
        assert scores.dtype == np.int64
        assert apart[~half].max() == 0
        assert (apart <= units).all()
    assert script.sensitivities == [H] * 5


def test_each_level_is_measured_by_its_own_noise_and_shown_its_exact_count() -> None:
    script = Script(QUERIES, NOISY)
    schedule = scripted(script)
    run(PRIVATE, schedule)
    x = dense(HouseholdAtoms.of(households(PRIVATE, H)))
    exact = HouseholdAtoms.of(households(PRIVATE, H)).multiplicity @ x
    assert schedule.share.measurement.shown == [exact[q] for q in QUERIES if q < ALONE]  # type: ignore[attr-defined]
    assert schedule.own.shown == [exact[q] for q in QUERIES if q >= ALONE]  # type: ignore[attr-defined]


def test_replay_repeats_the_answers_that_are_as_wrong_and_leaves_the_others() -> None:
    """The query of the first round is met when it is measured again; the second one is far off and is stepped twice."""
    once = run(PRIVATE, scripted(Script([CHILDREN], [5]), replay=Replay.OFF)).weights
    twice = run(PRIVATE, scripted(Script([CHILDREN], [5]), replay=Replay.HALF)).weights
    x = dense(problem_of().atoms)[:, CHILDREN]
    start = problem_of().atoms.start
    assert abs(1 - x @ twice) < abs(1 - x @ once) < abs(1 - x @ start), "nearer to 5 children in 5 homes each time"


def test_a_query_that_no_public_household_satisfies_moves_nothing() -> None:
    x = dense(problem_of().atoms)
    (empty,) = np.flatnonzero(x.max(axis=0) == 0)[:1].tolist()
    found = run(PRIVATE, scripted(Script([empty], [5])))
    assert found.weights == pytest.approx(problem_of().atoms.start)


def test_a_long_run_with_a_large_budget_comes_close_to_the_private_households() -> None:
    """Every private household is a public one, so all cells of both levels can be met."""
    private = PRIVATE * 200
    found = household_pmw_pub.household_pmw_pub(
        counted(private), problem_of(), planned(Fraction(4_000), 120, len(private))
    )
    some, x = problem_of().atoms, dense(problem_of().atoms)
    exact = HouseholdAtoms.of(households(private, H))
    errors = np.abs(found.weights @ x - exact.start @ dense(exact))
    assert errors.max() < 0.1
    assert np.abs(some.start @ x - exact.start @ dense(exact)).max() > 0.5


# ---- what is charged


def assert_every_round_is_charged(schedule: HouseholdRounds, found: HouseholdRoundRelease) -> None:
    """One selection, and the measurement of the query's own level, for each line of the transcript."""
    laws = [schedule.own if line.query >= ALONE else schedule.share.measurement for line in found.transcript]
    spent = sum((schedule.share.selection.rho + law.rho for law in laws), ZCDP(0))
    assert found.rho == schedule.rho >= spent, "a round was not charged"


@given(st.fractions(Fraction(1, 1000), Fraction(50)), st.integers(1, 60), st.integers(1, 20))
def test_rounds_cost_at_most_the_budget_and_nearly_all_of_it(rho: Fraction, rounds: int, largest: int) -> None:
    budget = ZCDP.at_most(rho)
    made = household_rounds.household_rounds(budget, rounds, n=10, largest=largest)
    assert budget.units * 999 // 1000 <= made.rho.units <= budget.units
    epsilon0 = float(made.share.epsilon0)
    assert float(made.share.measurement.scale) == pytest.approx(largest / epsilon0)
    assert float(made.own.scale) == pytest.approx(1 / epsilon0)
    assert made.share.selection.epsilon == 2 * made.share.epsilon0
    assert rounds * epsilon0**2 == pytest.approx(float(rho), rel=1e-3), "T epsilon0^2"


def test_permute_and_flip_is_charged_as_pure() -> None:
    made = planned(Fraction(1), 4, selection=PermuteAndFlip)
    assert made.share.selection == PermuteAndFlip(made.share.epsilon0)
    assert made.rho <= ZCDP.at_most(1)


def test_every_round_of_a_run_is_charged() -> None:
    schedule = planned(Fraction(1, 2), 6)
    assert_every_round_is_charged(schedule, run(PRIVATE, schedule))


@pytest.mark.fault("a round not charged")
def test_a_round_of_households_that_is_not_charged_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, HouseholdRounds, "rho", "* self.rounds", "* (self.rounds - 1)")
    schedule = planned(Fraction(1, 2), 6)
    with pytest.raises(AssertionError, match="not charged"):
        assert_every_round_is_charged(schedule, run(PRIVATE, schedule))


@pytest.mark.fault("a household replaced as one row")
def test_rounds_whose_noise_is_for_one_row_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, household_rounds, "household_rounds", "rows_per_person=largest", "rows_per_person=1")
    with pytest.raises(PlanError, match="by its most persons"):
        planned(Fraction(1), 3)


# ---- what one household moves


def assert_a_neighbour_moves_nothing_but_scores_by_h(ours: Home, theirs: Home, rest: Sequence[Home]) -> None:
    """With selections and noisy answers forced equal: weights and charge to the bit, every score by at most H."""
    seen = []
    for home in (ours, theirs):
        script = Script(QUERIES, NOISY)
        found = run([home, *rest], scripted(script, len(rest) + 1))
        seen.append((script, found.weights.tobytes(), found.transcript, found.rho))
    (mine, *said), (other, *also) = seen
    assert said == also, "a neighbour shows"
    moved = max(int(np.abs(a - b).max()) for a, b in zip(mine.scores, other.scores, strict=True))
    assert moved <= H, "a score moves by more than H"
    apart = [abs(a - b) for a, b in zip(mine.counts, other.counts, strict=True)]
    allowed = [H if q < ALONE else 1 for q in QUERIES]
    assert all(a <= b for a, b in zip(apart, allowed, strict=True)), "a count moves by more than its noise is made for"


@settings(max_examples=60, deadline=None)
@given(homes(H), homes(H), st.lists(homes(H), max_size=3))
def test_no_household_of_any_size_shows_but_in_scores_by_h_and_counts(
    ours: Home, theirs: Home, rest: list[Home]
) -> None:
    assert_a_neighbour_moves_nothing_but_scores_by_h(ours, theirs, rest)


LARGE: Home = ((0, 0, 0),) * H
SMALL: Home = ((1, 1, 1),)


def test_one_person_by_the_largest_household_and_back() -> None:
    for one, other in ((SMALL, LARGE), (LARGE, SMALL), (LARGE, ((2, 3, 2),))):
        assert_a_neighbour_moves_nothing_but_scores_by_h(one, other, PRIVATE[:2])


@pytest.mark.fault("the number of persons treated as public")
@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("run = _Run(problem, schedule)", "run = _Run(problem, schedule); "
         "run.iterate.values[0] *= 1 + int(counts.persons[:2].sum())", "a neighbour shows"),
        ("run = _Run(problem, schedule)", "run = _Run(problem, schedule.__class__(schedule.rounds, schedule.share, "
         "schedule.own, int(counts.persons[:2].sum()), schedule.largest))", "a neighbour shows"),
    ],
    ids=["weights that follow it", "answers that are shares of it"],
)  # fmt: skip
def test_a_number_of_persons_that_a_run_follows_is_caught(
    monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, words: str
) -> None:
    plant(monkeypatch, household_pmw_pub, "household_pmw_pub", right, wrong)
    with pytest.raises(AssertionError, match=words):
        assert_a_neighbour_moves_nothing_but_scores_by_h(SMALL, LARGE, PRIVATE[:2])


# ---- made again, and refused


@pytest.mark.parametrize("output", list(Output))
def test_the_transcript_and_the_public_seed_give_the_weights_again_to_the_bit(output: Output) -> None:
    schedule = planned(Fraction(2), 20, output=output, replay_seed=9)
    found = run(PRIVATE, schedule)
    assert replayed_weights(problem_of(), schedule, found.transcript).tobytes() == found.weights.tobytes()
    assert math.fsum(found.weights) == pytest.approx(1)


def test_progress_counts_the_rounds() -> None:
    seen: list[tuple[int, int]] = []
    household_pmw_pub.household_pmw_pub(
        counted(PRIVATE), problem_of(), planned(Fraction(1), 2), progress=lambda *step: seen.append(step)
    )
    assert seen == [(0, 2), (1, 2), (2, 2)]


def test_what_does_not_belong_together_is_refused() -> None:
    with pytest.raises(PlanError, match="other terms"):
        run(PRIVATE, planned(Fraction(1), 2, N + 1))
    other = count_households(tables(H), households(PRIVATE, H))
    cut = HouseholdCounts(other.persons[:-1], np.append(other.own, 0), N, H)
    with pytest.raises(PlanError, match="other queries"):
        household_pmw_pub.household_pmw_pub(cut, problem_of(), planned(Fraction(1), 2))
    share = planned(Fraction(1), 1).share
    with pytest.raises(PlanError, match="at least one round"):
        HouseholdRounds(0, share, DiscreteGaussian(Fraction(1)), N, H)
    assert isinstance(share.selection, ExponentialMechanism)


def test_tables_beyond_exact_sums_are_refused_before_a_run() -> None:
    with pytest.raises(DomainError, match="exact 64-bit sums"):
        started(problem_of(), Start.PUBLIC, 2**47)
    assert started(problem_of(), Start.PUBLIC, 10**9).unit >= 2**16
