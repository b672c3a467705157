"""Bands: adjacent bins of numbers, or years, as levels of a parent; where spikes go, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.planting import plant

from pmwpub.errors import SchemaError, WorkloadError
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.nesting import parent_rules
from pmwpub.tabular.private_pass import encode_private
from pmwpub.tabular.review.without_suspects import decided, drafted
from pmwpub.tabular.rules.rule_parsing import read_rule
from pmwpub.tabular.schema.codebook import read_codebook
from pmwpub.tabular.schema.column_types import NumericColumn
from pmwpub.tabular.schema.draft_record import Remedy
from pmwpub.tabular.schema.drafting import propose
from pmwpub.tabular.schema.editing import rows_of, schema_of
from pmwpub.tabular.schema.table_schema import Schema

SEX = {"name": "sex", "kind": "categorical", "levels": ["F", "M"], "same": []}


def numeric(edges: list[float], *parents: dict[str, Any], **rules: Any) -> Schema:
    age = {"name": "age", "kind": "numeric", "edges": edges, "outside": "clip", "parents": list(parents)} | rules
    return Schema.from_json(json.dumps({"version": 2, "missing_tokens": [""], "columns": [age, SEX]}))


def banded(edges: list[float], of_bands: list[float], **rules: Any) -> Schema:
    return numeric(edges, {"name": "band", "edges": of_bands}, **rules)


def years(levels: list[str], *parents: dict[str, Any], part: str = "year") -> Schema:
    column = {"name": "since", "kind": "date", "part": part, "levels": levels, "parents": list(parents)}
    return Schema.from_json(json.dumps({"version": 2, "columns": [column, SEX]}))


def followed(schema: Schema) -> dict[str, tuple[str, ...]]:
    """Each parent's level of each own level of its column."""
    return {one.name: tuple(one.levels[code] for code in one.codes) for one in schema.parents}


def private(schema: Schema, column: str, cells: list[str]) -> Dataset:
    table = read_table(
        "\n".join([f"{column},sex", *(f"{cell},{'FM'[i % 2]}" for i, cell in enumerate(cells))]).encode()
    )
    return encode_private(table, schema, n=len(cells), rows_per_person=1).dataset


def labels(schema: Schema, dataset: Dataset, name: str) -> list[str]:
    place = schema.domain.index(name)
    levels = (*schema.domain.attributes[place].levels, "-")
    return [levels[code] for code in dataset.columns[place].tolist()]


AGES = [0, 5, 18, 40, 65, 65, 90]
AGE = banded(AGES, [0, 18, 65, 90], other=True, missing=[{"code": "-9", "label": "refused"}])


def test_a_band_is_named_as_a_bin_is_and_holds_the_bins_between_its_edges() -> None:
    assert AGE.encoded[0].own_levels == ("[0, 5)", "[5, 18)", "[18, 40)", "[40, 65)", "65", "(65, 90]")
    assert followed(AGE) == {"band": ("[0, 18)",) * 2 + ("[18, 65)",) * 2 + ("[65, 90]",) * 2}


@pytest.mark.parametrize(
    ("edges", "of_bands", "expected"),
    [
        ([0, 0, 10, 20], [0, 10, 20], ("[0, 10)", "[0, 10)", "[10, 20]")),
        ([0, 0, 10, 20], [0, 0, 20], ("0", "(0, 20]", "(0, 20]")),
        ([0, 10, 20, 90, 90], [0, 10, 90], ("[0, 10)", "[10, 90]", "[10, 90]", "[10, 90]")),
        ([0, 10, 20, 90, 90], [0, 20, 90, 90], ("[0, 20)", "[0, 20)", "[20, 90)", "90")),
        ([0, 10, 10, 20], [0, 10, 20], ("[0, 10)", "[10, 20]", "[10, 20]")),
        ([0, 5, 10, 10, 20], [0, 10, 10, 20], ("[0, 10)", "[0, 10)", "10", "(10, 20]")),
        ([-0.5, 0.25, 1, 2], [-0.5, 1, 2], ("[-0.5, 1)", "[-0.5, 1)", "[1, 2]")),
    ],
)
def test_a_spike_lies_in_the_band_that_begins_there_or_in_the_last_or_is_one(
    edges: list[float], of_bands: list[float], expected: tuple[str, ...]
) -> None:
    assert followed(banded(edges, of_bands)) == {"band": expected}


