"""Error against the bias of a public table: unchanged, reweighted by PMW^Pub, reweighted perfectly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.figures.style import IN_PERCENT, INK, PALETTE, SYMBOLS, Plot, Table, framed, percent, shown, translucent

START, RELEASED, FLOOR = "unchanged", "PMW^Pub", "reweighted perfectly (floor)"


@dataclass(frozen=True)
class BiasedTable:
    """One bias (a share of rows), and the largest errors that it leads to; `floor` is a proved lower bound."""

    bias: float
    start: float
    released: float
    standard_error: float
    floor: float


def error_against_bias(points: Sequence[BiasedTable], chosen: float, *, of: str) -> Plot:
    """Start, release and floor as lines; the region below the floor is shaded; the chosen bias is marked.

    points  in ascending order of bias
    of      what is drawn too often, in words
    """
    from plotly.graph_objects import Figure, Scatter

    figure, biases = Figure(), [point.bias for point in points]
    series = (
        (START, [point.start for point in points], "dash"),
        (RELEASED, [point.released for point in points], "solid"),
        (FLOOR, [point.floor for point in points], "dot"),
    )
    for place, (name, values, dash) in enumerate(series):
        bars = {"type": "data", "array": [point.standard_error for point in points], "thickness": 1.5, "width": 5}
        figure.add_trace(
            Scatter(
                x=biases,
                y=values,
                error_y=bars if name == RELEASED else None,
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
    rows = tuple((p.bias, p.start, p.released, p.standard_error, p.floor) for p in points)
    header = ("bias", START, RELEASED, "standard error", FLOOR)
    return Plot(figure, _alt(points, of), Table(header, rows))


def _alt(points: Sequence[BiasedTable], of: str) -> str:
    sentences = [f"Largest error as the share of {of} in the public table grows beyond its own."]
    sentences += [
        f"Bias {100 * point.bias:+.0f} points: unchanged {percent(point.start)}, PMW^Pub {percent(point.released)}, "
        f"reweighted perfectly {percent(point.floor)}."
        for point in points
    ]
    return " ".join(sentences)
