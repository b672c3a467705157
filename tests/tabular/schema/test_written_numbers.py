"""Numbers in clothes: marks that differ between tables, signs and words beside numbers, years of two digits."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import pytest

from pmwpub.records import Distribution, Support
from pmwpub.release.synthesis import synthetic_csv
from pmwpub.tabular.coding.encode import Encoder, encode_public
from pmwpub.tabular.coding.public_values import PublicValues, StoredValues
from pmwpub.tabular.files.reading import TextTable, from_frame, read_table
from pmwpub.tabular.review.without_suspects import drafted
from pmwpub.tabular.schema.column_types import CategoricalColumn, DateColumn, EncodedColumn, NumericColumn
from pmwpub.tabular.schema.draft_record import Draft, Remedy
from pmwpub.tabular.schema.drafting import propose
from pmwpub.tabular.schema.table_schema import Schema


def table(cells: Iterable[object]) -> TextTable:
    texts = [str(cell) for cell in cells]
    return from_frame(pd.DataFrame({"x": texts, "sex": [("f", "m")[place % 2] for place in range(len(texts))]}))


def one(*tables: Sequence[object], remedies: Sequence[Remedy] = ()) -> tuple[EncodedColumn | None, Draft]:
    """The column x of some tables, and the draft."""
    draft = propose([table(cells) for cells in tables], remedies=list(remedies))
    return next((column for column in draft.schema.encoded if column.name == "x"), None), draft


def numeric(*tables: Sequence[object], remedies: Sequence[Remedy] = ()) -> NumericColumn:
    column, draft = one(*tables, remedies=remedies)
    assert isinstance(column, NumericColumn), draft.left_out
    return column


def refused(*tables: Sequence[object]) -> tuple[str, tuple[Remedy, ...]]:
    """Why x is left out, and what would bring it in."""
    column, draft = one(*tables)
    assert column is None
    (left,) = [one for one in draft.left_out if one.name == "x"]
    return left.why, left.remedies


def bins_of(schema: Schema, cells: Sequence[str]) -> list[int]:
    """How private cells are read."""
    encoded = Encoder(("x", "sex"), schema).codes(table(cells).cells)
    return [int(code) for code in encoded[schema.domain.index("x")]]


COMMAS = [f"{place},{place % 10}" for place in range(10, 80)]
POINTS = [f"{place}.{place % 10}" for place in range(10, 80)]


# --- decimal marks that differ between files


def test_decimal_commas_in_one_file_and_points_in_another_are_both_read() -> None:
    column, draft = one(COMMAS, POINTS)
    assert isinstance(column, NumericColumn)
    assert (column.decimal, column.thousands) == (",", None)
    assert (column.edges[0], column.edges[-1]) == (numeric(COMMAS).edges[0], numeric(COMMAS).edges[-1])
    (remark,) = [one for one in draft.remarks if one.column == "x"]
    assert remark.text == 'Some tables write "," before decimals, others ".": its numbers are read with either.'
    codes = [encode_public(table(cells), draft.schema).dataset.codes for cells in (COMMAS, POINTS)]
    assert np.array_equal(*codes)
    assert len(codes[0]) == 70
    assert bins_of(draft.schema, ["33,3"]) == bins_of(draft.schema, ["33.3"]) != bins_of(draft.schema, ["71.0"])


def test_few_such_numbers_are_one_column_too_and_no_levels_that_name_the_file() -> None:
    draft = drafted([table(COMMAS[:8] * 3), table(POINTS[:8] * 3)])
    column = next(column for column in draft.schema.encoded if column.name == "x")
    assert isinstance(column, NumericColumn)
    assert [one.kind for one in draft.remarks if one.column == "x"] == ["decimal"]


def test_a_comma_in_one_file_that_may_group_thousands_beside_points_in_another_asks_which() -> None:
    """Today's reading as thousands is a thousandfold wrong where the first file has three decimals."""
    grouped = [f"{place},{place:03}" for place in range(1, 60)]
    why, ways = refused(grouped, POINTS)
    assert why == (
        "Numbers such as '1,001', whose comma may stand before decimals or thousands; the tables do not write them "
        "alike; say which."
    )
    assert ways == (Remedy("x", "decimal", ","), Remedy("x", "thousands", ","))
    assert numeric(grouped, POINTS, remedies=ways[:1]).edges[-1] < 100
    assert numeric(grouped, POINTS, remedies=ways[1:]).edges[-1] > 50_000


