"""The guided path of a population whose unit is a household, from its terms to its files; no page breaks on it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from pages.drawn_words import drawn_words
from pages.visits import PAGES, Here, Open, arrive, buy, press, words
from streamlit.testing.v1 import AppTest
from support.households import LARGEST, csv_of, homes, schema_text

from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.rounding import near
from pmwpub.service import purchases
from pmwpub.service.households.household_loading import load_household_file
from pmwpub.service.households.household_questions import household_assessment_plan, read_household_assessment
from pmwpub.service.households.household_releases import household_releases, household_round_plan
from pmwpub.service.households.household_rules import HouseholdRule, save_rule
from pmwpub.service.households.household_unit import largest_household
from pmwpub.service.inputs import demo, study_store
from pmwpub.service.inputs.decisions import decisions
from pmwpub.service.inputs.study import Study
from pmwpub.service.purchases import purchase_of
from pmwpub.tabular.households.household_schema import HouseholdSchema, household_unit
from pmwpub.tabular.schema.draft_record import Remedy
from pmwpub.ui import Session
from pmwpub.ui.households.unit_choice import HOUSEHOLD

N = 60
OVER = LARGEST + 1
PUBLIC = [*homes(40, 2, owning=0.3), ["own,adult,f"] * OVER]
PRIVATE = csv_of(homes(N, 1, owning=0.8)).encode()

Opened = Callable[..., AppTest]


def read(here: Here) -> Study:
    return study_store.study(here.service, here.population)


@pytest.fixture
def registered(empty: Here) -> Here:
    """A population of households with one public table and the schema that is drafted of it."""
    service, name = empty.service, empty.population
    unit = household_unit(LARGEST)
    service.ledger.register(Population(name, N, LARGEST, unit, Fraction(3), Fraction(1, N * N)))
    study_store.add_candidate(service, name, "b.csv", csv_of(PUBLIC, 1_000).encode(), attested=True)
    study_store.save_schema(service, name, study_store.draft_schema(service, name))
    return empty


@pytest.fixture
def town(registered: Here) -> Here:
    """The same once it is said how rows make households, and a workload is chosen."""
    rule = HouseholdSchema.from_json(schema_text()).rule
    save_rule(registered.service, read(registered), rule)
    study_store.choose_workload(registered.service, registered.population, WorkloadChoice(k=2))
    return registered


def opened(here: Here, page: str, **params: str) -> AppTest:
    """A page in a session that holds the private households."""
    private = load_household_file(here.service, here.population, PRIVATE)
    return arrive(page, Session(here.population, private), population=here.population, **params)


def fill(app: AppTest, **typed: str) -> None:
    for begins, text in typed.items():
        next(box for box in app.text_input if box.label.startswith(begins)).set_value(text)


def test_a_population_of_households_is_registered_with_what_follows_in_words(empty: Here, visit: Open) -> None:
    app = visit("protect")
    app.radio(key="unit of protection").set_value(HOUSEHOLD).run()
    assert "charges of the two are never added up" in words(app)
    assert "Weights are not taken: each household counts as one" in words(app)
    fill(app, Name="homes", n="20,000", H="5")
    press(app, "Register")
    assert app.title[0].value == "Prepare"
    terms = empty.service.ledger.population("homes")
    assert (terms.n, terms.unit, largest_household(terms)) == (20_000, "one household of 1 to 5 persons", 5)
    assert "n = 20,000 households of 1 to 5 persons" in words(app)


def test_an_empty_field_of_the_form_shows_an_example_and_no_number_that_looks_filled_in(
    empty: Here, visit: Open
) -> None:
    app = visit("protect")
    app.radio(key="unit of protection").set_value(HOUSEHOLD).run()
    shown = [box.placeholder for box in app.text_input if not box.value and box.placeholder]
    assert shown
    assert all(one.startswith("e.g. ") for one in shown)


def test_terms_that_no_households_have_are_refused(empty: Here, visit: Open) -> None:
    app = visit("protect")
    fill(app, Name="homes", Who="Household")
    press(app, "Register")
    assert 'choose "a household" above' in words(app)
    app.radio(key="unit of protection").set_value(HOUSEHOLD).run()
    refused = (
        ("20000", "65", "a whole number from 1 to 64 is needed"),
        ("3", "4", "n counts households"),
        ("20000", "", "H, the most"),
    )
    for n, largest, said in refused:
        fill(app, Name="homes", n=n, H=largest)
        press(app, "Register")
        assert said in words(app)
    assert empty.service.ledger.populations() == []


def test_stored_terms_say_the_unit_and_the_largest_household_can_be_put_right(registered: Here) -> None:
    app = arrive("protect", population=registered.population)
    (terms,) = [table.value for table in app.table]
    assert "one household of 1 to 4 persons" in terms.to_string()
    assert "the number of persons is not" in terms.to_string()
    fill(app, H="6")
    press(app, "Change the terms")
    terms = registered.service.ledger.population(registered.population)
    assert (terms.unit, terms.rows_per_person) == ("one household of 1 to 6 persons", 6)
    assert read(registered).household is None


def test_prepare_proposes_ids_and_columns_from_the_public_table(registered: Here) -> None:
    app = arrive("prepare", population=registered.population)
    assert not app.exception
    assert "say how rows make households" in words(app)
    assert "Say first how rows make households" in words(app), "no private table is asked for yet"
    assert app.selectbox(key="household ids").value == "home"
    assert app.multiselect(key="household columns home").value == ["tenure"]
    assert "1 public household with more than 4 persons would be left out" in words(app)
    press(app, "Use these")
    study = read(registered)
    assert study.household == HouseholdRule(id="home", largest=LARGEST, columns=("tenure",))
    assert study.household_schema().persons.domain.names == ("tenure", "age", "sex")
    assert "Ids: home" in words(app)


def test_the_ids_in_use_are_called_so_and_nothing_is_to_be_decided_of_them(town: Here) -> None:
    """Leaving them out was part of the rule, so neither that nor its Undo is offered."""
    press(arrive("prepare", population=town.population), "Draft a schema")
    app = arrive("prepare", population=town.population)
    _reviewed(app, "home")
    assert "home · household id, in use" in words(app)
    assert not [button.key for button in app.button if str(button.key).startswith(("decide home ", "undo home "))]


def _reviewed(app: AppTest, name: str) -> None:
    """Choose a column's card where it is not shown already."""
    chosen = [box for box in app.selectbox if box.key == "reviewed column" and name in box.options]
    for box in chosen:
        box.set_value(name).run()


