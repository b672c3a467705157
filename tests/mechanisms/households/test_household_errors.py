"""Noisy errors and choices of households: exact steps, stated laws in both arms, what neighbours show, faults."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.households.test_household_mixture import COMPLETE, by_fractions, optimum, solved
from mechanisms.households.test_household_scores import BIG, SMALL, H, counted, problem
from mechanisms.households.toy_households import Home, homes
from privacy.laws import exponential_masses, permute_and_flip_masses
from support.audits import EventGate
from support.fakes import FixedNoise, RecordedNoise, ScaledNoise
from support.mixtures import Batched
from support.planting import plant
from support.statistical import ALPHA, AUDIT, BinnedLaw, assert_both_arms, assert_follows, assert_rejects

from pmwpub.errors import BudgetError, PlanError
from pmwpub.mechanisms.households import household_errors as engine
from pmwpub.mechanisms.households.household_counts import HouseholdCounts
from pmwpub.mechanisms.households.household_errors import KnownError, household_choice
from pmwpub.mechanisms.noisy_error.assessment import NoisyError
from pmwpub.mechanisms.noisy_error.choose_best import Best, best_charge
from pmwpub.privacy.budget import ZCDP, pure
from pmwpub.privacy.lattice_noise import LatticeLaplace
from pmwpub.privacy.noise import SECURE, NoiseSource

DRAWS = 3_000 * AUDIT
PRIVATE = [BIG, SMALL]


HALVES = problem([BIG, SMALL])
"""Public homes: one of one person and one of three. In the order of their codes, the three children come first."""


def noisy(private: Sequence[Home], law: LatticeLaplace, noise: NoiseSource) -> NoisyError:
    """The error of public homes as they are."""
    counts = known_counts(tuple(private))
    return engine.household_error_under(law, counts, HALVES, HALVES.atoms.multiplicity, noise=noise)


@cache
def known_counts(private: tuple[Home, ...]) -> HouseholdCounts:
    return counted(private)


def steps_of(private: Sequence[Home], law: LatticeLaplace, noise: NoiseSource) -> int:
    """The released lattice step of one draw."""
    return int(noisy(private, law, noise).value * len(private) * H * law.steps_per_row)


def ordered(home: Home) -> Home:
    """Two homes of the same persons are one atom."""
    return tuple(sorted(home))


# ---- the number itself


@settings(max_examples=100, deadline=None)
@given(st.lists(homes(H), min_size=1, max_size=4), st.lists(COMPLETE, min_size=1, max_size=4, unique_by=ordered))
def test_without_noise_the_release_is_the_error_but_for_rounding_and_its_interval_holds_it(
    private: list[Home], public: list[Home]
) -> None:
    of = problem(public)
    found = engine.household_error_release(counted(private), of, of.atoms.multiplicity, Fraction(1), noise=FixedNoise())
    expected = by_fractions(private, public, [1] * len(public), H)
    assert abs(found.value - expected) <= Fraction(H, 2 * 64 * len(private) * H)
    assert found.low <= expected <= found.high
    assert (found.epsilon, found.confidence) == (1, Fraction(95, 100))


def test_an_interval_has_room_for_the_noise_and_for_what_rounding_hides() -> None:
    """By hand, n = 2, H = 3: at an error of 1/2, bars of reach + H/2 steps."""
    law = LatticeLaplace(Fraction(10), H)
    found = noisy([SMALL, SMALL], law, FixedNoise())
    bar = (law.reach(Fraction(95, 100)) + Fraction(3, 2)) / (law.steps_per_row * 2 * 3)
    assert (found.value, found.low, found.high) == (Fraction(1, 2), Fraction(1, 2) - bar, Fraction(1, 2) + bar)


def test_released_weights_are_whole_numbers_within_what_floats_hold() -> None:
    weights = np.array([0.75, 0.25])
    whole = engine.whole_released(weights)
    assert whole.tolist() == [3 * 2**50, 2**50]
    found = engine.household_error_release(counted([BIG, SMALL]), HALVES, whole, Fraction(1), noise=FixedNoise())
    assert abs(found.value - Fraction(1, 4)) <= Fraction(1, 256)


def test_a_law_for_another_largest_household_and_no_epsilon_are_refused() -> None:
    with pytest.raises(PlanError, match="another largest"):
        noisy(PRIVATE, LatticeLaplace(Fraction(1), 1), SECURE)
    of = problem([BIG])
    with pytest.raises(BudgetError):
        engine.household_error_release(counted([BIG]), of, of.atoms.multiplicity, Fraction(0))


# ---- its law, its price


def stated_law(centre: int, scale: float) -> BinnedLaw:
    """Discrete Laplace: P(z) in proportion to e^(-|z|/scale)."""
    offsets = range(-math.ceil(40 * scale), math.ceil(40 * scale) + 1)
    return BinnedLaw.of([centre + z for z in offsets], [math.exp(-abs(z) / scale) for z in offsets])


def draws_at(factor: Fraction, draws: int, law: LatticeLaplace) -> list[int]:
    noise = Batched(ScaledNoise(factor))
    return [steps_of(PRIVATE[:1], law, noise) for _ in range(draws)]


def test_the_released_step_is_discrete_laplace_of_h_persons_over_epsilon() -> None:
    """One private home of three children, public halves: "has three persons" is off by 1/2 household, 1.5 units of H
    at n = 1, 768 steps of 2^9 = 512 at epsilon 8; the scale is 512 * 3/8 = 192 steps."""
    law = LatticeLaplace(Fraction(8), H)
    assert_both_arms(stated_law(768, 192.0), lambda factor, draws: draws_at(factor, draws, law), 12_000 * AUDIT)


def test_an_assessment_is_priced_for_h_persons_of_n_h() -> None:
    floor, start = engine.household_charges(Fraction(1), 60, 4, with_floor=True, with_start=True)
    assert (floor.epsilon, start.epsilon) == (Fraction(4, 5), Fraction(1, 5))
    assert floor.sensitivity == start.sensitivity == "4/60 persons per household"
    # 4/epsilon persons: 5, and 20; of 240: a share of 1/(epsilon n)
    assert (floor.scale_text, start.scale_text) == ("0.0208333 (5 persons)", "0.0833333 (20 persons)")
    assert floor.rho >= pure(Fraction(4, 5))
    with pytest.raises(BudgetError):
        engine.household_charges(Fraction(1), 60, 4, with_floor=False, with_start=False)


def test_the_charge_covers_the_one_draw_that_is_made() -> None:
    noise, epsilon = RecordedNoise(), Fraction(1, 2)
    of = problem([BIG, SMALL])
    found = engine.household_error_release(counted(PRIVATE), of, of.atoms.multiplicity, epsilon, noise=noise)
    ((method, (_, scale), _),) = noise.calls
    assert method == "laplace"
    (charge,) = engine.household_charges(epsilon, 2, H, with_floor=False, with_start=True)
    assert charge.rho.rho >= (64 * H / Fraction(scale)) ** 2 / 2  # type: ignore[arg-type]  # (2^j H/scale)^2/2 by hand
    assert found.rho == charge.rho


# ---- what neighbours show


EPSILON = Fraction(2)
APART = ([BIG, BIG, SMALL], [BIG, BIG, BIG])
"""The error is 1/6 and 1/2: it moves by 1/n, the whole bound."""


def event_gate(mine: bool, factor: float = 1.0) -> tuple[EventGate, int]:
    """Of a step half way or further between both centres, by the exact law at the charge."""
    law = LatticeLaplace(EPSILON, H)
    near, far = (steps_of(private, law, FixedNoise()) for private in APART)
    assert far - near == law.steps_per_row * H, "the whole bound"
    cut, centre = (near + far) // 2, near if mine else far
    shrink = math.exp(-1 / (float(law.scale) * factor))
    beyond = shrink ** abs(cut - centre) / (1 + shrink)  # P(Z >= t) = a^t/(1 + a)
    exact = beyond if cut > centre else 1 - shrink ** (centre - cut + 1) / (1 + shrink)
    return EventGate(exact, 6_000 * AUDIT), cut


def hits(mine: bool, cut: int, runs: int) -> int:
    law, noise = LatticeLaplace(EPSILON, H), Batched()
    return sum(steps_of(APART[not mine], law, noise) >= cut for _ in range(runs))


@pytest.mark.audit
@pytest.mark.parametrize("mine", [True, False], ids=["ours", "theirs"])
def test_an_event_of_the_noisy_error_is_as_frequent_as_the_exact_law_at_the_charge_has_it(mine: bool) -> None:
    gate, cut = event_gate(mine)
    gate.assert_passed(hits(mine, cut, gate.runs))


def twice_the_rho(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise of 1/sqrt(2) of its scale costs twice the rho that is charged."""
    plant(
        monkeypatch, LatticeLaplace, "draw", "self.scale", "self.scale * Fraction(707_106_781, 10**9)"
    )  # fmt: skip


