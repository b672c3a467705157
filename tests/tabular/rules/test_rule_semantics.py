"""What a rule means, by hand: unknown levels, open and closed bins, orders, and what is no rule."""

from __future__ import annotations

import pytest
from tabular.rules.people_schema import PLAIN, breaks, under

from pmwpub.errors import SchemaError
from pmwpub.tabular.rules.rule_parsing import read_rule
from pmwpub.tabular.schema.table_schema import Schema

CHILD, NOT_ASKED, BLANK = (
    'age < 20 implies work = "none"',
    'age < 20 implies work in ("none", "(missing)")',
    'work = "(missing)" implies age < 20',
)


@pytest.mark.parametrize(
    ("age", "work", "broken"),
    [
        ("[0, 20)", "none", (False, False, False)),
        ("[0, 20)", "full", (True, True, False)),
        ("[0, 20)", "(missing)", (False, False, False)),
        ("[0, 20)", "(other)", (False, False, False)),
        ("[20, 40)", "full", (False, False, False)),
        ("[20, 40)", "(missing)", (False, False, True)),
        ("(missing)", "full", (False, False, False)),
        ("(missing)", "(missing)", (False, False, False)),
    ],
)
def test_a_row_breaks_a_rule_only_where_it_is_definitely_false(age: str, work: str, broken: tuple[bool, ...]) -> None:
    """The table of docs/schema.md."""
    assert tuple(breaks(text, age=age, work=work) for text in (CHILD, NOT_ASKED, BLANK)) == broken


@pytest.mark.parametrize(
    ("text", "levels", "broken"),
    [
        # Not, and, or over unknown (a work that is missing): unknown and false is false, unknown or true is true.
        ('not (work = "full")', {"work": "(missing)"}, False),
        ('work = "full" and age < 20', {"work": "(missing)", "age": "[20, 40)"}, True),
        ('work = "full" and age < 20', {"work": "(missing)", "age": "[0, 20)"}, False),
        ('work = "full" or age < 20', {"work": "(missing)", "age": "[20, 40)"}, False),
        ('not (work = "full" or age < 20)', {"work": "(missing)", "age": "[0, 20)"}, True),
        ('age < 20 implies work != "full"', {"age": "[0, 20)", "work": "(other)"}, False),
        ('work in ("none", "part")', {"work": "(other)"}, False),
        ('work in ("none", "part")', {"work": "full"}, True),
        ('work not in ("none", "part")', {"work": "part"}, True),
        # What names only levels without a value asks for the level, and is known.
        ('work != "(missing)"', {"work": "(missing)"}, True),
        ('work != "(missing)"', {"work": "(other)"}, False),
        ('work = "(missing)"', {"work": "(other)"}, True),
        ('work = "(missing)"', {"work": "none"}, True),
        # No level is unknown, whatever is asked.
        ('work != "(missing)"', {}, False),
        ("age < 20", {}, False),
        # Texts are compared as the column compares them.
        ('work = " NONE "', {"work": "none"}, False),
        ('work = " NONE "', {"work": "part"}, True),
    ],
)
def test_unknown_goes_on_as_in_kleenes_logic(text: str, levels: dict[str, str], broken: bool) -> None:
    assert breaks(text, **levels) is broken


GAINS = ("0", "(0, 500)", "[500, 1000)", "1000")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("gain = 0", (1, 0, 0, 0)),
        ("gain != 0", (0, 1, 1, 1)),
        ("gain <= 0", (1, 0, 0, 0)),
        ("gain > 0", (0, 1, 1, 1)),
        ("gain < 500", (1, 1, 0, 0)),
        ("gain >= 500", (0, 0, 1, 1)),
        ("gain < 1000", (1, 1, 1, 0)),
        ("gain >= 1000", (0, 0, 0, 1)),
        ("gain = 1000", (0, 0, 0, 1)),
        ('gain in (0, "[500, 1000)")', (1, 0, 1, 0)),
        ("age < 20", (1, 0, 0)),
        ("age >= 40", (0, 0, 1)),
        ('school < "high"', (1, 1, 0)),
        ('school <= "low"', (1, 0, 0)),
        ('school > "low"', (0, 1, 1)),
        ("year < 2005", (0, 1, 0)),  # declared 2012, 1999, 2005: years go by the calendar
        ("year >= 2005", (1, 0, 1)),
    ],
)
def test_thresholds_divide_levels_as_their_numbers_and_orders_do(text: str, kept: tuple[int, ...]) -> None:
    name = text.split()[0]
    column = next(one for one in PLAIN.encoded if one.name == name)
    assert tuple(int(not breaks(text, **{name: level})) for level in column.own_levels) == kept


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("age < 15", r"15 divides the bin \[0, 20\) of column 'age'.*take 0 or 20"),
        ("age <= 20", r"20 divides the bin \[20, 40\)"),
        ("age >= 90", r"90 divides the bin \[40, 90\]"),
        ("gain <= 500", r"500 divides the bin \[500, 1000\)"),
        ("age = 20", "no bin that holds 20 alone"),
        ("gain = 5", "no bin that holds 5 alone; it has '0', '1000'"),
        ('age < "young"', "is numeric"),
        ('age = "young"', r"no level 'young'; it has '\[0, 20\)'"),
        ('work < "full"', "have no order; declare it ordered"),
        ('school < "(other)"', "no level"),
        ('work = "retired"', "no level 'retired'"),
        ("wage < 3", "no attribute 'wage'"),
        ("year = 2000", "no level '2000'"),
        ("gain >= 0", "every row of its columns' levels keeps it"),
        ('work = "full" or work != "full"', "every row"),
        ("age < 0", "no row of its columns' levels keeps it"),
        ("age < 20 and age >= 40", "no row"),
        ('school = "low" and school = "high"', "no row"),
    ],
)
def test_what_is_no_rule_of_the_schema_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        under(text)


def test_a_comparison_with_a_blank_level_has_no_order() -> None:
    with pytest.raises(SchemaError, match="no value that has an order"):
        under('age >= 20 implies school < "high"').with_column(PLAIN.encoded[2].changed(missing=True)).with_rules(
            [read_rule('school < "(missing)"')]
        )


def test_a_number_outside_counts_as_the_bin_that_it_is_clipped_to() -> None:
    place = PLAIN.placer(PLAIN.encoded[0])
    assert PLAIN.encoded[0].attribute.levels[place("-7")] == "[0, 20)"
    assert not breaks("age < 20", age="[0, 20)")


def test_a_rule_with_too_many_cases_is_refused_not_worked_out() -> None:
    columns = [{"name": f"c{number}", "kind": "categorical", "levels": ["x", "y"], "same": []} for number in range(17)]
    wide = Schema.model_validate({"version": 2, "columns": columns}, strict=False)
    text = " or ".join(f'c{number} = "x"' for number in range(17))
    with pytest.raises(SchemaError, match="too many cases"):
        wide.with_rules([read_rule(text)])
    assert wide.with_rules([read_rule(text.partition(" or c16")[0])]).rules
