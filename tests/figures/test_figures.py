"""Figures hold the values they were given, say what is noisy, and never carry markup from an upload."""

from __future__ import annotations

import itertools
import json
import re

import numpy as np
import pytest

from pmwpub.figures import (
    PALETTE,
    Amount,
    AssessedCandidate,
    BiasedTable,
    BoundParts,
    ErrorCurve,
    MovedMarginal,
    PairFloor,
    Plot,
    ShadedFloor,
    Table,
    TableRange,
    TrueDistance,
    Unchanged,
    alone_by_facts,
    bound_against_epsilon,
    bound_against_rounds,
    budget_bar,
    candidates_dot_plot,
    difference_map,
    error_against_bias,
    error_against_epsilon,
    marginal_comparison,
    moved_marginals,
    pair_map,
    public_ranges,
    true_distances,
    ways_compared,
    with_and_without,
)
from pmwpub.figures.answered_cells import DrawnCell, answered_cells
from pmwpub.figures.style import SYMBOLS, inked, shown
from pmwpub.noisy_interval import NoisyInterval

HOSTILE = "<img src=x onerror=alert(1)> <a href='https://example.com'>B</a> %{x} & $x$"
NEAR = ErrorCurve("near", (0.1, 0.25, 1.0), (0.13, 0.08, 0.03), (0.004, 0.002, 0.001), 5)
FAR = ErrorCurve("far", (0.1, 0.25, 1.0), (0.14, 0.12, 0.10), (0.0, 0.0, 0.0))


def noisy(value: float, low: float, high: float) -> NoisyInterval:
    return NoisyInterval(value, low, high, 0.95, "1/25")


def _sweep() -> Plot:
    return error_against_epsilon(
        [NEAR, FAR],
        [
            ShadedFloor("near", 0.01, 0.01, noisy=False),
            ShadedFloor("far", 0.09, 0.095, noisy=False),
            ShadedFloor("far", 0.07, 0.10, noisy=True, confidence=0.95),
        ],
        [Unchanged("near", 0.132), Unchanged("far", 0.16)],
    )


def _traces(plot: Plot, name: str) -> list:
    return [trace for trace in plot.figure.data if trace.name == name]


def test_a_curve_holds_its_means_and_one_standard_error() -> None:
    (line,) = _traces(_sweep(), "near")
    assert tuple(line.x) == NEAR.epsilons
    assert tuple(line.y) == NEAR.mean
    assert tuple(line.error_y.array) == NEAR.standard_error


def test_a_single_run_shows_no_error_bars() -> None:
    (line,) = _traces(_sweep(), "far")
    assert line.error_y.array is None


def test_the_epsilon_axis_is_logarithmic_and_every_axis_has_a_unit() -> None:
    layout = _sweep().figure.layout
    assert layout.xaxis.type == "log"
    assert layout.xaxis.title.text == "ε (log scale)"
    assert layout.yaxis.title.text == "Maximum error (% of the rows)"
    assert list(layout.xaxis.ticktext) == ["0.1", "0.25", "1"]
    low, high = layout.xaxis.range
    assert 10**low < 0.1
    assert 10**high > 1.0


def test_the_unchanged_table_is_dashed_at_its_error() -> None:
    (line,) = _traces(_sweep(), "near: public table, unchanged")
    assert line.line.dash == "dash"
    assert set(line.y) == {0.132}


def test_a_certified_floor_is_filled_down_to_zero_in_its_candidates_colour() -> None:
    plot = _sweep()
    region = _traces(plot, "unachievable with far")[0]
    (line,) = _traces(plot, "far")
    assert set(region.y) == {0.0, 0.09}
    assert region.fill == "toself"
    assert line.line.color == PALETTE[1] == "#D55E00"
    assert region.fillcolor.startswith("rgba(213, 94, 0, 0.3")
    assert 10 ** plot.figure.layout.xaxis.range[0] == pytest.approx(min(region.x))
    assert "no ε brings <b>far</b> below 9 %" in region.text