@pytest.mark.audit
@pytest.mark.fault("twice the charged rho in an error of households")
def test_noise_for_twice_the_charged_rho_fails_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, cut = event_gate(True)
    twice_the_rho(monkeypatch)
    with pytest.raises(AssertionError, match="the event happened in"):
        gate.assert_passed(hits(True, cut, gate.runs))


@pytest.mark.audit
@pytest.mark.fault("a household replaced as one row in an error")
def test_noise_for_one_person_where_a_household_has_three_fails_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, cut = event_gate(True)
    plant(monkeypatch, LatticeLaplace, "draw", "self.scale", "self.scale / self.rows_per_person")
    with pytest.raises(AssertionError, match="the event happened in"):
        gate.assert_passed(hits(True, cut, gate.runs))


def test_the_gate_passes_the_exact_law_and_catches_twice_the_rho_almost_surely() -> None:
    for mine in (True, False):
        gate, _ = event_gate(mine)
        assert gate.catching(gate.exact) <= ALPHA
        assert gate.catching(event_gate(mine, math.sqrt(0.5))[0].exact) > 0.999


@pytest.mark.fault("half the noise")
def test_half_the_noise_in_an_error_of_households_is_caught() -> None:
    law = LatticeLaplace(Fraction(8), H)
    assert_rejects(stated_law(768, 192.0), draws_at(Fraction(1, 2), DRAWS, law))