def test_a_column_of_weights_is_no_way_to_weigh_households(empty: Here) -> None:
    name, _ = demo.open_demo(empty.service, demo.HOMES)
    study = study_store.study(empty.service, name)
    draft = study_store.draft_schema(empty.service, name)
    study_store.save_schema(empty.service, name, draft)
    app = arrive("prepare", population=name)
    assert study.of_households
    _reviewed(app, "weight")
    assert "then rows count as that" not in words(app)
    assert "A population of households takes no weights" in words(app)
    assert "What clipping weight costs" not in {part.label for part in app.expander}


def test_a_draft_made_again_leaves_the_ids_out_again(registered: Here) -> None:
    press(arrive("prepare", population=registered.population), "Use these")
    left_out = Remedy("home", "kind", "ignore")
    assert decisions(registered.service, registered.population).remedies == (left_out,)
    press(arrive("prepare", population=registered.population), "Draft a schema")
    assert read(registered).household_schema().rule.id == "home"
    assert decisions(registered.service, registered.population).remedies == (left_out,)


def test_a_column_made_of_persons_is_added_and_taken_out(town: Here) -> None:
    app = arrive("prepare", population=town.population)
    app.selectbox(key="derived of").set_value("age").run()
    app.multiselect(key="derived levels age").set_value(["old"]).run()
    app.text_input(key="derived name").set_value("has an old person").run()
    press(app, "Add this column")
    assert not app.exception
    rule = read(town).household
    assert rule is not None
    assert [one.name for one in rule.any] == ["has a child", "has an old person"]
    app.button(key="take out 0 has a child").click().run()
    rule = read(town).household
    assert rule is not None
    assert [(one.name, one.levels) for one in rule.any] == [("has an old person", ("old",))]


def test_a_schema_file_brings_its_household_rule(registered: Here) -> None:
    app = arrive("prepare", population=registered.population)
    app.file_uploader[1].upload("schema.json", schema_text().encode(), "application/json")
    press(app, "Load")
    assert read(registered).household_schema() == HouseholdSchema.from_json(schema_text())


def test_one_of_another_largest_household_is_refused_and_nothing_is_stored(registered: Here) -> None:
    app = arrive("prepare", population=registered.population)
    app.file_uploader[1].upload("schema.json", schema_text(5).encode(), "application/json")
    press(app, "Load")
    assert "at most 4 persons, the schema says 5" in words(app)
    assert read(registered).household is None


