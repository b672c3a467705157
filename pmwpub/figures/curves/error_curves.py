"""Error against epsilon, with the region that no epsilon reaches shaded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from pmwpub.figures.curves.bound import shade_nothing
from pmwpub.figures.curves.curve_values import ErrorCurve, ProvedBound, ShadedFloor, Unchanged, alt_text, sweep_table
from pmwpub.figures.curves.error_svg import error_svg
from pmwpub.figures.curves.floor_regions import add_floor, write_into_regions
from pmwpub.figures.curves.legend import BOUND, HOLLOW, UNCHANGED, add_legend
from pmwpub.figures.style import IN_PERCENT, PALETTE, ROWS, SYMBOLS, Plot, colours, error_title, framed, percent, shown
from pmwpub.rounding import near

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

LINE = 38
"""Characters of a line below a figure, so that it fits on a narrow screen."""
WITHOUT_CURVES = (0.1, 1.0)
"""The epsilons between which floors are drawn where there is no curve."""


def error_against_epsilon(
    curves: Sequence[ErrorCurve],
    floors: Sequence[ShadedFloor] = (),
    unchanged: Sequence[Unchanged] = (),
    bounds: Sequence[ProvedBound] = (),
    *,
    measure: str = "Maximum error",
    truth: str = "",
    height: float = 0.0,
    whole: str = ROWS,
) -> Plot:
    """Error (share of n, or of `whole`) against epsilon on a log axis.

    One line a table with bars of one standard error; dashed, the table unchanged; below each certified floor the
    region is shaded in its table's colour, fading out where the floor's interval ends; noisy floors are bands. In
    long dashes, what the accuracy theorem bounds the error by; then no region has room for its name. The legend
    names each table once, and says once what dashes, shades and bands mean.

    truth   who plays the private table, to be named on the axis
    height  the least height, for figures that stand below each other on one scale
    whole   what errors are shares of
    """
    from plotly.graph_objects import Figure

    figure = Figure()
    place = colours([item.label for group in (curves, unchanged, floors, bounds) for item in group])
    left, right = _epsilon_range(curves)
    top = max(height, _top(curves, floors, unchanged, bounds))
    for floor in sorted(floors, key=lambda floor: floor.noisy):
        add_floor(figure, floor, PALETTE[place[floor.label]], (left, right))
    for line in unchanged:
        _add_unchanged(figure, line, PALETTE[place[line.label]], (left, right))
    for curve in curves:
        _add_curve(figure, curve, place[curve.label])
    for bound in bounds:
        _add_bound(figure, bound, PALETTE[place[bound.label]])
    add_legend(figure, [curve.label for curve in curves])
    words = wrap(f"the private table is played by {truth}", LINE) if truth else []
    played = "".join(f"<br>{shown(line)}" for line in words)
    framed(figure, x_title=f"ε (log scale){played}", y_title=error_title(measure, whole), height=530 if bounds else 480)
    figure.update_xaxes(type="log", range=[math.log10(left), math.log10(right)], **_epsilon_ticks(curves))
    figure.update_yaxes(range=[0, top], **IN_PERCENT)
    if any(max(bound.errors) > 1 for bound in bounds):
        shade_nothing(figure, top)
    first = min((curve.epsilons[0] for curve in curves if curve.epsilons), default=left)
    lines = [curve.mean[:2] for curve in curves if curve.epsilons[:1] == (first,)]
    lines += [(line.error,) for line in unchanged]
    if not bounds:
        write_into_regions(figure, floors, lines, top)
    alt = alt_text(curves, floors, unchanged, measure, bounds)
    alt += f" The private table is played by {truth}." if truth else ""
    small = "" if bounds else error_svg(curves, floors, unchanged, measure=measure, whole=whole)
    return Plot(figure, alt, sweep_table(curves, floors, unchanged, bounds), small)


def _epsilon_range(curves: Sequence[ErrorCurve]) -> tuple[float, float]:
    epsilons = [epsilon for curve in curves for epsilon in curve.epsilons] or list(WITHOUT_CURVES)
    margin = max(1.08, (max(epsilons) / min(epsilons)) ** 0.06)
    return min(epsilons) / margin, max(epsilons) * margin


def _epsilon_ticks(curves: Sequence[ErrorCurve]) -> dict[str, list[float] | list[str]]:
    epsilons = sorted({epsilon for curve in curves for epsilon in curve.epsilons})
    return {"tickvals": epsilons, "ticktext": [near(e, 6) for e in epsilons]} if 0 < len(epsilons) <= 12 else {}


def _top(
    curves: Sequence[ErrorCurve],
    floors: Sequence[ShadedFloor],
    unchanged: Sequence[Unchanged] = (),
    bounds: Sequence[ProvedBound] = (),
) -> float:
    """The height of the figure: above all that is drawn, but of bounds only as far above 1 as shows one end of each."""
    heights = [m + s for curve in curves for m, s in zip(curve.mean, curve.standard_error, strict=True)]
    heights += [floor.high for floor in floors] + [line.error for line in unchanged]
    heights += [min(max(bound.errors), max(1.0, *(min(one.errors) for one in bounds))) for bound in bounds]
    return 1.08 * max(heights, default=0.0) or 1.0


def _add_curve(figure: Figure, curve: ErrorCurve, place: int) -> None:
    from plotly.graph_objects import Scatter

    bars = {"type": "data", "array": list(curve.standard_error), "thickness": 1.5, "width": 5}
    figure.add_trace(
        Scatter(
            x=list(curve.epsilons),
            y=list(curve.mean),
            error_y=bars if any(curve.standard_error) else None,
            mode="lines+markers",
            name=shown(curve.name),
            legendgroup=shown(curve.label),
            legendrank=1,
            line={"color": PALETTE[place], "width": 2.5},
            marker={"symbol": SYMBOLS[place], "size": 9},
            hovertext=[_hover(curve, i) for i in range(len(curve.epsilons))],
            hoverinfo="text",
        )
    )


def _hover(curve: ErrorCurve, i: int) -> str:
    smallest = min(e for e, mean in zip(curve.epsilons, curve.mean, strict=True) if mean <= curve.mean[i])
    return (
        f"<b>{shown(curve.name)}</b>, ε = {near(curve.epsilons[i], 6)}{curve.at_rounds(i)}<br>"
        f"error {percent(curve.mean[i])} ± {percent(curve.standard_error[i])} (one standard error, {curve.runs} "
        "runs)<br>"
        f"smallest ε tried for an error ≤ {percent(curve.mean[i])}: {near(smallest, 6)}"
    )


def _add_unchanged(figure: Figure, line: Unchanged, colour: str, span: tuple[float, float]) -> None:
    from plotly.graph_objects import Scatter

    words = f"<b>{shown(line.label)}</b>, unchanged<br>error {percent(line.error)} at every ε: nothing private used"
    figure.add_trace(
        Scatter(
            x=list(span),
            y=[line.error, line.error],
            mode="lines",
            name=f"{shown(line.label)}{UNCHANGED}",
            legendgroup=shown(line.label),
            legendrank=2,
            line={"color": colour, "width": 2, "dash": "dash"},
            hovertext=[words, words],
            hoverinfo="text",
        )
    )


def _add_bound(figure: Figure, bound: ProvedBound, colour: str) -> None:
    from plotly.graph_objects import Scatter

    figure.add_trace(
        Scatter(
            x=list(bound.epsilons),
            y=list(bound.errors),
            mode="lines+markers",
            name=f"{shown(bound.label)}{BOUND}",
            legendgroup=shown(bound.label),
            legendrank=2,
            line={"color": colour, "width": 2, "dash": "longdash"},
            marker=HOLLOW,
            hovertext=[
                f"<b>{shown(bound.label)}</b>, the accuracy theorem at ε = {near(epsilon, 6)}<br>maximum error at most "
                f"{percent(error)} with probability {bound.confidence:.0%}, at T = {rounds:,}"
                for epsilon, error, rounds in zip(bound.epsilons, bound.errors, bound.rounds, strict=True)
            ],
            hoverinfo="text",
        )
    )
