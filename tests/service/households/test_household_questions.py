"""Errors, floors and choices of households by the one path of purchase: prices, refusals, what reads back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from service.households.test_household_purchases import NAME, SCHEMA, Town, rounds
from support.households import LARGEST, csv_of, homes

from pmwpub.errors import OverlapUndecided, PlanError
from pmwpub.ledger import PlanKey, Population
from pmwpub.mechanisms.households import household_errors
from pmwpub.mechanisms.noisy_error.choose_best import best_charge
from pmwpub.plans import HouseholdAssessmentPlan, HouseholdBestPlan, household_plans
from pmwpub.privacy.budget import ZCDP, pure
from pmwpub.privacy.lattice_noise import LatticeLaplace
from pmwpub.service import Service
from pmwpub.service.bought.assessments import assessment_plan
from pmwpub.service.bought.best_candidate import best_plan
from pmwpub.service.households import household_questions as questions
from pmwpub.service.households.household_releases import household_bundle
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases.households import household_questions_purchase
from pmwpub.tasks import household_questions_work


@pytest.fixture
def town(service: Service) -> Town:
    return Town(service)


def assessment(town: Town, epsilon: str = "1/2", **how: Any) -> HouseholdAssessmentPlan:
    return questions.household_assessment_plan(
        town.current, SCHEMA, town.key, epsilon=epsilon, private=town.private, **how
    )


def second(town: Town) -> str:
    body = csv_of(homes(50, 3, owning=0.75), 3_000).encode()
    return study_store.add_candidate(town.service, NAME, "c.csv", body, attested=True)


def choice(town: Town, epsilon: str = "1/2", **how: Any) -> HouseholdBestPlan:
    both = [town.key, second(town)]
    return questions.household_best_plan(town.current, SCHEMA, both, epsilon=epsilon, private=town.private, **how)


def assert_costs(rho: ZCDP, *epsilons: Fraction) -> None:
    """epsilon^2/2 each, and as many units of 10^-15 more as scales in floats take."""
    least = sum(pure(epsilon).units for epsilon in epsilons)
    assert least <= rho.units <= least + 10 * len(epsilons)


def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LatticeLaplace, "draw", lambda law, value, noise: value)


def test_floor_and_start_are_two_charges_at_four_fifths_and_one_of_epsilon(town: Town) -> None:
    outcome = town.buy(assessment(town))
    assert_costs(town.spent, Fraction(2, 5), Fraction(1, 10))
    charges = town.service.ledger.history(NAME)
    moved = f"{LARGEST}/60 persons per household; households by the ids of the column 'home'"
    assert [charge.sensitivity for charge in charges] == [moved] * 2
    assert [charge.purpose for charge in charges] == [
        f"{part} of the households of b.csv" for part in ("floor", "start")
    ]
    again = town.buy(assessment(town))
    assert (again.result, again.fresh) == (outcome.result, False)


def test_the_numbers_are_those_of_the_private_households(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without noise: "own" is 0.5 of private homes, 0.3 of public ones, by their files; what the other cells say is no
    less than that. In persons per household it is H times as much."""
    without_noise(monkeypatch)
    _, parts = questions.read_household_assessment(town.buy(assessment(town)))
    both = homes(60, 1), homes(50, 2, owning=0.3)
    owning = [sum(home[0].startswith("own") for home in some) / len(some) for some in both]
    start, floor = parts["start"].households, parts["floor"].households
    assert start.value >= abs(owning[0] - owning[1]) - 0.01
    assert floor.value <= start.value + 0.03, "but for its grid"
    assert parts["start"].persons.value == LARGEST * start.value
    assert parts["start"].persons.high == LARGEST * start.high
    assert (start.epsilon, floor.epsilon) == ("1/10", "2/5")


def test_a_choice_is_one_charge_of_an_eighth_of_epsilon_squared_however_it_is_made(town: Town) -> None:
    for by in ("floor", "start"):
        before = town.spent
        plan, chosen = questions.read_household_choice(town.buy(choice(town, by=by)))
        assert plan.by == by
        assert chosen in plan.inputs.candidates
        assert (town.spent - before) == best_charge(Fraction(1, 2)) == ZCDP.at_least(Fraction(1, 32))
    assert "best of the households of" in town.service.ledger.history(NAME)[0].purpose