def test_a_certified_floor_fades_between_its_ends_and_an_exact_one_stops_sharp() -> None:
    plot = _sweep()
    fading = _traces(plot, "unachievable with far")[1:]
    assert max(max(strip.y) for strip in fading) == pytest.approx(0.095)
    assert len(_traces(plot, "unachievable with near")) == 1


def test_a_noisy_floor_is_a_band_over_its_interval_that_fades_upwards_and_says_noisy() -> None:
    strips = _traces(_sweep(), "noisy floor of far")
    assert min(min(strip.y) for strip in strips) == pytest.approx(0.07)
    assert max(max(strip.y) for strip in strips) == pytest.approx(0.10)
    opacity = [float(re.findall(r"[\d.]+", strip.fillcolor)[-1]) for strip in strips]
    assert opacity == sorted(opacity, reverse=True)
    assert "noisy floor of <b>far</b> on the private table: between 7 % and 10 % (95% confidence)" in strips[0].text
    alone = error_against_epsilon([NEAR], [ShadedFloor("far", 0.07, 0.10, noisy=True)])
    assert [strip.showlegend for strip in _traces(alone, "noisy floor of far")].count(True) == 1


def test_the_legend_names_each_table_once_and_each_kind_of_mark_once() -> None:
    entries = [trace.name for trace in _sweep().figure.data if trace.showlegend is not False]
    assert entries == [
        "near",
        "far",
        "dashed: unchanged",
        "shaded: unachievable",
        "band: noisy floor, on the private table",
    ]
    groups = {trace.name: trace.legendgroup for trace in _sweep().figure.data if trace.legendgroup}
    assert groups["unachievable with far"] == groups["far: public table, unchanged"] == groups["far"] == "far"


def test_the_legend_begins_below_the_toolbar_and_at_the_figures_own_edge() -> None:
    layout = _sweep().figure.layout
    legend = layout.legend
    assert (legend.xref, legend.yref, legend.x) == ("container", "container", 0)
    assert legend.yanchor == "top"
    assert (1 - legend.y) * layout.height == pytest.approx(34), "pixels; the buttons take 26 and stand 4 from the top"
    assert legend.tracegroupgap == 0


def test_marks_on_an_axis_are_drawn_whole() -> None:
    plots = (
        candidates_dot_plot([AssessedCandidate("b", noisy(0.0, 0.0, 0.1), noisy(0.1, 0.0, 0.2))], confidence=0.95),
        public_ranges([TableRange("B", 0.1, 0.0)], alone=0.2),
        true_distances([TrueDistance(("age",), 0.2, 0.0)]),
        error_against_bias([BiasedTable(0.0, 0.1, 0.04, 0.0, 0.05, 0.0, 0.0)], 0.0, of="sex = F"),
    )
    for plot in plots:
        marks = [trace for trace in plot.figure.data if trace.mode.endswith("markers")]
        assert marks
        assert all(
            shape.layer == "below" for shape in plot.figure.layout.shapes if shape.xref == "x" and shape.x0 != shape.x1
        )
        assert all(trace.cliponaxis is False for trace in marks)


def test_words_take_the_ink_of_the_theme_but_for_those_on_a_ground_of_their_own() -> None:
    rounds = bound_against_rounds([BoundParts(t, (0.0, 0.1, 0.1, 0.1)) for t in (30, 300)], 300)
    for plot in (rounds, _sweep()):
        layout = inked(plot, "#123456").figure.layout
        for axis in (layout.xaxis, layout.yaxis):
            assert axis.tickfont.color == axis.title.font.color == layout.font.color == "#123456"
        for before, after in zip(plot.figure.layout.annotations, layout.annotations, strict=True):
            assert after.font.color == ("#FFFFFF" if before.bgcolor else "#123456")
        assert plot.figure.layout.xaxis.tickfont.color is None, "the figure itself stays as it is"
    (heat,) = inked(difference_map(["a"], ["b"], [[0.1]], rows="x", columns="y"), "#123456").figure.data
    assert heat.colorbar.tickfont.color == "#123456"