def test_the_private_table_is_loaded_as_households(town: Here) -> None:
    app = arrive("prepare", population=town.population)
    app.file_uploader[-1].upload("people.csv", PRIVATE, "text/csv")
    press(app, "Load into this session")
    assert f"{N} households" in words(app)
    assert app.session_state["pmwpub session"].private.household_rule == read(town).household


def test_another_number_of_households_is_refused_to_the_steward(town: Here) -> None:
    app = arrive("prepare", population=town.population)
    app.file_uploader[-1].upload("people.csv", csv_of(homes(N - 1, 1)).encode(), "text/csv")
    press(app, "Load into this session")
    assert f"the file has {N - 1} household ids" in words(app)
    assert app.session_state["pmwpub session"].private is None


def test_a_table_that_was_grouped_otherwise_is_let_go_of(town: Here) -> None:
    app = opened(town, "prepare")
    assert f"{N} households" in words(app)
    rule = read(town).household
    assert rule is not None
    save_rule(town.service, read(town), rule.model_copy(update={"any": ()}))
    app.run()
    assert "how rows make households, changed" in words(app)
    press(app, "Load the same table under the new schema")
    assert f"{N} households" in words(app)


@pytest.mark.parametrize("page", ["compare", "release", "hand_over"])
def test_a_page_says_what_is_missing_before_it_is_said_how_rows_make_households(registered: Here, page: str) -> None:
    app = arrive(page, population=registered.population)
    assert not app.exception
    assert not app.error
    assert "say how rows make households" in page_links(app)


def page_links(app: AppTest) -> str:
    return " ".join(link.proto.label for link in app.get("page_link"))


@pytest.mark.parametrize("page", PAGES)
def test_no_page_breaks_for_a_population_of_households(town: Here, page: str) -> None:
    app = opened(town, page)
    assert not app.exception
    assert not app.error
    assert page not in ("compare", "release") or len(drawn_words(app.main)) <= 150


def test_compare_says_what_is_free_what_is_bought_and_what_can_be_copied(town: Here) -> None:
    app = opened(town, "compare")
    assert "Known for free" in words(app)
    (known,) = [frame.value for frame in app.dataframe]
    row = known.iloc[0]
    assert (row["candidate"], row["whole households"], row["left out: over 4 persons"]) == ("b.csv", 40, 1)
    assert row["persons in them"] == sum(map(len, PUBLIC)) - OVER


def test_compare_shows_the_noisy_errors_that_were_bought(town: Here) -> None:
    """In a share of households, and H = 4 times as many persons per household; and no other page breaks on them."""
    study, private = read(town), load_household_file(town.service, town.population, PRIVATE)
    plan = household_assessment_plan(
        study, study.household_schema(), study.usable[0].sha256, epsilon="1/2", private=private
    )
    (outcome,) = purchases.buy(town.service, private, [purchase_of(plan)], tick=True, current=study)
    start = read_household_assessment(outcome)[1]["start"]
    app = opened(town, "compare")
    rows = app.dataframe[1].value
    assert list(rows["error"]) == ["floor", "start"]
    assert rows["share of households"].iloc[1].startswith(near(start.households.estimate))
    assert rows["persons per household"].iloc[1].startswith(near(start.persons.estimate))
    for page in ("ledger", "release", "hand_over"):
        assert not opened(town, page).exception


def test_the_ids_stay_once_something_is_bought_and_the_columns_may_change(town: Here) -> None:
    assert not arrive("prepare", population=town.population).selectbox(key="household ids").disabled
    study, private = read(town), load_household_file(town.service, town.population, PRIVATE)
    plan = household_assessment_plan(
        study, study.household_schema(), study.usable[0].sha256, epsilon="1/2", private=private, floor=False
    )
    purchases.buy(town.service, private, [purchase_of(plan)], tick=True, current=study)
    app = opened(town, "prepare")
    ids = app.selectbox(key="household ids in force")
    assert (ids.disabled, ids.value) == (True, "home")
    assert "Something was bought for the households of this column, so it stays" in words(app)
    assert "Change the ids" not in words(app)
    app.multiselect(key="household columns home").set_value([]).run()
    press(app, "Use these")
    rule = read(town).household
    assert rule is not None
    assert (rule.id, rule.columns) == ("home", ())


