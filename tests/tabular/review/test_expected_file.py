"""What a private file must look like, in words of the schema alone."""

from __future__ import annotations

import json

from pmwpub.tabular.review.expected_file import MOST_NAMES, as_written, expected_file
from pmwpub.tabular.schema.table_schema import Schema

COLUMNS = [
    {"name": "sex", "kind": "categorical", "levels": ["f", "m"]},
    {"name": "age", "kind": "numeric", "edges": [0, 50, 99], "outside": "clip"},
    {"name": "pay", "kind": "numeric", "edges": [0, 9], "outside": "clip", "prefix": "$", "thousands": ","},
    {"name": "tall", "kind": "numeric", "edges": [0, 9], "outside": "clip", "decimal": ","},
    {"name": "born", "kind": "date", "part": "month", "order": "dmy", "pivot": 45},
    {"name": "seen", "kind": "date", "part": "month"},
    {"name": "person", "kind": "id"},
]


def schema(columns: list[dict[str, object]]) -> Schema:
    return Schema.from_json(json.dumps({"version": 2, "missing_tokens": ["", "NA"], "columns": columns}))


def test_each_format_that_a_column_expects_is_said_once_with_its_columns() -> None:
    found = expected_file(schema(COLUMNS))
    assert found[:-1] == (
        "A header with the columns sex, age, pay, tall, born, seen, person, in any order; others are ignored.",
        "Text in UTF-8 with a comma between cells; of another encoding or delimiter you are asked.",
        "Numbers with a point before decimals: age.",
        'Numbers with a point before decimals, with or without , between thousands, with or without "$" before: pay.',
        "Numbers with a comma (or a point) before decimals: tall.",
        "Dates such as 31.3.2012; of two digits for the year 45 to 99 stand for 19.., 00 to 44 for 20..: born.",
        "Dates such as 2012-03-31, with four digits for the year: seen.",
        'A cell without a value is "", "NA".',
    )
    assert found[-1].startswith("A cell that is written otherwise takes the level for other cells")


def test_how_numbers_dates_and_weights_are_written_is_said_in_two_sentences_of_the_schema_alone() -> None:
    weight = {"name": "w", "kind": "weight", "cap": 4, "unit": 1}
    assert as_written(schema([*COLUMNS[:-1], weight])) == (
        "The schema expects numbers such as 1234.5 (age); numbers such as $1,234.5 (pay); numbers such as 1234,5 "
        "(tall); dates such as 31.3.2012 (born); dates such as 2012-03-31 (seen); weights such as 12.5 (w). A cell "
        "written otherwise fits no level (or only that for other cells) or weighs nothing, and no page tells."
    )
    assert as_written(schema(COLUMNS[:1])) == ""
    assert as_written(schema([COLUMNS[0], weight])).endswith(
        "(w). A cell written otherwise weighs nothing, and no page tells."
    )


def test_of_many_columns_the_first_are_named() -> None:
    many = [{"name": f"q{place}", "kind": "categorical", "levels": ["1"]} for place in range(130)]
    assert expected_file(schema(many))[0].count(", q") == MOST_NAMES - 1
    assert "q19 and 110 more, in any order" in expected_file(schema(many))[0]


def test_the_column_of_household_ids_is_named_first_however_many_columns_there_are() -> None:
    many = [{"name": f"q{place}", "kind": "categorical", "levels": ["1"]} for place in range(130)]
    header, said, *_ = expected_file(schema(many), "home")
    assert header.startswith("A header with the columns home, q0, q1,")
    assert said == "The column home names the household of each row."