@pytest.mark.parametrize("by", ["floor", "start"])
def test_at_a_large_epsilon_the_better_table_is_chosen(town: Town, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that the mechanism is handed is kept: at n = 60 and epsilon 5 000 the odds are e^-(150 000 times the gap)."""
    seen: list[list[Fraction]] = []
    right = household_errors.household_choice

    def kept(states: Any, epsilon: Fraction, **how: Any) -> Any:
        found = right(states, Fraction(5_000), **how)
        seen.append([state.interval.upper for state in states])
        return found

    monkeypatch.setattr(household_questions_work, "household_choice", kept)
    plan, chosen = questions.read_household_choice(town.buy(choice(town, by=by)))
    ((errors),) = seen
    assert abs(errors[0] - errors[1]) > Fraction(1, 1000)
    assert plan.inputs.candidates.index(str(chosen)) == errors.index(min(errors))


@pytest.mark.parametrize("planned", [Town.plan, rounds], ids=["of table fit", "of PMW^Pub"])
def test_an_error_is_that_of_the_stored_weights(
    town: Town, monkeypatch: pytest.MonkeyPatch, planned: Callable[[Town], Any]
) -> None:
    """Without noise in it: no less than that of "own", by the private file and the weights of the release."""
    release = town.buy(planned(town))
    plan = questions.household_error_plan(town.service, NAME, release.booking.key, epsilon="1/2", private=town.private)
    before = town.spent
    without_noise(monkeypatch)
    _, found = questions.read_household_error(town.buy(plan, tick=None))
    assert_costs(town.spent - before, Fraction(1, 2))
    bundle = household_bundle(town.service, release.booking)
    assert bundle is not None
    assert found is not None
    released = float(bundle.weights[bundle.atoms.own.codes[:, 1] == 0].sum())
    owning = sum(home[0].startswith("own") for home in homes(60, 1)) / 60
    assert abs(owning - released) - 0.001 <= found.households.value <= 1


def test_an_error_of_what_was_not_released_is_refused(town: Town) -> None:
    with pytest.raises(PlanError, match="no release of households"):
        questions.household_error_plan(town.service, NAME, PlanKey("0" * 64), epsilon="1", private=town.private)
    bought = town.buy(assessment(town)).booking.key
    with pytest.raises(PlanError, match="no release of households"):
        questions.household_error_plan(town.service, NAME, bought, epsilon="1", private=town.private)


def test_the_steward_s_word_is_asked_where_public_tables_take_part(town: Town) -> None:
    for plan in (assessment(town), choice(town)):
        with pytest.raises(OverlapUndecided):
            town.buy(plan, tick=False)
    assert town.spent == ZCDP(0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": 61}, "other terms"),
        ({"largest": 3, "household": SCHEMA.rule.model_copy(update={"largest": 3})}, "the schema says 3"),
        ({"household": SCHEMA.rule.model_copy(update={"columns": ()})}, "another household rule"),
    ],
    ids=["n", "the largest", "the rule"],
)
def test_a_question_of_other_terms_is_refused_before_a_charge(town: Town, change: dict[str, Any], words: str) -> None:
    for plan in (assessment(town), choice(town)):
        with pytest.raises(PlanError, match=words):
            town.buy(plan.model_copy(update=change))
    assert town.spent == ZCDP(0)


def test_an_error_for_other_numbers_than_its_release_s_is_refused_before_a_charge(town: Town) -> None:
    release = town.buy(town.plan()).booking.key
    plan = questions.household_error_plan(town.service, NAME, release, epsilon="1", private=town.private)
    before = town.spent
    for change, words in (({"n": 61}, "other numbers"), ({"largest": 3}, "the schema says 3")):
        with pytest.raises(PlanError, match=words):
            town.buy(plan.model_copy(update=change))
    with pytest.raises(PlanError, match="other terms"):
        town.buy(plan, replace(town.private, n=61))
    assert town.spent == before


@pytest.mark.parametrize(
    "changed", [{"rows_per_person": 1}, {"households": None}, {"schema_sha256": "0" * 64}], ids=str
)
def test_a_table_that_was_loaded_otherwise_buys_no_answer(town: Town, changed: dict[str, Any]) -> None:
    with pytest.raises(PlanError):
        town.buy(assessment(town), replace(town.private, **changed))
    assert town.spent == ZCDP(0)


def test_what_is_priced_for_persons_is_still_refused_to_households(town: Town) -> None:
    """The plans of assessments and choices of rows, at k = H: their neighbours are not households of any size."""
    both = [[town.key], [second(town)]]
    for plan in (assessment_plan(town.current, [town.key], epsilon="1"), best_plan(town.current, both, epsilon="1")):
        with pytest.raises(PlanError, match="only at H² times the ρ"):
            town.buy(plan)
    assert town.spent == ZCDP(0)


def test_a_population_of_persons_buys_no_answer_about_households(town: Town) -> None:
    plan = assessment(town)
    town.service.ledger.register(Population("rows", 60, LARGEST, "one dwelling", Fraction(3), Fraction(1, 3600)))
    with pytest.raises(PlanError, match="by its rows"):
        town.buy(plan, replace(town.private, population="rows"), current=replace(
            town.current, population=town.service.ledger.population("rows")))  # fmt: skip


def test_halves_of_a_plan_are_refused(town: Town) -> None:
    plan, other = assessment(town), choice(town)
    for change in (
        {"floor": False, "start": False},
        {"largest": 3},
        {"epsilon": "0"},
        {"inputs": other.inputs},
    ):
        with pytest.raises(PlanError):
            HouseholdAssessmentPlan.model_validate(plan.model_copy(update=change).model_dump())
    with pytest.raises(PlanError, match="two different"):
        HouseholdBestPlan.model_validate(other.model_copy(update={"inputs": plan.inputs}).model_dump())
    assert assessment(town, "0.5").sha256 == assessment(town, "1/2").sha256 == plan.sha256
    assert HouseholdAssessmentPlan.model_validate_json(plan.canonical).sha256 == plan.sha256


def test_what_would_not_fit_in_memory_is_refused_before_a_charge(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(household_questions_purchase, "MOST_SCORED", 100)
    for plan in (assessment(town), choice(town)):
        with pytest.raises(PlanError, match="smaller public table"):
            town.buy(plan)
    monkeypatch.setattr(household_plans, "MOST_CELLS", 10)
    with pytest.raises(PlanError, match="at most 10 cells"):
        assessment(town)
    assert town.spent == ZCDP(0)


def test_a_floor_that_cannot_be_resolved_is_charged_and_no_result(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stuck(household_questions_work.HouseholdMixture):
        exhausted = True  # type: ignore[assignment]

    monkeypatch.setattr(household_questions_work, "HouseholdMixture", Stuck)
    outcome = town.buy(assessment(town))
    assert outcome.result is None
    assert questions.read_household_assessment(outcome)[1] == {}
    assert_costs(town.spent, Fraction(2, 5), Fraction(1, 10))
