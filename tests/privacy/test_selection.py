"""Selection has its stated law, exactly, and costs what it claims."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pytest
from privacy.checks import (
    CASES,
    SELECTIONS,
    Case,
    check_laws_differ,
    check_selection,
    check_selection_charge,
    shows,
)
from privacy.laws import exponential_masses, permute_and_flip_masses
from support.fakes import FixedNoise, SeededNoise
from support.statistical import AUDIT, BinnedLaw, assert_follows, assert_rejects

from pmwpub.errors import BudgetError, MechanismError
from pmwpub.privacy.budget import ZCDP, pure
from pmwpub.privacy.noise import SECURE
from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip, Selection
from pmwpub.records import Ints

SMALL = [name for name, case in CASES.items() if len(case.scores) <= 50]
EITHER = pytest.mark.parametrize("mechanism", [ExponentialMechanism, PermuteAndFlip])


def exponential(scores: Ints, epsilon: Fraction, sensitivity: int, draws: int) -> Iterable[int]:
    law = ExponentialMechanism(epsilon).law(scores, sensitivity)
    return (law.draw(SECURE) for _ in range(draws))


def permute_and_flip(scores: Ints, epsilon: Fraction, sensitivity: int, draws: int) -> Iterable[int]:
    law = PermuteAndFlip(epsilon).law(scores, sensitivity)
    return (law.draw(SECURE) for _ in range(draws))


@pytest.mark.parametrize("name", CASES)
def test_the_exponential_mechanism_has_its_exact_law(name: str) -> None:
    check_selection(exponential, exponential_masses, CASES[name])


@pytest.mark.parametrize("name", SMALL)
def test_permute_and_flip_is_told_apart_from_the_exponential_mechanism(name: str) -> None:
    check_laws_differ(permute_and_flip, exponential_masses, permute_and_flip_masses, CASES[name], SELECTIONS // 2)


def test_most_cases_can_show_a_wrong_epsilon_and_many_the_wrong_law() -> None:
    """Where a law cannot show it (all tied, one query), its draws must pass either way."""
    laws = exponential_masses, permute_and_flip_masses
    epsilon = [case for case in CASES.values() if shows(laws[0], case, laws[0], SELECTIONS, factor=Fraction(13, 10))]
    law = [name for name in SMALL if shows(laws[0], CASES[name], laws[1], SELECTIONS // 2)]
    assert len(CASES) >= 20
    assert len(epsilon) >= 12
    assert len(law) >= 8


@pytest.mark.parametrize("name", SMALL)
def test_permute_and_flip_has_its_exact_law(name: str) -> None:
    check_selection(permute_and_flip, permute_and_flip_masses, CASES[name], SELECTIONS // 4)


@EITHER
@pytest.mark.parametrize("name", SMALL)
def test_select_is_one_draw_of_the_law(name: str, mechanism: type[Selection]) -> None:
    case, chosen = CASES[name], mechanism(CASES[name].epsilon)  # type: ignore[call-arg]
    for seed in range(20):
        drawn = chosen.law(case.array, case.sensitivity).draw(SeededNoise(seed))  # type: ignore[attr-defined]
        assert chosen.select(case.array, case.sensitivity, noise=SeededNoise(seed)) == drawn


def test_select_draws_from_the_secure_source_with_its_law() -> None:
    case = CASES["ties at the top"]
    law = BinnedLaw.by_size(exponential_masses(case.scores, case.epsilon, 1), 10_000)
    assert_follows(law, [ExponentialMechanism(case.epsilon).select(case.array, 1) for _ in range(10_000)])
    law = BinnedLaw.by_size(permute_and_flip_masses(case.scores, case.epsilon, 1), 5_000)
    assert_follows(law, [PermuteAndFlip(case.epsilon).select(case.array, 1) for _ in range(5_000)])


def test_two_scores_one_apart_at_epsilon_two_are_chosen_at_odds_of_e() -> None:
    assert exponential_masses((1, 0), Fraction(2), 1) == pytest.approx(
        [0.7310585786300049, 0.2689414213699951], rel=1e-15
    )


def test_permute_and_flip_of_two_by_hand() -> None:
    """The lower of two wins if it comes first and flips heads: e^(-epsilon/2)/2."""
    lower = permute_and_flip_masses((1, 0), Fraction(2), 1)[1]
    assert lower == pytest.approx(0.18393972058572117, rel=1e-15)


@pytest.mark.audit
@pytest.mark.parametrize("name", ["four scores for three rows a person", "ties between"])
def test_opendps_noisy_max_follows_the_same_exact_laws(name: str) -> None:
    """At scale 2k/epsilon it is the exponential mechanism under zCDP, permute-and-flip under pure DP."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    case, draws = CASES[name], 10_000 * AUDIT
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    for measure, law_of, other in (
        (dp.zero_concentrated_divergence(), exponential_masses, permute_and_flip_masses),
        (dp.max_divergence(), permute_and_flip_masses, exponential_masses),
    ):
        oracle = dp.m.make_noisy_max(*space, measure, float(2 * case.sensitivity / case.epsilon))
        drawn = [oracle(list(case.scores)) for _ in range(draws)]
        assert_follows(BinnedLaw.by_size(law_of(case.scores, case.epsilon, case.sensitivity), draws), drawn)
        assert_rejects(BinnedLaw.by_size(other(case.scores, case.epsilon, case.sensitivity), draws), drawn)