@settings(max_examples=80, deadline=None)
@given(homes(H), homes(H), st.lists(homes(H), max_size=3), st.lists(COMPLETE, min_size=1, max_size=3))
def test_no_household_moves_the_steps_of_an_error_by_more_than_h_persons(
    ours: Home, theirs: Home, rest: list[Home], public: list[Home]
) -> None:
    of = problem(public)
    mine, other = (
        engine.household_error_steps(counted([one, *rest]), of, of.atoms.multiplicity, 64) for one in (ours, theirs)
    )
    assert abs(mine - other) <= 64 * H


# ---- floors


def test_without_noise_a_floor_is_the_optimum_but_for_its_grid() -> None:
    """Cells about a noise scale wide, an odd number of steps: at epsilon 3 a person is 256 (from 192 up) and H/epsilon
    is one person, so 257 steps of 1/(256 n H)."""
    public = [BIG, ((1, 1, 0), (1, 2, 1))]
    for private in ([SMALL, SMALL], [BIG, SMALL, ((0, 0, 1),)], [((0, 1, 1),) * 2]):
        n = len(private)
        state = solved(private, public)
        found = engine.household_floor_release(state, Fraction(3), noise=FixedNoise())
        assert isinstance(found, NoisyError)
        assert found.cell_width == Fraction(257, 256 * n * H)
        assert abs(float(found.value) - optimum(private, public)) <= float(found.cell_width) / 2 + 1e-9
        assert found.low <= Fraction(optimum(private, public)) + Fraction(1, 10**9)


# ---- choices


def exact_errors(private: Sequence[Home], offered: Sequence[Sequence[Home]]) -> list[Fraction]:
    return [by_fractions(private, public, [1] * len(public), H) for public in offered]


def masses(
    errors: Sequence[Fraction], n: int, epsilon: Fraction, law: Callable[..., list[float]] = exponential_masses
) -> list[float]:
    """On the scores -n H f at sensitivity H, in units of 1/denominator person."""
    denominator = math.lcm(*(error.denominator for error in errors))
    return law([-int(n * H * error * denominator) for error in errors], epsilon, H * denominator)


OFFERED = ([BIG], [SMALL], [BIG, SMALL], [SMALL, ((0, 1, 0),)])
FOUR = [SMALL, SMALL, BIG, ((0, 1, 0), (0, 0, 1))]


def choices(private: Sequence[Home], epsilon: Fraction, draws: int, offered: Sequence[Sequence[Home]]) -> list[int]:
    counts = counted(private)
    states = [KnownError.of(counts, problem(public)) for public in offered]
    found = [household_choice(states, epsilon) for _ in range(draws)]
    return [one.candidate for one in found if isinstance(one, Best)]


def test_the_choice_follows_the_exponential_mechanism_on_exact_errors_and_wrong_laws_are_noticed() -> None:
    epsilon, n = Fraction(3), len(FOUR)
    errors = exact_errors(FOUR, OFFERED)
    assert len(set(errors)) >= 3
    found = choices(FOUR, epsilon, DRAWS, OFFERED)
    assert_follows(BinnedLaw.by_size(masses(errors, n, epsilon), DRAWS), found)
    for factor in (Fraction(1, 2), Fraction(2)):
        assert_rejects(BinnedLaw.by_size(masses(errors, n, epsilon * factor), DRAWS), found)
    assert_rejects(BinnedLaw.by_size(masses(errors, n, epsilon, permute_and_flip_masses), DRAWS), found)


