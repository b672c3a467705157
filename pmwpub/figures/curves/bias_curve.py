"""Error against the bias of a public table: unchanged, reweighted by either engine, reweighted perfectly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from pmwpub.figures.style import IN_PERCENT, INK, PALETTE, SYMBOLS, Plot, Table, framed, percent, shown, translucent

START, FITTED, RELEASED = "unchanged", "table fit", "PMW^Pub"
FLOOR = "reweighted perfectly (floor)"


@dataclass(frozen=True)
class BiasedTable:
    """One bias (a share of rows), and the largest errors that it leads to.

    start                    of the table unchanged
    fitted, fitted_error     of table fit, with its standard error
    released, standard_error of PMW^Pub
    floor                    a proved lower bound
    """

    bias: float
    start: float
    fitted: float
    fitted_error: float
    released: float
    standard_error: float
    floor: float


def error_against_bias(points: Sequence[BiasedTable], chosen: float, *, of: str) -> Plot:
    """Start, both engines and floor as lines; the region below the floor is shaded; the chosen bias is marked.

    points  in ascending order of bias
    of      what is drawn too often, in words
    """
    from plotly.graph_objects import Figure, Scatter

    figure, biases = Figure(), [point.bias for point in points]
    series = (
        (START, [point.start for point in points], "dash", None),
        (FITTED, [point.fitted for point in points], "solid", [point.fitted_error for point in points]),
        (RELEASED, [point.released for point in points], "solid", [point.standard_error for point in points]),
        (FLOOR, [point.floor for point in points], "dot", None),
    )
    for place, (name, values, dash, spread) in enumerate(series):
        figure.add_trace(
            Scatter(
                x=biases,
                y=values,
                error_y=spread and {"type": "data", "array": spread, "thickness": 1.5, "width": 5},
                mode="lines+markers",
                name=name,
                line={"color": PALETTE[place], "width": 2.5, "dash": dash},
                marker={"symbol": SYMBOLS[place], "size": 9},
                cliponaxis=False,
                fill="tozeroy" if name == FLOOR else None,
                fillcolor=translucent(PALETTE[place], 0.30),
                hovertext=[
                    f"bias {100 * bias:+.0f} points<br>{name}: {percent(value)}"
                    for bias, value in zip(biases, values, strict=True)
                ],
                hoverinfo="text",
            )
        )
    framed(
        figure,
        x_title=f"Bias (percentage points)<br>added to the share of {shown(of)}",
        y_title="Maximum error (% of the rows)",
        height=440,
    )
    figure.update_xaxes(tickvals=biases, ticktext=[f"{100 * bias:+.0f}" for bias in biases], zeroline=False)
    figure.update_yaxes(rangemode="tozero", **IN_PERCENT)
    figure.add_vline(x=chosen, line={"color": INK, "width": 10}, opacity=0.18)
    rows = tuple(astuple(point) for point in points)
    header = ("bias", START, FITTED, f"{FITTED}, standard error", RELEASED, f"{RELEASED}, standard error", FLOOR)
    return Plot(figure, _alt(points, of), Table(header, rows, shares=header))


def _alt(points: Sequence[BiasedTable], of: str) -> str:
    sentences = [f"Largest error as the share of {of} in the public table grows beyond its own."]
    sentences += [
        f"Bias {100 * point.bias:+.0f} points: unchanged {percent(point.start)}, table fit {percent(point.fitted)}, "
        f"PMW^Pub {percent(point.released)}, reweighted perfectly {percent(point.floor)}."
        for point in points
    ]
    return " ".join(sentences)
