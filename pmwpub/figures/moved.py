"""Which marginals a release moved away from its public table, and how near both are to the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmwpub.figures.style import FAINT, PALETTE, SYMBOLS, Plot, Table, framed, number, shown

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST = 12
"""How many marginals are drawn; the table has all."""
NAME_CHARS = 18
ROW_HEIGHT, WRAPPED_HEIGHT, FRAME = 30, 17, 130
MEASURED, NOT_MEASURED = "measured itself", "moved by measurements of other columns"
PUBLIC, RELEASED = "public table", "release (noisy)"
DISTANCE = "Share of rows that differ<br>(total variation, %)"


@dataclass(frozen=True)
class MovedMarginal:
    """A marginal by its columns.

    distance  total variation between release and public table, a share of rows
    measured  whether some measured query is about all of its columns
    because   the measurements that touch it, in words, the nearest first
    """

    names: tuple[str, ...]
    distance: float
    measured: bool
    because: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """ "age × sex", plain text."""
        return " × ".join(self.names)


@dataclass(frozen=True)
class TrueDistance:
    """A marginal's total variation from the private table; exact, for the steward alone."""

    names: tuple[str, ...]
    public: float
    released: float

    @property
    def label(self) -> str:
        """ "age × sex", plain text."""
        return " × ".join(self.names)


def moved_marginals(marginals: Sequence[MovedMarginal], *, most: int = MOST) -> Plot:
    """One bar a marginal, the one that moved most on top; the table lists them all.

    marginals  in falling order of distance
    """
    from plotly.graph_objects import Bar, Figure

    drawn = marginals[:most]
    figure = Figure()
    for name, wanted, colour, pattern in ((MEASURED, True, PALETTE[1], "/"), (NOT_MEASURED, False, PALETTE[0], "")):
        places = [place for place, one in enumerate(drawn) if one.measured is wanted]
        if places:
            figure.add_trace(
                Bar(
                    x=[drawn[place].distance for place in places],
                    y=places,
                    orientation="h",
                    name=name,
                    marker={"color": colour, "pattern": {"shape": pattern, "fillmode": "overlay", "solidity": 0.2}},
                    hovertext=[_moved_hover(drawn[place]) for place in places],
                    hoverinfo="text",
                )
            )
    _framed_rows(figure, [one.names for one in drawn])
    rows = tuple(
        (one.label, one.distance, "yes" if one.measured else "no", "; ".join(one.because)) for one in marginals
    )
    header = ("marginal", "rows moved", "measured itself", "measurements that touch it")
    table = Table(header, rows, shares=header[1:2])
    return Plot(figure, _moved_alt(drawn, len(marginals)), table)


def true_distances(marginals: Sequence[TrueDistance], *, most: int = MOST) -> Plot:
    """Two marks a marginal: how far the public table and how far the release is from the private table.

    marginals  in the order to be drawn; exact numbers that no ε covers, and the figure says so
    """
    from plotly.graph_objects import Figure, Scatter

    drawn = marginals[:most]
    figure = Figure()
    for place, one in enumerate(drawn):
        figure.add_shape(
            type="line",
            x0=one.public,
            x1=one.released,
            y0=place,
            y1=place,
            line={"color": FAINT, "width": 6},
            layer="below",
        )
    for series, (name, pick) in enumerate(((PUBLIC, _public), (RELEASED, _released))):
        figure.add_trace(
            Scatter(
                x=[pick(one) for one in drawn],
                y=list(range(len(drawn))),
                mode="markers",
                name=name,
                marker={"color": PALETTE[series], "symbol": SYMBOLS[series], "size": 11},
                hovertext=[f"<b>{_shown(one.names)}</b><br>{name}: {pick(one):.2%} of rows differ" for one in drawn],
                hoverinfo="text",
            )
        )
    _framed_rows(figure, [one.names for one in drawn], title="Distance from the private table (%),<br>not covered by ε")
    rows = tuple((one.label, one.public, one.released) for one in marginals)
    header = ("marginal", f"{PUBLIC}, from the truth", f"{RELEASED}, from the truth")
    table = Table(header, rows, shares=header[1:])
    return Plot(figure, _true_alt(drawn), table)


def _public(one: TrueDistance) -> float:
    return one.public


def _released(one: TrueDistance) -> float:
    return one.released


def _framed_rows(figure: Figure, names: Sequence[tuple[str, ...]], *, title: str = DISTANCE) -> None:
    """Frame one row a marginal, its columns one under the other, so that narrow screens keep room for the bars."""
    deepest = max((len(group) for group in names), default=1)
    row = ROW_HEIGHT + WRAPPED_HEIGHT * (deepest - 1)
    framed(figure, x_title=title, y_title="", height=FRAME + row * max(3, len(names)))
    figure.update_xaxes(tickformat=".3~p", rangemode="tozero")
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[" ×<br>".join(shown(name, NAME_CHARS) for name in group) for group in names],
        range=[len(names) - 0.4, -0.6],
        zeroline=False,
        showgrid=False,
    )
    figure.update_layout(bargap=0.3)


def _shown(names: tuple[str, ...]) -> str:
    return " × ".join(shown(name, NAME_CHARS) for name in names)


def _moved_hover(one: MovedMarginal) -> str:
    lines = [f"<b>{_shown(one.names)}</b>: {one.distance:.2%} of rows moved"]
    return "<br>".join(lines + [shown(words, 90) for words in one.because])


def _moved_alt(drawn: Sequence[MovedMarginal], total: int) -> str:
    opening = f"How far the release moved each marginal from the public table; the {len(drawn)} largest of {total:,}."
    parts = [f"{one.label}: {number(100 * one.distance)} % of rows" for one in drawn]
    return f"{opening} {'; '.join(parts)}." if parts else opening


def _true_alt(drawn: Sequence[TrueDistance]) -> str:
    opening = (
        f"How far the public table and the release are from the private table in {len(drawn)} marginals; "
        "exact numbers, not covered by epsilon."
    )
    parts = [
        f"{one.label}: public table {number(100 * one.public)} %, release {number(100 * one.released)} %"
        for one in drawn
    ]
    return f"{opening} {'; '.join(parts)}." if parts else opening
