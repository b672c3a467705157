"""What a schema of households may say, and that nothing but a release of households takes it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pmwpub.errors import SchemaError
from pmwpub.tabular.households.household_schema import HouseholdSchema, is_household_schema
from pmwpub.tabular.schema.table_schema import Schema

COLUMNS: list[dict[str, Any]] = [
    {"name": "tenure", "kind": "categorical", "levels": ["own", "rent"]},
    {"name": "age", "kind": "numeric", "edges": [0, 18, 65, 120], "outside": "clip"},
    {"name": "home", "kind": "ignore"},
]
RULE: dict[str, Any] = {"id": "home", "largest": 5, "columns": ["tenure"]}


def text(rule: dict[str, Any] | None = None, columns: list[dict[str, Any]] | None = None, **more: Any) -> str:
    body = {"version": 2, "missing_tokens": [""], "household": RULE | (rule or {}), "columns": columns or COLUMNS}
    return json.dumps(body | more)


def test_a_file_reads_back_as_it_was_written() -> None:
    found = HouseholdSchema.from_json(text({"any": [{"name": "child", "column": "age", "levels": ["[0, 18)"]}]}))
    assert HouseholdSchema.from_json(found.to_json()) == found
    assert found.own_domain.names == ("household size", "tenure", "child")
    assert found.own_domain.shape == (5, 2, 2)
    assert is_household_schema(found.to_json())


def test_names_are_compared_as_a_file_s_header_is() -> None:
    """Composed and without padding, so that no two columns of one written file have one name."""
    with pytest.raises(SchemaError, match="different names"):
        HouseholdSchema.from_json(text({"any": [{"name": " home ", "column": "age", "levels": ["[0, 18)"]}]}))
    assert HouseholdSchema.from_json(text({"id": " home "})).rule.id == "home"


def test_every_part_of_the_rule_changes_the_hash() -> None:
    any_of = [{"name": "child", "column": "age", "levels": ["[0, 18)"]}]
    other = [text({"largest": 6}), text({"columns": []}), text({"any": any_of}), text(missing_tokens=["", "NA"])]
    assert len({HouseholdSchema.from_json(one).sha256 for one in [text(), *other]}) == 5


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"largest": 0}, "greater than or equal to 1"),
        ({"largest": 65}, "less than or equal to 64"),
        ({"largest": "5"}, "valid integer"),
        ({"households_per_person": 2}, "m² times the ρ"),
        ({"columns": ["tenure", "tenure"]}, "different names"),
        ({"columns": ["colour"]}, "colour"),
        ({"id": "tenure", "columns": []}, "no attribute"),
        (
            {"any": [{"name": "tenure", "column": "age", "levels": ["[0, 18)"]}], "columns": []},
            "no column of the persons",
        ),
        ({"any": [{"name": "child", "column": "age", "levels": ["0 to 18"]}]}, "does not have"),
        ({"any": [{"name": "household size", "column": "age", "levels": ["[0, 18)"]}]}, "different names"),
        ({"any": [{"name": "weight", "column": "age", "levels": ["[0, 18)"]}]}, "reserved"),
        ({"any": [{"name": "a\nchild", "column": "age", "levels": ["[0, 18)"]}]}, "control characters"),
        ({"any": [{"name": " ", "column": "age", "levels": ["[0, 18)"]}]}, "needs a name"),
        ({"id": "weight"}, "reserved"),
        ({"id": "ho\u200bme"}, "zero-width"),
        ({"id": "household size"}, "different names"),
        ({"person": "home"}, "not permitted"),
    ],
)
def test_a_rule_that_does_not_fit_is_refused_in_words(rule: dict[str, Any], words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        HouseholdSchema.from_json(text(rule))


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ({"name": "person", "kind": "id"}, "person ids"),
        ({"name": "fnlwgt", "kind": "weight"}, "weights"),
        (
            {"name": "county", "kind": "categorical", "levels": ["a", "b", "c"],
             "parents": [{"name": "state", "map": {"a": "s", "b": "s", "c": "t"}}]},
            "parents of levels",
        ),
    ],
)  # fmt: skip
def test_what_no_release_of_households_takes_is_refused_rather_than_ignored(column: dict[str, Any], words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        HouseholdSchema.from_json(text(columns=[*COLUMNS, column]))


def test_rules_of_rows_are_refused() -> None:
    with pytest.raises(SchemaError, match="rules"):
        HouseholdSchema.from_json(text(rules=[{"rule": 'tenure = "own" implies age >= 18'}]))


def test_a_schema_of_households_is_none_of_persons_and_the_other_way_round() -> None:
    with pytest.raises(SchemaError, match="persons of households"):
        Schema.from_json(text())
    flat = json.dumps({key: value for key, value in json.loads(text()).items() if key != "household"})
    assert not is_household_schema(flat)
    with pytest.raises(SchemaError, match='no key "household"'):
        HouseholdSchema.from_json(flat)
    assert not is_household_schema("{")
    with pytest.raises(SchemaError, match="twice"):
        HouseholdSchema.from_json('{"household": {}, "household": {}}')
