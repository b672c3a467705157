"""The schema file, version 1: what it may say, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.errors import SchemaError
from pmwpub.tabular.files.reading import from_frame, read_table
from pmwpub.tabular.schema.column_types import RESERVED, CategoricalColumn, NumericColumn
from pmwpub.tabular.schema.drafting import Recipe, draft, edges
from pmwpub.tabular.schema.table_schema import Schema

EXAMPLE = """{"version": 1,
 "missing_tokens": ["", "NA", "?"],
 "columns": [
  {"name": "sex", "kind": "categorical", "levels": ["Female", "Male"]},
  {"name": "age", "kind": "numeric", "edges": [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100], "outside": "clip"},
  {"name": "workclass", "kind": "categorical", "levels": ["Private", "State-gov"], "missing": true, "other": true},
  {"name": "person", "kind": "id"}]}"""
SEX: dict[str, Any] = {"name": "sex", "kind": "categorical", "levels": ["F", "M"]}
AGE: dict[str, Any] = {"name": "age", "kind": "numeric", "edges": [0, 50, 100], "outside": "clip"}


def of(*columns: dict[str, Any], tokens: list[str] | None = None, **rest: Any) -> Schema:
    return Schema.from_json(json.dumps({"version": 1, "missing_tokens": tokens or [], "columns": columns} | rest))


def test_the_published_example_loads_in_schema_order() -> None:
    schema = Schema.from_json(EXAMPLE)
    assert schema.domain.names == ("sex", "age", "workclass")
    assert schema.domain.shape == (2, 10, 4)
    assert schema.domain.attributes[2].levels == ("Private", "State-gov", "(missing)", "(other)")
    assert schema.domain.attributes[1].levels[:2] == ("[0, 10)", "[10, 20)")
    assert schema.domain.attributes[1].levels[-1] == "[90, 100]"
    assert schema.id_column is not None


def test_a_saved_schema_loads_as_the_same_schema_with_the_same_hash() -> None:
    schema = Schema.from_json(EXAMPLE)
    again = Schema.from_json(schema.to_json())
    assert again == schema
    assert again.sha256 == schema.sha256
    assert "10.0" not in schema.to_json()


@pytest.mark.parametrize(
    ("once", "twice", "key"),
    [
        ('{"version": 1,', '{"version": 2, "version": 1,', "version"),
        ('"kind": "id"', '"kind": "id", "kind": "id"', "kind"),
        ('"edges": [0,', '"edges": [0, 100], "edges": [0,', "edges"),
    ],
)
def test_a_key_that_stands_twice_is_refused(once: str, twice: str, key: str) -> None:
    """Other programs may take the first of the two where this one took the last."""
    assert EXAMPLE.count(once) == 1
    for text in (EXAMPLE.replace(once, twice), EXAMPLE.replace(once, twice).encode()):
        with pytest.raises(SchemaError, match=f"key '{key}' twice"):
            Schema.from_json(text)


def test_the_hash_ignores_spelling_and_tells_meaning_apart() -> None:
    spelt = of({"edges": [0.0, 5e1, 100], "outside": "clip", "kind": "numeric", "name": "age", "missing": False})
    assert spelt.sha256 == of(AGE).sha256
    others = [
        of(AGE | {"edges": [0, 50, 101]}),
        of(AGE | {"missing": True}),
        of(AGE, tokens=[""]),
        of(SEX, AGE),
        of(AGE, SEX),
    ]
    assert len({schema.sha256 for schema in [spelt, *others]}) == 6


def test_bin_labels_write_the_edges_exactly() -> None:
    column = of(AGE | {"edges": [-1.5, 0, 0.1, 1e20]}).encoded[0]
    assert column.attribute.levels == ("[-1.5, 0)", "[0, 0.1)", "[0.1, 1e+20]")


@pytest.mark.parametrize(
    ("columns", "tokens", "words"),
    [
        pytest.param([SEX | {"levels": ["F", "(missing)"]}], [], "reserved", id="level named as the missing level"),
        pytest.param([SEX | {"levels": ["F", "(other)"]}], [], "reserved", id="level named as the other level"),
        pytest.param([SEX | {"levels": ["F", "?"]}], ["?"], "missing token", id="level equal to a token"),
        pytest.param(
            [SEX | {"levels": ["F", "na"], "casefold": True}], ["NA"], "missing token", id="token, by casefold"
        ),
        pytest.param([SEX | {"levels": ["F", " NA "], "strip": True}], ["NA"], "missing token", id="token, by strip"),
        pytest.param([SEX | {"levels": ["F", "F"]}], [], "must differ", id="level twice"),
        pytest.param(
            [SEX | {"levels": ["F", "f"], "casefold": True}], [], "must differ", id="level twice, by casefold"
        ),
        pytest.param([SEX | {"levels": []}], [], "at least 1", id="no level"),
        pytest.param([SEX | {"levels": [str(i) for i in range(10_001)]}], [], "at most 10000", id="10,001 levels"),
        pytest.param([SEX | {"levels": ["F", 1]}], [], "string", id="a number as level"),
        pytest.param([SEX, SEX], [], "names must differ", id="name twice"),
        pytest.param([SEX, SEX | {"name": " sex"}], [], "names must differ", id="name twice, by padding"),
        pytest.param([SEX | {"name": " "}], [], "needs a name", id="blank name"),
        pytest.param([SEX | {"name": "a\u200b"}], [], "zero-width", id="zero-width name"),
        pytest.param([SEX | {"name": "weight"}], [], "reserved", id="weight"),
        pytest.param([SEX | {"level": ["F"]}], [], "Extra inputs", id="unknown key"),
        pytest.param([SEX | {"edges": [0, 1]}], [], "Extra inputs", id="edges of a categorical column"),
        pytest.param([SEX | {"kind": "text"}], [], "kind", id="unknown kind"),
        pytest.param([{"name": "sex", "levels": ["F"]}], [], "kind", id="no kind"),
        pytest.param([{k: v for k, v in AGE.items() if k != "outside"}], [], "outside", id="no outside"),
        pytest.param([AGE | {"outside": "other"}], [], "other", id="outside other without other"),
        pytest.param([AGE | {"outside": "nan"}], [], "outside", id="unknown outside"),
        pytest.param([AGE | {"edges": [0]}], [], "at least 2", id="one edge"),
        pytest.param([AGE | {"edges": [0, 0]}], [], "rise", id="equal edges"),
        pytest.param([AGE | {"edges": [1, 0]}], [], "rise", id="falling edges"),
        pytest.param([AGE | {"edges": [2**60, 2**60 + 1]}], [], "rise", id="edges equal as floats"),
        pytest.param([AGE | {"edges": ["0", "1"]}], [], "number", id="edges as text"),
        pytest.param([AGE | {"decimal": ",", "thousands": ","}], [], "must differ", id="marks coincide"),
        pytest.param([{"name": "p", "kind": "id"}], [], "at least one", id="no encoded column"),
        pytest.param(
            [SEX, {"name": "p", "kind": "id"}, {"name": "q", "kind": "id"}], [], "one id", id="two id columns"
        ),
    ],
)
def test_contradictions_are_refused_in_words(columns: list[dict[str, Any]], tokens: list[str], words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        of(*columns, tokens=tokens)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "null", "[]", "[" * 5_000, b"\xff", "\ud800", '{"version": 1}', EXAMPLE.replace('"version": 1,', ""),
        EXAMPLE.replace('"version": 1', '"version": 3'), EXAMPLE.replace('"version": 1', '"version": "1"'),
        EXAMPLE.replace('"version": 1', '"version": true'), EXAMPLE.replace("0, 10,", "NaN, 10,"),
        EXAMPLE.replace("90, 100", "90, Infinity"), EXAMPLE.replace('"Male"', '"\\ud800"'),
        EXAMPLE.replace('"version": 1', '"version": 1, "extra": 0'),
    ],
)  # fmt: skip
def test_other_texts_are_refused(text: str | bytes) -> None:
    with pytest.raises(SchemaError):
        Schema.from_json(text)


KEYS = st.sampled_from(["version", "columns", "missing_tokens", "name", "kind", "levels", "edges"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS | st.text(), inner)))
def test_any_json_is_a_schema_or_a_refusal(body: object) -> None:
    try:
        schema = Schema.from_json(json.dumps(body))
    except SchemaError:
        return
    assert schema.domain.names


def test_missing_columns_are_named_and_lookalikes_pointed_out_without_quoting_the_file() -> None:
    schema = Schema.from_json(EXAMPLE)
    with pytest.raises(SchemaError) as caught:
        schema.check_header(("AGE_", "other-canary", "sex"), with_id=True)
    message = str(caught.value)
    assert "'age', 'workclass', 'person'" in message
    assert "Column 1 of the file looks like 'age'" in message
    assert "canary" not in message
    assert "AGE_" not in message
    schema.check_header(("extra", "workclass", "age", "sex"), with_id=False)


# --- drafting


def test_a_draft_lists_levels_bins_missing_values_and_leaves_free_text_out() -> None:
    rows = "".join(f"{'FM'[i % 2]},{i % 90},{('?', 'x', 'y')[i % 3]},note {i},{i},{i % 3}\n" for i in range(2_000))
    schema = draft([read_table(f"sex,age,job,note,row,kids\n{rows}".encode())])
    kinds = {column.name: column.kind for column in schema.columns}
    assert kinds == {
        "sex": "categorical",
        "age": "numeric",
        "job": "categorical",
        "note": "ignore",
        "row": "ignore",
        "kids": "categorical",
    }
    sex, age, job, kids = schema.encoded
    assert isinstance(sex, CategoricalColumn)
    assert sex.levels == ("F", "M")
    assert not sex.missing
    assert isinstance(job, CategoricalColumn)
    assert job.levels == ("x", "y")
    assert job.missing
    assert isinstance(kids, CategoricalColumn)
    assert kids.levels == ("0", "1", "2")
    assert isinstance(age, NumericColumn)
    assert age.edges[0] == 0
    assert age.edges[-1] >= 89
    assert 5 <= len(age.edges) <= 11


def test_a_draft_takes_levels_from_all_tables_and_columns_that_all_have() -> None:
    schema = draft([read_table(b"a,b\nx,1\n"), read_table(b"c,a\n1,y\n")])
    assert [(column.name, column.attribute.levels) for column in schema.encoded] == [("a", ("x", "y"))]


def test_numbers_that_are_mostly_one_value_get_a_bin_for_it() -> None:
    gains = [0] * 900 + [1_000 + 37 * i for i in range(100)]
    column = draft([read_table(("gain\n" + "\n".join(map(str, gains)) + "\n").encode())], bins=5).encoded[0]
    assert isinstance(column, NumericColumn)
    assert column.own_levels[0] == "0"
    assert column.own_levels[1].startswith("(0, ")
    assert len(column.own_levels) == 5


def test_bins_by_quantiles_hold_equally_many_and_bins_by_width_are_equally_wide() -> None:
    values = [i * i for i in range(100)]
    table = read_table(("x\n" + "\n".join(map(str, values)) + "\n").encode())
    (quantiles,) = draft([table], bins=4, binning="quantiles").encoded
    assert isinstance(quantiles, NumericColumn)
    # The 25th, 50th and 75th of 100 values, counted from one, are 24^2, 49^2 and 74^2.
    assert quantiles.edges == (0, 24**2, 49**2, 74**2, 99**2)
    place = quantiles.placer(())
    counts = [sum(place(str(value)) == code for value in values) for code in range(4)]
    assert max(counts) - min(counts) <= 2
    (width,) = draft([table], bins=4, binning="width").encoded
    assert isinstance(width, NumericColumn)
    assert width.edges == (0, 2450.25, 4900.5, 7350.75, 9801)


def test_edges_are_proposed_for_one_column_as_it_reads_its_numbers() -> None:
    comma = NumericColumn(name="x", kind="numeric", edges=(0, 1), outside="clip", decimal=",", strip=True)
    table = read_table(b'x\n"1,5"\n" 2,5"\n?\n"9,5"\n')
    assert edges([table], comma, Recipe(2, "quantiles")) == (1.5, 2.5, 9.5)
    assert edges([read_table(b"x\n7\n")], comma, Recipe(2, "width")) == (7, 8)
    for tables in ([], [read_table(b"y\n1\n")], [read_table(b"x\n1.5\n")]):
        with pytest.raises(SchemaError, match="no number"):
            edges(tables, comma, Recipe())


@pytest.mark.parametrize("wrong", [{"bins": 0}, {"max_levels": 0}, {"binning": "guess"}])
def test_nonsense_recipes_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SchemaError):
        draft([read_table(b"a,b\n1,2\n")], **wrong)


def test_numbers_are_sorted_as_numbers() -> None:
    column = draft([read_table(b"a\n10\n9\n-1\n")]).encoded[0]
    assert column.attribute.levels == ("-1", "9", "10")


def test_a_draft_without_tables_shared_columns_or_usable_ones_is_refused() -> None:
    for tables in ([], [read_table(b"a,b\n1,2\n"), read_table(b"c,d\n1,2\n")], [read_table(b"weight,x\n1,NA\n")]):
        with pytest.raises(SchemaError):
            draft(tables)
    with pytest.raises(SchemaError):
        draft([read_table(b"a,b\n1,2\n")], bins=0)


@given(
    st.lists(
        st.floats(allow_nan=False) | st.integers() | st.text("01.,-e(missing)?NA ", max_size=6), min_size=1, max_size=60
    )
)
def test_any_public_column_drafts_to_a_schema_that_places_it(values: list[object]) -> None:
    table = read_table(("a,b\n" + "".join(f'"{value}",{"xy"[i % 2]}\n' for i, value in enumerate(values))).encode())
    for bins in (1, 10):
        schema = draft([table], bins=bins, max_levels=25)
        assert Schema.from_json(schema.to_json()) == schema
        for column in schema.encoded:
            place = schema.placer(column)
            cells = set(table.frame[column.name]) - set(RESERVED)
            assert all(place(cell) < column.no_level for cell in cells)


def test_a_draft_from_a_frame_works() -> None:
    schema = draft([from_frame(pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, "y"]}))])
    assert schema.domain.names == ("a", "b")


@pytest.mark.data
@pytest.mark.parametrize(("folder", "dimension", "size"), [("adult", 146, 7.3e11), ("acs_il_oh", 272, 3.8e23)])
def test_the_published_schemas_have_their_published_size(
    data_folder: Path, folder: str, dimension: int, size: float
) -> None:
    domain = Schema.from_json((data_folder / folder / "schema.json").read_bytes()).domain
    assert domain.dimension == dimension
    assert domain.size == pytest.approx(size, rel=0.01)
