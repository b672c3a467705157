"""Schemas on the Prepare page: from a codebook, and edited rule by rule."""

from __future__ import annotations

from typing import Any

import pytest
from pages.visits import Here, Open, buy, press, stored, words
from streamlit.testing.v1 import AppTest

from pmwpub.service.inputs import schema_editing, study_store
from pmwpub.tabular.schema.column_types import NumericColumn
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.ui.prepare.workload_size import possible_rows

NUMBERS = "sex,age,work\n" + "\n".join(f"{'FM'[i % 2]},{i % 80},{'yes' if i % 3 else 'no'}" for i in range(240))
CODEBOOK = (
    b"name,kind,level,other\nsex,categorical,F,\nsex,,M,\nage,categorical,young,yes\nage,,old,\nage,missing,-9,\n"
)


def _schema(town: Here) -> Schema:
    found = study_store.study(town.service, town.population).schema
    assert found is not None
    return found


def _edit(app: AppTest, **edits: Any) -> AppTest:
    """Cell edits as the grid sends them."""
    nothing: dict[str, Any] = {"edited_rows": {}, "added_rows": [], "deleted_rows": []}
    version = app.session_state["pmwpub session"].editing.version
    app.session_state[f"schema grid {version}"] = nothing | edits
    return app.run()


def _editing(visit: Open, town: Here) -> AppTest:
    return press(visit("prepare", population=town.population), "Edit the schema")


def _saves(app: AppTest) -> bool:
    return not next(button for button in app.button if button.label == "Save this schema").disabled