@st.composite
def divided(draw: st.DrawFn) -> tuple[list[float], list[float], list[float]]:
    """Edges of bins with spikes, some of them as edges of bands, and numbers between the ends, edges among them."""
    inner = sorted(draw(st.sets(st.integers(1, 30), min_size=2, max_size=8)))
    edges = sorted([0, *inner, 31, *draw(st.sets(st.sampled_from([0, *inner, 31])))])
    kept = draw(st.lists(st.booleans(), min_size=len(edges), max_size=len(edges)))
    chosen = sorted([*(edge for edge, keep in zip(edges, kept, strict=True) if keep), 0, 31])
    chosen = [edge for place, edge in enumerate(chosen) if chosen[:place].count(edge) < edges.count(edge)]
    numbers = draw(st.lists(st.sampled_from([*edges, *(edge + 0.5 for edge in edges if edge < 31)]), min_size=3))
    return list(map(float, edges)), list(map(float, chosen)), numbers


def holds(label: str, value: float) -> bool:
    """What a name says of a number, read by itself."""
    if label[0] not in "([":
        return value == float(label)
    low, high = map(float, label[1:-1].split(", "))
    return (low < value or (label[0] == "[" and low == value)) and (
        value < high or (label[-1] == "]" and value == high)
    )


@settings(max_examples=100, deadline=None)
@given(divided())
def test_every_number_is_in_the_one_band_whose_name_holds_it(
    case: tuple[list[float], list[float], list[float]],
) -> None:
    edges, of_bands, numbers = case
    assume(2 < len(of_bands) < len(edges))  # otherwise refused: one band, or as many as bins
    schema = banded(edges, of_bands)
    found = labels(schema, private(schema, "age", list(map(str, numbers))), "band")
    names = schema.parents[0].levels
    assert found == [next(name for name in names if holds(name, value)) for value in numbers]
    assert [sum(holds(name, value) for name in names) for value in numbers] == [1] * len(numbers)


@pytest.mark.fault("a spike in the band below it")
def test_a_spike_in_the_band_below_it_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, parent_rules, "band_labels", "bisect.bisect_right", "bisect.bisect_left")
    with pytest.raises(AssertionError):
        test_a_spike_lies_in_the_band_that_begins_there_or_in_the_last_or_is_one(
            [0, 10, 10, 20], [0, 10, 20], ("[0, 10)", "[10, 20]", "[10, 20]")
        )


def test_what_is_clipped_missing_or_other_has_the_band_of_its_level() -> None:
    cells = ["-3", "400", "65", "64.9", "-9", "many", ""]
    found = private(AGE, "age", cells)
    assert labels(AGE, found, "band") == [
        "[0, 18)",
        "[65, 90]",
        "[65, 90]",
        "[18, 65)",
        "refused",
        "(other)",
        "(other)",
    ]
    lost = banded(AGES, [0, 18, 65, 90], outside="none")
    assert labels(lost, private(lost, "age", cells), "band") == ["-", "-", "[65, 90]", "[18, 65)", "-", "-", "-"]