def test_points_that_may_group_thousands_beside_decimal_commas_ask_which() -> None:
    """One country's writing reads both files, and so does one writing for each."""
    pointed = [f"{place}.{place:03}" for place in range(1, 60)]
    _, ways = refused(COMMAS, pointed)
    assert ways == (Remedy("x", "decimal", ","), Remedy("x", "thousands", "."))
    assert numeric(COMMAS, pointed, remedies=ways[:1]).edges[-1] < 100
    assert numeric(COMMAS, pointed, remedies=ways[1:]).edges[-1] > 50_000


def test_files_that_no_one_rule_reads_are_the_reason_and_the_column_can_be_dismissed() -> None:
    continental = [f"{place}.{place:03},5" for place in range(1, 60)]
    why, ways = refused(continental, POINTS)
    assert why.startswith("The tables write its numbers differently ('1.001,5' in the first, '10.0' in the last)")
    assert ways == (Remedy("x", "kind", "ignore"),)


def test_whole_numbers_beside_decimal_commas_are_as_before() -> None:
    column, draft = one(COMMAS, range(10, 80))
    assert isinstance(column, NumericColumn)
    assert column.decimal == ","
    assert [one.text for one in draft.remarks] == ['Its numbers are read with "," before decimals.']


# --- signs and words beside numbers


@pytest.mark.parametrize(
    ("written", "prefix", "suffix", "foreign"),
    [
        ("${}", "$", "", "-$33"),
        ("{} %", "", " %", "-33%"),
        ("{}%", "", "%", "-33 %"),
        ("€ {}", "€ ", "", "€-33"),
        ("{} EUR", "", " EUR", "-33eur"),
        ("CHF {}.50", "CHF ", "", "chf -33.50"),
        ("US$ {}", "US$ ", "", "-us$33"),
    ],
)
def test_a_currency_or_percentage_beside_every_number_is_declared_and_read_alike_everywhere(
    written: str, prefix: str, suffix: str, foreign: str
) -> None:
    cells = [written.format(place) for place in range(70)] + [foreign]
    column, draft = one(cells)
    assert isinstance(column, NumericColumn)
    assert (column.prefix, column.suffix) == (prefix, suffix)
    assert -40 <= column.edges[0] <= -33
    assert 69 <= column.edges[-1] <= 70
    (remark,) = [one for one in draft.remarks if one.column == "x"]
    assert remark.kind == "affix"
    assert remark.text.startswith(f'Its numbers are read without the "{(prefix or suffix).strip()}" beside them')
    assert isinstance(one(cells, remedies=remark.remedies)[0], CategoricalColumn)
    dressed, bare = written.format(12), written.format(12).replace(prefix or suffix, "")
    assert bins_of(draft.schema, [dressed]) == bins_of(draft.schema, [bare]) == bins_of(draft.schema, ["12.0"])
    again = Schema.from_json(draft.schema.to_json())
    assert again.sha256 == draft.schema.sha256


def test_thousands_and_decimals_under_a_sign_are_read_by_their_own_marks() -> None:
    column = numeric([f"$1,{place:03}.50" for place in range(70)])
    assert (column.prefix, column.thousands, column.decimal) == ("$", ",", ".")
    assert column.edges[0] == 1000
    column = numeric([f"{place}\u202f{place:03},5 €" for place in range(1, 70)])
    assert (column.suffix, column.thousands, column.decimal) == (" €", "\u202f", ",")
    _, ways = refused([f"$1,{place:03}" for place in range(70)])
    assert ways == (Remedy("x", "decimal", ","), Remedy("x", "thousands", ","))