def test_a_codebook_gives_the_schema_and_the_public_tables_the_rest(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[2].upload("codes.csv", CODEBOOK, "text/csv")
    press(app, "Draft from the codebook")
    assert not app.exception
    schema = _schema(town)
    assert [column.name for column in schema.columns] == ["sex", "age", "work"]
    assert schema.domain.attributes[1].levels == ("young", "old", "-9", "(other)")
    assert schema.placer(schema.encoded[1])("-9.0") == 2
    assert town.spent == 0


def test_a_codebook_with_semicolons_is_read_once_confirmed(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[2].upload("codes.csv", CODEBOOK.replace(b",", b";"), "text/csv")
    press(app, "Draft from the codebook")
    stored(press(app, "Read as UTF-8 with a semicolon between cells"))
    assert _schema(town).domain.attributes[1].levels == ("young", "old", "-9", "(other)")


def test_a_bad_codebook_is_refused_and_the_earlier_schema_stays(town: Here, visit: Open) -> None:
    before = _schema(town)
    app = visit("prepare", population=town.population)
    app.file_uploader[2].upload("codes.csv", b"a,b\n1,2\n", "text/csv")
    press(app, "Draft from the codebook")
    assert "The schema was refused" in words(app)
    assert _schema(town) == before


def test_every_rule_can_be_edited_and_is_saved(town: Here, visit: Open) -> None:
    app = _editing(visit, town)
    rules = {"missing": True, "other": True, "strip": True, "casefold": True}
    numeric = {
        "kind": "numeric", "values": ["0", "1.5", "9"], "outside": "other", "other": True, "decimal": ",",
        "thousands": ".",
    }  # fmt: skip
    _edit(
        app,
        edited_rows={0: rules, 1: numeric, 2: {"kind": "ignore"}},
        added_rows=[{"name": "person", "kind": "id"} | dict.fromkeys([*rules, "nfc", "number"], False)],
    )
    assert _saves(app)
    press(app, "Save this schema")
    sex, age, work, person = _schema(town).columns
    assert (sex.missing, sex.other) == (True, True)  # type: ignore[union-attr]
    assert {"trim", "casefold"} <= set(sex.same)
    assert isinstance(age, NumericColumn)
    assert (age.edges, age.outside, age.decimal, age.thousands) == ((0, 1.5, 9), "other", ",", ".")
    assert (work.kind, person.kind) == ("ignore", "id")


@pytest.mark.parametrize(("columns", "rows"), [(4, "10,000"), (8, "100,000,000"), (9, "1e9"), (30, "1e30")])
def test_possible_rows_are_written_out_as_long_as_people_read_them(columns: int, rows: str) -> None:
    assert possible_rows(10**columns) == rows


def test_size_follows_each_edit(town: Here, visit: Open) -> None:
    app = _editing(visit, town)
    before = {metric.label: metric.value for metric in reversed(app.metric)}
    assert before["Possible rows"] == "12"
    assert before["Queries"] == "16", "2x3 + 2x2 + 3x2"
    _edit(app, edited_rows={1: {"other": True}})
    after = {metric.label: metric.value for metric in reversed(app.metric)}
    assert after["Possible rows"] == "16"
    assert after["Queries"] == "20", "2x4 + 2x2 + 4x2"
    assert {"Memory, about", "A round, at most about"} <= set(after)


def test_an_edit_that_contradicts_a_rule_is_said_and_nothing_is_lost(town: Here, visit: Open) -> None:
    before = _schema(town)
    app = _editing(visit, town)
    _edit(app, edited_rows={0: {"values": ["F", "F"]}, 1: {"missing": True}})
    assert not app.exception
    assert "row 1" in words(app)
    assert "levels must differ" in words(app)
    assert not _saves(app)
    assert _schema(town) == before
    _edit(app, edited_rows={0: {"values": ["F", "M", "X"]}, 1: {"missing": True}})
    press(app, "Save this schema")
    assert _schema(town).domain.shape == (3, 4, 2)


def test_edits_survive_a_look_at_another_page(town: Here, visit: Open) -> None:
    app = _editing(visit, town)
    _edit(app, edited_rows={1: {"other": True}}, deleted_rows=[2])
    app.switch_page("pages/compare.py").run()
    app.switch_page("pages/prepare.py").run()
    assert [row["name"] for row in app.data_editor[0].value.to_dict("records")] == ["sex", "age"]
    press(app, "Save this schema")
    assert _schema(town).domain.shape == (2, 4)


def _refreshed(visit: Open, town: Here) -> AppTest:
    """The page as a new browser session finds it: what a refresh leaves."""
    return visit("prepare", population=town.population)


def test_edits_survive_a_refresh_and_go_on_where_they_stood(town: Here, visit: Open) -> None:
    before = _schema(town)
    app = _editing(visit, town)
    tokens = next(box for box in app.multiselect if box.label == "Missing tokens")
    tokens.set_value(["(blank cell)", "?"]).run()
    _edit(app, edited_rows={0: {"values": ["F", "F"]}, 1: {"other": True}}, deleted_rows=[2])
    assert not _saves(app), "what contradicts a rule is kept too"

    app = _refreshed(visit, town)
    assert _schema(town) == before
    assert "An edit of the schema was begun and not saved" in words(app)
    press(app, "Go on with the edit")
    assert not app.exception
    rows = app.data_editor[0].value.to_dict("records")
    assert [(row["name"], list(row["values"]), row["other"]) for row in rows] == [
        ("sex", ["F", "F"], False),
        ("age", ["middle", "old", "young"], True),
    ]
    _edit(app, edited_rows={0: {"values": ["F", "M"]}})
    press(app, "Save this schema")
    assert _schema(town).domain.shape == (2, 4)
    assert _schema(town).missing_tokens == ("", "?")
    assert "not saved" not in words(_refreshed(visit, town)), "an edit that was saved is no draft"


def test_an_edit_that_changed_nothing_or_was_discarded_leaves_no_draft(town: Here, visit: Open) -> None:
    app = _editing(visit, town)
    assert schema_editing.unfinished(town.service, town.population) is None
    _edit(app, edited_rows={1: {"other": True}})
    assert schema_editing.unfinished(town.service, town.population) is not None
    press(app, "Discard the edits")
    assert schema_editing.unfinished(town.service, town.population) is None

    _edit(_editing(visit, town), edited_rows={1: {"other": True}})
    app = _refreshed(visit, town)
    press(app, "Discard that edit")
    assert schema_editing.unfinished(town.service, town.population) is None
    assert "not saved" not in words(app)


def test_a_draft_is_offered_only_to_who_may_change_the_schema_and_buys_nothing(
    town: Here, steward: Open, visit: Open
) -> None:
    app = press(steward("prepare"), "Edit the schema")
    _edit(app, edited_rows={1: {"other": True}})
    assert "not saved" not in words(visit("prepare", population=town.population, view="stakeholder"))
    buy(steward("compare"), "Buy these assessments")
    assert "not saved" not in words(_refreshed(visit, town)), "after a charge the steward alone changes the tables"
    assert "not saved" in words(steward("prepare"))


def test_bins_are_taken_from_the_public_tables_alone(town: Here, visit: Open) -> None:
    study_store.add_candidate(town.service, town.population, "numbers.csv", NUMBERS.encode(), attested=True)
    app = _editing(visit, town)
    _edit(app, edited_rows={1: {"kind": "numeric", "values": [], "outside": "clip"}})
    assert not _saves(app), "a numeric column needs edges"
    app.selectbox(key="edited column").set_value(1).run()
    app.number_input(key="bins column").set_value(4).run()
    app.selectbox(key="binning column").set_value("quantiles").run()
    press(app, "Take bins from the public tables")
    press(app, "Save this schema")
    age = _schema(town).columns[1]
    assert isinstance(age, NumericColumn)
    assert age.edges == (0, 19, 39, 59, 79), "each of 0 to 79 three times: quarters of the sorted values"


def test_lines_of_text_become_levels(town: Here, visit: Open) -> None:
    app = _editing(visit, town)
    app.text_area[0].set_value("F\nM\nother, or none")
    press(app, "Take these lines")
    press(app, "Save this schema")
    assert _schema(town).domain.attributes[0].levels == ("F", "M", "other, or none")


def test_levels_are_taken_from_the_public_tables(town: Here, visit: Open) -> None:
    app = _editing(visit, town)
    _edit(app, edited_rows={0: {"values": ["F"]}})
    press(app, "Take levels from the public tables")
    press(app, "Save this schema")
    assert _schema(town).domain.attributes[0].levels == ("F", "M")


def test_missing_tokens_are_edited_and_the_blank_one_has_a_name(town: Here, visit: Open) -> None:
    app = _editing(visit, town)
    tokens = next(box for box in app.multiselect if box.label == "Missing tokens")
    assert tokens.value == ["(blank cell)", "NA", "?"]
    tokens.set_value(["(blank cell)", "?"]).run()
    press(app, "Save this schema")
    assert _schema(town).missing_tokens == ("", "?")


def test_discarding_keeps_the_stored_schema(town: Here, visit: Open) -> None:
    before = _schema(town)
    app = _edit(_editing(visit, town), edited_rows={1: {"other": True}})
    press(app, "Discard the edits")
    assert _schema(town) == before
    assert any(button.label == "Edit the schema" for button in app.button)


def test_after_a_charge_the_page_says_that_a_new_schema_makes_new_plans(town: Here, steward: Open) -> None:
    app = steward("compare")
    buy(app, "Buy these assessments")
    app.switch_page("pages/prepare.py").run()
    assert "makes new plans, each with its own price" in words(app)
    press(app, "Edit the schema")
    _edit(app, edited_rows={1: {"other": True}})
    press(app, "Save this schema")
    press(app, "Load the same table under the new schema")
    assert "400 rows" in words(app)
