"""Public rows that count with their weight: by hand, as if each stood in the file so often, whatever a cell says."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.planting import plant

from pmwpub.errors import DomainError, FileRefused, PlanError, SchemaError
from pmwpub.plan_inputs import PublicInputs, WorkloadChoice
from pmwpub.records import Dataset, Support
from pmwpub.tabular.coding.encode import Encoded, encode_public, weighed_by
from pmwpub.tabular.coding.public_values import PublicValues
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema import editing
from pmwpub.tabular.schema.codebook import read_codebook
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.clipping_cost import clipping_costs
from pmwpub.tabular.weights.proposed_weights import declared_weight
from pmwpub.tabular.weights.weight_column import WeightColumn

SEX = {"name": "sex", "kind": "categorical", "levels": ["F", "M"], "same": []}
WEIGHT = {"name": "w", "kind": "weight", "cap": 10, "unit": 2, "weighs": "all"}


def schema_of(*weights: dict[str, object], **keys: object) -> Schema:
    columns = [SEX, *(weights or (WEIGHT,))]
    return Schema.from_json(json.dumps({"version": 2, "missing_tokens": ["NA"], "columns": columns} | keys))


def encoded(lines: str, schema: Schema) -> Encoded:
    return encode_public(read_table(lines.encode()), schema)


def alike(one: Support, other: Support) -> bool:
    return np.array_equal(one.codes, other.codes) and np.array_equal(one.multiplicity, other.multiplicity)


def test_rows_count_with_their_clipped_weight_in_units_by_hand() -> None:
    """Units of 2, at most 5 of them: 4 is 2, 7 is 4 (3.5 and a half up), 1,000 is the cap."""
    found = encoded("sex,w\nF,4\nM,7\nF,1000\n", schema_of())
    assert found.support.codes.tolist() == [[0], [1]]
    assert found.support.multiplicity.tolist() == [2 + 5, 4]
    assert (found.dropped, found.broken, found.weightless) == (0, 0, 0)
    assert weighed_by(found, schema_of()) == "w, in whole units of 2, at most 10 each"


@pytest.mark.fault("cap of public weights ignored")
def test_an_ignored_cap_of_public_rows_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, WeightColumn, "weight_of", "Fraction(1, 2)), 0), cap)", "Fraction(1, 2)), 0), cap + 1)")
    with pytest.raises(AssertionError):
        test_rows_count_with_their_clipped_weight_in_units_by_hand()


def test_rows_that_weigh_nothing_are_left_out_and_counted() -> None:
    found = encoded("sex,w\nF,4\nM,-3\nM,\nM,NA\nM,x\nM,0.99\nF,inf\nF,1\n?,8\n", schema_of())
    assert found.support.codes.tolist() == [[0]]  # no man weighs anything, so none is an atom
    assert found.support.multiplicity.tolist() == [2 + 1]
    assert (found.weightless, found.dropped) == (6, 1)


def test_a_file_without_the_column_counts_each_row_once() -> None:
    found = encoded("sex\nF\nM\nF\n", schema_of())
    assert found.weights is None
    assert found.support.multiplicity.tolist() == [2, 1]
    assert weighed_by(found, schema_of()) == ""


def test_a_file_in_which_nothing_weighs_anything_is_refused() -> None:
    with pytest.raises(FileRefused, match="None of the 2 rows that could be used weighs anything by the column 'w'"):
        encoded("sex,w\nF,0\nM,none\n", schema_of())


def test_rows_that_break_a_rule_are_left_out_before_they_are_weighed() -> None:
    rule = {"holds": {"op": "=", "column": "sex", "value": "F"}}
    found = encoded("sex,w\nF,4\nM,8\nM,0\nF,0\n", schema_of(rules=[rule]))
    assert (found.broken, found.by_rule, found.weightless) == (2, (2,), 1)
    assert found.support.multiplicity.tolist() == [2]


@pytest.mark.parametrize("weighs", [None, "private"])
def test_public_rows_count_once_where_the_schema_does_not_say_that_they_are_weighed(weighs: str | None) -> None:
    """As before the key existed; "private" is no value of it."""
    column = {key: value for key, value in WEIGHT.items() if key != "weighs"}
    if weighs is None:
        found = encoded("sex,w\nF,4\nM,0\nF,8\n", schema_of(column))
        assert found.support.multiplicity.tolist() == [2, 1]
        assert "weighs" not in schema_of(column).to_json()
        return
    with pytest.raises(SchemaError, match="weighs"):
        schema_of(column | {"weighs": weighs})


def test_a_column_of_public_rows_alone_weighs_no_private_ones() -> None:
    schema = schema_of(WEIGHT | {"weighs": "public"})
    assert schema.weight_column is None
    assert schema.public_weights is not None
    schema.check_header(["sex"], with_id=True)
    assert encoded("sex,w\nF,4\nM,8\n", schema).support.multiplicity.tolist() == [2, 4]


def test_private_and_public_rows_may_be_weighed_by_two_columns() -> None:
    own = {"name": "v", "kind": "weight", "cap": 3, "unit": 1}
    schema = schema_of(own, WEIGHT | {"weighs": "public"})
    assert schema.weight_column is not None
    assert schema.weight_column.name == "v"
    assert encoded("sex,w,v\nF,4,1\nM,8,1\n", schema).support.multiplicity.tolist() == [2, 4]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (({"name": "w", "kind": "weight", "weighs": "all"},), "needs a cap and a unit"),
        ((WEIGHT | {"weighs": "public", "total": 100},), "a column that weighs public rows has none"),
        ((WEIGHT, WEIGHT | {"name": "v", "weighs": "public"}), "public rows are weighed by at most one column"),
        ((WEIGHT, {"name": "v", "kind": "weight", "cap": 3, "unit": 1}), "at most one column of weights has a cap"),
    ],
)
def test_schemas_that_contradict_themselves_are_refused(columns: tuple[dict[str, object], ...], words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        schema_of(*columns)


def test_the_editor_and_a_codebook_keep_whose_rows_are_weighed() -> None:
    schema = schema_of()
    assert editing.schema_of(editing.rows_of(schema), schema.missing_tokens, 2) == schema
    entries = read_codebook(schema.to_json().encode()).entries
    assert next(one.rules for one in entries if one.name == "w")["weighs"] == "all"


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("10:2:all", {"weighs": "all"}),
        ("10:2:public", {"weighs": "public"}),
        ("10:2:400:all", {"weighs": "all", "total": "400"}),
        ("10:2", {}),
    ],
)
def test_a_draft_may_say_whose_rows_are_weighed(text: str, keys: dict[str, str]) -> None:
    column = {"name": "w", "kind": "weight", "cap": "10", "unit": "2"} | keys
    assert declared_weight("w", text) == WeightColumn.model_validate(column)


@pytest.mark.parametrize("text", ["all", "10:all", "10:2:400:9:all", "10:2:some", "10:2:400:public"])
def test_a_draft_refuses_another_text(text: str) -> None:
    with pytest.raises(SchemaError):
        declared_weight("w", text)


def test_a_table_that_plays_a_private_one_keeps_rows_that_weigh_nothing() -> None:
    found = encode_public(read_table(b"sex,w\nF,4\nM,0\n"), schema_of(), ruled=False)
    assert (len(found.dataset), found.weights, found.weightless) == (2, None, 0)
    assert found.as_truth is not None
    assert found.as_truth.tolist() == [2, 0]


@given(
    st.lists(
        st.tuples(st.sampled_from("FM"), st.text("0123456789.eE+-naif \u0661", max_size=12)), min_size=1, max_size=30
    )
)
def test_no_cell_of_a_hostile_public_file_weighs_more_than_the_cap(rows: list[tuple[str, str]]) -> None:
    lines = "\n".join(["sex,w", "F,2", *(f"{sex},{cell}" for sex, cell in rows)]) + "\n"
    found = encoded(lines, schema_of())
    assert found.weights is not None
    assert 1 <= found.weights.min() <= found.weights.max() <= 5
    assert found.support.rows <= 5 * (1 + len(rows))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 9)), min_size=1, max_size=20))
def test_a_weighed_support_is_that_of_the_rows_repeated(rows: list[tuple[int, int]]) -> None:
    domain = schema_of(WEIGHT).domain
    codes, weights = np.array([[min(code, 1)] for code, _ in rows]), np.array([weight for _, weight in rows])
    weighed = Support.weighed(Dataset(domain, codes), weights)
    assert alike(weighed, Support.of(Dataset(domain, np.repeat(codes, weights, axis=0))))
    # Kish by hand, in whole numbers.
    assert weighed.people == sum(weights) ** 2 // sum(weights**2)
    assert weighed.people <= len(rows)


def test_how_many_rows_a_weighed_table_or_pool_is_worth_by_hand() -> None:
    domain = schema_of(WEIGHT).domain
    rows = Dataset(domain, [[0], [1]])
    plain, even = Support.of(rows), Support.weighed(rows, np.array([3, 3]))
    odd = Support.weighed(rows, np.array([1, 7]))
    assert (plain.people, even.people, odd.people) == (2, 2, 1)  # 8^2/(1 + 49) = 1.28
    assert (even.rows, odd.rows) == (6, 8)
    # S = 6 + 2, worth 8^2/(6^2/2 + 2^2/2) = 3.2 rows; unweighed tables are worth their rows.
    assert Support.union(even, plain).people == 3
    assert Support.union(plain, plain).people == 4


@pytest.mark.parametrize("weight", [0, 1 + (1 << 20)])
def test_weights_that_no_schema_gives_are_refused(weight: int) -> None:
    domain = schema_of(WEIGHT).domain
    with pytest.raises(DomainError, match="weighs nothing, or more"):
        Support.weighed(Dataset(domain, [[0], [1]]), np.array([1, weight]))


def test_what_clipping_costs_is_shown_for_a_column_of_public_rows_alone() -> None:
    schema = schema_of(WEIGHT | {"weighs": "public"})
    (cost,) = clipping_costs(read_table(b"sex,w\nF,4\nM,16\n"), schema, [schema.public_weights.units[0] * 5])  # type: ignore[union-attr]
    assert cost.clipped == pytest.approx(6 / 20)


def test_numbers_are_drawn_from_rows_that_weigh_something_each_alike() -> None:
    age = {"name": "age", "kind": "numeric", "edges": [0, 10, 20], "outside": "none", "same": []}
    table = read_table(b"sex,age,w\nF,3,10\nF,4,2\nM,5,0\nM,15,2\n")
    found = PublicValues.of([table], schema_of(age, WEIGHT), least=1)
    assert found.bins == {(1, 0): {"3": 1, "4": 1}, (1, 1): {"15": 1}}


def inputs(**keys: object) -> PublicInputs:
    body = {"schema_sha256": "s", "workload_sha256": "w", "workload": WorkloadChoice(k=1), "candidates": ("a", "b")}
    return PublicInputs.model_validate(body | keys)


def test_a_plan_names_its_weighed_tables_and_one_without_is_written_as_ever() -> None:
    assert "weighed" not in inputs().canonical
    assert json.loads(inputs(weighed=("b",)).canonical)["weighed"] == ["b"]
    assert inputs(weighed=("b",)).sha256 != inputs().sha256
    for wrong in (("c",), ("b", "a"), ("a", "a")):
        with pytest.raises(PlanError, match="which of its own public tables are weighed"):
            inputs(weighed=wrong)
