"""What public tables say of households, counted by hand."""

from __future__ import annotations

import pytest
from support.households import csv_of, homes

from pmwpub.errors import SchemaError
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.households.proposed_households import (
    any_persons,
    proposed_households,
    suggested_ids,
    without_ids,
)
from pmwpub.tabular.schema.table_schema import Schema

HEADER = "home,tenure,city,age,sex"
ROWS = (
    "h1,own,x,adult,f",
    "h1,own,x,child,m",
    "h2,rent,x,old,f",
    "h3,rent,x,adult,f",
    "h3,rent,x,adult,m",
    "h3,rent,x,child,f",
)
LEVELS = {"tenure": ("own", "rent"), "city": ("x", "y"), "age": ("child", "adult", "old"), "sex": ("f", "m")}
PERSONS = Schema.from_json(
    '{"version": 2, "missing_tokens": [""], "columns": ['
    + ", ".join(
        f'{{"name": "{name}", "kind": "categorical", "levels": {list(levels)}}}'.replace("'", '"')
        for name, levels in LEVELS.items()
    )
    + "]}"
)


def table(*rows: str) -> TextTable:
    return read_table("\n".join([HEADER, *rows]).encode())


def test_sizes_and_columns_are_those_of_the_public_households() -> None:
    found = proposed_households([table(*ROWS)], PERSONS, "home")
    assert (found.sizes, found.several) == ({1: 1, 2: 1, 3: 1}, 2)
    assert found.differing == {"tenure": 0, "city": 0, "age": 2, "sex": 2}
    assert found.columns == ("tenure",), "the city is the same for all, so it says nothing of households"
    assert [found.beyond(largest) for largest in (1, 2, 3)] == [2, 1, 0]


def test_one_household_whose_persons_differ_is_enough_for_no_proposal() -> None:
    other = table("h9,own,y,old,f", "h9,rent,y,old,f")
    found = proposed_households([table(*ROWS), other], PERSONS, "home")
    assert found.differing["tenure"] == 1
    assert found.columns == (), "a city that tells tables apart says nothing of households"


def test_the_order_of_rows_and_rows_without_an_id_do_not_matter() -> None:
    mixed = table(*reversed(ROWS), ",own,y,old,f", ",rent,y,old,m")
    found, first = (proposed_households([one], PERSONS, "home") for one in (mixed, table(*ROWS)))
    assert found == first


def test_households_of_one_person_propose_nothing() -> None:
    found = proposed_households([table("h1,own,x,old,f", "h2,rent,y,old,f")], PERSONS, "home")
    assert (found.several, found.columns) == (0, ())


def test_a_column_of_ids_without_an_id_is_refused() -> None:
    with pytest.raises(SchemaError, match="check the column of ids"):
        proposed_households([table(",own,x,old,f")], PERSONS, "home")
    with pytest.raises(SchemaError, match="lacks the column of household ids"):
        proposed_households([table(*ROWS)], PERSONS, "house")


def test_columns_that_come_in_runs_are_suggested_the_most_texts_first() -> None:
    assert suggested_ids([table(*ROWS)]) == ("home", "tenure")
    assert suggested_ids([table(*ROWS), table(*reversed(ROWS))]) == ("home", "tenure")
    assert suggested_ids([table(ROWS[0], ROWS[2], ROWS[1])]) == ("sex",), "a person of h1 stands behind one of h2"
    assert suggested_ids([]) == ()


def test_runs_of_more_rows_than_a_household_may_have_are_no_ids() -> None:
    town = [[row] * 65 for row in ("own,adult,f", "rent,adult,f")]
    assert "home" not in suggested_ids([read_table(csv_of(town).encode())])
    assert "home" in suggested_ids([read_table(csv_of(homes(40, 5)).encode())])


def test_the_column_of_ids_is_encoded_no_more() -> None:
    assert without_ids(PERSONS, "home") == PERSONS
    left = without_ids(PERSONS, "city")
    assert left.domain.names == ("tenure", "age", "sex")
    assert [column.kind for column in left.columns] == ["categorical", "ignore", "categorical", "categorical"]


def test_a_column_made_of_persons_is_written_as_name_column_and_level() -> None:
    found = any_persons(PERSONS, ["has a child=age:child", "old or grown=age:old", "old or grown=age:adult"])
    assert [(one.name, one.column, one.levels) for one in found] == [
        ("has a child", "age", ("child",)),
        ("old or grown", "age", ("old", "adult")),
    ]


@pytest.mark.parametrize("text", ["has a child", "=age:child", "a=years:child", "a=age", "a=age child"])
def test_another_form_is_refused_with_the_one_that_is_needed(text: str) -> None:
    with pytest.raises(SchemaError, match="NAME=COLUMN:LEVEL"):
        any_persons(PERSONS, [text])


def test_one_name_is_made_of_one_column() -> None:
    with pytest.raises(SchemaError, match="one column's levels"):
        any_persons(PERSONS, ["a=age:child", "a=sex:f"])
