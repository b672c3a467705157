"""Compare and Hand over of households sell noisy errors and the best table, once each, to the steward alone."""

from __future__ import annotations

from fractions import Fraction

import pytest
from pages.visits import Here, arrive, buy, press, words
from streamlit.testing.v1 import AppTest
from support.households import LARGEST, csv_of, homes, schema_text

from pmwpub.ledger import Population
from pmwpub.mechanisms.noisy_error.choose_best import best_charge
from pmwpub.plans import WorkloadChoice
from pmwpub.privacy.budget import pure
from pmwpub.rounding import in_percent, near
from pmwpub.service import purchases
from pmwpub.service.households.bought_questions import asked_of_tables, errors_of_households
from pmwpub.service.households.household_loading import HouseholdTable, load_household_file
from pmwpub.service.households.household_releases import household_plan
from pmwpub.service.households.household_rules import save_rule
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import purchase_of
from pmwpub.tabular.households.household_schema import HouseholdSchema, household_unit
from pmwpub.ui import Session

N = 60
WINNER = "only which one is best"


@pytest.fixture
def town(empty: Here) -> Here:
    """A population of 60 households with two public tables."""
    service, name = empty.service, empty.population
    service.ledger.register(Population(name, N, LARGEST, household_unit(LARGEST), Fraction(40), Fraction(1, N * N)))
    for file, seed in (("b.csv", 2), ("c.csv", 3)):
        study_store.add_candidate(service, name, file, csv_of(homes(30, seed), 1_000 * seed).encode(), attested=True)
    schema = HouseholdSchema.from_json(schema_text())
    study_store.save_schema(service, name, schema.persons)
    save_rule(service, study_store.study(service, name), schema.rule)
    study_store.choose_workload(service, name, WorkloadChoice(k=1))
    return empty


def held(here: Here) -> HouseholdTable:
    return load_household_file(here.service, here.population, csv_of(homes(N, 1, owning=0.8)).encode())


def opened(here: Here, page: str) -> AppTest:
    """A page in a session that holds the private households."""
    return arrive(page, Session(here.population, held(here)), population=here.population)


def at(app: AppTest, epsilon: str) -> AppTest:
    """The form at another epsilon."""
    app.text_input(key="household question epsilon").set_value(epsilon).run()
    assert not app.exception
    return app


def released(here: Here) -> None:
    """One release of households, bought beside the pages."""
    service, private = here.service, held(here)
    study = study_store.study(service, here.population)
    keys = [study.usable[0].sha256]
    plan = household_plan(service, study, study.household_schema(), keys, epsilon="1", private=private)
    purchases.buy(service, private, [purchase_of(plan)], tick=True, current=study)


def forms(app: AppTest) -> list[str]:
    return [one.label for one in app.expander if one.label.startswith("Buy")]


def test_starts_are_priced_with_their_bars_and_bought_once(town: Here) -> None:
    """A start at epsilon = 2 is known within ln(20)/(2 * 60) = 0.025 of households, 4 times as many persons."""
    app = at(opened(town, "compare"), "0.04")
    assert "At this ε noise hides any error" in words(app)
    app = at(app, "2")
    app.multiselect(key="household parts").set_value(["start (published unchanged)"]).run()
    assert "Error bar (95 %): error ± 2.5 % of households (± 0.1 persons per household)" in words(app)
    assert "start of b.csv at ε = 2" in words(app)
    assert "start of c.csv at ε = 2" in words(app)
    assert "Price:" in words(app)
    assert town.spent == 0
    app = buy(app, "Buy these assessments")
    assert not app.exception
    spent = town.spent
    assert 0 <= spent - 2 * pure(Fraction(2)).units <= 20, "in units of 10^-15: what scales in floats take"
    study = study_store.study(town.service, town.population)
    found = [one.errors["start"] for one in asked_of_tables(town.service, study)]
    (table,) = [frame.value for frame in app.dataframe if "share of households" in frame.value]
    assert [text.split()[0] for text in table["share of households"]] == [
        near(one.households.estimate) for one in found
    ]
    assert [text.split()[0] for text in table["persons per household"]] == [near(one.persons.estimate) for one in found]
    app = press(app, "Show the stored result")
    assert not app.exception
    assert town.spent == spent


