from __future__ import annotations

import pytest

from pmwpub import figures

CURVE = figures.ShareCurve("ε = 1", (1.0, 10.0, 100.0), (0.3, 0.2, 0.1), (0.01, 0.02, 0.0))
START = figures.ShareCurve("unchanged", (1.0, 10.0, 100.0), (0.5, 0.4, 0.3), (0.0, 0.0, 0.0))


def test_each_epsilon_is_a_line_over_the_shares_and_the_table_unchanged_is_dashed() -> None:
    plot = figures.error_against_share([CURVE], START, candidate="b.csv")
    line, dashed = plot.figure.data
    assert (list(line.x), list(line.y)) == ([1.0, 10.0, 100.0], [0.3, 0.2, 0.1])
    assert list(line.error_y.array) == [0.01, 0.02, 0.0]
    assert (dashed.line.dash, dashed.name) == ("dash", "unchanged")
    assert plot.figure.layout.xaxis.type == "log"
    assert "%" in plot.figure.layout.xaxis.title.text


def test_words_and_table_carry_the_same_numbers() -> None:
    plot = figures.error_against_share([CURVE], START, candidate="b.csv")
    assert "30 % at 1 %, 20 % at 10 %, 10 % at 100 %" in plot.alt
    assert plot.table.rows[0] == ("ε = 1", "1", 0.3, 0.01)
    assert len(plot.table.rows) == 6


@pytest.mark.parametrize("lines", [7, 9])
def test_more_epsilons_than_colours_stay_in_the_table(lines: int) -> None:
    curves = [figures.ShareCurve(f"ε = {i}", (1.0, 100.0), (0.3, 0.1), (0.0, 0.0)) for i in range(lines)]
    plot = figures.error_against_share(curves, None, candidate="b.csv")
    assert len(plot.figure.data) == 6
    assert len(plot.table.rows) == 2 * lines
