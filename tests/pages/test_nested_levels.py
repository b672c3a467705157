"""Levels that nest on the Prepare page: declared by characters, map or public column, drawn as a tree, taken back."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest
from pages.visits import ROWS, Here, Open, press, words
from streamlit.testing.v1 import AppTest

from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service.inputs import study_store
from pmwpub.tabular.schema.table_schema import Schema


def places(rows: int, seed: int) -> bytes:
    """200 counties of 20 states each drawn five times and more, with the state in words, and work."""
    draw = random.Random(seed)
    numbers = [*range(200), *(draw.randrange(200) for _ in range(rows - 200))]
    lines = [f"{n // 10 + 11}{n % 10:03d},s{n // 10},{draw.choice(['yes', 'no'])}" for n in numbers]
    return "\n".join(["county,st,work", *lines]).encode()


def registered(town: Here, content: bytes, schema: Schema | None = None, k: int = 2) -> Here:
    """A population with one public table, under a schema or under what is drafted from it."""
    service, name = town.service, town.population
    service.ledger.register(Population(name, ROWS, 1, "one resident", Fraction(2), Fraction(1, ROWS * ROWS)))
    study_store.add_candidate(service, name, "places.csv", content, attested=True)
    study_store.save_schema(service, name, schema or study_store.draft_schema(service, name))
    study_store.choose_workload(service, name, WorkloadChoice(k=k))
    return town


@pytest.fixture
def nested(empty: Here) -> Here:
    """Its schema has counties and their states side by side."""
    counties = [f"{n // 10 + 11}{n % 10:03d}" for n in range(200)]
    kinds = {"county": counties, "st": [f"s{n}" for n in range(20)], "work": ["yes", "no"]}
    columns = [{"name": name, "kind": "categorical", "levels": levels, "same": []} for name, levels in kinds.items()]
    body = json.dumps({"version": 2, "missing_tokens": [""], "columns": columns})
    return registered(empty, places(2_400, 1), Schema.from_json(body))


def schema(town: Here) -> Schema:
    found = study_store.study(town.service, town.population).schema
    assert found is not None
    return found


def editing(visit: Open, town: Here) -> AppTest:
    return press(visit("prepare", population=town.population), "Edit the schema")


def test_a_parent_is_declared_by_first_characters_and_saved(nested: Here, visit: Open) -> None:
    app = editing(visit, nested)
    app.text_input(key="name of the parent").set_value("state")
    app = press(app, "Add this parent")
    assert not app.exception
    assert "its first 2 characters" in words(app)
    app = press(app, "Save this schema")
    (parent,) = schema(nested).parents
    assert (parent.name, parent.child, len(parent.levels)) == ("state", "county", 20)
    assert study_store.study(nested.service, nested.population).choice == WorkloadChoice(k=2)


def test_a_pasted_map_is_a_parents_and_a_wrong_one_is_refused_in_words(nested: Here, visit: Open) -> None:
    app = editing(visit, nested)
    app = app.radio(key="way of the parent").set_value("a map of two columns").run()
    app.text_input(key="name of the parent").set_value("region")
    app.text_area(key="map of the parent").set_value("11000,north")
    app = press(app, "Add this parent")
    assert "lacks 199 of the 200 levels of 'county': '11001', " in words(app).replace("\\", "")
    assert "'12000' and 189 more; each needs a parent" in words(app).replace("\\", "")
    lines = [f"{n // 10 + 11}{n % 10:03d}\t{'north' if n < 90 else 'south'}" for n in range(200)]
    app.text_area(key="map of the parent").set_value("\n".join(lines))
    app = press(press(app, "Add this parent"), "Save this schema")
    assert [(one.name, one.levels) for one in schema(nested).parents] == [("region", ("north", "south"))]


def test_a_public_column_becomes_a_parent_and_leaves_the_schema(nested: Here, visit: Open) -> None:
    app = editing(visit, nested)
    app = app.radio(key="way of the parent").set_value("a public column").run()
    app.selectbox(key="parent column").set_value("st")
    app = press(press(app, "Add this parent"), "Save this schema")
    assert [column.name for column in schema(nested).columns] == ["county", "work"]
    assert [one.name for one in schema(nested).parents] == ["st"]


def test_bands_of_numbers_are_declared_by_their_edges_which_their_bins_get(empty: Here, visit: Open) -> None:
    numbers = [{"name": "age", "kind": "numeric", "edges": [0, 30, 60, 90], "outside": "clip", "same": []}]
    body = json.dumps({"version": 2, "missing_tokens": [""], "columns": numbers})
    town = registered(empty, "\n".join(["age", *map(str, range(90))]).encode(), Schema.from_json(body), k=1)
    app = editing(visit, town)
    app.text_input(key="name of the parent").set_value("age band")
    app.text_input(key="edges of bands").set_value("18")
    app = press(app, "Add this parent")
    assert "two edges at least" in words(app)
    app.text_input(key="edges of bands").set_value("18, 60")
    app = press(app, "Add this parent")
    assert "The bands of 'age band' go from 18 to 60, but 'age' goes from 0 to 90." in words(app)
    assert "not valid" not in words(app)
    app.text_input(key="edges of bands").set_value("0, 18, 60, 90")
    app = press(press(app, "Add this parent"), "Save this schema")
    (parent,) = schema(town).parents
    assert (parent.name, parent.levels) == ("age band", ("[0, 18)", "[18, 60)", "[60, 90]"))
    assert schema(town).encoded[0].own_levels == ("[0, 18)", "[18, 30)", "[30, 60)", "[60, 90]")


def test_a_parent_is_removed_again(nested: Here, visit: Open) -> None:
    app = editing(visit, nested)
    app.text_input(key="name of the parent").set_value("state")
    app = press(press(app, "Add this parent"), "Remove state")
    assert "its first 2 characters" not in words(app)
    press(app, "Save this schema")
    assert schema(nested).parents == ()


def test_columns_that_nest_are_pointed_out_and_one_click_declares_it_and_another_takes_it_back(
    empty: Here, visit: Open
) -> None:
    """Forty towns of eight counties, drafted."""
    lines = [f"town {n % 40},county {n % 40 // 5},{'yn'[n % 3 % 2]}" for n in range(600)]
    nested = registered(empty, "\n".join(["town,st,work", *lines]).encode())
    before = schema(nested)
    app = visit("prepare", population=nested.population)
    app = press(app, "st follows from it, as the public tables have it")
    assert not app.exception
    assert [one.name for one in schema(nested).parents] == ["st"]
    assert "st" not in [column.name for column in schema(nested).columns]
    press(app, "Undo")
    after = schema(nested)
    assert after.parents == ()
    assert {column.name for column in after.encoded} == {column.name for column in before.encoded}


def test_the_tree_is_drawn_with_its_table_and_a_branch_is_chosen_by_keyboard(nested: Here, visit: Open) -> None:
    app = editing(visit, nested)
    app.text_input(key="name of the parent").set_value("state")
    press(press(app, "Add this parent"), "Save this schema")
    app = visit("prepare", population=nested.population)
    app = app.toggle(key="show nested levels").set_value(True).run()
    assert not app.exception
    table = _nested_table(app)
    assert list(table["state"])[:2] == ["11", "11"]
    assert len(table["county"]) == 200
    app = app.selectbox(key="nested branch 0").set_value(2).run()
    assert list(_nested_table(app)["county"]) == [f"13{n:03d}" for n in range(10)]


def _nested_table(app: AppTest) -> dict[str, list[str]]:
    return next(frame.value for frame in app.dataframe if "public rows" in frame.value and "county" in frame.value)
