"""The Prepare page: what it takes in, what it refuses, and what it never shows."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from pages.visits import PRIVATE, Here, Open, add, buy, press, table, words

from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service.inputs import study_store


def test_a_viewer_is_told_so_on_the_data_page(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    assert not app.exception
    assert "Viewer" in words(app)


def test_the_private_table_is_loaded_without_a_preview_and_without_a_charge(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[-1].upload("people.csv", PRIVATE, "text/csv")
    press(app, "Load into this session")
    assert "400 rows" in words(app)
    assert any(button.label == "Forget the private table" for button in app.button)
    shown = [frame.value.to_csv() for frame in app.dataframe]
    assert not any("M,old,yes" in text for text in shown)
    assert town.spent == 0


def test_a_press_without_a_file_is_answered(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    assert "nothing was loaded" in words(press(app, "Load into this session"))
    assert "nothing was added" in words(add(app))


def test_a_file_that_is_a_candidate_already_is_said_to_be_one(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[0].upload("renamed.csv", table(300, 2), "text/csv")
    add(app)
    assert "renamed.csv has the bytes of good.csv, a candidate already." in words(app)
    found = study_store.study(town.service, town.population).candidates
    assert {(one.name, one.attested) for one in found} == {("good.csv", True), ("poor.csv", True)}


def test_a_private_table_of_another_length_is_refused_and_the_page_stays_usable(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[-1].upload("people.csv", table(399, 1), "text/csv")
    press(app, "Load into this session")
    assert not app.exception
    assert "was refused" in words(app)
    assert "Nothing was charged" in words(app)
    assert any(button.label == "Load into this session" for button in app.button)
    assert len(study_store.study(town.service, town.population).candidates) == 2


def test_each_candidate_file_gets_its_own_verdict(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[0].set_value([("new.csv", table(50, 9), "text/csv"), ("ragged.csv", b"a,b\n1\n", "text/csv")])
    app.checkbox[0].check()
    press(app, "Add")
    assert not app.exception
    assert "new.csv: 50 rows" in words(app)
    assert "ragged.csv was refused. Line 2" in words(app)
    assert len(study_store.study(town.service, town.population).candidates) == 2, "nothing is stored before the word"
    press(app, "Store")
    assert "new.csv was read and stored" in words(app)
    assert {one.name for one in study_store.study(town.service, town.population).candidates} == {
        "good.csv",
        "poor.csv",
        "new.csv",
    }


def test_files_of_one_name_get_verdicts_that_can_be_told_apart(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    contents = (table(50, 9), b"a,b\n1\n", table(50, 10))
    app.file_uploader[0].set_value([("new.csv", content, "text/csv") for content in contents])
    press(app, "Add")
    assert "new.csv (1 of 3): 50 rows" in words(app)
    assert "new.csv (2 of 3) was refused. Line 2" in words(app)
    assert "new.csv (3 of 3): 50 rows" in words(app)
    said = words(press(app, "Store"))
    assert "new.csv (1 of 3) was read and stored" in said
    assert "new.csv (3 of 3) was read and stored" in said
    names = {one.name for one in study_store.study(town.service, town.population).candidates}
    assert len(names) == 4
    assert all(re.fullmatch(r"new\.csv \([0-9a-f]{8}\)", name) for name in names - {"good.csv", "poor.csv"})


def test_a_candidate_without_attestation_is_stored_but_cannot_be_bought_on(town: Here, steward: Open) -> None:
    app = steward("prepare")
    app.file_uploader[0].set_value([("new.csv", table(50, 9), "text/csv")])
    add(app)
    app.switch_page("pages/compare.py").run()
    assert set(app.multiselect[0].options) == {"good.csv", "poor.csv"}


def test_the_private_file_offered_as_public_after_a_charge_is_refused(town: Here, steward: Open) -> None:
    app = steward("compare")
    buy(app, "Buy these assessments")
    app.switch_page("pages/prepare.py").run()
    app.file_uploader[0].set_value([("people.csv", PRIVATE, "text/csv")])
    add(app)
    assert "people.csv was refused" in words(app)


def test_a_bad_schema_file_is_refused_and_the_earlier_one_stays(town: Here, visit: Open) -> None:
    before = study_store.study(town.service, town.population).schema
    app = visit("prepare", population=town.population)
    app.file_uploader[1].upload("schema.json", b'{"version": 2}', "application/json")
    press(app, "Load")
    assert "The schema was refused" in words(app)
    assert study_store.study(town.service, town.population).schema == before


def test_names_with_markup_are_shown_and_not_obeyed(town: Here, visit: Open) -> None:
    name = "![x](https:evil.example?p.png) <img src=x onerror=alert(1)>.csv"
    app = visit("prepare", population=town.population)
    app.file_uploader[0].set_value([(name, table(50, 9), "text/csv")])
    add(app)
    said = [str(element.value) for kind in (app.success, app.error, app.markdown) for element in kind]
    assert said
    assert any("alert" in text for text in said)
    assert not any(re.search(r"(?<!\\)[!<\[(]", text) for text in said if "alert" in text)


def test_once_something_was_charged_only_the_steward_can_change_the_tables(
    town: Here, steward: Open, visit: Open
) -> None:
    buy(steward("compare"), "Buy these assessments")
    viewer = visit("prepare", population=town.population)
    assert not any(button.label in ("Add", "Remove", "Draft a schema") for button in viewer.button)
    assert "can be changed once this session holds the private table" in words(viewer)


def test_forgetting_the_private_table_makes_the_session_a_viewer(steward: Open) -> None:
    app = steward("prepare")
    assert "Steward: private table loaded" in words(app)
    press(app, "Forget the private table")
    assert any(button.label == "Load into this session" for button in app.button)


def test_a_new_schema_asks_for_the_private_table_again(town: Here, steward: Open) -> None:
    app = steward("prepare")
    schema = study_store.draft_schema(town.service, town.population)
    study_store.save_schema(town.service, town.population, schema.model_copy(update={"missing_tokens": ("none",)}))
    app.run()
    assert "load it again" in words(app)


def test_a_table_charged_elsewhere_is_blocked_until_the_decision_is_recorded(
    town: Here, steward: Open, visit: Open
) -> None:
    ledger = town.service.ledger
    buy(steward("compare"), "Buy these assessments")
    terms = ledger.population(town.population)
    ledger.register(replace(terms, name="other"))
    study_store.add_candidate(town.service, "other", "good.csv", table(300, 2), attested=True)
    study_store.save_schema(town.service, "other", study_store.draft_schema(town.service, "other"))
    study_store.choose_workload(town.service, "other", WorkloadChoice(k=2))

    app = visit("prepare", population="other")
    app.file_uploader[-1].upload("people.csv", PRIVATE, "text/csv")
    press(app, "Load into this session")
    assert f"charged under {town.population} too" in words(app)
    app.switch_page("pages/release.py").run()
    buy(app, "Buy this release")
    assert "charged under another population" in words(app)
    assert ledger.balance("other").spent.units == 0

    app.switch_page("pages/prepare.py").run()
    next(box for box in app.checkbox if "budgets add up" in box.label).check().run()
    press(app, "Record the decision")
    app.switch_page("pages/release.py").run()
    buy(app, "Buy this release")
    assert ledger.balance("other").spent.units > 0
    assert ledger.acknowledgements("other")


def test_until_a_table_is_stored_it_is_said_why_no_schema_can_be_drafted(empty: Here, visit: Open) -> None:
    service, name = empty.service, empty.population
    service.ledger.register(Population(name, 400, 1, "one resident", Fraction(2), Fraction(1, 160_000)))
    app = visit("prepare", population=name)
    assert "Nothing to draft from yet: add a public table above." in words(app)
    app.file_uploader[0].upload("good.csv", table(300, 2), "text/csv")
    app.checkbox[0].check()
    app = press(app, "Add")
    assert "press Store below to keep 1 public table, then draft a schema" in words(app)
    assert "Nothing to draft from yet: press Store above" in words(app)
    app = press(app, "Store")
    assert "Nothing to draft from yet" not in words(app)
    assert "Next, on this page: draft a schema" in words(app)