def test_a_regions_name_stands_inside_it_on_its_own_ground_where_the_fewest_lines_pass() -> None:
    (name,) = _sweep().figure.layout.annotations
    assert name.text == "unachievable with far"
    assert 0 < name.y < 0.09
    assert name.bgcolor == "#2B333B"
    low = ErrorCurve("low", (0.1, 1.0), (0.089, 0.05), (0.0, 0.0))
    (moved,) = error_against_epsilon([low], [ShadedFloor("far", 0.09, 0.09, noisy=False)]).figure.layout.annotations
    assert moved.y < 0.047, "below the line that passes its upper part"


def test_a_line_that_begins_later_does_not_move_a_regions_name() -> None:
    flat = ErrorCurve("flat", (0.1, 1.0), (0.05, 0.05), (0.0, 0.0))
    later = ErrorCurve("later", (0.5, 1.0), (0.09, 0.07), (0.0, 0.0))
    floor = [ShadedFloor("far", 0.09, 0.09, noisy=False)]
    (alone,) = error_against_epsilon([flat], floor).figure.layout.annotations
    (both,) = error_against_epsilon([flat, later], floor).figure.layout.annotations
    assert alone.y == both.y == pytest.approx(0.09 - 0.03 * 1.08 * 0.09)


def test_names_of_regions_stay_apart_or_are_left_to_the_legend() -> None:
    floors = [ShadedFloor(name, 0.05 + i * 1e-4, 0.06, noisy=False) for i, name in enumerate("abcdefgh")]
    notes = sorted(note.y for note in error_against_epsilon([NEAR], floors).figure.layout.annotations)
    assert 1 <= len(notes) < 8
    assert all(b - a >= 0.06 * 0.13 for a, b in itertools.pairwise(notes))


def test_a_floor_of_zero_shades_nothing() -> None:
    plot = error_against_epsilon([NEAR], [ShadedFloor("near", 0.0, 0.0, noisy=False)])
    assert [trace.name for trace in plot.figure.data] == ["near"]


def test_hovering_names_the_smallest_epsilon_tried_for_that_error() -> None:
    bumpy = ErrorCurve("bumpy", (0.1, 0.5, 1.0), (0.05, 0.04, 0.045), (0.0, 0.0, 0.0))
    (line,) = error_against_epsilon([bumpy]).figure.data
    assert "smallest ε tried for an error ≤ 4.5 %: 0.5" in line.hovertext[2]


def test_the_sweeps_table_and_alt_text_carry_the_same_numbers() -> None:
    plot = _sweep()
    assert ("near", "0.25", 0.08, 0.002) in plot.table.rows
    assert ("far: public table, unchanged", "any", 0.16, None) in plot.table.rows
    assert ("floor of near, at least", "any", 0.01, None) in plot.table.rows
    assert ("noisy floor of far, at most", "any", 0.10, None) in plot.table.rows
    assert "near: 13 % at epsilon 0.1, 8 % at epsilon 0.25, 3 % at epsilon 1." in plot.alt
    assert "Below 9 % nothing is achievable with far, at any epsilon." in plot.alt


def test_a_sweep_without_curves_still_draws_its_floors() -> None:
    plot = error_against_epsilon([], [ShadedFloor("B", 0.02, 0.03, noisy=True)])
    assert _traces(plot, "noisy floor of B")


CANDIDATES = [
    AssessedCandidate("D", noisy(0.09, 0.08, 0.10), noisy(0.2, 0.19, 0.21)),
    AssessedCandidate("C", noisy(0.02, 0.01, 0.03), noisy(0.11, 0.10, 0.12), group=1),
    AssessedCandidate("lost", None, None),
    AssessedCandidate("E", noisy(0.015, 0.005, 0.025)),
    AssessedCandidate("B", noisy(0.01, 0.0, 0.02), noisy(0.13, 0.12, 0.14), group=1),
]


