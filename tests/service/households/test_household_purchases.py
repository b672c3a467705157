"""One path of purchase for households: what has to belong together, and that nothing is charged where it does not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from ledger.persons import steward
from support.households import LARGEST, csv_of, homes, schema_text

from pmwpub.accounts.people import Standing
from pmwpub.errors import FileRefused, OverlapUndecided, Overspent, PlanError, PmwPubError, StewardNeeded
from pmwpub.ledger import Population
from pmwpub.ledger.parts import household_words
from pmwpub.mechanisms.households import household_steps
from pmwpub.plans import (
    HouseholdPlan,
    HouseholdRoundPlan,
    WorkloadChoice,
    household_plans,
)
from pmwpub.privacy.budget import ZCDP
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.service import Service, purchases
from pmwpub.service.bought.releases import table_fit_plan
from pmwpub.service.households.household_loading import HouseholdTable, adopt_households, load_households
from pmwpub.service.households.household_releases import household_bundle, household_plan, household_round_plan
from pmwpub.service.households.household_unit import largest_household
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.study import Study
from pmwpub.service.purchases import purchase_of
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.households.household_schema import HouseholdSchema, household_unit

N, NAME = 60, "homes"
SCHEMA = HouseholdSchema.from_json(schema_text())


def table(some: list[list[str]], first: int = 1) -> TextTable:
    return read_table(csv_of(some, first).encode())


class Town:
    """A population of households with one public table, and the private one."""

    def __init__(self, service: Service) -> None:
        self.service = service
        unit = household_unit(LARGEST)
        service.ledger.register(Population(NAME, N, LARGEST, unit, Fraction(3), Fraction(1, N**2)))
        adopt_households(service, NAME, SCHEMA, WorkloadChoice(k=2))
        body = csv_of(homes(50, 2, owning=0.3), 1_000).encode()
        self.key = study_store.add_candidate(service, NAME, "b.csv", body, attested=True)
        self.private = load_households(service, NAME, table(homes(N, 1)), SCHEMA)

    @property
    def current(self) -> Study:
        return study_store.study(self.service, NAME)

    def plan(self, epsilon: str = "1") -> HouseholdPlan:
        return household_plan(self.service, self.current, SCHEMA, [self.key], epsilon=epsilon, private=self.private)

    def buy(self, plan: Any, private: Any = None, **how: Any) -> Any:
        wanted = [purchase_of(plan)]
        return purchases.buy(self.service, private or self.private, wanted, **{"tick": True} | how)[0]

    @property
    def spent(self) -> ZCDP:
        return self.service.ledger.balance(NAME).spent


@pytest.fixture
def town(service: Service) -> Town:
    return Town(service)


def test_the_whole_budget_is_charged_once_and_what_is_stored_reads_back(town: Town) -> None:
    outcome = town.buy(town.plan())
    assert town.spent == town.plan().budget
    again = town.buy(town.plan())
    assert (again.result, again.fresh, town.spent) == (outcome.result, False, town.plan().budget)
    found = household_bundle(town.service, outcome.booking)
    assert found is not None
    assert found.to_bytes() == outcome.result == HouseholdBundle.from_bytes(outcome.result).to_bytes()
    scale = {(t.of, t.columns): Fraction(t.scale) for t in found.certificate.tables}
    cost = sum(Fraction(LARGEST**2 if of == "persons" else 1) / s**2 for (of, _), s in scale.items())
    assert cost <= town.plan().budget.rho < cost * Fraction(1001, 1000), "H²/σ² and 1/σ², by the certificate alone"


def test_the_steward_s_word_is_asked_as_for_every_purchase(town: Town) -> None:
    with pytest.raises(OverlapUndecided):
        town.buy(town.plan(), tick=False)
    assert town.spent == ZCDP(0)


def test_more_than_is_left_is_refused(town: Town) -> None:
    town.buy(town.plan("2.9"))
    with pytest.raises(Overspent):
        town.buy(town.plan("2.8"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": N + 1}, "other terms"),
        ({"largest": 3, "household": SCHEMA.rule.model_copy(update={"largest": 3})}, "the schema says 3"),
        ({"household": SCHEMA.rule.model_copy(update={"columns": ()})}, "another household rule"),
    ],
    ids=["n", "the largest", "the rule"],
)
def test_a_plan_of_other_terms_is_refused_before_a_charge(town: Town, change: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        town.buy(town.plan().model_copy(update=change))
    assert town.spent == ZCDP(0)


@pytest.mark.parametrize(
    "changed",
    [
        {"n": N - 1}, {"rows_per_person": 1}, {"households": None}, {"schema_sha256": "0" * 64},
    ],
    ids=str,
)  # fmt: skip
def test_a_table_that_was_loaded_otherwise_is_refused_before_a_charge(town: Town, changed: dict[str, Any]) -> None:
    with pytest.raises(PlanError):
        town.buy(town.plan(), replace(town.private, **changed))
    assert town.spent == ZCDP(0)


def test_a_table_of_plain_rows_is_none_of_households(town: Town) -> None:
    """Neither can one be loaded for this population, nor is what it holds taken."""
    with pytest.raises(PlanError, match="only at H² times the ρ"):
        study_store.load_private(town.service, NAME, csv_of(homes(N, 1)).encode())
    plain = study_store.PrivateTable(**{name: getattr(town.private, name) for name in PLAIN})
    with pytest.raises(PlanError, match="loaded as households"):
        town.buy(town.plan(), plain)


PLAIN = [name for name in HouseholdTable.__dataclass_fields__ if name not in ("schema", "households")]


def test_a_plan_that_is_priced_for_persons_is_never_charged_to_households(town: Town) -> None:
    """Though the table is loaded and the plan says k = H: its neighbours are not households of any size."""
    plan = table_fit_plan(town.service, town.current, [town.key], epsilon="1")
    with pytest.raises(PlanError, match="only at H² times the ρ"):
        town.buy(plan, free_tick=True)
    assert town.spent == ZCDP(0)


def test_a_population_of_persons_takes_no_household_and_its_terms_say_what_they_said(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also under words of a household that are refused now: a store of before may hold them."""
    monkeypatch.setattr(household_words, "check", lambda _: None)
    for name, unit in (("a", "one person"), ("b", "one household"), ("c", "one household of 1 to 04 persons")):
        terms = Population(name, N, LARGEST, unit, Fraction(3), Fraction(1, 100))
        service.ledger.register(terms)
        assert largest_household(terms) is None
        with pytest.raises(PlanError, match="by its rows"):
            adopt_households(service, name, SCHEMA, WorkloadChoice(k=2))
    assert largest_household(Population("d", N, 4, household_unit(4), Fraction(3), Fraction(1, 100))) == 4


