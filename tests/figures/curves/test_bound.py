"""The accuracy theorem's bound in the figure of errors against epsilon: only where it is given, and told apart."""

from __future__ import annotations

import pytest

from pmwpub.figures import ErrorCurve, Plot, ProvedBound, ShadedFloor, Unchanged, error_against_epsilon

CURVES = [
    ErrorCurve("near", (0.1, 1.0), (0.13, 0.03), (0.004, 0.001), 5),
    ErrorCurve("far", (0.1, 1.0), (0.14, 0.10), (0.0, 0.0)),
]
FLOORS = [ShadedFloor("near", 0.01, 0.01, noisy=False)]
UNCHANGED = [Unchanged("near", 0.132)]
BOUND = ProvedBound("near", (0.1, 1.0), (0.9, 0.4), (86, 791), 0.95)


def _drawn(*bounds: ProvedBound) -> Plot:
    return error_against_epsilon(CURVES, FLOORS, UNCHANGED, bounds)


def _lines(plot: Plot) -> list:
    return [trace for trace in plot.figure.data if trace.name.endswith(", the theorem's bound")]


def test_there_is_no_bound_unless_one_is_given() -> None:
    plot = _drawn()
    assert _lines(plot) == []
    assert "theorem" not in plot.alt + str(plot.table) + str(plot.figure.layout)


def test_a_bound_is_dashed_in_its_tables_colour_and_unlike_the_table_unchanged() -> None:
    plot = _drawn(BOUND)
    (line,) = _lines(plot)
    assert plot.figure.layout.annotations == (), "the bound leaves the region no room for its name"
    assert (tuple(line.x), tuple(line.y)) == (BOUND.epsilons, BOUND.errors)
    by_name = {trace.name: trace for trace in plot.figure.data}
    unchanged = by_name["near: public table, unchanged"]
    assert line.line.color == unchanged.line.color == by_name["near"].line.color
    assert (line.line.dash, unchanged.line.dash) == ("longdash", "dash")
    assert (line.mode, line.marker.symbol, unchanged.mode) == ("lines+markers", "circle-open", "lines")
    assert "at most 90 % with probability 95%, at T = 86" in line.hovertext[0]
    assert line.legendgroup == "near"


def test_the_legend_says_once_what_long_dashes_are() -> None:
    plot = _drawn(BOUND, ProvedBound("far", (0.1, 1.0), (0.95, 0.5), (80, 700), 0.95))
    entries = [trace.name for trace in plot.figure.data if trace.showlegend is not False]
    assert entries == ["near", "far", "dashed: unchanged", "shaded: unachievable", "long dashes: the theorem's bound"]
    (key,) = [trace for trace in plot.figure.data if trace.name == entries[-1]]
    assert (key.line.dash, key.marker.symbol) == ("longdash", "circle-open")


def test_table_and_words_carry_the_bound() -> None:
    plot = _drawn(BOUND)
    assert ("near, the theorem's bound", "0.1", 0.9, None) in plot.table.rows
    assert ("near, the theorem's bound", "1", 0.4, None) in plot.table.rows
    assert "bound for near, with probability 95%: 90 % at epsilon 0.1, 40 % at epsilon 1." in plot.alt


@pytest.mark.parametrize(
    ("errors", "top", "says_nothing"),
    [((0.9, 0.4), 0.9, False), ((7.0, 0.4), 1.0, True), ((7.0, 3.0), 3.0, True)],
)
def test_the_axis_reaches_the_bound_but_not_far_above_one_where_it_says_nothing(
    errors: tuple[float, float], top: float, says_nothing: bool
) -> None:
    layout = _drawn(ProvedBound("near", (0.1, 1.0), errors, (86, 791), 0.95)).figure.layout
    assert layout.yaxis.range[1] == pytest.approx(1.08 * top)
    assert any("says nothing" in note.text for note in layout.annotations) == says_nothing
    assert [(shape.y0, shape.y1) for shape in layout.shapes] == ([(1.0, layout.yaxis.range[1])] if says_nothing else [])


def test_a_name_that_stands_above_one_leaves_the_next_figure_as_it_was() -> None:
    above = ProvedBound("near", (0.1, 1.0), (7.0, 0.4), (86, 791), 0.95)
    first = _drawn().figure.layout.annotations
    (note,) = _drawn(above).figure.layout.annotations
    assert (note.bgcolor, note.font.color) == ("#2B333B", "#FFFFFF"), "on a ground of its own, for lines pass there"
    assert _drawn().figure.layout.annotations == first
