"""Which columns public facts call risky, and in which order."""

from __future__ import annotations

from pmwpub.tabular.review.misfit_risks import misfit_risks
from pmwpub.tabular.schema.table_schema import Schema

SCHEMA = Schema.from_json(
    b'{"version": 2, "columns": ['
    b'{"name": "age", "kind": "numeric", "edges": [0, 10, 20.5], "outside": "clip", "same": []},'
    b'{"name": "pay", "kind": "numeric", "edges": [0, 10], "outside": "none", "same": []},'
    b'{"name": "zip", "kind": "categorical", "levels": ["02", "10"], "same": []},'
    b'{"name": "party", "kind": "categorical", "levels": ["1", "2"], "other": true, "same": []},'
    b'{"name": "answer", "kind": "categorical", "levels": ["1", "2"], "same": []},'
    b'{"name": "job", "kind": "categorical", "levels": ["cook", "smith"], "same": []},'
    b'{"name": "sex", "kind": "categorical", "levels": ["F", "M"], "same": ["casefold"]},'
    b'{"name": "born", "kind": "date", "part": "month", "same": []},'
    b'{"name": "who", "kind": "id", "same": []}]}'
)


def test_all_ways_to_misfit_are_named_the_most_pressing_first_and_plain_codes_of_numbers_are_none() -> None:
    found = [(risk.column, risk.danger) for risk in misfit_risks(SCHEMA)]
    assert found == [
        ("job", "texts"),
        ("sex", "texts"),
        ("zip", "codes"),
        ("party", "other"),
        ("born", "dates"),
        ("age", "range"),
        ("pay", "range"),
    ]


def test_a_column_that_public_tables_spell_in_several_ways_comes_first() -> None:
    assert [risk.column for risk in misfit_risks(SCHEMA, ["answer", "sex"])][:2] == ["answer", "sex"]


def test_a_range_is_named_with_what_becomes_of_numbers_beyond_it() -> None:
    words = {risk.column: risk.why for risk in misfit_risks(SCHEMA)}
    assert words["age"] == "Numbers beyond 0 to 20.5 go into the end bins; what is no number misfits too."
    assert words["pay"] == "Numbers beyond 0 to 10 have no level; what is no number misfits too."