def test_one_choice_names_the_best_table_and_no_number(town: Here) -> None:
    """At epsilon = 4, 2 ln(2/0.05)/(4 * 60) = 0.031 of households above the lowest, 4 times as many persons."""
    app = opened(town, "compare")
    app = at(app.radio(key="what to buy of households").set_value(WINNER).run(), "0.05")
    assert "hardly better than a guess" in words(app)
    app = at(app, "4")
    assert "at most 3.1 % of households (0.123 persons per household) above the lowest" in words(app)
    app = buy(app, "Buy this choice")
    assert not app.exception
    assert town.spent == best_charge(Fraction(4)).units
    (found,) = asked_of_tables(town.service, study_store.study(town.service, town.population))
    assert found.chosen in ("b.csv", "c.csv")
    assert f"Best of b.csv, c.csv: {found.chosen}, bought for ε = 4 (pure)" in words(app)
    assert not [frame for frame in app.dataframe if "share of households" in frame.value]


def test_the_error_of_a_release_is_bought_once_and_shown_to_everybody_in_both_units(town: Here) -> None:
    released(town)
    before = town.spent
    app = opened(town, "hand_over")
    (field,) = [box for box in app.text_input if box.label == "ε of the noisy error (pure)"]
    field.set_value("2").run()
    assert "± 2.5 % of households (± 0.1 persons per household)" in words(app)
    assert town.spent == before
    app = press(app, "Buy this error")
    spent = town.spent
    assert 0 <= spent - before - pure(Fraction(2)).units <= 10
    (booking,) = town.service.bought(town.population, "households")
    ((_, _, found),) = errors_of_households(town.service, town.population, booking.key)
    assert found is not None
    share, persons = in_percent(found.households.estimate, 3), near(found.persons.estimate)
    press(app, "Show the stored result")
    assert town.spent == spent
    looking = arrive("hand_over", population=town.population, view="stakeholder")
    for one in (app, looking):
        assert f"of households {share}, between" in words(one)
        assert f"of persons {persons} per household, between" in words(one)
    assert forms(looking) == []


def test_nothing_is_offered_in_the_stakeholder_view_nor_once_the_population_is_closed(town: Here) -> None:
    released(town)
    pages = ("compare", "hand_over")
    assert [forms(opened(town, page)) for page in pages] == [
        ["Buy noisy floors and starts"],
        ["Buy the noisy largest error of this release"],
    ]
    assert [forms(arrive(page, population=town.population, view="stakeholder")) for page in pages] == [[], []]
    town.service.ledger.retire(town.population)
    assert [forms(opened(town, page)) for page in pages] == [[], []]


def test_review_cards_offer_neither_weights_nor_person_ids(empty: Here) -> None:
    """The same columns offer both where single persons are protected."""
    service, offered = empty.service, {}
    rows = [f"{1_000 + row},{100 + row * 7 % 50},{'fm'[row % 2]}" for row in range(N)]
    body = "\n".join(["person,pwgtp,sex", *rows]).encode()
    for name, most, unit in (("people", 1, "one person"), ("homes", LARGEST, household_unit(LARGEST))):
        service.ledger.register(Population(name, N, most, unit, Fraction(3), Fraction(1, N * N)))
        study_store.add_candidate(service, name, "b.csv", body, attested=True)
        study_store.save_schema(service, name, study_store.draft_schema(service, name))
        app = arrive("prepare", population=name)
        assert not app.exception
        offered[name] = {str(button.key) for button in app.button if str(button.key).startswith("decide")}
    refused = {one for one in offered["people"] if " weight " in one or one.endswith(" kind id")}
    assert {one.split()[2] for one in refused} == {"kind", "weight"}
    assert offered["homes"] == offered["people"] - refused != set()