def test_a_release_is_bought_on_the_page_and_what_it_leaves_out_is_said_before(town: Here) -> None:
    app = opened(town, "release")
    assert "Households left out: 1 with more than 4 persons." in words(app)
    assert "persons per household" in words(app)
    assert town.spent == 0
    app = buy(app, "Buy this release")
    assert not app.exception
    assert "Done: its files" in words(app)
    (found,) = household_releases(town.service, read(town))
    assert town.spent == found.plan.budget.units > 0
    assert found.bundle is not None

    app = app.switch_page("pages/hand_over.py").run()
    assert not app.exception
    assert "Protected: one household of 1 to 4 persons" in words(app)
    assert "Each share of households in one column is known to" in words(app)
    assert len(drawn_words(app.main)) <= 150
    labels = [button.label for button in app.get("download_button")]
    assert labels[:2] == ["persons.csv", "households.csv"]
    assert {"report.html", "release-1.zip"} <= set(labels)
    (table,) = [frame.value for frame in app.dataframe]
    assert list(table["household size"]) == ["1", "2", "3", "4"]
    assert list(table) == ["household size", "share of households", "from", "to", "in the files", "remark"]
    assert sum(table["in the files"]) == pytest.approx(1)
    app.radio(key=f"counted {found.outcome.booking.id}").set_value("persons").run()
    (table,) = [frame.value for frame in app.dataframe]
    sizes = [len(home) for home in PUBLIC[:-1]]
    assert list(table)[1] == "persons per household"
    assert min(sizes) <= sum(table["in the files"]) <= max(sizes)

    app = app.switch_page("pages/ledger.py").run()
    assert "Each charge protects one household of 1 to 4 persons" in words(app)
    (row,) = next(frame.value for frame in app.dataframe if "sensitivity" in frame.value).to_dict("records")
    assert row["sensitivity"] == "one household of 1 to 4 persons; households by the ids of the column 'home'"

    app = app.switch_page("pages/release.py").run()
    press(app, "Show the stored result")
    assert town.spent == found.plan.budget.units


def test_a_second_draw_is_another_purchase_with_its_own_tick(town: Here) -> None:
    app = buy(opened(town, "release"), "Buy this release")
    once = town.spent
    app = app.switch_page("pages/hand_over.py").run()
    for box in app.checkbox:
        box.check()
    app = press(app, "Draw again (draw 2)")
    assert not app.exception
    assert town.spent == 2 * once
    assert len(household_releases(town.service, read(town))) == 2


def test_rounds_that_a_command_bought_are_handed_over_with_their_queries(town: Here) -> None:
    service, study = town.service, read(town)
    private = load_household_file(service, town.population, PRIVATE)
    keys = [one.sha256 for one in study.candidates]
    asked: Any = {"epsilon": "1", "private": private, "settings": {"rounds": 3}}
    plan = household_round_plan(service, study, study.household_schema(), keys, **asked)
    purchases.buy(service, private, [purchases.purchase_of(plan)], tick=True, current=study)
    for page in ("release", "hand_over"):
        app = opened(town, page)
        assert not app.exception
    assert "Protected: one household of 1 to 4 persons" in words(app)
    (rounds,) = [frame.value for frame in app.dataframe]
    assert len(rounds) == 3
    assert set(rounds["counted"]) <= {"persons", "households"}
    assert "measurements.csv" in [button.label for button in app.get("download_button")]


def test_a_viewer_is_offered_no_purchase_and_sees_what_was_released(town: Here) -> None:
    buy(opened(town, "release"), "Buy this release")
    for page in ("release", "hand_over"):
        app = arrive(page, population=town.population, view="stakeholder")
        assert not app.exception
        assert not [button for button in app.button if button.label.startswith(("Buy", "Draw"))]
    assert "Protected: one household" in words(app)


def test_a_population_that_was_retired_offers_nothing_to_buy_and_hands_over_what_was(town: Here) -> None:
    buy(opened(town, "release"), "Buy this release")
    town.service.ledger.retire(town.population)
    for page in ("prepare", "compare", "release", "hand_over"):
        app = opened(town, page)
        assert not app.exception
        assert not [button for button in app.button if button.label.startswith(("Buy", "Draw", "Use", "Add"))]
    assert "release-1.zip" in [button.label for button in app.get("download_button")]


def test_a_table_without_the_steward_s_word_is_copied_by_no_release(town: Here) -> None:
    (one,) = read(town).candidates
    study_store.attest(town.service, town.population, one.sha256, attested=False)
    app = opened(town, "release")
    assert "needs a public table that is attested" in words(app)