def test_the_unit_stays_once_something_is_charged(town: Town) -> None:
    town.buy(town.plan())
    with pytest.raises(Exception, match="no longer change"):
        town.service.ledger.amend(NAME, unit="one person")


def test_another_number_of_households_is_refused_to_the_steward(town: Town) -> None:
    with pytest.raises(FileRefused, match="Told to you only"):
        load_households(town.service, NAME, table(homes(N - 1, 1)), SCHEMA)


def test_a_public_table_is_no_private_one(town: Town) -> None:
    with pytest.raises(FileRefused, match="rows of one of the public candidates"):
        load_households(town.service, NAME, table(homes(50, 2, owning=0.3), 1_000), SCHEMA)


def test_what_would_not_fit_in_memory_is_refused_before_a_charge(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(household_plans, "MOST_ENTRIES", 100)
    with pytest.raises(PlanError, match="smaller public table"):
        town.buy(town.plan())
    assert town.spent == ZCDP(0)


def rounds(town: Town, **settings: Any) -> HouseholdRoundPlan:
    asked: Any = {"epsilon": "1", "private": town.private, "settings": {"rounds": 3} | settings}
    return household_round_plan(town.service, town.current, SCHEMA, [town.key], **asked)


def test_rounds_are_charged_what_they_cost_once_and_what_is_stored_reads_back(town: Town) -> None:
    plan = rounds(town)
    outcome = town.buy(plan)
    assert town.spent == plan.schedule().rho <= plan.budget
    assert (town.buy(plan).fresh, town.spent) == (False, plan.schedule().rho)
    found = household_bundle(town.service, outcome.booking)
    assert found is not None
    assert found.to_bytes() == outcome.result
    assert plan.replay_seed(0) != plan.replay_seed(1), "each draw has a public seed of its own"


def test_rounds_that_would_not_fit_or_not_be_exact_are_refused_before_a_charge(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = rounds(town)
    for where, name, few, words in (
        (household_plans, "MOST_ENTRIES", 100, "smaller public table"),
        (household_plans, "MOST_CELLS", 10, "at most 10 cells"),
        (household_steps, "FINEST", 2**60, "exact 64-bit sums"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(where, name, few)
            with pytest.raises(PmwPubError, match=words):
                town.buy(plan)
    with pytest.raises(PlanError, match="other terms"):
        town.buy(plan.model_copy(update={"n": N + 1}))
    with pytest.raises(OverlapUndecided):
        town.buy(plan, tick=False)
    assert town.spent == ZCDP(0)


def test_a_plan_without_prefixes_pools_or_another_largest_household(town: Town) -> None:
    plan = town.plan()
    for update in (
        {"largest": 3},
        {"inputs": plan.inputs.model_copy(update={"candidates": ("a", "b")})},
        {"inputs": plan.inputs.model_copy(update={"workload": WorkloadChoice(k=2, prefixes=("age",))})},
    ):
        with pytest.raises(PlanError):
            HouseholdPlan.model_validate(plan.model_copy(update=update).model_dump())


def test_a_plan_of_files_that_are_read_otherwise_is_one_of_its_own(town: Town) -> None:
    plan = town.plan().model_copy(update={"private_read_as": "cp1252,semicolon"})
    assert plan.earlier == town.plan()
    with pytest.raises(PlanError, match="read in another way"):
        town.buy(plan)


def test_each_part_of_the_rule_is_part_of_the_plan(town: Town) -> None:
    plan = town.plan()
    other = plan.model_copy(update={"household": SCHEMA.rule.model_copy(update={"any": ()})})
    assert plan.sha256 != other.sha256
    assert HouseholdPlan.model_validate_json(plan.canonical).sha256 == plan.sha256


def test_a_steward_elsewhere_who_only_looks_on_here_is_refused_before_the_file_is_read(town: Town) -> None:
    """A file with a household too few: what is said of it would be an answer to somebody who loads nothing here."""
    ledger, ben = town.service.ledger, steward("Ben")
    ledger.visited_by(lambda: ben)
    ledger.admit()
    ledger.visited_by(lambda: None)
    ledger.enter_member(NAME, ben.sign_in.account, Standing.VIEWER)
    ledger.visited_by(lambda: ben)
    for some in (homes(N, 1), homes(N - 1, 1)):
        with pytest.raises(StewardNeeded):
            load_households(town.service, NAME, table(some), SCHEMA)
