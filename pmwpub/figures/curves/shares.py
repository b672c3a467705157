"""Error against how much of a public table is used."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmwpub.figures.curves.curve_values import ERRORS
from pmwpub.figures.style import IN_PERCENT, INK, PALETTE, ROWS, SYMBOLS, Plot, Table, error_title, framed, percent

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_LINES = len(PALETTE)


@dataclass(frozen=True)
class ShareCurve:
    """The error at one epsilon against the share of the public table's rows.

    label           such as "ε = 0.5", or "unchanged" for the table published as it is
    shares          in percent, ascending, positive
    mean            errors as shares of n
    standard_error  of the mean; zeros for a single run
    """

    label: str
    shares: tuple[float, ...]
    mean: tuple[float, ...]
    standard_error: tuple[float, ...]


def error_against_share(
    curves: Sequence[ShareCurve],
    unchanged: ShareCurve | None,
    *,
    candidate: str,
    measure: str = "Maximum error",
    whole: str = ROWS,
) -> Plot:
    """One line an epsilon, on a log axis of the share; dashed, the table unchanged. At most six epsilons are drawn.

    whole  what errors are shares of
    """
    from plotly.graph_objects import Figure

    drawn = list(curves)[:MOST_LINES]
    figure = Figure()
    for place, curve in enumerate(drawn):
        _add(figure, curve, PALETTE[place], SYMBOLS[place], "solid")
    if unchanged is not None:
        _add(figure, unchanged, INK, "circle-open", "dash")
    framed(
        figure,
        x_title="Share of the public table used<br>(%, log scale)",
        y_title=error_title(measure, whole),
        height=420,
    )
    shares = sorted({share for curve in (*drawn, *([unchanged] if unchanged else [])) for share in curve.shares})
    ends = (math.log10(min(shares)) - 0.1, math.log10(max(shares)) + 0.1)
    figure.update_xaxes(type="log", range=ends, tickvals=shares, ticktext=[f"{share:g}" for share in shares])
    figure.update_yaxes(rangemode="tozero", **IN_PERCENT)
    lines = [*curves, *([unchanged] if unchanged else [])]
    return Plot(figure, _words(lines, candidate, measure), _table(lines))


def _add(figure: Figure, curve: ShareCurve, colour: str, symbol: str, dash: str) -> None:
    from plotly.graph_objects import Scatter

    bars = {"type": "data", "array": list(curve.standard_error), "thickness": 1.5, "width": 5}
    figure.add_trace(
        Scatter(
            x=list(curve.shares),
            y=list(curve.mean),
            error_y=bars if any(curve.standard_error) else None,
            mode="lines+markers",
            name=curve.label,
            line={"color": colour, "width": 2.5 if dash == "solid" else 2, "dash": dash},
            marker={"symbol": symbol, "size": 9},
            hovertext=[
                f"<b>{curve.label}</b>, {share:g} % of the table<br>error {percent(mean)} ± {percent(error)}"
                for share, mean, error in zip(curve.shares, curve.mean, curve.standard_error, strict=True)
            ],
            hoverinfo="text",
        )
    )


def _words(curves: Sequence[ShareCurve], candidate: str, measure: str) -> str:
    said = [f"{measure} against the share of {candidate} that is used, on a logarithmic axis."]
    for curve in curves:
        values = ", ".join(f"{percent(m)} at {s:g} %" for s, m in zip(curve.shares, curve.mean, strict=True))
        said.append(f"{curve.label}: {values}.")
    return " ".join(said)


def _table(curves: Sequence[ShareCurve]) -> Table:
    rows = [
        (curve.label, f"{s:g}", m, e)
        for curve in curves
        for s, m, e in zip(curve.shares, curve.mean, curve.standard_error, strict=True)
    ]
    return Table(("line", "share used (%)", *ERRORS), tuple(rows), shares=ERRORS)
