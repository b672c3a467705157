"""The review of columns on the Prepare page: what it shows, what one click does, and what it refuses."""

from __future__ import annotations

import random

import pytest
from pages.visits import Here, Open, press, words
from streamlit.testing.v1 import AppTest

from pmwpub.service.inputs import study_store
from pmwpub.tabular.schema.table_schema import Schema


def survey(wave: int, seed: int, columns: int = 2, rows: int = 60) -> bytes:
    """Wave, person and sex, then columns of three levels; some of the first file's sexes are capital letters."""
    draw = random.Random(seed)
    lines = [",".join(["wave", "person", "sex", *(f"q{place}" for place in range(columns))])]
    for row in range(rows):
        sex = "M" if seed == 1 and row % 10 == 0 else draw.choice("fm")
        lines.append(",".join([str(wave), str(1000 + row), sex, *(str(draw.randint(1, 3)) for _ in range(columns))]))
    return "\n".join(lines).encode()


def drafted(town: Here, columns: int = 2) -> None:
    """The town's candidates in the place of two waves, and a schema that is drafted from them."""
    service, name = town.service, town.population
    for one in study_store.study(service, name).candidates:
        study_store.remove_candidate(service, name, one.sha256)
    for wave, seed in ((2008, 1), (2012, 2)):
        study_store.add_candidate(service, name, f"w{wave}.csv", survey(wave, seed, columns), attested=True)
    study_store.save_schema(service, name, study_store.draft_schema(service, name))


def schema(town: Here) -> Schema:
    found = study_store.study(town.service, town.population).schema
    assert found is not None
    return found


def rows(app: AppTest) -> dict[str, dict[str, object]]:
    """The review by column."""
    frames = [frame.value for frame in app.dataframe if "look" in frame.value.columns]
    assert len(frames) == 1
    return {str(row["column"]): row for row in frames[0].to_dict("records")}


def decide(app: AppTest, what: str) -> None:
    """Click a remedy by the column, rule and value that it is for."""
    app.button(key=f"decide {what}").click().run()
    assert not app.exception


def test_suspicious_columns_stand_first_with_what_was_left_out_and_because_of_what(town: Here, visit: Open) -> None:
    drafted(town)
    app = visit("prepare", population=town.population)
    assert not app.exception
    found = rows(app)
    assert list(found)[:2] == ["person", "wave"]
    assert found["wave"]["look"] == "left out"
    assert "'2008' in w2008.csv, '2012' in w2012.csv" in str(found["wave"]["why"])
    assert "'M' as 'm'" in str(found["sex"]["why"])
    assert [round(float(bar), 6) for bar in found["q0"]["public rows"]].count(1.0) >= 1  # type: ignore[attr-defined]
    assert "3 columns are encoded, 2 are not" in words(app)
    assert town.spent == 0


def test_one_click_keeps_a_column_or_declares_it_as_ids_or_leaves_it_out(town: Here, visit: Open) -> None:
    drafted(town)
    app = visit("prepare", population=town.population)
    decide(app, "person kind id")
    assert "person: Declare as person ID. The schema is saved." in words(app)
    assert schema(town).id_column is not None
    decide(app, "wave kind categorical")
    assert "wave" in schema(town).domain.names
    assert rows(app)["wave"]["look"] == "suspicious"
    decide(app, "wave kind ignore")
    assert "wave" not in schema(town).domain.names
    assert town.spent == 0


def test_spellings_are_kept_apart_on_demand(town: Here, visit: Open) -> None:
    drafted(town)
    app = visit("prepare", population=town.population)
    assert schema(town).domain.attributes[0].levels == ("f", "m")
    decide(app, "sex same none")
    assert schema(town).domain.attributes[0].levels == ("M", "f", "m")


def test_a_decision_that_the_public_cells_do_not_allow_is_refused_and_the_schema_stays(town: Here, visit: Open) -> None:
    drafted(town)
    app = visit("prepare", population=town.population)
    before = schema(town)
    app.selectbox(key="reviewed column").select("q1").run()
    decide(app, "q1 kind id")
    assert schema(town).id_column is not None
    decide(app, "person kind id")
    assert "The schema stays as it is." in words(app)
    assert schema(town) != before
    assert schema(town).id_column is not None
    assert schema(town).id_column.name == "q1"  # type: ignore[union-attr]