def test_a_dot_never_leaves_its_interval() -> None:
    candidate = AssessedCandidate("B", noisy(-0.01, 0.0, 0.02), noisy(1.5, 0.75, 1.0))
    plot = candidates_dot_plot([candidate], confidence=0.95)
    (floor,) = _traces(plot, "noisy floor (reweighted perfectly)")
    (start,) = _traces(plot, "noisy start (published unchanged)")
    assert (floor.x, floor.error_x.array, floor.error_x.arrayminus) == ((0.0,), (0.02,), (0.0,))
    assert (start.x, start.error_x.array, start.error_x.arrayminus) == ((1.0,), (0.0,), (0.25,))
    assert plot.table.rows == (("B", 0.0, 0.0, 0.02, 1.0, 0.75, 1.0, ""),)


def test_candidates_are_ranked_by_floor_and_a_tie_stays_together() -> None:
    plot = candidates_dot_plot(CANDIDATES, confidence=0.95)
    assert list(plot.figure.layout.yaxis.ticktext) == ["B", "C", "E", "D", "lost"]
    assert plot.figure.layout.yaxis.range[0] > plot.figure.layout.yaxis.range[1]
    assert [row[0] for row in plot.table.rows] == ["B", "C", "E", "D", "lost"]


def test_dots_carry_their_intervals() -> None:
    plot = candidates_dot_plot(CANDIDATES, confidence=0.95)
    (floors,) = _traces(plot, "noisy floor (reweighted perfectly)")
    assert list(floors.x) == [0.01, 0.02, 0.015, 0.09]
    assert list(np.add(floors.x, floors.error_x.array)) == pytest.approx([0.02, 0.03, 0.025, 0.10])
    assert list(np.subtract(floors.x, floors.error_x.arrayminus)) == pytest.approx([0.0, 0.01, 0.005, 0.08])


def test_a_tie_is_one_box_that_says_too_close_to_call() -> None:
    layout = candidates_dot_plot(CANDIDATES, confidence=0.95).figure.layout
    assert [note.text for note in layout.annotations] == ["too close to call"]
    (box,) = layout.shapes
    assert box.y0 < 0
    assert 1 < box.y1 < 2


def test_the_candidates_axis_says_noisy_and_the_confidence() -> None:
    plot = candidates_dot_plot(CANDIDATES, confidence=0.9)
    assert plot.figure.layout.xaxis.title.text == "Error (% of the rows),<br>noisy, with 90% intervals"
    assert "lost: no result." in plot.alt
    assert "Too close to call: B, C." in plot.alt


def test_the_budget_bar_is_drawn_in_percent_of_the_grant_and_words_the_promise() -> None:
    total, reserved, spent, left = Amount(0.0117, 1.0), Amount(0.001, 0.25), Amount(0.003, 0.46), Amount(0.0077, 0.8)
    plot = budget_bar(total, reserved, spent, left, delta=4e-10)
    assert [(bar.name, round(bar.x[0], 6)) for bar in plot.figure.data] == [
        ("taken", 25.641026),
        ("at work", 8.547009),
        ("left", 65.811966),
    ]
    assert tuple(plot.figure.layout.xaxis.range) == (0, 100)
    assert plot.figure.layout.barmode == "stack"
    key = plot.figure.layout.annotations[0].text
    for words in ("taken 25.64 %", "at work 8.55 %", "left 65.81 %, a release at ε = 0.8", "ε = 1, δ = 4e-10"):
        assert words in key
    assert plot.table.rows[-1] == ("grant", 100.0, 0.0117)
    assert "ε = 1 at δ = 4e-10" in plot.alt