def test_a_word_that_is_no_currency_is_asked_for() -> None:
    cells = [f"{place} kg" for place in range(70)]
    why, ways = refused(cells)
    assert why == "Every cell has \"kg\" beside its number ('0 kg'). Say so, and the column is numeric."
    assert ways == (Remedy("x", "suffix", " kg"),)
    assert numeric(cells, remedies=ways).suffix == " kg"


def test_a_sign_beside_some_numbers_is_asked_for_since_fifteen_percent_may_stand_as_a_fraction() -> None:
    cells = [f"{place}%" for place in range(30)] + [f"0.{place:02}" for place in range(41)]
    why, ways = refused(cells)
    assert why.startswith('30 of 71 numbers have "%" beside them, the others have not.')
    assert numeric(cells, remedies=ways).suffix == "%"


def test_two_currencies_are_no_numbers_of_one_kind() -> None:
    why, ways = refused([f"{'$€'[place % 2]}{place}" for place in range(70)])
    assert why == 'Its numbers have different things beside them: "$" and "€". Write them in one unit, as numbers.'
    assert ways == ()


def test_a_unit_on_both_sides_is_said() -> None:
    why, _ = refused([f"EUR {place}" if place % 2 else f"{place} EUR" for place in range(70)])
    assert why == 'Its numbers have "eur" before some and behind others. Write them alike, or as numbers.'


@pytest.mark.parametrize("written", ["${}", "{} %", "{} EUR", "{},5", "1\u2019{:03}", "1\u00a0{:03}"])
def test_numbers_in_clothes_that_are_all_different_do_not_name_rows(written: str) -> None:
    draft = drafted([table([written.format(place) for place in range(70)])])
    assert "x" in draft.schema.domain.names
    assert isinstance(draft.schema.encoded[0], NumericColumn)


def test_a_unit_that_has_to_be_said_is_the_reason_though_all_differ() -> None:
    draft = drafted([table([f"{place} lb" for place in range(70)])])
    assert draft.left_out[0].why.startswith('Every cell has "lb" beside its number')
    assert draft.left_out[0].remedies == (Remedy("x", "suffix", " lb"),)


@pytest.mark.parametrize(
    ("written", "stray"), [("{} €", "n/a"), ("${}", "."), ("{},5", "-"), ("2012-03-{:02}", "unknown")]
)
def test_a_stray_text_among_numbers_in_clothes_or_dates_is_the_reason_and_one_step_takes_them(
    written: str, stray: str
) -> None:
    cells = [written.format(place) for place in range(1, 31)] * 2 + [stray]
    why, ways = refused(cells)
    assert why.startswith(f'1 of 61 cells is no such number or date: "{stray}". Declare it a missing code')
    assert ways == (Remedy("x", "missing", stray),)
    column = one(cells, remedies=ways)[0]
    assert isinstance(column, (NumericColumn, DateColumn))
    assert column.missing_levels == (stray,)


@pytest.mark.parametrize("written", ["P{:03}", "Level {}", "{}a{}", "A{}.1"])
def test_codes_with_letters_are_no_numbers(written: str) -> None:
    column, draft = one([written.format(place, place) for place in range(70)])
    assert column is None
    assert "70 different texts" in next(one.why for one in draft.left_out)


@pytest.mark.parametrize("affix", ["5", "e", "E", ".", "+", "-", " ", "a1", "k-g"])
def test_what_would_be_read_as_part_of_a_number_stands_beside_none(affix: str) -> None:
    rules = {"name": "x", "kind": "numeric", "edges": (0.0, 1.0), "outside": "clip"}
    with pytest.raises(ValueError, match="a sign or a word"):
        NumericColumn.model_validate(rules | {"prefix": affix})


