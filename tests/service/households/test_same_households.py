"""All that a population of households buys means the same households: ids of one column, nobody by the same tokens."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import pytest
from service.households.test_household_purchases import NAME, Town
from support.households import csv_of, homes, schema_text

from pmwpub.errors import PlanError
from pmwpub.plans import WorkloadChoice
from pmwpub.privacy.budget import ZCDP
from pmwpub.service import Service, adopting, purchases
from pmwpub.service.households import household_questions, household_rules
from pmwpub.service.households.household_loading import HouseholdTable, adopt_households, load_households
from pmwpub.service.households.household_releases import household_plan, household_round_plan
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import neighbours, purchase_of
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.households.household_schema import HouseholdSchema

N = 60
HOME, VISIT = (HouseholdSchema.from_json(schema_text(id=column)) for column in ("home", "visit"))
ONE_PROMISE = "would not add up to one promise"


def two_ids(first: int, seed: int) -> TextTable:
    """Sixty homes of four alike persons, and sixty visits: each home's persons are on four visits, and the reverse."""
    lines = csv_of([[one[0]] * 4 for one in homes(N, seed)], first).splitlines()
    visits = ["visit", *(f"v{first + place % N}" for place in range(4 * N))]
    return read_table(("\n".join(f"{visit},{line}" for visit, line in zip(visits, lines, strict=True)) + "\n").encode())


def with_tokens(*tokens: str, levels: tuple[str, ...] = ("own", "rent")) -> HouseholdSchema:
    persons = HOME.persons.with_missing_tokens(tokens)
    tenure = persons.encoded[0].changed(levels=levels)
    return HouseholdSchema(persons.with_column(tenure), HOME.rule)


class Visited(Town):
    """A town whose tables have two columns of ids; a schema may be made its own by another program, unasked."""

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        both = [(two_ids(1_000, 2), "b.csv"), (two_ids(3_000, 3), "c.csv")]
        self.keys = [study_store.add_candidate(service, NAME, name, one, attested=True) for one, name in both]
        self.under(HOME)

    def under(self, schema: HouseholdSchema) -> HouseholdTable:
        adopting.adopt(self.service, NAME, schema.persons, WorkloadChoice(k=2), schema.rule)
        self.schema, self.private = schema, load_households(self.service, NAME, two_ids(1, 1), schema)
        return self.private

    def planned(self, kind: str, epsilon: str = "1/2") -> Any:
        how: Any = {"epsilon": epsilon, "private": self.private}
        rules: Any = (self.current, self.schema)
        if kind == "household-best":
            return household_questions.household_best_plan(*rules, self.keys, **how)
        if kind == "household-assessment":
            return household_questions.household_assessment_plan(*rules, self.keys[0], floor=False, **how)
        if kind == "household-error":
            bought = self.service.bought(NAME, "households")[-1].key
            return household_questions.household_error_plan(self.service, NAME, bought, **how)
        if kind == "households-pmw-pub":
            settings: Any = {"rounds": 1}
            return household_round_plan(self.service, *rules, self.keys[:1], settings=settings, **how)
        return household_plan(self.service, *rules, self.keys[:1], **how)


@pytest.fixture
def town(service: Service) -> Visited:
    return Visited(service)


KINDS = ("households", "households-pmw-pub", "household-assessment", "household-best")


def assert_buys_for_one_column_of_ids(town: Visited, first: str, second: str) -> None:
    plan = town.planned(first)
    stored, spent = town.buy(plan), town.spent
    town.under(VISIT)
    with pytest.raises(PlanError, match="column 'home'; this is about those of the column 'visit'"):
        town.buy(town.planned(second, "1/4"))
    assert town.spent == spent
    town.under(HOME)
    assert town.buy(plan).result == stored.result
    assert town.buy(town.planned("household-assessment", "1/8")).fresh


@pytest.mark.parametrize("first", KINDS)
def test_whatever_was_bought_its_ids_are_those_of_all_that_follows(town: Visited, first: str) -> None:
    assert_buys_for_one_column_of_ids(town, first, "household-assessment")


@pytest.mark.parametrize("second", KINDS)
def test_whatever_is_bought_next_is_for_the_same_ids(town: Visited, second: str) -> None:
    assert_buys_for_one_column_of_ids(town, "household-assessment", second)


@pytest.mark.fault("ids of households that are not compared")
def test_ids_that_are_not_compared_are_noticed(town: Visited, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "same_households", lambda *_: [])
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        assert_buys_for_one_column_of_ids(town, "household-assessment", "household-assessment")


def test_the_error_of_a_release_is_for_the_ids_of_the_release_and_the_ledger_names_them(town: Visited) -> None:
    town.buy(town.planned("households"))
    error = town.planned("household-error", "1/8")
    town.under(VISIT)
    with pytest.raises(PlanError, match="another household rule"):
        town.buy(error)
    town.under(HOME)
    town.buy(error)
    assert all("ids of the column 'home'" in one.sensitivity for one in town.service.ledger.history(NAME))


