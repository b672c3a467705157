"""What drafting makes of each kind of column that stewards bring: one that must be caught, and one that must not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from pmwpub.errors import SchemaError
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.review.without_suspects import drafted as without_suspects
from pmwpub.tabular.schema.codebook import read_codebook
from pmwpub.tabular.schema.column_types import (
    CategoricalColumn,
    DateColumn,
    EncodedColumn,
    IdColumn,
    NumericColumn,
    WeightColumn,
)
from pmwpub.tabular.schema.draft_record import Draft, NothingToEncode, Remedy
from pmwpub.tabular.schema.drafting import Recipe, levels, propose

SEX = ["f", "m"]


def table(**columns: Iterable[object]) -> TextTable:
    """A public table; shorter columns begin anew."""
    cells = {name: [str(cell) for cell in column] for name, column in columns.items()}
    rows = max(map(len, cells.values()))
    lines = [",".join(f'"{column[row % len(column)]}"' for column in cells.values()) for row in range(rows)]
    return read_table("\n".join([",".join(cells), *lines, ""]).encode())


def drafted(*tables: TextTable, remedies: Sequence[str] = ()) -> Draft:
    """What is drafted; remedies as their flags say them."""
    decided = [Remedy.read(*flag.removeprefix("--").split(" ", 1)) for flag in remedies]  # type: ignore[arg-type]
    return propose(tables, remedies=decided)


def one(*cells: object, remedies: Sequence[str] = ()) -> tuple[EncodedColumn | None, Draft]:
    """The column x of a table that has another one, and the draft."""
    draft = drafted(table(x=cells, sex=SEX), remedies=remedies)
    return next((column for column in draft.schema.encoded if column.name == "x"), None), draft


def left(draft: Draft, name: str = "x") -> str:
    return next(one.why for one in draft.left_out if one.name == name)


def kinds(draft: Draft) -> list[str]:
    return [remark.kind for remark in draft.remarks if remark.column == "x"]


# --- a column that names the file, or does not change


def test_a_column_with_one_value_in_each_file_is_left_out_with_the_values() -> None:
    first, second = table(wave=[2008], sex=SEX, works=["yes", "yes", "no", "no"]), table(wave=[2012], sex=SEX * 2)
    draft = drafted(first, second)
    assert left(draft, "wave") == (
        "Each file has one value ('2008' in the first, '2012' in the last): it says which file a row is from."
    )
    assert left(draft, "works") == "Only 1 of 2 files have it."
    kept = drafted(first, second, remedies=["--kind wave=categorical"])
    assert kept.schema.domain.names == ("wave", "sex")


def days(year: int, months: Sequence[int] = range(1, 13)) -> list[str]:
    return [f"{year}-{month:02d}-{day:02d}" for month in months for day in range(1, 29)]


@pytest.mark.parametrize(
    ("cells", "part", "said"),
    [
        ([days(2015), days(2019)], "month", "Their year says which table a row is from."),
        ([days(2015) + days(2016), days(2018) + days(2019)], "month", "Their year says which table a row is from."),
        (
            [days(2015, [1]), days(2019, [2])],
            "weekday",
            "Their year and month say which table a row is from.",
        ),
        ([days(2015) + days(2016), days(2016)], "year", ""),
        ([days(2015), days(2015)], "month", ""),
        ([days(2015) + days(2016)], "year", ""),
    ],
)
def test_of_dates_a_part_that_does_not_name_the_file_is_drafted(cells: list[list[str]], part: str, said: str) -> None:
    tables = [table(x=own, sex=SEX) for own in cells]
    for draft in (without_suspects(tables), without_suspects(tables, remedies=[Remedy("x", "kind", "date")])):
        column = next(column for column in draft.schema.columns if column.name == "x")
        assert isinstance(column, DateColumn)
        assert column.part == part
        (remark,) = [remark for remark in draft.remarks if (remark.column, remark.kind) == ("x", "date")]
        assert remark.text == " ".join(
            filter(None, [f"Dates: only their {part} is an attribute.", said, "Another part may be chosen."])
        )


def test_a_part_that_a_person_asks_for_stays_with_a_true_word_about_the_files() -> None:
    tables = [table(x=days(year), sex=SEX) for year in (2015, 2019)]
    draft = without_suspects(tables, remedies=[Remedy("x", "part", "year")])
    column = next(column for column in draft.schema.encoded if column.name == "x")
    assert column.own_levels == ("2015", "2019")
    assert "It has one level in each table ('2015' in public table 1, '2019' in public table 2)" in next(
        remark.text for remark in draft.remarks if remark.kind == "names tables"
    )


def test_a_level_that_is_spelt_as_the_name_of_missing_cells_is_left_out_until_spellings_are_kept_apart() -> None:
    cells = ["a", "b", "(Missing)", ""]
    column, draft = one(*cells)
    assert column is None
    assert (
        left(draft) == "Its level '(Missing)' is spelt as the name of its cells without a value; keep spellings apart."
    )
    assert [way.flag for way in next(one.remedies for one in draft.left_out)] == ["--same x=none"]
    column, _ = one(*cells, remedies=["--same x=none"])
    assert column is not None
    assert column.attribute.levels == ("(Missing)", "a", "b", "(missing)")


@pytest.mark.parametrize(
    "cells", [[["2008", "2009"], ["2012", "2008"]], [["2008", ""], ["2012", "2012"]], [["south"], ["north", "south"]]]
)
def test_a_year_that_varies_within_a_file_is_an_attribute(cells: list[list[str]]) -> None:
    draft = drafted(*(table(x=own, sex=SEX * 4) for own in cells))
    assert "x" in draft.schema.domain.names


def test_a_constant_column_says_nothing_unless_some_cells_are_missing() -> None:
    column, draft = one("a", "a", "A ", "a")
    assert column is None
    assert "nothing to learn" in left(draft)
    column, _ = one("a", "", "a", "a")
    assert column is not None
    assert column.attribute.levels == ("a", "(missing)")


# --- one value in two spellings


def test_spellings_of_one_value_are_one_level_the_most_frequent_one_and_are_listed() -> None:
    draft = drafted(
        table(sex=["1", "2"], smoker=["TRUE", "FALSE"]), table(sex=["1.0", "2.0"], smoker=["True", "False"])
    )
    assert [column.attribute.levels for column in draft.schema.encoded] == [("1", "2"), ("FALSE", "TRUE")]
    assert {(one.column, one.kept, one.others) for one in draft.merged} == {
        ("sex", "1", ("1.0",)), ("sex", "2", ("2.0",)), ("smoker", "TRUE", ("True",)), ("smoker", "FALSE", ("False",)),
    }  # fmt: skip
    column, draft = one("male", "Male", "Male", " female", "female", "fe\u0301", "f\u00e9", "FÉ", "FÉ", "FÉ")
    assert column is not None
    assert column.attribute.levels == ("FÉ", "Male", "female")
    # Every public row has a level, and equal cells the same one.
    assert encode_public(table(x=["MALE", "male ", "f\u00c9"], sex=SEX), draft.schema).dropped == 0


def test_levels_that_differ_by_more_than_spelling_stay_apart() -> None:
    column, draft = one("a", "b", "a b", "1e5", "100000", "-1", "1")
    assert column is not None
    assert len(column.own_levels) == 7
    assert draft.merged == ()


def test_a_person_or_a_codebook_that_tells_two_spellings_apart_is_followed_in_that_column_alone() -> None:
    column, draft = one("b", "B", remedies=["--same x=none"])
    assert column is not None
    assert (column.own_levels, column.same) == (("B", "b"), ())
    assert draft.schema.encoded[1].same == ("trim", "nfc", "casefold", "number")
    book = read_codebook(b"name,kind,level\nblood,categorical,b\nblood,,B\nsex,categorical,f\nsex,,m\n")
    draft = propose([table(blood=["b", "B", " b"], sex=["F", "m"])], codebook=book)
    blood = draft.schema.encoded[0]
    assert (blood.own_levels, blood.same) == (("b", "B"), ("trim", "nfc", "number"))
    assert [remark.kind for remark in draft.remarks if remark.column == "blood"] == ["spelling", "apart"]
    assert [(one.kept, one.others) for one in draft.merged] == [("b", (" b",)), ("f", ("F",))]


def test_levels_taken_from_public_tables_follow_the_columns_rules() -> None:
    tables = [table(x=["Male", "male", " Male", "Female", ""])]
    first = CategoricalColumn(name="x", kind="categorical", levels=("?",), strip=True, casefold=True)
    second = CategoricalColumn(name="x", kind="categorical", levels=("?",), same=("trim",))
    assert levels(tables, first, Recipe()) == ("Female", "Male")
    assert levels(tables, second, Recipe()) == ("Female", "Male", "male")
    with pytest.raises(SchemaError, match="no value"):
        levels([table(y=["1"])], first, Recipe())


# --- sentinels and spikes


@pytest.mark.parametrize(
    ("real", "code", "often"),
    [(range(20, 42), "99", 15), (range(1985, 2007), "9999", 15), (range(0, 300, 7), "-9", 9), (range(50), "-77", 2)],
)
def test_a_code_far_from_all_numbers_is_a_level_of_its_own(real: range, code: str, often: int) -> None:
    column, draft = one(*real, *[code] * often)
    assert isinstance(column, NumericColumn)
    assert column.missing_levels == (code,)
    assert column.edges[0] >= real[0] - 10
    assert column.edges[-1] <= real[-1] + 10
    assert kinds(draft) == ["sentinel"]
    assert draft.schema.written(column, len(column.own_levels)) == code
    spiked, _ = one(*real, *[code] * often, remedies=[draft.remarks[0].remedies[0].flag])
    assert isinstance(spiked, NumericColumn)
    assert spiked.spikes == (float(code),)
    assert spiked.missing is False


@pytest.mark.parametrize(
    "cells",
    [
        [*range(60, 100), 99, 99],  # the oldest of many
        [*range(-5, 30), -1, -1],  # degrees below zero
        [*range(0, 25), 98, 1000],  # once, and no nines
        [*range(0, 100, 2), 99],  # percent
    ],
)
def test_true_numbers_that_look_like_codes_stay_numbers(cells: list[int]) -> None:
    column, draft = one(*cells)
    assert isinstance(column, NumericColumn)
    assert column.missing is False
    assert kinds(draft) == []


def test_values_that_many_rows_have_get_bins_of_their_own_within_beside_and_above_the_others() -> None:
    column, draft = one(*range(-500, 501, 10), *[0] * 70)
    assert isinstance(column, NumericColumn)
    assert column.spikes == (0.0,)
    assert kinds(draft) == ["spike"]
    column, _ = one(*range(1000, 4000, 30), *[0] * 900)
    assert isinstance(column, NumericColumn)
    assert column.own_levels[:2] == ("0", f"(0, {column.edges[2]:g})")
    column, _ = one(*range(0, 100), *[100] * 60)
    assert isinstance(column, NumericColumn)
    assert column.own_levels[-1] == "100"
    assert len(column.own_levels) <= 10


def test_ages_that_people_round_get_no_bins_of_their_own() -> None:
    ages = [age for age in range(18, 80) for _ in range(10 + 6 * (age % 10 == 0))]
    column, draft = one(*ages)
    assert isinstance(column, NumericColumn)
    assert column.spikes == ()
    assert kinds(draft) == []


# --- missing codes


def test_a_code_may_be_missing_in_one_column_and_a_level_in_another() -> None:
    book = read_codebook(
        b"name,kind,level,label\nmonth,categorical,8,August\nmonth,,9,September\nseek,categorical,1,yes\nseek,,2,no\n"
        b"seek,missing,9,not applicable\n"
    )
    public = table(month=["9", "8", "9"], seek=["9", "1", "2"])
    schema = propose([public], codebook=book).schema
    assert [column.attribute.levels for column in schema.encoded] == [("8", "9"), ("1", "2", "not applicable")]
    assert encode_public(public, schema).dataset.codes.tolist() == [[1, 2], [0, 0], [1, 1]]
    assert schema.written(schema.encoded[1], 2) == "9"


def test_a_numeric_code_and_a_range_match_however_the_number_is_written() -> None:
    book = read_codebook(
        b"name,kind,level,label\nhours,numeric,0,\nhours,,40,\nhours,,80,\nhours,missing,99,not applicable\n"
        b"hours,missing,96..98,\nseek,missing,9,not applicable\n"
    )
    public = table(hours=["99.0", "25.0", "97", "99"], seek=["1", "9.0", "1", "2"])
    schema = propose([public], codebook=book).schema
    assert schema.domain.attributes[0].levels == ("[0, 40)", "[40, 80]", "not applicable", "96..98")
    assert schema.domain.attributes[1].levels == ("1", "2", "not applicable")
    assert encode_public(public, schema).dataset.codes.tolist() == [[2, 0], [0, 2], [3, 0], [2, 1]]


def test_a_nine_beside_few_levels_is_pointed_out_and_the_ninth_month_is_not() -> None:
    assert kinds(one("1", "2", "9", "1")[1]) == ["missing code"]
    assert kinds(one(*range(1, 13))[1]) == []
    column, _ = one("1", "2", "9", "1", remedies=["--missing x=9"])
    assert column is not None
    assert column.attribute.levels == ("1", "2", "9")
    assert column.missing_levels == ("9",)


def test_a_range_of_codes_is_declared_in_one_step() -> None:
    column, draft = one(*range(0, 60), 97, 98, 99, remedies=["--missing x=97..99"])
    assert isinstance(column, NumericColumn)
    assert column.missing_levels == ("97..99",)
    assert column.edges[-1] <= 60
    assert [draft.schema.placer(column)(cell) == len(column.own_levels) for cell in ("97", "98.0", "99", "96")] == [
        True, True, True, False,
    ]  # fmt: skip


def test_a_dash_is_a_level_that_is_pointed_out() -> None:
    column, draft = one("-", "+", "-", "+")
    assert column is not None
    assert column.own_levels == ("+", "-")
    assert kinds(draft) == ["missing code"]


def test_na_among_codes_of_countries_is_pointed_out_and_becomes_a_level_in_one_step() -> None:
    column, draft = one("NA", "NL", "NG", "NA")
    assert column is not None
    assert column.attribute.levels == ("NG", "NL", "(missing)")
    assert kinds(draft) == ["token"]
    column, draft = one("NA", "NL", "NG", "", remedies=["--level x=NA"])
    assert column is not None
    assert column.attribute.levels == ("NA", "NG", "NL", "(missing)")
    assert draft.schema.placer(column)("NA") == 0
    assert kinds(one("NA", "yes", "no", "NA")[1]) == []


# --- codes of digits


@pytest.mark.parametrize("codes", [[f"{code:05}" for code in range(2101, 2171, 3)], ["020", "0201", "021", "1"]])
def test_codes_that_begin_with_noughts_stay_texts(codes: list[str]) -> None:
    column, draft = one(*codes)
    assert isinstance(column, CategoricalColumn)
    assert column.levels == tuple(sorted(codes))
    assert "number" not in column.same
    assert draft.schema.placer(column)(codes[0].lstrip("0")) == column.no_level


def test_many_codes_of_digits_are_left_out_with_that_reason() -> None:
    _, draft = one(*(f"{code:05}" for code in range(100)))
    assert "begin with noughts" in left(draft)
    assert "60 levels" in left(draft)


def test_numbers_as_long_as_codes_and_numbers_padded_with_noughts_beside_plain_ones_are_numbers() -> None:
    column, _ = one(*range(10_000, 99_000, 1_001))
    assert isinstance(column, NumericColumn)
    column, _ = one("007", "7", "08", "9", "0")
    assert column is not None
    assert column.own_levels == ("0", "007", "08", "9")


# --- what is no plain number


def test_one_stray_text_leaves_a_column_of_numbers_out_until_it_is_declared_missing() -> None:
    cells = [*range(1000, 3600, 37), "."]
    column, draft = one(*cells)
    assert column is None
    assert left(draft) == '1 of 72 cells is no number: ".". Declare it a missing code, and the column is numeric.'
    column, _ = one(*cells, remedies=[draft.left_out[0].remedies[0].flag.replace("'", "")])
    assert isinstance(column, NumericColumn)
    assert column.missing_levels == (".",)
    assert column.edges[0] == 1000


def test_decimal_commas_and_thousands_are_read_where_only_one_reading_fits() -> None:
    for cells, decimal, thousands, low in (
        ([f"{1000 + 37 * i},50" for i in range(70)], ",", None, 1000),
        ([f"{i}.{i:03}.000,5" for i in range(1, 30)], ",", ".", 1_000_000),
        ([f"{i} {i:03},5" for i in range(1, 30)], ",", " ", 1000),
        ([f"1,{i:03},000" for i in range(1, 30)], ".", ",", 1_001_000),
    ):
        column, draft = one(*cells)
        assert isinstance(column, NumericColumn)
        assert (column.decimal, column.thousands) == (decimal, thousands)
        assert column.edges[0] == low
        assert kinds(draft) == ["decimal"]


def test_numbers_that_can_be_read_in_two_ways_ask_which() -> None:
    cells = [f"{i},{i:03}" for i in range(1, 40)]
    column, draft = one(*cells)
    assert column is None
    assert "which" in left(draft)
    flags = [remedy.flag for remedy in draft.left_out[0].remedies]
    assert flags == ["--decimal x=,", "--thousands x=,"]
    for flag, top in zip(flags, (40, 40_000), strict=True):
        column, _ = one(*cells, remedies=[flag])
        assert isinstance(column, NumericColumn)
        assert column.edges[-1] == top


def test_dates_give_a_part_and_dates_of_two_readings_ask_which() -> None:
    days = [f"{2010 + i % 3}-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(90)]
    column, draft = one(*days)
    assert isinstance(column, DateColumn)
    assert column.own_levels == ("2010", "2011", "2012")
    assert kinds(draft) == ["date"]
    column, _ = one(*days, remedies=["--part x=weekday"])
    assert column is not None
    assert column.own_levels[0] == "Monday"
    twofold = [f"{1 + i % 12}/{1 + i % 11}/{2010 + i % 3}" for i in range(132)]
    column, draft = one(*twofold)
    assert column is None
    assert [remedy.value for remedy in draft.left_out[0].remedies] == ["dmy", "mdy"]
    column, _ = one(*twofold, remedies=["--order x=mdy"])
    assert isinstance(column, DateColumn)


def test_numbers_with_points_and_dashes_that_are_no_dates_stay_what_they_are() -> None:
    assert isinstance(one(*(2010.01 + i for i in range(40)))[0], NumericColumn)
    column, draft = one(*(f"{i}-{i}" for i in range(70)))
    assert column is None
    assert "70 different texts" in left(draft)


def test_too_many_texts_are_left_out_with_the_reason_and_taken_all_the_same_by_decision() -> None:
    cells = [f"w{i}" for i in range(70)]
    column, draft = one(*cells)
    assert column is None
    assert left(draft).startswith("70 different texts, a different one in each row, more than the 60 levels")
    column, _ = one(*cells, remedies=["--kind x=categorical"])
    assert column is not None
    assert len(column.own_levels) == 70
    column, _ = one(*cells[:60])
    assert column is not None


def test_where_nothing_can_be_encoded_each_column_has_its_reason() -> None:
    with pytest.raises(NothingToEncode, match=r"'author': 70 different.* 'words': 70 different") as caught:
        drafted(table(author=[f"u{i}" for i in range(70)], words=[f"w{i}" for i in range(70)]))
    assert [one.name for one in caught.value.left_out] == ["author", "words"]
    assert "Value error" not in str(caught.value)


# --- what a person decides


def test_a_person_says_of_what_kind_a_column_is() -> None:
    cells = [str(i % 25) for i in range(100)]
    for value, kind in (("ordered", CategoricalColumn), ("categorical", CategoricalColumn), ("numeric", NumericColumn)):
        column, _ = one(*cells, remedies=[f"--kind x={value}"])
        assert isinstance(column, kind)
        assert column.kind == value
    assert column is not None
    for value, left_aside in (("id", IdColumn), ("weight", WeightColumn)):
        _, draft = one(*cells, remedies=[f"--kind x={value}"])
        assert isinstance(draft.schema.columns[0], left_aside)
    _, draft = one(*cells, remedies=["--kind x=ignore"])
    assert left(draft) == "It was left out by decision."


@pytest.mark.parametrize(
    "flag",
    ["--kind x=text", "--kind y=id", "--same x=sound", "--order x=ydm", "--decimal x=;", "--spike x=a",
     "--kind x=date", "--thousands x=."],
)  # fmt: skip
def test_a_decision_that_makes_no_sense_is_refused_in_words(flag: str) -> None:
    more = ["--kind x=date"] if "order" in flag else ["--kind x=numeric"] if "date" not in flag else []
    with pytest.raises(SchemaError) as caught:
        one(*range(40), remedies=[*more, flag, *(["--decimal x=."] if "thousands" in flag else [])])
    assert "Value error" not in str(caught.value)
    with pytest.raises(SchemaError, match="COLUMN=VALUE"):
        Remedy.read("kind", "x")
    with pytest.raises(SchemaError, match="another rule"):
        Remedy("x", "colour", "red")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rule", "value", "flag"), [("missing", ".", "--missing x=."), ("spike", "0 or so", "--spike 'x=0 or so'")]
)
def test_a_remedy_is_a_flag_as_a_shell_takes_it(rule: str, value: str, flag: str) -> None:
    assert Remedy("x", rule, value).flag == flag  # type: ignore[arg-type]


@pytest.mark.parametrize("recipe", [{"bins": 0}, {"bins": 99_999_999_999}, {"max_levels": 10_001}])
def test_numbers_of_bins_and_levels_that_no_schema_could_hold_are_refused_in_words(recipe: dict[str, int]) -> None:
    with pytest.raises(SchemaError, match=r"between 1 and 10,000"):
        Recipe(**recipe)
