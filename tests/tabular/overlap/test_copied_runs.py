"""Shared runs of lines: exact, and no alarm for what chance explains."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.files.row_numbers import words_of
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.overlap.copied_runs import RunSearch, long_run, row_numbers

LINES = st.lists(st.sampled_from("abc"), max_size=24)


def shared_run(private: list[str], public: list[str], cuts: Sequence[int] = ()) -> int:
    """The longest run, where the private rows come in pieces that end at `cuts`."""
    search = RunSearch(words_of(public, 1)[:, 0])
    numbers = words_of(private, 1)[:, 0]
    for begin, end in itertools.pairwise([0, *sorted(cuts), len(private)]):
        search.add(numbers[begin:end])
    return search.longest


def brute(one: list[str], two: list[str]) -> int:
    """The longest run by looking at every pair of places."""
    best = 0
    for i in range(len(one)):
        for j in range(len(two)):
            length = 0
            while i + length < len(one) and j + length < len(two) and one[i + length] == two[j + length]:
                length += 1
            best = max(best, length)
    return best


@given(LINES, LINES, st.lists(st.integers(0, 24), max_size=4))
def test_the_longest_run_is_found_in_whatever_pieces_the_rows_come(
    one: list[str], two: list[str], cuts: list[int]
) -> None:
    assert shared_run(one, two, [min(cut, len(one)) for cut in cuts]) == brute(one, two)


def test_line_ends_quotes_names_and_empty_lines_do_not_count() -> None:
    one, two = read_table(b"h,i\na,b\n\nb,c\nc,d\n"), read_table(b'x,y\r\nx,x\r\n"a",b\r\nb,"c"\r\n\r\nc,d')
    search = RunSearch(row_numbers(two.stream))
    search.add(row_numbers(one.stream))
    assert search.longest == 3
    assert shared_run(["a"], ["b"]) == 0
    assert shared_run([], ["a"]) == shared_run(["a"], []) == 0


@pytest.mark.parametrize("cuts", [(), (2_500,), range(100, 5_000, 100)])
def test_runs_are_followed_to_two_thousand_lines(cuts: Sequence[int]) -> None:
    lines = [str(i) for i in range(5_000)]
    assert shared_run(lines, lines, cuts) == 2_047
    assert shared_run(lines, ["x", *lines[70:1_443], "y"], cuts) == 1_373


def _people(rows: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [f"{'FM'[rng.integers(2)]},{rng.integers(90)},{rng.integers(3)}" for _ in range(rows)]


def _table(lines: list[str]) -> bytes:
    return "\n".join(["sex,age,job", *lines, ""]).encode()


def test_disjoint_people_raise_no_alarm_although_most_rows_coincide() -> None:
    for seed in range(20):
        private, public = _people(1_000, seed), _people(800, 100 + seed)
        assert len(set(private) & set(public)) > 300
        assert long_run(read_table(_table(private)), read_table(_table(public))) == 0


def test_a_piece_copied_from_the_private_table_raises_it_in_any_dialect() -> None:
    private, public = _people(1_000, 1), _people(800, 2)
    copied = _table(public[:400] + private[300:330] + public[400:])
    table = read_table(_table(private))
    assert long_run(table, read_table(copied)) == 30
    semicolons = read_table(copied.replace(b",", b";"), options=ReadOptions(delimiter=";"))
    assert long_run(table, semicolons) == 30


def test_a_column_of_one_value_is_no_evidence() -> None:
    same = read_table(b"a\n" + b"1\n" * 500)
    assert long_run(same, same) == 0


@pytest.mark.data
def test_tables_of_disjoint_people_raise_no_alarm(data_folder: Path) -> None:
    folder = data_folder / "acs_il_oh"
    census = [read_table(folder / f"{name}.csv.gz") for name in ("oh_2018", "oh_2012", "il_2018")]
    assert [long_run(census[0], other) for other in census[1:]] == [0, 0]
    header, *people = read_table(data_folder / "adult" / "adult.csv.gz").content.splitlines(keepends=True)
    halves = [read_table(header + b"".join(half)) for half in (people[:20_000], people[20_000:])]
    assert long_run(*halves) == 0