def test_a_choice_by_floors_follows_the_law_of_the_optima() -> None:
    """Candidates of one home each: their floor is their error as they are."""
    epsilon, private, offered = Fraction(4), [BIG, SMALL, SMALL], ([BIG], [SMALL], [((0, 1, 0),)])
    states = [solved(private, public) for public in offered]
    found = [household_choice(states, epsilon) for _ in range(1_500 * AUDIT)]
    law = BinnedLaw.by_size(masses(exact_errors(private, offered), 3, epsilon), 1_500 * AUDIT)
    assert_follows(law, [one.candidate for one in found if isinstance(one, Best)])


PAIR = ([BIG], [SMALL])
CHOSEN = ([BIG], [SMALL])
"""Neighbours of n = 1: the errors of both candidates move by 1/n, one up and one down."""


@pytest.mark.audit
@pytest.mark.parametrize("mine", [True, False], ids=["ours", "theirs"])
def test_a_choice_is_as_frequent_as_the_exact_law_at_the_charge_has_it(mine: bool) -> None:
    """1/(1 + e^(-epsilon/2)) and its counterpart: scores of 0 and -H at sensitivity H."""
    share = 1 / (1 + math.exp(-float(EPSILON) / 2))
    gate = EventGate(share if mine else 1 - share, 6_000 * AUDIT)
    gate.assert_passed(choices(CHOSEN[not mine], EPSILON, gate.runs, PAIR).count(0))


@pytest.mark.audit
@pytest.mark.fault("twice the charged rho in a choice of households")
def test_a_choice_at_twice_the_charged_rho_fails_the_audit() -> None:
    gate = EventGate(1 / (1 + math.exp(-float(EPSILON) / 2)), 6_000 * AUDIT)
    twice = EPSILON * Fraction(1_414_213_562, 10**9)
    assert gate.catching(1 / (1 + math.exp(-float(twice) / 2))) > 0.999
    with pytest.raises(AssertionError, match="the event happened in"):
        gate.assert_passed(choices(CHOSEN[0], twice, gate.runs, PAIR).count(0))


@pytest.mark.audit
@pytest.mark.fault("a household replaced as one row in a choice")
def test_a_choice_at_the_sensitivity_of_one_person_fails_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = EventGate(1 / (1 + math.exp(-float(EPSILON) / 2)), 6_000 * AUDIT)
    plant(monkeypatch, engine, "household_choice", "rows_per_person=largest", "rows_per_person=1")
    counts = counted(CHOSEN[0])
    states = [KnownError.of(counts, problem(public)) for public in PAIR]
    found = [engine.household_choice(states, EPSILON) for _ in range(gate.runs)]
    with pytest.raises(AssertionError, match="the event happened in"):
        gate.assert_passed(sum(isinstance(one, Best) and one.candidate == 0 for one in found))


@settings(max_examples=60, deadline=None)
@given(homes(H), homes(H), st.lists(homes(H), max_size=2))
def test_on_no_neighbours_do_the_exact_laws_of_a_choice_differ_by_more_than_epsilon(
    ours: Home, theirs: Home, rest: list[Home]
) -> None:
    laws = [np.array(masses(exact_errors([one, *rest], OFFERED), len(rest) + 1, EPSILON)) for one in (ours, theirs)]
    ratios = np.log(laws[0]) - np.log(laws[1])
    assert np.abs(ratios).max() <= float(EPSILON) + 1e-9
    assert ratios.max() - ratios.min() <= float(EPSILON) + 1e-9, "bounded range, for an eighth of epsilon squared"


def test_a_choice_costs_an_eighth_of_epsilon_squared_and_needs_two() -> None:
    states = [KnownError.of(counted(FOUR), problem(public)) for public in OFFERED]
    found = household_choice(states, Fraction(1, 2), noise=FixedNoise())
    assert isinstance(found, Best)
    assert found.rho == best_charge(Fraction(1, 2)) == ZCDP.at_least(Fraction(1, 32))
    with pytest.raises(PlanError, match="one number of households"):
        household_choice([*states, KnownError.of(counted(FOUR[1:]), problem([BIG]))], Fraction(1))
    with pytest.raises(PlanError, match="two candidates"):
        household_choice(states[:1], Fraction(1))
    assert "hidden" not in repr(found)
    assert repr(states[0]).startswith("<")
