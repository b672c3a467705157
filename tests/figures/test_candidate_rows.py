"""Candidates, a row each: what is drawn where, and in whose name."""

from __future__ import annotations

from typing import Any

import pytest

from pmwpub.figures import CandidateRow, candidate_rows
from pmwpub.figures.candidate_rows import EXPECTED, FLOOR, HATCHED, START, UNCHANGED
from pmwpub.noisy_interval import NoisyInterval

GOOD = CandidateRow(
    "good",
    NoisyInterval(0.012, 0.004, 0.02, 0.95, "1/25"),
    NoisyInterval(0.05, 0.04, 0.06, 0.95, "1/100"),
    None,
    0.048,
    (0.016, 0.012, 0.03),
)
POOR = CandidateRow("poor", None, None, 0.09, 0.16, (0.1, 0.09, 0.12))
NOTHING = CandidateRow("nobody asked")


def traces(*rows: CandidateRow) -> dict[str, Any]:
    return {trace.name: trace for trace in candidate_rows(rows, epsilon="1", truths=["b"]).figure.data}


def test_each_row_is_hatched_from_0_to_its_own_floor_and_no_mark_of_one_row_reaches_into_another() -> None:
    drawn = traces(GOOD, POOR, NOTHING)
    hatched = drawn[HATCHED]
    assert list(hatched.x) == [0.004, 0.09], "a bought floor's low end; else the simulated floor"
    assert list(hatched.y) == [0, 1]
    assert hatched.width < 1
    for trace in drawn.values():
        assert all(y is None or abs(y - round(y)) < 0.5 for y in trace.y)


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
    assert list(drawn["its band"].x) == [0.012, 0.03, None, 0.09, 0.12, None]


def test_no_expected_error_lies_below_what_is_hatched_in_its_row() -> None:
    drawn = traces(GOOD, POOR)
    reached = dict(zip(map(round, drawn[f"{EXPECTED} at ε = 1"].y), drawn[f"{EXPECTED} at ε = 1"].x, strict=True))
    for place, low in zip(drawn[HATCHED].y, drawn[HATCHED].x, strict=True):
        assert reached[place] >= low


def test_table_and_words_have_the_same_numbers_and_name_who_played_the_private_table() -> None:
    plot = candidate_rows([GOOD, POOR, NOTHING], epsilon="0.5", truths=["b"])
    assert plot.table.rows[0] == ("good", 0.012, 0.004, 0.02, 0.05, 0.04, 0.06, None, 0.048, 0.016, 0.012, 0.03)
    assert plot.table.rows[2] == ("nobody asked", *(None,) * 11)
    assert "b played the private table" in plot.alt
    assert (
        "poor: floor, simulated 9 %, table unchanged, expected 16 %, release, expected at epsilon 0.5 10 %" in plot.alt
    )
    assert "nobody asked: nothing is known yet." in plot.alt


def test_rows_of_which_nothing_is_known_draw_nothing() -> None:
    assert traces(NOTHING) == {}