def test_years_have_bands_too_and_a_year_that_stands_twice_is_one() -> None:
    listed = [str(year) for year in range(1998, 2003)]
    schema = years(
        listed,
        {"name": "a", "edges": [1998, 2000, 2002]},
        {"name": "b", "edges": [1998, 2002, 2002]},
        {"name": "decade", "prefix": 3},
    )
    assert followed(schema) == {
        "a": ("[1998, 2000)",) * 2 + ("[2000, 2002]",) * 3,
        "b": ("[1998, 2002)",) * 4 + ("2002",),
        "decade": ("199",) * 2 + ("200",) * 3,
    }
    assert labels(schema, private(schema, "since", ["1999-12-31", "2000-01-01"]), "a") == [
        "[1998, 2000)",
        "[2000, 2002]",
    ]


def test_days_of_the_week_have_parents_by_a_map() -> None:
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    kinds = {day: "end" if day[0] == "S" else "week" for day in days}
    schema = years([], {"name": "part", "map": kinds}, part="weekday")
    assert followed(schema) == {"part": ("week",) * 5 + ("end",) * 2}
    assert schema.parents[0].ordered_levels == 0


REFUSED = {
    "no edge of the column": (
        [0, 10, 20],
        [0, 5, 20],
        "has an edge at 5, where its column has none; near it are 0, 10",
    ),
    "begins too late": ([0, 10, 20, 30], [10, 20, 30], "first edge of the parent 'band' is 10, that of its column 0"),
    "ends too early": ([0, 10, 20, 30], [0, 10, 20], "last edge of the parent 'band' is 20, that of its column 30"),
    "twice without a spike": ([0, 10, 20, 30], [0, 10, 10, 30], "has the edge 10 twice"),
    "three times": ([0, 10, 10, 30], [0, 10, 10, 10, 30], "has the edge 10 too often"),
    "falling": ([0, 10, 20], [20, 10, 0], "do not rise"),
    "one band": ([0, 10, 20], [0, 20], "has one level"),
    "as many bands": ([0, 10, 20], [0, 10, 20], "as many levels as its column"),
    "one edge": ([0, 10, 20], [0], "at least 2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_edges_that_make_no_bands_are_refused_in_words(case: str) -> None:
    edges, of_bands, words = REFUSED[case]
    with pytest.raises(SchemaError, match=words):
        banded(list(edges), list(of_bands))


def test_bands_are_of_numbers_and_of_years_in_order_alone() -> None:
    band = {"name": "band", "edges": [1998, 2000]}
    with pytest.raises(SchemaError, match="of numbers, and of years that are listed ascending"):
        years(["2000", "1999", "1998"], band)
    with pytest.raises(SchemaError, match="of numbers, and of years that are listed ascending"):
        years([], {"name": "half", "edges": [1, 6, 12]}, part="month")
    with pytest.raises(SchemaError, match="of numbers, and of years that are listed ascending"):
        Schema.from_json(json.dumps({"version": 2, "columns": [SEX | {"parents": [band]}]}))
    with pytest.raises(SchemaError, match="bins of numbers have no first characters; give edges"):
        numeric(AGES, {"name": "band", "prefix": 1})
    with pytest.raises(SchemaError, match="a prefix, a map or edges, and one of them alone"):
        numeric(AGES, {"name": "band", "prefix": 1, "edges": AGES})


def test_a_label_of_a_missing_code_is_no_name_of_a_band() -> None:
    with pytest.raises(SchemaError, match="has the label of a level"):
        banded(AGES, [0, 18, 65, 90], missing=[{"code": "-9", "label": "[0, 18)"}])


def test_a_schema_with_bands_reads_back_with_its_hash() -> None:
    again = Schema.from_json(AGE.to_json())
    assert (again, again.sha256, again.domain) == (AGE, AGE.sha256, AGE.domain)
    assert json.loads(AGE.to_json())["columns"][0]["parents"] == [{"name": "band", "edges": [0, 18, 65, 90]}]
    assert len({AGE.sha256, AGE.with_parents("age", []).sha256, AGE.with_parents("age", [HALVES]).sha256}) == 3


HALVES = {"name": "half", "edges": [0, 40, 90]}


def test_numeric_and_date_columns_without_parents_have_the_hash_of_before() -> None:
    """It was taken from the version before they could have some."""
    dollars = {"name": "age", "kind": "numeric", "edges": AGES, "outside": "clip", "prefix": "$", "same": ["trim"]}
    since = {"name": "since", "kind": "date", "part": "year", "levels": ["1998", "1999", "2000"], "pivot": 45}
    month = {"name": "m", "kind": "date", "part": "month"}
    part = {"name": "x", "kind": "numeric", "edges": [0.5, 2], "outside": "none", "suffix": "%"}
    body = {"version": 2, "missing_tokens": ["", "NA"], "columns": [dollars, since, month, part]}
    schema = Schema.from_json(json.dumps(body))
    assert schema.sha256 == "107e8c8b53c8576a599bcba65ac15f88f7fbcdcc690ef7fde5cb5dc2238f2f0a"
    assert "parents" not in schema.to_json()


def test_parents_whose_levels_stay_in_order_are_in_order() -> None:
    size = {"name": "size", "kind": "ordered", "levels": ["S", "M", "L", "XL"]}
    rising = {"name": "rising", "map": {"S": "small", "M": "small", "L": "large", "XL": "large"}}
    mixed = {"name": "mixed", "map": {"S": "end", "M": "middle", "L": "middle", "XL": "end"}}
    body = {"version": 2, "columns": [size | {"parents": [rising, mixed], "other": True}]}
    found = {one.name: one.attribute.ordered for one in Schema.from_json(json.dumps(body)).parents}
    assert found == {"rising": 2, "mixed": 0}
    unordered = {"version": 2, "columns": [size | {"kind": "categorical", "parents": [rising]}]}
    assert Schema.from_json(json.dumps(unordered)).parents[0].attribute.ordered == 0
    assert AGE.domain.attributes[AGE.domain.index("band")].ordered == 3


def test_prefixes_over_bands_are_running_sums_of_their_bins() -> None:
    cells = [str(i * 7 % 95 - 2) for i in range(60)] + ["-9", "x"]
    data = private(AGE, "age", cells)
    workload = Workload.of(AGE.domain, [["band", "sex"]], prefixes=["band"])
    counts, ends = count(workload, data).counts, workload.offsets
    numbers = [min(max(int(cell), 0), 90) for cell in cells[:60]]
    below = [sum(value < edge for value in numbers) for edge in (18, 65)]
    alone = next(place for place, table in enumerate(workload.tables) if len(table.attributes) == 1)
    assert counts[ends[alone] : ends[alone + 1]].tolist() == below
    with pytest.raises(WorkloadError, match="'age' and 'band' are levels of one column"):
        Workload.of(AGE.domain, [["age", "band"]])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-5, 95), min_size=3, max_size=20), st.lists(st.integers(-5, 95), min_size=3, max_size=3))
