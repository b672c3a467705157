"""Cells that a release answers, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmwpub.figures.style import IN_PERCENT, PALETTE, Plot, Table, framed, percent, shown

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_DRAWN = 40
"""So many cells are drawn, those of the largest shares; the table has all."""


@dataclass(frozen=True)
class DrawnCell:
    """One cell: its levels in words, its share of rows, and the ends of its interval; None where nothing is covered."""

    label: str
    share: float
    low: float | None
    high: float | None

    @property
    def words(self) -> str:
        """Share and interval."""
        if self.low is None or self.high is None:
            return f"{percent(self.share)}, not covered"
        return f"{percent(self.share)}, from {percent(self.low)} to {percent(self.high)}"


def answered_cells(cells: Sequence[DrawnCell], *, columns: str, of: str = "rows") -> Plot:
    """A line for each cell: the share as a point, and its interval of 95 % as a bar, where it has one.

    columns  whose cells they are, in words
    of       what the shares are of, in words
    """
    from plotly.graph_objects import Figure

    drawn = cells if len(cells) <= MOST_DRAWN else sorted(cells, key=lambda cell: -cell.share)[:MOST_DRAWN]
    figure = Figure()
    for covered, name in ((True, "share, with its 95 % interval (noisy)"), (False, "share, not covered")):
        _add(figure, [(i, cell) for i, cell in enumerate(drawn) if (cell.low is not None) == covered], name, covered)
    some = "" if len(drawn) == len(cells) else f"<br>the {len(drawn)} largest of {len(cells):,} cells"
    framed(figure, x_title=f"share of {of} (%){some}", y_title=_still(columns), height=160 + 24 * len(drawn))
    figure.update_layout(showlegend=True)  # also of one kind of cells: it says what the bars are
    figure.update_xaxes(rangemode="tozero", **IN_PERCENT)
    labels = [_still(cell.label) for cell in drawn]
    figure.update_yaxes(tickvals=list(range(len(drawn))), ticktext=labels, autorange="reversed", tickangle=0)
    rows = tuple((cell.label, cell.share, cell.low, cell.high) for cell in cells)
    return Plot(figure, _alt(drawn, columns), Table((columns, "share", "low", "high"), rows, ("share", "low", "high")))


def _add(figure: Figure, placed: Sequence[tuple[int, DrawnCell]], name: str, covered: bool) -> None:
    from plotly.graph_objects import Scatter

    if not placed:
        return
    above = [(cell.high or 0.0) - cell.share for _, cell in placed]
    below = [cell.share - (cell.low or 0.0) for _, cell in placed]
    bars = {"type": "data", "array": above, "arrayminus": below, "symmetric": False, "thickness": 1.5, "width": 4}
    colour, symbol = (PALETTE[0], "circle") if covered else (PALETTE[1], "circle-open")
    figure.add_trace(
        Scatter(
            x=[cell.share for _, cell in placed],
            y=[place for place, _ in placed],
            error_x=bars if covered else None,
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 9},
            hovertext=[f"<b>{_still(cell.label)}</b><br>{cell.words}" for _, cell in placed],
            hoverinfo="text",
        )
    )


def _still(label: str) -> str:
    """A label as `shown` has it, and no formula: in Jupyter what stands between dollar signs is one."""
    return shown(label).replace("$", "&#36;")


def _alt(cells: Sequence[DrawnCell], columns: str) -> str:
    return " ".join([f"Shares of {columns}.", *(f"{cell.label}: {cell.words}." for cell in cells)])
