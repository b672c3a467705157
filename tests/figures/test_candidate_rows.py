"""Candidates, a row each: what is drawn where, and in whose name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pmwpub.figures import CandidateRow, candidate_rows
from pmwpub.figures.candidate_row_values import (
    EXPECTED,
    FLOOR,
    HATCHED,
    PLAYED_FLOOR,
    PLAYED_HATCHED,
    START,
    UNCHANGED,
)
from pmwpub.noisy_interval import NoisyInterval

GOOD = CandidateRow(
    "good",
    NoisyInterval(0.012, 0.004, 0.02, 0.95, "1/25"),
    NoisyInterval(0.05, 0.04, 0.06, 0.95, "1/100"),
    None,
    0.048,
    (0.016, 0.012, 0.03),
    ("b",),
)
POOR = CandidateRow("poor", None, None, (0.09, 0.045, 0.135), 0.16, (0.1, 0.06, 0.12), ("b",))
NOTHING = CandidateRow("nobody asked")


def traces(*rows: CandidateRow) -> dict[str, Any]:
    return {trace.name: trace for trace in candidate_rows(rows, epsilon="1").figure.data}


def test_each_row_is_hatched_to_the_low_end_of_its_own_floor_and_no_mark_reaches_into_another_row() -> None:
    drawn = traces(GOOD, POOR, NOTHING)
    assert (list(drawn[HATCHED].x), list(drawn[HATCHED].y)) == ([0.004], [0]), "bought"
    assert (list(drawn[PLAYED_HATCHED].x), list(drawn[PLAYED_HATCHED].y)) == ([0.045], [1]), "an estimate: lightly"
    (played,) = drawn[PLAYED_FLOOR].x
    assert played - drawn[PLAYED_FLOOR].error_x.arrayminus[0] == pytest.approx(0.045), "where its own interval begins"
    assert drawn[HATCHED].width < 1
    for trace in drawn.values():
        assert all(y is None or abs(y - round(y)) < 0.5 for y in trace.y)


def test_what_is_hatched_by_simulation_does_not_depend_on_what_is_expected_at_an_epsilon() -> None:
    lower = CandidateRow("poor", None, None, POOR.played_floor, 0.16, (0.05, 0.045, 0.06))
    assert lower.unreachable == POOR.unreachable == 0.045


def test_no_mark_lies_below_a_floor_that_was_bought_in_its_row() -> None:
    """A noisy start may be drawn below the floor, and an expectation may know less than the purchase."""
    floor, start = NoisyInterval(0.1, 0.08, 0.12, 0.95, "1/25"), NoisyInterval(0.05, 0.03, 0.09, 0.95, "1/100")
    drawn = traces(CandidateRow("far", floor, start, None, 0.06, (0.02, 0.01, 0.09)))
    assert list(drawn[HATCHED].x) == [0.08]
    ends = drawn[START].error_x
    assert [drawn[START].x[0] - ends.arrayminus[0], drawn[START].x[0], drawn[START].x[0] + ends.array[0]] == (
        pytest.approx([0.08, 0.08, 0.09])
    )
    assert list(drawn[UNCHANGED].x) == [0.08]
    assert list(drawn["its band"].x[:2]) == [0.08, 0.09]


def test_what_was_bought_has_its_interval_and_says_that_it_is_of_the_private_table() -> None:
    drawn = traces(GOOD, POOR)
    for name, known in ((FLOOR, GOOD.floor), (START, GOOD.start)):
        assert known is not None
        assert "private table" in name
        (x,) = drawn[name].x
        assert (x - drawn[name].error_x.arrayminus[0], x + drawn[name].error_x.array[0]) == pytest.approx(
            (known.low, known.high)
        )
    assert list(drawn[UNCHANGED].x) == [0.048, 0.16]
    assert list(drawn[f"{EXPECTED} at ε = 1"].x) == [0.016, 0.1]
    assert list(drawn["its band"].x) == [0.012, 0.03, None, 0.06, 0.12, None]


def test_table_and_words_have_the_same_numbers_and_name_who_played_the_private_table() -> None:
    plot = candidate_rows([GOOD, POOR, NOTHING], epsilon="0.5")
    shown = {name: cells[:2] for name, cells in plot.table.columns.items()}
    assert shown[f"{FLOOR} (%)"] == [1.2, None]
    assert shown[f"{FLOOR}: from (%)"] == [0.4, None]
    assert shown[f"{PLAYED_FLOOR}: to (%)"] == [None, 13.5]
    assert shown[f"{EXPECTED} at ε = 0.5: to (%)"] == [3.0, 12.0]
    assert shown["who plays the private table"] == ["b", "b"]
    assert (
        "poor: floor, simulated 9 % (4.5 % to 14 %), table unchanged, expected 16 %, release, expected at epsilon "
        in (plot.alt)
    )
    assert "(b played the private table)" in plot.alt
    assert "nobody asked: nothing is known yet." in plot.alt
    assert all("b played" in words for words in plot.figure.data[-1].hovertext)


def test_a_row_of_which_nothing_was_bought_says_below_its_name_which_table_plays_the_private_one() -> None:
    other = replace(POOR, label="other", truths=("c", "d"))
    names = candidate_rows([GOOD, POOR, other], epsilon="1").figure.layout.yaxis.ticktext
    assert names == ("good", "poor<br>for b", "other<br>for 2 tables")
    alike = candidate_rows([POOR, replace(POOR, label="other")], epsilon="1").figure.layout.yaxis.ticktext
    assert alike == ("poor", "other"), "the sentence says it once"


def test_columns_in_which_nothing_stands_are_left_out_of_the_table() -> None:
    columns = candidate_rows([POOR], epsilon="1").table.columns
    assert not any(cell is None for cells in columns.values() for cell in cells)
    assert not any(START in name or FLOOR in name for name in columns)
    assert all(name.endswith("(%)") for name in columns if name not in ("candidate", "who plays the private table"))


def test_rows_of_which_nothing_is_known_draw_nothing() -> None:
    assert traces(NOTHING) == {}