def test_two_purchases_at_once_are_for_the_same_ids(town: Visited) -> None:
    """While the first waits to be ready, another program buys by other ids: the ledger asks in its own transaction."""
    plan, private, current = town.planned("household-assessment"), town.private, town.current
    ready = town.service.engine.readiness.require

    def meanwhile(tasks: Collection[str]) -> None:
        town.service.engine.readiness.require = ready  # type: ignore[method-assign]
        town.under(VISIT)
        town.buy(town.planned("household-assessment"))
        ready(tasks)

    town.service.engine.readiness.require = meanwhile  # type: ignore[method-assign]
    with pytest.raises(PlanError, match="column 'visit'; this is about those of the column 'home'"):
        purchases.buy(town.service, private, [purchase_of(plan)], tick=True, current=current)
    assert len(town.service.ledger.bookings(NAME)) == 1


def test_nobody_is_nobody_for_all_that_is_bought(town: Visited) -> None:
    """Tokens in another order, blank ones, or another schema with the same ones, are no others."""
    town.under(with_tokens("", "NA", "?"))
    town.buy(town.planned("household-assessment"))
    spent = town.spent
    town.under(with_tokens("", "NA"))
    with pytest.raises(PlanError, match=r"id is blank or '\?' or 'NA'; by this schema's .*, where it is blank or 'NA'"):
        town.buy(town.planned("household-assessment"))
    assert town.spent == spent
    with pytest.raises(PlanError, match=ONE_PROMISE):
        adopt_households(town.service, NAME, with_tokens("NA"), WorkloadChoice(k=2))
    same = with_tokens("?", "NA", " ", levels=("own", "rent", "free"))
    adopt_households(town.service, NAME, same, WorkloadChoice(k=2))
    town.under(same)
    assert town.buy(town.planned("household-assessment")).fresh


def test_a_schema_that_another_program_brought_meanwhile_is_not_taken_for_the_same(town: Visited) -> None:
    plan, private, current = town.planned("household-assessment"), town.private, town.current
    ready = town.service.engine.readiness.require

    def meanwhile(tasks: Collection[str]) -> None:
        town.service.engine.readiness.require = ready  # type: ignore[method-assign]
        town.under(with_tokens("", "NA"))
        town.buy(town.planned("household-assessment"))
        ready(tasks)

    town.service.engine.readiness.require = meanwhile  # type: ignore[method-assign]
    with pytest.raises(PlanError, match="send the same again"):
        purchases.buy(town.service, private, [purchase_of(plan)], tick=True, current=current)
    assert len(town.service.ledger.bookings(NAME)) == 1


SAVES: dict[str, Callable[[Visited, HouseholdSchema], object]] = {
    "the page": lambda town, schema: household_rules.save_rule(town.service, town.current, schema.rule),
    "a file": lambda town, schema: household_rules.save_household_file(
        town.service, town.current, schema.to_json().encode()
    ),
    "a program": lambda town, schema: adopt_households(town.service, NAME, schema, WorkloadChoice(k=1)),
}


@pytest.mark.parametrize("how", SAVES)
def test_other_ids_are_not_stored_after_a_charge_and_other_columns_are(town: Visited, how: str) -> None:
    fewer = HouseholdSchema(HOME.persons, HOME.rule.model_copy(update={"any": ()}))
    SAVES[how](town, VISIT)
    assert town.current.household == VISIT.rule, "before a charge the ids may change"
    town.under(HOME)
    town.buy(town.planned("household-assessment"))
    before, spent = town.current, town.spent
    with pytest.raises(PlanError, match="column 'home'; this is about those of the column 'visit'"):
        SAVES[how](town, VISIT)
    after = town.current
    assert (after.household, after.schema, after.choice) == (before.household, before.schema, before.choice)
    SAVES[how](town, fewer)
    assert (town.current.household, town.spent) == (fewer.rule, spent)
    assert town.spent > ZCDP(0)


def test_a_schema_and_its_rule_are_stored_together(town: Visited, monkeypatch: pytest.MonkeyPatch) -> None:
    put, stored = town.service.ledger.put_documents, list[list[str]]()

    def counted(name: str, documents: Any) -> None:
        stored.append([kind for kind, _, _ in documents])
        put(name, documents)

    monkeypatch.setattr(town.service.ledger, "put_documents", counted)
    SAVES["a file"](town, with_tokens("", "NA"))
    assert stored == [["schema", "household-rule"]]
    stored.clear()
    study_store.save_schema(town.service, NAME, study_store.draft_schema(town.service, NAME))
    SAVES["the page"](town, HOME)
    assert [sorted(one) for one in stored] == [["household-rule", "schema", "schema-decisions"]]