def test_opendp_charges_a_selection_the_same() -> None:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    assert dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), 2.0).map(1) == float(
        ExponentialMechanism(Fraction(1)).rho.rho
    )
    assert dp.m.make_noisy_max(*space, dp.max_divergence(), 2.0).map(1) == 1.0


# Charges


def test_the_exponential_mechanism_costs_an_eighth_of_epsilon_squared() -> None:
    check_selection_charge(exponential_masses, lambda epsilon: ExponentialMechanism(epsilon).rho)
    assert ExponentialMechanism(Fraction(2)).rho == ZCDP.at_least("0.5")
    assert ExponentialMechanism(Fraction(1, 3)).rho == ZCDP(13_888_888_888_889)


def test_permute_and_flip_costs_half_of_epsilon_squared() -> None:
    check_selection_charge(permute_and_flip_masses, lambda epsilon: PermuteAndFlip(epsilon).rho)
    assert PermuteAndFlip(Fraction(1, 3)).rho == pure(Fraction(1, 3))


@EITHER
def test_a_selection_bought_for_epsilon0_costs_half_its_square(mechanism: type[Selection]) -> None:
    epsilon0 = Fraction(173, 10_000)
    assert mechanism.costing(epsilon0).rho == ZCDP.at_least(epsilon0**2 / 2)


# Refusals and size


@EITHER
@pytest.mark.parametrize(
    "scores",
    [[1, 2], np.array([1.0, 2.0]), np.array([], dtype=np.int64), np.array([[1, 2]]), np.array([1], dtype=np.int32)],
)
def test_scores_that_are_not_whole_numbers_in_a_row_are_refused(mechanism: type[Selection], scores: Ints) -> None:
    with pytest.raises(MechanismError):
        mechanism.costing(Fraction(1)).select(scores, 1)


@EITHER
def test_a_sensitivity_must_be_a_positive_whole_number(mechanism: type[Selection]) -> None:
    with pytest.raises(BudgetError):
        mechanism.costing(Fraction(1)).select(np.array([1, 2]), 0)
    with pytest.raises(MechanismError):
        mechanism.costing(Fraction(1)).select(np.array([1, 2]), 0.5)  # type: ignore[arg-type]


@EITHER
@pytest.mark.parametrize("epsilon", [0, -1, "0"])
def test_an_epsilon_of_zero_or_less_is_refused(mechanism: type[Selection], epsilon: int) -> None:
    with pytest.raises(BudgetError):
        mechanism(epsilon)  # type: ignore[call-arg]


@EITHER
def test_the_largest_workload_is_selected_from(mechanism: type[Selection]) -> None:
    generator = np.random.default_rng(1)
    scores = np.abs(generator.normal(0, 2_500, 2_800_000)).astype(np.int64)
    for epsilon0 in (Fraction(1, 1_000), Fraction(1)):
        assert 0 <= mechanism.costing(epsilon0).select(scores, 1) < len(scores)


def test_the_choice_within_a_bucket_is_by_place() -> None:
    scores = np.array([2, 9, 2, 9, 9])
    picked = [ExponentialMechanism(Fraction(100)).select(scores, 1, noise=FixedNoise(place=p)) for p in (0.0, 0.5, 0.9)]
    assert picked == [1, 3, 4]


def test_a_selection_s_law_shows_no_score() -> None:
    law = ExponentialMechanism(Fraction(1)).law(Case((123_456, 1)).array, 1)
    assert "123" not in repr(law) + repr(law.buckets)