def test_a_column_without_a_sign_keeps_its_hash() -> None:
    """The hash of version 2 as it was before these keys: canonical JSON of every key, written out here."""
    body = (
        b'{"columns":[{"decimal":".","edges":[0,1],"kind":"numeric","missing":false,"name":"x","other":false,'
        b'"outside":"clip","same":[],"thousands":null},{"kind":"date","levels":[],"missing":false,"name":"d",'
        b'"order":"ymd","other":false,"part":"month","same":[]}],"missing_tokens":[],"version":2}'
    )
    import hashlib

    schema = Schema.from_json(
        '{"version": 2, "columns": [{"name": "x", "kind": "numeric", "edges": [0, 1], "outside": "clip"},'
        ' {"name": "d", "kind": "date", "part": "month"}]}'
    )
    assert schema.sha256 == hashlib.sha256(body).hexdigest()


def test_synthetic_numbers_are_written_as_the_public_table_writes_them() -> None:
    cells = [f"{place} EUR" for place in range(10, 80)]
    public = table(cells)
    schema = propose([public]).schema
    support = Support.of(encode_public(public, schema).dataset)
    stored = StoredValues.from_csv(PublicValues.of([public], schema).to_csv(schema, support), schema)
    distribution = Distribution(support, np.full(len(support), 1 / len(support)))
    made = synthetic_csv(distribution, schema, 50, seed=1, cells="public-values", values=stored)
    written = pd.read_csv(io.BytesIO(made), dtype=str)["x"]
    assert set(written) <= set(cells)
    uniform = synthetic_csv(distribution, schema, 50, seed=1, cells="numbers")
    assert pd.read_csv(io.BytesIO(uniform), dtype=str)["x"].str.fullmatch(r"[0-9.]+ EUR").all()
    for body in (made, uniform):
        assert encode_public(read_table(body), schema).dropped == 0


# --- years of two digits


def days(*years: int) -> list[str]:
    return [f"{month:02}/{day}/{year:02}" for year in years for month in range(1, 13) for day in (14, 28)]


@pytest.mark.parametrize(
    ("years", "pivot", "first", "last", "words"),
    [
        ((45, 60, 99, 0, 5), 45, "1945", "2005", "45 to 99 are read as years of 19.., 00 to 44 as years of 20..: "),
        ((45, 52, 60), 0, "1945", "1960", "all are read as years of 19..: "),
        ((8, 12), 100, "2008", "2012", "all are read as years of 20..: "),
    ],
)
def test_the_century_of_two_digits_is_declared_and_said(
    years: tuple[int, ...], pivot: int, first: str, last: str, words: str
) -> None:
    column, draft = one(days(*years))
    assert isinstance(column, DateColumn)
    assert (column.order, column.pivot) == ("mdy", pivot)
    assert (column.own_levels[0], column.own_levels[-1]) == (first, last)
    (remark,) = [one for one in draft.remarks if one.column == "x"]
    assert f"{words}{first} to {last}" in remark.text
    assert bins_of(draft.schema, [f"1/14/{first[2:]}"]) == bins_of(draft.schema, [f"01/14/{first}"])
    for way in (way for way in remark.remedies if way.rule == "pivot"):
        other = one(days(*years), remedies=[way])[0]
        assert isinstance(other, DateColumn)
        assert {level[:2] for level in other.own_levels} == {"19" if way.value == "0" else "20"}


def test_days_of_two_digits_that_may_be_years_ask_which() -> None:
    cells = [f"{day:02}/{month:02}/{year:02}" for day in (3, 4) for month in range(1, 13) for year in (10, 11)]
    why, ways = refused(cells)
    assert "the month or the year first" in why
    assert [way.value for way in ways] == ["ymd", "dmy", "mdy"]
    column = one(cells, remedies=[ways[2]])[0]
    assert isinstance(column, DateColumn)
    assert (column.order, column.pivot) == ("mdy", 100)


def test_years_of_four_digits_need_no_pivot() -> None:
    column, _ = one([f"{day:02}.03.{year}" for year in (2010, 2011) for day in range(1, 29)])
    assert isinstance(column, DateColumn)
    assert column.pivot is None
