"""The schema file, version 2: missing codes, equivalences, spikes, dates; version 1 keeps its bytes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.errors import SchemaError
from pmwpub.tabular.schema.column_types import NumericColumn
from pmwpub.tabular.schema.table_schema import Schema

SEX: dict[str, Any] = {"name": "sex", "kind": "categorical", "levels": ["Male", "Female"]}
HOURS: dict[str, Any] = {"name": "hours", "kind": "numeric", "edges": [0, 40, 80], "outside": "clip"}
CODES = [{"code": "99", "label": "refused"}, {"from": 97, "to": 98, "label": "unknown"}]
ALL = ["trim", "nfc", "casefold", "number"]


def of(*columns: dict[str, Any], tokens: tuple[str, ...] = (), version: int = 2) -> Schema:
    return Schema.from_json(json.dumps({"version": version, "missing_tokens": tokens, "columns": columns}))


def read(schema: Schema, *cells: str) -> list[str]:
    """The level of each cell of the first column; "" for none."""
    column = schema.encoded[0]
    place = schema.placer(column)
    return [(*column.attribute.levels, "")[place(cell)] for cell in cells]


def test_a_missing_code_is_compared_as_a_number_in_a_numeric_column_and_written_back_as_its_own() -> None:
    schema = of(HOURS | {"missing": CODES})
    assert schema.domain.attributes[0].levels == ("[0, 40)", "[40, 80]", "refused", "unknown")
    assert read(schema, "99", "99.0", "+99", "9.9e1", "97", "98.0", "97.5", "96", "x") == [
        "refused", "refused", "refused", "refused", "unknown", "unknown", "unknown", "[40, 80]", "",
    ]  # fmt: skip
    assert [schema.written(schema.encoded[0], code) for code in range(4)] == [None, None, "99", "97"]


def test_a_missing_code_belongs_to_its_column() -> None:
    month = {"name": "month", "kind": "categorical", "levels": ["8", "9"]}
    seek = {"name": "seek", "kind": "categorical", "levels": ["1", "2"], "missing": [{"code": "9", "label": "n/a"}]}
    schema = of(month, seek)
    assert [schema.placer(column)("9") for column in schema.encoded] == [1, 2]


def test_text_codes_and_the_schemas_tokens_have_levels_beside_each_other() -> None:
    codes = [{"code": "", "label": "(missing)"}, {"code": ".", "label": "refused"}]
    schema = of(HOURS | {"missing": codes}, tokens=("", "NA"))
    assert read(schema, "", "NA", ".", "1") == ["(missing)", "(missing)", "refused", "[0, 40)"]
    without = of(HOURS | {"missing": codes[1:], "other": True}, tokens=("", "NA"))
    assert read(without, "", "NA", ".") == ["(other)", "(other)", "refused"]


@pytest.mark.parametrize(
    ("same", "apart"),
    [
        ([], {"Male", "male", " Male", "1", "1.0"}),
        (["trim"], {"Male", "male", "1", "1.0"}),
        (["casefold"], {"Male", " Male", "1", "1.0"}),
        (["number"], {"Male", "male", " Male", "1"}),
    ],
)
def test_each_rule_makes_its_own_spellings_one(same: list[str], apart: set[str]) -> None:
    schema = of({"name": "a", "kind": "categorical", "levels": ["Male", "1"], "same": same})
    found = {cell for cell in ("male", " Male", "1.0") if read(schema, cell) == [""]}
    assert found == apart - {"Male", "1"} - {cell for cell in ("male", " Male", "1.0") if read(schema, cell) != [""]}
    assert {"Male", "1"} | found == apart


def test_composed_and_decomposed_letters_are_one_under_nfc() -> None:
    schema = of({"name": "a", "kind": "categorical", "levels": ["caf\u00e9", "x"], "same": ["nfc"]})
    assert read(schema, "cafe\u0301", "cafe") == ["caf\u00e9", ""]


def test_levels_that_coincide_are_refused_in_words_that_name_them() -> None:
    with pytest.raises(SchemaError, match=r"'Male' and 'male' are one under trim, casefold; keep one of them"):
        of(SEX | {"levels": ["Male", "male"], "same": ["trim", "casefold"]})


def test_a_level_goes_before_the_schemas_tokens() -> None:
    country = {"name": "country", "kind": "categorical", "levels": ["NA", "NL"], "missing": True}
    assert read(of(country, tokens=("", "NA")), "NA", "", "NL") == ["NA", "(missing)", "NL"]


def test_a_spike_holds_its_value_and_nothing_else() -> None:
    schema = of(HOURS | {"edges": [0, 0, 20, 40, 40, 60, 60]})
    assert schema.domain.attributes[0].levels == ("0", "(0, 20)", "[20, 40)", "40", "(40, 60)", "60")
    assert read(schema, "0", "-0", "0.0", "5e-324", "19.9", "39.99999999999999", "40", "40.00000000000001", "60") == [
        "0", "0", "0", "(0, 20)", "(0, 20)", "[20, 40)", "40", "(40, 60)", "60",
    ]  # fmt: skip
    # A number outside is clipped to a bin, never into a spike.
    assert read(schema, "-1", "61", "inf") == ["(0, 20)", "(40, 60)", "(40, 60)"]
    only = of(HOURS | {"edges": [5, 5], "other": True})
    assert read(only, "5", "6", "4") == ["5", "(other)", "(other)"]


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=8), st.floats(-25, 25) | st.integers(-25, 25).map(float))
def test_bins_and_spikes_hold_what_their_names_say(drawn: list[int], value: float) -> None:
    edges = sorted(edge for edge in set(drawn) for _ in range(min(2, drawn.count(edge))))
    if len(edges) < 2:
        edges = [edges[0], edges[0]]
    column = NumericColumn(name="x", kind="numeric", edges=tuple(map(float, edges)), outside="none")
    (level,) = [*(column.own_levels[code : code + 1] for code in [column.code_of(value)])]
    # By hand: the spike if the value has one, else the bin between the two edges around it.
    if edges.count(value) == 2:
        expected = f"{value:g}"
    elif not edges[0] <= value <= edges[-1]:
        expected = ""
    else:
        low = max(edge for edge in edges[:-1] if edge <= value) if value < edges[-1] else edges[-2]
        high = min(edge for edge in edges if edge > low)
        expected = (
            f"{'(' if edges.count(low) == 2 else '['}{low}, {high}{']' if edges.index(high) == len(edges) - 1 else ')'}"
        )
    assert (level[0] if level else "").replace("-0", "0") == expected.replace("-0", "0")


def test_parts_of_dates() -> None:
    def part(part: str, *cells: str, **more: Any) -> list[str]:
        return read(of({"name": "d", "kind": "date", "part": part} | more), *cells)

    assert part("month", "2012-03-31", "2012/3/1", "20120301", "2012-02-30", "March") == ["3", "3", "3", "", ""]
    assert part("quarter", "2012-03-31T10:00:00Z", "2012-12-01 09:30") == ["Q1", "Q4"]
    # 31 March 2012 was a Saturday.
    assert part("weekday", "31.3.2012", "3/31/2012", order="dmy") == ["Saturday", ""]
    assert part("weekday", "3/31/2012", "31/3/2012", order="mdy") == ["Saturday", ""]
    assert part("year", "2012-03-31", "2013-01-01", levels=["2012"], other=True) == ["2012", "(other)"]


def test_the_name_of_a_level_reads_as_that_level() -> None:
    schema = of(HOURS | {"missing": CODES, "other": True, "edges": [0, 0, 40]})
    levels = schema.domain.attributes[0].levels
    assert read(schema, *levels) == list(levels)
    day = of({"name": "d", "kind": "date", "part": "weekday"})
    assert read(day, "Saturday") == ["Saturday"]


def test_ordered_columns_code_as_categorical_ones_and_weights_are_left_aside() -> None:
    schema = of({"name": "a", "kind": "ordered", "levels": ["low", "high"]}, {"name": "w", "kind": "weight"})
    assert schema.domain.names == ("a",)
    assert read(schema, "low", "high") == ["low", "high"]
    assert Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize(
    ("columns", "version", "words"),
    [
        ([SEX | {"same": ["trim"]}], 1, "version 1 lacks"),
        ([HOURS | {"missing": CODES}], 1, "version 1 lacks"),
        ([HOURS | {"edges": [0, 0, 1]}], 1, "rise strictly"),
        ([SEX | {"kind": "ordered"}], 1, "version 1 lacks"),
        ([SEX, {"name": "w", "kind": "weight"}], 1, "version 1 lacks"),
        ([SEX | {"strip": True}], 2, "version 2 writes"),
        ([HOURS | {"edges": [0, 1, 1, 1]}], 2, "at most twice"),
        ([HOURS | {"missing": [{"code": "9"}]}], 2, "label"),
        ([HOURS | {"missing": [{"code": "9", "from": 1, "to": 2, "label": "x"}]}], 2, "from"),
        ([HOURS | {"missing": [{"from": 1, "label": "x"}]}], 2, "from"),
        ([HOURS | {"missing": [{"from": 2, "to": 1, "label": "x"}]}], 2, "at most"),
        ([HOURS | {"missing": [{"low": 1, "high": 2, "label": "x"}]}], 2, "Extra inputs"),
        ([HOURS | {"missing": [CODES[0], CODES[0]]}], 2, "differ"),
        ([HOURS | {"missing": [CODES[0], {"code": "99.0", "label": "x"}]}], 2, "earlier one"),
        ([HOURS | {"missing": [{"code": "9", "label": "(other)"}]}], 2, "other"),
        ([HOURS | {"missing": [{"code": "9", "label": "[0, 40)"}]}], 2, "label of a level"),
        ([SEX | {"missing": [{"code": "Male", "label": "x"}]}], 2, "equals a missing code"),
        (
            [{"name": "d", "kind": "date", "part": "month", "missing": [{"code": "1", "label": "x"}]}],
            2,
            "level '1' would read",
        ),
        ([HOURS | {"missing": [CODES[0], {"code": "x", "label": "1E1"}]}], 2, "level '1E1' would read"),
        ([HOURS | {"missing": [CODES[0], {"code": "-9", "label": "99"}]}], 2, "level '99' would read"),
        ([HOURS | {"edges": [0, 5, 5, 9], "missing": [{"from": 4, "to": 6, "label": "x"}]}], 2, "level '5' would read"),
        ([{"name": "d", "kind": "date", "part": "year"}], 2, "years are listed"),
        ([{"name": "d", "kind": "date", "part": "month", "levels": ["2012"]}], 2, "years are listed"),
        ([{"name": "d", "kind": "date", "part": "year", "levels": ["12"]}], 2, "four digits"),
    ],
)
def test_contradictions_are_refused_in_words(columns: list[dict[str, Any]], version: int, words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        of(*columns, version=version)


def test_a_label_that_is_a_missing_token_is_refused_by_the_name_of_its_column() -> None:
    missing = [{"code": "", "label": "(missing)"}, {"code": "99", "label": "NA"}]
    with pytest.raises(SchemaError, match="column 'sex': the level 'NA' would read as another level"):
        of(SEX | {"missing": missing}, tokens=("", "NA"))
    assert read(of(SEX | {"missing": missing}, tokens=("",)), "NA", "99", "") == ["NA", "NA", "(missing)"]


def test_a_schema_of_each_version_is_written_and_hashed_with_its_own_keys() -> None:
    first, second = of(SEX, HOURS, version=1), of(SEX | {"same": ALL}, HOURS | {"missing": CODES})
    # The hash of version 1 as it was before version 2 was thought of, from its canonical text.
    canonical = (
        '{"columns":[{"casefold":false,"kind":"categorical","levels":["Male","Female"],"missing":false,"name":"sex",'
        '"other":false,"strip":false},{"casefold":false,"decimal":".","edges":[0,40,80],"kind":"numeric",'
        '"missing":false,"name":"hours","other":false,"outside":"clip","strip":false,"thousands":null}],'
        '"missing_tokens":[],"version":1}'
    )
    assert first.sha256 == hashlib.sha256(canonical.encode()).hexdigest()
    assert Schema.from_json(second.to_json()) == second
    assert json.loads(second.to_json())["columns"][1]["missing"] == CODES
    assert "strip" not in second.to_json()
    assert second.with_missing_tokens(["-"]).version == 2


def test_the_example_of_the_documentation_is_a_schema() -> None:
    page = (Path(__file__).parents[3] / "docs" / "schema.md").read_text(encoding="utf-8")
    schema = Schema.from_json(page.split("```json")[1].split("```")[0])
    assert [len(attribute.levels) for attribute in schema.domain.attributes] == [2, 4, 5, 7]
    assert schema.domain.attributes[2].levels == ("0", "(0, 5000)", "[5000, 20000]", "refused", "unknown")


def test_numbers_ordered_levels_and_parts_of_dates_have_an_order_and_what_lies_behind_them_has_none() -> None:
    """Missing codes and "(other)" stand behind the levels in order; days of the week, and years mixed up, have none."""
    ordered = {"name": "health", "kind": "ordered", "levels": ["bad", "fair", "good"]}
    dates = [
        {"name": part, "kind": "date", "part": part} | ({"levels": years} if part == "year" else {})
        for part, years in (("year", ["2010", "2011"]), ("quarter", []), ("month", []), ("weekday", []))
    ]
    mixed_up = {"name": "mixed", "kind": "date", "part": "year", "levels": ["2011", "2010"]}
    schema = of(HOURS | {"missing": CODES, "other": True}, SEX, ordered, *dates, mixed_up)
    found = {attribute.name: attribute.ordered for attribute in schema.domain.attributes}
    assert found == {
        "hours": 2, "sex": 0, "health": 3, "year": 2, "quarter": 4, "month": 12, "weekday": 0, "mixed": 0,
    }  # fmt: skip
    assert schema.domain.attributes[0].levels[2:] == ("refused", "unknown", "(other)")