def test_a_schema_drafted_again_follows_what_was_decided_and_each_decision_is_taken_back(
    town: Here, visit: Open
) -> None:
    drafted(town)
    plain = schema(town)
    app = visit("prepare", population=town.population)
    decide(app, "sex same none")
    decide(app, "person kind id")
    assert "Decided: Keep all spellings apart." in words(app)
    press(app, "Draft a schema")
    assert "It follows 2 decisions of yours." in words(app)
    assert schema(town).domain.attributes[0].levels == ("M", "f", "m")
    assert schema(town).id_column is not None
    app.button(key="undo sex same none").click().run()
    assert "sex: taken back. The schema is saved." in words(app)
    app.button(key="undo person kind id").click().run()
    assert schema(town) == plain
    assert not [button for button in app.button if str(button.key).startswith("undo ")]
    assert town.spent == 0


def test_a_decision_that_no_longer_applies_is_said_after_a_new_draft(town: Here, visit: Open) -> None:
    drafted(town)
    app = visit("prepare", population=town.population)
    decide(app, "wave kind categorical")
    for one in study_store.study(town.service, town.population).candidates:
        study_store.remove_candidate(town.service, town.population, one.sha256)
    body = survey(2008, 1).replace(b"wave", b"year")
    study_store.add_candidate(town.service, town.population, "w.csv", body, attested=True)
    press(app, "Draft a schema")
    assert (
        "A decision no longer applies. wave: Keep as categorical: the public tables do not share that column"
        in words(app)
    )


def test_a_card_names_levels_with_their_shares_and_more_than_eight_are_paged(town: Here, visit: Open) -> None:
    """What a phone shows of a column, for the table's right half lies off its screen."""
    service, name = town.service, town.population
    for one in study_store.study(service, name).candidates:
        study_store.remove_candidate(service, name, one.sha256)
    names = [f"t{place}" for place in range(20)]
    rows = [",".join(["A" if row == 0 else "ab"[row % 2] for _ in names]) for row in range(40)]
    body = "\n".join([",".join(names), *rows]).encode()
    study_store.add_candidate(service, name, "spelt.csv", body, attested=True)
    study_store.save_schema(service, name, study_store.draft_schema(service, name))
    app = visit("prepare", population=name)
    assert "In public rows: a 50% · b 50%" in words(app)
    shown = {str(button.key).split(" ")[1] for button in app.button if str(button.key).startswith("decide ")}
    assert shown == {*names[:8]}
    pages = app.selectbox(key="reviewed columns")
    assert pages.label == "Columns to look at: 20, 8 at once"
    assert pages.options == ["1 to 8", "9 to 16", "17 to 20"]
    pages.select_index(2).run()
    assert not app.exception
    decide(app, "t19 same none")
    assert schema(town).domain.attributes[-1].levels == ("A", "a", "b")


def test_one_column_is_counted_in_the_singular(town: Here, visit: Open) -> None:
    drafted(town, 0)
    app = visit("prepare", population=town.population)
    assert "1 column is encoded, 2 are not" in words(app)
    decide(app, "wave kind categorical")
    assert "2 columns are encoded, 1 is not" in words(app)


@pytest.mark.parametrize("columns", [127])
def test_a_hundred_and_thirty_columns_are_one_table_and_few_buttons(town: Here, visit: Open, columns: int) -> None:
    drafted(town, columns)
    app = visit("prepare", population=town.population)
    assert len(rows(app)) == columns + 3
    assert sum(str(button.key).startswith("decide ") for button in app.button) < 20


def test_viewers_see_the_review_without_its_buttons(town: Here, visit: Open) -> None:
    drafted(town)
    app = visit("prepare", population=town.population, view="stakeholder")
    assert "wave" in rows(app)
    assert not [button for button in app.button if str(button.key).startswith("decide ")]


def test_a_card_names_the_levels_that_stand_for_no_value_as_such(town: Here, visit: Open) -> None:
    service, name = town.service, town.population
    for one in study_store.study(service, name).candidates:
        study_store.remove_candidate(service, name, one.sha256)
    body = "\n".join(["hours,sex", *(f"{99 if row % 5 == 0 else 20 + row % 23},{'fm'[row % 2]}" for row in range(100))])
    study_store.add_candidate(service, name, "hours.csv", body.encode(), attested=True)
    study_store.save_schema(service, name, study_store.draft_schema(service, name))
    assert "more; without a value: 99 20%" in words(visit("prepare", population=name))
