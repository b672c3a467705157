"""Rows become households by functions of each household alone; a public household is whole or left out."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.households.toy_households import LEVELS, NAMES, schema
from support.planting import plant

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.households import reading_households
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.reading_households import private_households, public_households

H = 3
Row = tuple[str, str, str, str]


def table(rows: list[Row], header: str = "home,tenure,age,sex") -> TextTable:
    return read_table(("\n".join([header, *(",".join(row) for row in rows)]) + "\n").encode())


def homes_of(found: Households) -> Counter[tuple[object, ...]]:
    """Each household as its persons, in any order, and its own levels."""
    homes: Counter[tuple[object, ...]] = Counter()
    for place in range(len(found)):
        rows = found.persons.codes[found.starts[place] : found.starts[place + 1]].tolist()
        homes[tuple(sorted(map(tuple, rows))), tuple(found.own.codes[place].tolist())] += 1
    return homes


ROWS: list[Row] = [
    ("b", "own", "adult", "f"),
    ("a", "rent", "old", "m"),
    ("b", "own", "child", "m"),
    ("c", "own", "adult", "f"),
    ("c", "rent", "adult", "x"),
]


def test_a_household_is_all_rows_of_one_id_with_levels_of_its_own() -> None:
    """By hand: size 1 to 3 is 0 to 2; tenure own is 0, rent 1, none 2 where persons differ; a child is 1."""
    assert homes_of(private_households(table(ROWS), schema(H))) == {
        (((0, 0, 1), (0, 1, 0)), (1, 0, 1)): 1,
        (((1, 2, 1),), (0, 1, 0)): 1,
        (((0, 1, 0), (1, 1, 2)), (1, 2, 0)): 1,
    }


cells = st.tuples(*(st.sampled_from([*levels, "else", ""]) for levels in LEVELS))
homes = st.lists(cells, min_size=1, max_size=H + 3)


def rows_of(own: dict[str, list[tuple[str, ...]]], seed: int) -> list[Row]:
    rows = [(name, *person) for name, persons in own.items() for person in persons]
    random.Random(seed).shuffle(rows)
    return rows  # type: ignore[return-value]


def assert_one_home_changes(rest: dict[str, list[tuple[str, ...]]], ours: object, theirs: object, seed: int) -> None:
    one, other = (
        homes_of(private_households(table(rows_of({**rest, name: home}, place)), schema(H)))  # type: ignore[dict-item]
        for name, home, place in (("ours", ours, seed), ("theirs", theirs, seed + 1))
    )
    assert sum(one.values()) == sum(other.values()) == len(rest) + 1
    assert sum((one - other).values()) <= 1, "another household than the one that is replaced changed"
    assert sum((other - one).values()) <= 1, "another household than the one that is replaced changed"


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.sampled_from("abcd"), homes, max_size=4), homes, homes, st.integers(0, 99))
def test_replacing_a_household_changes_no_other_whatever_the_order_and_size(
    rest: dict[str, list[tuple[str, ...]]], ours: list[tuple[str, ...]], theirs: list[tuple[str, ...]], seed: int
) -> None:
    """Sizes are up to twice H, so that rows are chosen; both files are in an order of their own."""
    assert_one_home_changes(rest, ours, theirs, seed)


def assert_at_every_order(rest: dict[str, list[tuple[str, ...]]], ours: object, theirs: object) -> None:
    for seed in range(0, 20, 2):
        assert_one_home_changes(rest, ours, theirs, seed)


BY_PLACE = "np.asarray([int((owners[: i + 1] == o).sum()) <= schema.largest and i < 9 for i, o in enumerate(owners)])"


@pytest.mark.fault("persons of a household chosen by their place in the file")
def test_persons_that_are_chosen_by_their_place_in_the_whole_file_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, reading_households, "_kept", "np.asarray(marked[0] == 0)", BY_PLACE)
    big = [(tenure, age, "f") for tenure in ("own", "rent") for age in ("child", "adult")]
    rest = {"a": big, "b": [("rent", "old", "m")] * 4}
    with pytest.raises(AssertionError, match="another household"):
        assert_at_every_order(rest, [("own", "old", "f")], big)


def test_of_a_household_beyond_the_largest_so_many_persons_count() -> None:
    rows: list[Row] = [("a", "own", "adult", sex) for sex in "fm"] + [("a", "own", "old", sex) for sex in "fm"]
    found = private_households(table([*rows, *rows]), schema(H))
    assert (len(found), len(found.persons), found.own.codes[0, 0]) == (1, H, H - 1)
    again = private_households(table([*rows[::-1], *rows]), schema(H))
    assert homes_of(found) == homes_of(again)


def test_rows_without_an_id_are_no_household_s() -> None:
    rows: list[Row] = [("", "own", "adult", "f"), ("  ", "own", "adult", "f"), ("a", "rent", "old", "m")]
    found = private_households(table(rows), schema(H))
    assert (len(found), len(found.persons)) == (1, 1)
    with pytest.raises(FileRefused, match="No row has a household id"):
        private_households(table(rows[:2]), schema(H))


def test_ids_are_told_apart_as_they_are_written() -> None:
    assert (
        len(private_households(table([("1", *ROWS[0][1:]), ("01", *ROWS[0][1:]), ("1 ", *ROWS[0][1:])]), schema(H)))
        == 3
    )


def test_a_public_household_is_whole_or_left_out_and_counted() -> None:
    rows: list[Row] = [
        *ROWS[:3],  # b and a are whole
        ("c", "own", "adult", "f"), ("c", "rent", "adult", "f"),  # tenures differ
        ("d", "own", "adult", "x"), ("d", "own", "adult", "f"),  # a cell without a level
        *[("e", "own", "old", "f")] * 4,  # too large
        ("", "own", "old", "f"),
    ]  # fmt: skip
    found = public_households(table(rows), schema(H))
    assert (len(found.households), found.incomplete, found.oversized, found.nobody) == (2, 2, 1, 1)
    assert homes_of(found.households) == homes_of(private_households(table(ROWS[:3]), schema(H)))


@pytest.mark.parametrize("rows", [[("a", "own", "x", "f")], [("a", "own", "old", "f"), ("a", "rent", "old", "f")]])
def test_a_public_table_without_a_whole_household_is_refused(rows: list[Row]) -> None:
    with pytest.raises(FileRefused):
        public_households(table(rows), schema(H))


def test_a_file_without_the_columns_is_refused() -> None:
    with pytest.raises(SchemaError, match="household ids, 'home'"):
        private_households(table(ROWS, "house,tenure,age,sex"), schema(H))
    with pytest.raises(SchemaError, match="'sex'"):
        private_households(table(ROWS, "home,tenure,age,gender"), schema(H))
    assert NAMES == ("tenure", "age", "sex")
