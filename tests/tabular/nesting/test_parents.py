"""Parents of levels: which a schema may declare, what each cell's is, and that counts add up whatever a table holds."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.planting import plant

from pmwpub.errors import SchemaError
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset
from pmwpub.tabular.coding import encode
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import open_table, read_table
from pmwpub.tabular.misfit_pass import misfits
from pmwpub.tabular.overlap.table_views import viewed
from pmwpub.tabular.private_pass import encode_private, survey
from pmwpub.tabular.schema.column_types import CategoricalColumn
from pmwpub.tabular.schema.table_schema import Schema

COUNTIES = ["39001", "39003", "18001", "18003", "55001"]
STATE = {"name": "state", "prefix": 2}
REGION = {"name": "region", "map": {"39": "East", "18": "East", "55": "West"}, "of": "state"}
SEX = {"name": "sex", "kind": "categorical", "levels": ["F", "M"], "same": []}


def schema_of(
    *parents: dict[str, Any], version: int = 2, columns: tuple[dict[str, Any], ...] = (SEX,), **rules: Any
) -> Schema:
    county = {"name": "county", "kind": "categorical", "levels": COUNTIES, "parents": list(parents)} | rules
    body = {"version": version, "missing_tokens": ["", "NA"], "columns": [county, *columns]}
    return Schema.from_json(json.dumps(body))


NESTED = schema_of(STATE, REGION)
OPEN = schema_of(
    STATE, REGION, other=True, missing=[{"code": "-9", "label": "refused"}, {"code": "NA", "label": "(missing)"}]
)


def labels(schema: Schema, dataset: Dataset) -> list[tuple[str, ...]]:
    """Each row in words; "-" for no level."""
    known = [(*attribute.levels, "-") for attribute in schema.domain.attributes]
    return [tuple(names[code] for names, code in zip(known, row, strict=True)) for row in dataset.codes.tolist()]


def private(schema: Schema, *lines: str, k: int = 1) -> Dataset:
    table = read_table("\n".join(lines).encode() + b"\n")
    return encode_private(table, schema, n=len(lines) - 1, rows_per_person=k).dataset


def test_parents_are_attributes_behind_the_columns_in_order_of_first_appearance() -> None:
    found = {attribute.name: attribute.levels for attribute in NESTED.domain.attributes}
    assert list(found) == ["county", "sex", "state", "region"]
    assert found["state"] == ("39", "18", "55")
    assert found["region"] == ("East", "West")


def test_levels_for_what_has_no_value_or_is_unknown_have_parents_of_their_own_names() -> None:
    assert OPEN.domain.attributes[2].levels == ("39", "18", "55", "refused", "(missing)", "(other)")
    rows = private(OPEN, "county,sex", "39003,F", "-9,M", "NA,F", "nowhere,M")
    assert [row[2:] for row in labels(OPEN, rows)] == [
        ("39", "East"),
        ("refused", "refused"),
        ("(missing)", "(missing)"),
        ("(other)", "(other)"),
    ]


def test_a_cell_without_a_level_has_no_parent_and_n_stays() -> None:
    rows = private(NESTED, "county,sex", "39003,F", "nowhere,M", ",F")
    assert labels(NESTED, rows) == [("39003", "F", "39", "East"), ("-", "M", "-", "-"), ("-", "F", "-", "-")]


def test_a_column_of_the_file_with_the_name_of_a_parent_is_not_read_and_is_listed() -> None:
    lines = "state,county,sex\n18,39003,F\n18,55001,M\n"
    public = encode_public(read_table(lines.encode()), NESTED)
    assert labels(NESTED, public.dataset) == [("39003", "F", "39", "East"), ("55001", "M", "55", "West")]
    assert public.ignored == ("state",)
    assert labels(NESTED, private(NESTED, *lines.splitlines())) == labels(NESTED, public.dataset)


@pytest.mark.fault("a parent coded from the private file's own column")
def test_a_parent_that_is_read_from_the_file_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = (
        "self._domain.derive(codes); own = chunk.coded(0); "
        "codes[2] = np.array([0 if t == '39' else 1 for t in own.distinct])[own.places]"
    )
    plant(monkeypatch, encode.Encoder, "codes", "self._domain.derive(codes)", wrong)
    with pytest.raises(AssertionError):
        test_a_column_of_the_file_with_the_name_of_a_parent_is_not_read_and_is_listed()


def test_rows_beyond_k_and_rows_without_an_id_have_no_parent_either() -> None:
    kept = schema_of(STATE, columns=(SEX, {"name": "who", "kind": "id", "beyond": "keep", "same": []}))
    rows = private(kept, "county,sex,who", "39001,F,a", "39001,F,a", "18001,M,", "55001,M,b")
    assert Counter(labels(kept, rows)) == {
        ("39001", "F", "39"): 1,
        ("55001", "M", "55"): 1,
        ("-", "-", "-"): 2,
    }


CELLS = st.sampled_from([*COUNTIES, "nowhere", "", "NA", "-9", "39", "East"])


@settings(max_examples=60, deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=30), st.sampled_from([NESTED, OPEN]))
def test_a_parents_counts_are_the_sums_of_its_levels(cells: list[str], schema: Schema) -> None:
    """Also crossed with another column, and for whatever a private file holds."""
    rows = private(schema, "county,sex", *(f"{cell},{'FM'[i % 2]}" for i, cell in enumerate(cells)))
    domain = schema.domain
    workload = Workload.of(domain, [["county", "sex"], ["state", "sex"], ["region", "sex"]])
    counts, ends = count(workload, rows).counts, workload.offsets
    county = counts[: ends[1]].reshape(domain.shape[0], 2)
    for number, nesting in enumerate(domain.nestings, start=1):
        above = counts[ends[number] : ends[number + 1]].reshape(2, -1)
        sums = np.zeros((domain.shape[nesting.parent], 2), dtype=np.int64)
        np.add.at(sums, list(nesting.codes), county)
        assert above.tolist() == sums.T.tolist()


@settings(max_examples=60, deadline=None)
@given(st.lists(CELLS, min_size=3, max_size=12), st.lists(CELLS, min_size=3, max_size=3), st.sampled_from([1, 3]))
def test_neighbours_move_a_parents_count_by_at_most_k_and_its_table_by_k_root_two(
    cells: list[str], replacing: list[str], k: int
) -> None:
    tables = [cells, [*replacing[:k], *cells[k:]]]
    found = [private(OPEN, "county,sex", *(f"{cell},F" for cell in one), k=k) for one in tables]
    for name in ("state", "region"):
        workload = Workload.of(OPEN.domain, [[name, "sex"]])
        one, other = (count(workload, rows).counts for rows in found)
        assert np.abs(one - other).max() <= k
        assert ((one - other) ** 2).sum() <= 2 * k * k


def test_a_private_table_is_known_again_with_and_without_parents() -> None:
    table = open_table(b"county,sex\n39001,F\n18001,M\n")
    assert viewed(table, NESTED)[0] == viewed(table, schema_of())[0]


def test_a_look_at_the_fit_is_at_columns_that_are_read() -> None:
    lines = b"county,sex\n39001,F\nnowhere,M\n"
    stream = open_table(lines)
    digest = survey(stream, NESTED, n=2, rows_per_person=1).digest
    asked = {"digest": digest, "n": 2, "rows_per_person": 1}
    assert misfits(stream, NESTED, ["county"], **asked).tolist() == [1, 1]
    with pytest.raises(SchemaError, match="no attribute 'state'"):
        misfits(stream, NESTED, ["state"], **asked)


REFUSED = {
    "neither a prefix nor a map": ([{"name": "state"}], {}, "needs a prefix, a map or edges, and one"),
    "both": ([{"name": "state", "prefix": 2, "map": {}}], {}, "needs a prefix, a map or edges, and one"),
    "no character": ([{"name": "state", "prefix": 0}], {}, "greater than or equal to 1"),
    "too long a prefix": ([{"name": "state", "prefix": 6}], {}, "is the first 6 characters; '39001', '39003'"),
    "one level": ([{"name": "country", "map": dict.fromkeys(COUNTIES, "US")}], {}, "has one level"),
    "as many levels": ([{"name": "again", "prefix": 5}], {}, "as many levels as its column"),
    "a level without a parent": (
        [{"name": "s", "map": {"39001": "x"}}],
        {},
        "lacks '39003', '18001', '18003' and 1 more",
    ),
    "a map of no level": (
        [{"name": "s", "map": dict(zip(COUNTIES, "xxyyy", strict=True)) | {"99": "z"}}],
        {},
        "names '99', no level of what it maps",
    ),
    "of no parent": ([{**REGION}], {}, "is of 'state', which is no earlier parent"),
    "a prefix of a parent": ([STATE, {"name": "s", "prefix": 1, "of": "state"}], {}, "only a map is of another parent"),
    "the name of a column": ([{"name": "sex", "prefix": 2}], {}, "has the name of the column 'sex'"),
    "its own name": ([{"name": "county", "prefix": 2}], {}, "has the name of the column 'county'"),
    "the name of the weights": ([{"name": "weight", "prefix": 2}], {}, "has the name of the column 'weight'"),
    "twice": ([STATE, STATE], {}, "the parent 'state' is declared twice"),
    "no name": ([{"name": " ", "prefix": 2}], {}, "needs a name"),
    "a reserved label": ([{"name": "s", "map": dict.fromkeys(COUNTIES, "(other)") | {"55001": "a"}}], {}, "none of"),
    "an empty label": (
        [{"name": "s", "map": dict.fromkeys(COUNTIES, "") | {"55001": "a"}}],
        {},
        "1 to 1,000 characters",
    ),
    "the label of a missing code": (
        [{"name": "s", "map": dict.fromkeys(COUNTIES, "a") | {"55001": "refused"}}],
        {"missing": [{"code": "-9", "label": "refused"}]},
        "has the label of a level, 'refused'",
    ),
    "labels that are one": (
        [{"name": "s", "map": dict.fromkeys(COUNTIES, "oh") | {"55001": "OH"}}],
        {"same": ["casefold"]},
        "'oh' and 'OH', which are one",
    ),
    "another key": ([{"name": "s", "prefix": 2, "code": "2"}], {}, "Extra inputs"),
    "nine": ([{"name": f"s{i}", "prefix": 2} for i in range(9)], {}, "at most 8"),
    "version 1": ([STATE], {"version": 1, "columns": ()}, "has what version 1 lacks"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_parent_is_refused_in_words(case: str) -> None:
    parents, rules, words = REFUSED[case]
    with pytest.raises(SchemaError, match=words.replace("(", r"\(")):
        schema_of(*parents, **rules)


def test_only_columns_of_levels_have_parents() -> None:
    body = {
        "version": 2,
        "columns": [{"name": "n", "kind": "numeric", "edges": [0, 1], "outside": "clip", "parents": []}],
    }
    with pytest.raises(SchemaError, match="parents"):
        Schema.from_json(json.dumps(body))


def test_a_schema_file_with_parents_reads_back_with_its_hash_whatever_the_order_of_its_maps() -> None:
    again = Schema.from_json(NESTED.to_json())
    turned = REGION | {"map": dict(reversed(list(REGION["map"].items())))}
    assert again == NESTED
    assert again.sha256 == NESTED.sha256 == schema_of(STATE, turned).sha256
    assert again.domain == NESTED.domain


def test_without_parents_nothing_is_written_and_the_hash_is_the_one_of_before() -> None:
    """The hash was taken from the version before columns had parents."""
    plain = schema_of()
    assert "parents" not in plain.to_json()
    assert plain.sha256 == "4614df62fa340f56d7e82cc7227aed4e905cbeeb60bf7ba79fecf89ad9075d0b"
    assert plain.domain.nestings == ()


def test_parents_differ_by_schema_hash() -> None:
    assert len({schema_of().sha256, schema_of(STATE).sha256, NESTED.sha256}) == 3


def test_a_column_alone_is_the_column_without_parents() -> None:
    column = NESTED.encoded[0]
    assert isinstance(column, CategoricalColumn)
    assert column.alone == schema_of().encoded[0]