def test_the_bar_of_a_closed_population_shows_nothing_that_could_be_spent() -> None:
    total, left = Amount(0.0117, 1.0), Amount(0.0077, 0.8)
    plot = budget_bar(total, Amount(0.001, 0.25), Amount(0.003, 0.46), left, delta=4e-10, closed=True)
    key = plot.figure.layout.annotations[0].text
    assert "not taken 65.81 %: closed" in key
    assert [row[0] for row in plot.table.rows] == ["taken", "at work", "not taken", "grant"]
    assert "65.81 % not taken, and nothing more is bought" in plot.alt
    for said in (key, plot.alt, plot.figure.data[2].hovertext[0]):
        assert "left" not in said
        assert "ε = 0.8" not in said


def test_the_private_shares_of_a_marginal_appear_only_when_given_and_are_marked() -> None:
    public, released, private = [0.5, 0.5], [0.6, 0.4], [0.7, 0.3]
    without = marginal_comparison(["a", "b"], public, released, attribute="sex")
    assert [bar.name for bar in without.figure.data] == ["public table", "release (noisy)"]
    given = marginal_comparison(["a", "b"], public, released, private, attribute="sex")
    assert given.figure.data[2].name == "private table, steward only, not covered by ε"
    assert given.table.rows == (("a", 0.5, 0.6, 0.7), ("b", 0.5, 0.4, 0.3))
    assert given.figure.layout.yaxis.title.text == "share of rows (%)"


def test_levels_that_look_like_numbers_or_dates_stay_text() -> None:
    plot = marginal_comparison(["1e3", "2020-01-01"], [0.5, 0.5], [0.5, 0.5], attribute="code")
    assert list(plot.figure.data[0].x) == [0, 1]
    assert list(plot.figure.layout.xaxis.ticktext) == ["1e3", "2020-01-01"]


def test_the_difference_map_is_symmetric_about_zero() -> None:
    plot = difference_map(["f", "m"], ["y", "o"], [[0.01, -0.04], [0.0, 0.02]], rows="sex", columns="age")
    (heat,) = plot.figure.data
    assert (heat.zmin, heat.zmax) == (-0.04, 0.04)
    assert heat.hovertext[0][1] == "sex: <b>f</b><br>age: <b>o</b><br>-4.00%"
    assert plot.table.rows == (("f", 0.01, -0.04), ("m", 0.0, 0.02))
    assert "The largest is -4 percentage points, at f and o." in plot.alt


MOVED = [
    MovedMarginal(("age", "job"), 0.2, False, ("round 1: sex = F",)),
    MovedMarginal(("age",), 0.125, True),
    MovedMarginal(("sex",), 0.0, False),
]


def test_moved_marginals_stand_in_order_told_apart_by_whether_they_were_measured() -> None:
    plot = moved_marginals(MOVED, most=2)
    measured, other = plot.figure.data
    assert (list(measured.x), list(measured.y), measured.marker.pattern.shape) == ([0.125], [1], "/")
    assert (list(other.x), list(other.y)) == ([0.2], [0])
    assert list(plot.figure.layout.yaxis.ticktext) == ["age ×<br>job", "age"]
    assert plot.figure.layout.yaxis.range[0] > plot.figure.layout.yaxis.range[1], "the first one is on top"
    assert "round 1: sex = F" in other.hovertext[0]
    assert plot.table.rows[0] == ("age × job", 0.2, "no", "round 1: sex = F")
    assert len(plot.table.rows) == 3, "the table has those that are not drawn"
    assert "age × job: 20 % of rows; age: 12.5 % of rows." in plot.alt


def test_distances_from_the_truth_say_that_no_epsilon_covers_them() -> None:
    plot = true_distances([TrueDistance(("age",), 0.2, 0.05), TrueDistance(("sex",), 0.1, 0.15)], most=1)
    public, released = plot.figure.data
    assert (list(public.x), list(released.x)) == ([0.2], [0.05])
    assert public.marker.symbol != released.marker.symbol
    assert "not covered by ε" in plot.figure.layout.xaxis.title.text
    assert "not covered by epsilon" in plot.alt
    assert plot.table.rows[1] == ("sex", 0.1, 0.15)