def test_k_rows_that_are_replaced_move_a_band_by_k_at_most_and_its_table_by_k_root_two(
    ages: list[int], replacing: list[int]
) -> None:
    for k in (1, 3):
        found = []
        for own in (ages, [*replacing[:k], *ages[k:]]):
            data = private(AGE, "age", list(map(str, own)))
            found.append(count(Workload.of(AGE.domain, [["band", "sex"]]), data).counts)
        assert np.abs(found[0] - found[1]).max() <= k
        assert ((found[0] - found[1]) ** 2).sum() <= 2 * k * k


def test_a_program_gives_a_schema_parents_without_a_file() -> None:
    plain = AGE.with_parents("age", [])
    assert plain.parents == ()
    assert plain.with_parents("age", [{"name": "band", "edges": [0, 18, 65, 90]}]) == AGE
    nested = plain.with_parents("age", [{"name": "band", "edges": [0, 18, 65, 90]}, MINOR])
    assert followed(nested)["minor"] == ("yes",) * 2 + ("no",) * 4
    for name, parents, words in (
        ("size", [], "no attribute 'size'"),
        ("age", [{"name": "band"}], "A parent of column 'age' is"),
        ("age", [{"name": "sex", "edges": [0, 18, 90]}], "has the name of the column 'sex'"),
        ("age", [{"name": "band", "edges": [0, 20, 90]}], "near it are 0, 5, 18"),
    ):
        with pytest.raises(SchemaError, match=words):
            plain.with_parents(name, parents)