def test_the_bound_is_stacked_from_its_parts_and_its_least_is_marked() -> None:
    points = [BoundParts(30, (0.02, 0.8, 0.1, 0.3)), BoundParts(300, (0.02, 0.3, 0.3, 0.1))]
    plot = bound_against_rounds(points, 300)
    assert [trace.stackgroup for trace in plot.figure.data] == ["parts"] * 4
    assert [list(trace.y) for trace in plot.figure.data] == [[0.02, 0.02], [0.8, 0.3], [0.1, 0.3], [0.3, 0.1]]
    assert plot.figure.layout.xaxis.type == "log"
    assert plot.figure.layout.shapes[0].x0 == 300
    (note,) = plot.figure.layout.annotations
    assert note.text == "least at T = 300"
    assert note.x == pytest.approx(np.log10(300)), "a log axis takes an annotation's place as a logarithm"
    assert note.xanchor == "right", "it stays inside: 300 is the right end"
    assert plot.table.rows[1] == (300, 0.02, 0.3, 0.3, 0.1, pytest.approx(0.72))
    assert "It is least, 0.72, at 300 rounds" in plot.alt


def test_the_bound_against_epsilon_says_where_it_says_nothing() -> None:
    plot = bound_against_epsilon((0.1, 1.0), (1.6, 0.5), (86, 791))
    assert plot.figure.data[0].line.dash == "dash"
    assert [note.text for note in plot.figure.layout.annotations] == ["says nothing: no error exceeds 1"]
    assert bound_against_epsilon((1.0,), (0.5,), (9,)).figure.layout.annotations == ()
    assert plot.table.rows == ((0.1, 1.6, 86), (1.0, 0.5, 791))


def test_error_against_bias_draws_start_both_engines_and_a_shaded_floor() -> None:
    points = [
        BiasedTable(0.0, 0.02, 0.007, 0.002, 0.013, 0.001, 0.003),
        BiasedTable(0.2, 0.16, 0.008, 0.0, 0.016, 0.0, 0.003),
    ]
    plot = error_against_bias(points, 0.2, of="sex = F")
    start, fitted, released, floor = plot.figure.data
    assert (list(start.y), list(released.y), list(floor.y)) == ([0.02, 0.16], [0.013, 0.016], [0.003, 0.003])
    assert (fitted.name, list(fitted.y), list(fitted.error_y.array)) == ("table fit", [0.007, 0.008], [0.002, 0.0])
    assert list(released.error_y.array) == [0.001, 0.0]
    assert (start.fill, floor.fill) == (None, "tozeroy")
    assert plot.figure.layout.shapes[0].x0 == 0.2
    assert list(plot.figure.layout.xaxis.ticktext) == ["+0", "+20"]
    assert plot.table.rows[1] == (0.2, 0.16, 0.008, 0.0, 0.016, 0.0, 0.003)
    assert "unchanged 16 %, table fit 0.8 %, PMW^Pub 1.6 %, reweighted perfectly 0.3 %." in plot.alt


def test_the_plots_of_the_story_carry_what_they_are_given_in_words_and_tables() -> None:
    alone = alone_by_facts(["sex", "age"], [0.0, 0.25])
    assert list(alone.figure.layout.yaxis.ticktext) == ["sex", "+ age"]
    assert alone.table.rows[1] == (2, "age", 0.25)
    odds = with_and_without([(0, 0.2, 0.5), (1, 0.5, 0.2)], factor=2.5)
    assert [trace.name for trace in odds.figure.data] == ["with her", "without her"]
    assert "no answer is more than 2.5 times as likely" in odds.alt
    ranges = public_ranges([TableRange("B, near", 0.2, 0.01)], alone=0.1)
    assert list(ranges.figure.layout.yaxis.ticktext) == ["B,<br>near"]
    assert ranges.table.rows == (("B, near", 0.2, 0.01), ("noise alone", 0.1, 0.1))
    ways = ways_compared([("noise", 0.06), ("ours", 0.02)], best=1)
    assert list(ways.figure.data[0].marker.color) == [PALETTE[0], PALETTE[2]]
    assert list(ways.figure.data[0].marker.pattern.shape) == ["", "/"]
    assert "ours: 2.00%." in ways.alt


def test_answered_cells_carry_their_intervals_and_say_which_have_none() -> None:
    plot = answered_cells([DrawnCell("F", 0.4, 0.3, 0.45), DrawnCell("M, $5$", 0.6, None, None)], columns="sex, pay")
    covered, uncovered = plot.figure.data
    assert (covered.x, covered.y, uncovered.x, uncovered.y) == ((0.4,), (0,), (0.6,), (1,))
    assert covered.error_x.array == pytest.approx([0.05])
    assert covered.error_x.arrayminus == pytest.approx([0.1])
    assert uncovered.error_x.array is None
    assert plot.figure.layout.showlegend, "where all cells are covered it says what the bars are"
    assert ("95 % interval" in covered.name, "not covered" in uncovered.name) == (True, True)
    assert plot.figure.layout.yaxis.ticktext == ("F", "M, &#36;5&#36;"), "no formula in a notebook"
    assert plot.alt == "Shares of sex, pay. F: 40 %, from 30 % to 45 %. M, $5$: 60 %, not covered."
    assert plot.table.rows == (("F", 0.4, 0.3, 0.45), ("M, $5$", 0.6, None, None))


def test_of_many_answered_cells_the_largest_are_drawn_and_the_table_has_all() -> None:
    cells = [DrawnCell(str(i), i / 2_000, 0.0, 0.1) for i in range(60)]
    plot = answered_cells(cells, columns="job")
    assert plot.figure.layout.yaxis.ticktext == tuple(str(i) for i in range(59, 19, -1))
    assert "the 40 largest of 60 cells" in plot.figure.layout.xaxis.title.text
    assert len(plot.table.rows) == 60


def test_a_table_keeps_columns_of_the_same_name_apart() -> None:
    assert Table(("a", "a"), ((1, 2),)).columns == {"a": [1], "a (2)": [2]}


def test_a_table_shows_shares_in_percent_with_their_unit_and_leaves_out_what_is_empty() -> None:
    table = Table(("name", "error", "bought", "tie"), (("a", 0.041237, None, ""), ("b", None, None, "")), ("error",))
    assert table.columns == {"name": ["a", "b"], "error (%)": [4.124, None]}
    assert Table(("name", "error"), (), ("error",)).columns == {"name": [], "error (%)": []}, "nothing to be left out"


@pytest.mark.parametrize(
    "plot",
    [
        error_against_epsilon(
            [ErrorCurve(HOSTILE, (0.1,), (0.1,), (0.01,))],
            [ShadedFloor(HOSTILE, 0.05, 0.08, noisy=True), ShadedFloor(HOSTILE, 0.05, 0.08, noisy=False)],
            [Unchanged(HOSTILE, 0.2)],
        ),
        candidates_dot_plot([AssessedCandidate(HOSTILE, noisy(0.1, 0.0, 0.2))], confidence=0.95),
        marginal_comparison([HOSTILE], [1.0], [1.0], [1.0], attribute=HOSTILE),
        difference_map([HOSTILE], [HOSTILE], [[0.1]], rows=HOSTILE, columns=HOSTILE),
        moved_marginals([MovedMarginal((HOSTILE, HOSTILE), 0.1, True, (HOSTILE,))]),
        true_distances([TrueDistance((HOSTILE,), 0.1, 0.2)]),
        error_against_bias([BiasedTable(0.0, 0.1, 0.04, 0.0, 0.05, 0.0, 0.01)], 0.0, of=HOSTILE),
        alone_by_facts([HOSTILE], [0.5]),
        public_ranges([TableRange(HOSTILE, 0.2, 0.1)], alone=0.3),
        ways_compared([(HOSTILE, 0.1)], best=0),
        answered_cells([DrawnCell(HOSTILE, 0.1, 0.05, 0.2), DrawnCell(HOSTILE, 0.2, None, None)], columns=HOSTILE),
    ],
    ids=["sweep", "candidates", "bars", "map", "moved", "true", "bias", "alone", "ranges", "ways", "answered"],
)
def test_labels_are_inert_in_every_figure(plot: Plot) -> None:
    body = plot.figure.to_json()
    assert "<img" not in body
    assert "<a " not in body
    assert not re.search(r'"(hover|text)template":', json.dumps(json.loads(body)["data"])), "%{...} would be read"