MINOR = {"name": "minor", "map": {"[0, 18)": "yes", "[18, 65)": "no", "[65, 90]": "no"}, "of": "band"}


def test_a_rule_of_a_parent_is_refused_with_the_column_to_name() -> None:
    with pytest.raises(SchemaError, match=r"'band' follows from 'age', .* name 'age' in its place"):
        AGE.with_rules([read_rule('band = "[0, 18)" implies sex = "F"')])
    assert AGE.with_rules([read_rule('age < 18 implies sex = "F"')]).parents == AGE.parents


NUMBERS = read_table(b"n,x\n" + b"\n".join(b"%d,%d" % (i % 97, i % 2) for i in range(400)) + b"\n")


def remedy(value: str) -> Remedy:
    return Remedy("n", "parent", value)


def test_a_draft_gets_the_edges_of_bands_that_are_declared() -> None:
    before = drafted([NUMBERS]).schema.encoded[0]
    schema = drafted([NUMBERS], remedies=[remedy("band:edges:0, 18,65,100")]).schema
    column = schema.encoded[0]
    assert isinstance(before, NumericColumn)
    assert isinstance(column, NumericColumn)
    assert set(column.edges) == {*before.edges, 0, 18, 65, 100}
    assert schema.parents[0].levels == ("[0, 18)", "[18, 65)", "[65, 100]")
    assert decided([NUMBERS], [remedy("band:edges:0,18,65,100")], schema.missing_tokens) == column


@pytest.mark.parametrize("value", ["band:edges:", "band:edges:1", "band:edges:a,b", "band:edges:1,nan", "band:edges"])
def test_edges_that_are_no_numbers_are_refused(value: str) -> None:
    with pytest.raises(SchemaError, match="such as 0,18,65"):
        propose([NUMBERS], remedies=[remedy(value)])


def test_a_codebook_lists_the_edges_of_bands_on_a_line() -> None:
    lines = 'name,kind,level,label\nn,numeric,0,\nn,,50,\nn,,80,\nn,,97,\nn,parent,"0, 50, 97",band\n'
    schema = propose([], codebook=read_codebook(lines.encode())).schema
    assert followed(schema) == {"band": ("[0, 50)", "[50, 97]", "[50, 97]")}
    with pytest.raises(SchemaError, match="an edge at 51"):
        propose([], codebook=read_codebook(lines.replace("0, 50, 97", "0 51 97").encode()))
    open_edges = 'name,kind,level,label\nn,numeric,,\nn,parent,"0 51 100",band\n'
    found = propose([NUMBERS], codebook=read_codebook(open_edges.encode())).schema
    assert found.parents[0].levels == ("[0, 51)", "[51, 100]")


def test_rows_of_the_editor_keep_bands_and_refuse_edges_that_they_no_longer_fit() -> None:
    rows = rows_of(AGE)
    assert schema_of(rows, AGE.missing_tokens, 2) == AGE
    rows[0]["values"] = [edge for edge in rows[0]["values"] if edge != "18"]
    with pytest.raises(SchemaError, match=r"row 1.*an edge at 18"):
        schema_of(rows, AGE.missing_tokens, 2)


def test_a_file_with_a_column_of_the_name_of_a_band_is_read_without_it() -> None:
    found = encode_public(read_table(b"band,age,sex\nold,3,F\n"), AGE)
    assert found.ignored == ("band",)
    assert labels(AGE, found.dataset, "band") == ["[0, 18)"]