def test_a_long_or_broken_label_is_one_short_line() -> None:
    assert shown("a\n\tb") == "a b"
    assert len(shown("x" * 10_000)) == 40
    assert shown("<b>") == "&lt;b&gt;"


def test_every_figure_is_transparent() -> None:
    layout = _sweep().figure.layout.template.layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0, 0, 0, 0)"


# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
VISION = {
    "usual": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
TO_XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]


def _linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def _lab(colour: str, vision: str) -> np.ndarray:
    seen = np.clip(np.asarray(VISION[vision]) @ _linear(colour), 0, 1)
    ratio = np.asarray(TO_XYZ) @ seen / np.array([0.95047, 1.0, 1.08883])
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", VISION)
def test_any_two_palette_colours_stay_apart_under_colour_blindness(vision: str) -> None:
    gaps = [np.linalg.norm(_lab(a, vision) - _lab(b, vision)) for a, b in itertools.combinations(PALETTE, 2)]
    assert min(gaps) > 12, "a just noticeable difference is about 2.3"
    assert len(set(SYMBOLS)) == len(PALETTE)


@pytest.mark.parametrize("background", ["#FFFFFF", "#12181F"])
def test_palette_colours_stand_out_from_light_and_dark_pages(background: str) -> None:
    weights = np.array([0.2126, 0.7152, 0.0722])
    for colour in PALETTE:
        dark, light = sorted(float(weights @ _linear(c)) for c in (colour, background))
        assert (light + 0.05) / (dark + 0.05) >= 3, "WCAG 2.2, 1.4.11 non-text contrast"


PAIRS = [
    PairFloor("a", "b", 0.01, 0.0100001, 0.2, 0.75, 0),
    PairFloor("b", "a", 0.03, 0.04, 0.3, 0.5, 7),
]


def test_a_pair_map_puts_the_lowest_floors_on_top_and_writes_every_floor_into_its_cell() -> None:
    plot = pair_map(PAIRS)
    (cells,) = plot.figure.data
    assert list(plot.figure.layout.yaxis.ticktext) == ["b", "a"]
    assert list(plot.figure.layout.xaxis.ticktext) == ["a", "b"]
    assert [list(line) for line in cells.text] == [["1 %", ""], ["", "4 %"]]
    assert "floor 3 % to 4 % (reweighted perfectly)" in cells.hovertext[1][1]
    assert cells.zmin == 0
    assert plot.figure.layout.yaxis.autorange == "reversed"


def test_the_pairs_table_and_words_carry_the_same_numbers() -> None:
    plot = pair_map(PAIRS)
    assert [cells[0] for cells in plot.table.columns.values()] == ["b", "a", 75.0, 0, 1.0, 1.0, 20.0]
    assert plot.table.rows[1] == ("a", "b", 0.5, 7, 0.03, 0.04, 0.3)
    assert "a: 3 % to 4 % for b." in plot.alt


def test_a_pair_map_keeps_hostile_names_inert() -> None:
    text = str(pair_map([PairFloor(HOSTILE, HOSTILE + "2", 0.0, 0.1, 0.1, 0.0, 1)]).figure.to_json())
    assert "<img" not in json.loads(text)["data"][0]["hovertext"][0][0]
