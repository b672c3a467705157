"""Candidates, a row each: what no reweighting gets below, the table unchanged, and the error to expect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pmwpub.figures.candidate_row_values import (
    EXPECTED,
    FLOOR,
    HATCHED,
    PLAYED_FLOOR,
    PLAYED_HATCHED,
    START,
    UNCHANGED,
    CandidateRow,
    Estimate,
    as_estimate,
    in_words,
    interval,
    rows_table,
)
from pmwpub.figures.style import IN_PERCENT, INK, PALETTE, Plot, framed, percent, shown, translucent
from pmwpub.rounding import in_percent

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

ROW_HEIGHT = 84
ABOVE, BELOW = -0.24, 0.24
"""Where in its row a mark stands: the floor above, what is expected below, the table unchanged between them."""
NAME_CHARS = 20


def candidate_rows(rows: Sequence[CandidateRow], *, epsilon: str, whole: str = "the rows") -> Plot:
    """One row a candidate in the given order, all on one axis; nothing of one row reaches into another.

    epsilon  of the release to come, as it is written
    whole    what errors are shares of
    """
    from plotly.graph_objects import Figure

    figure = Figure()
    for bought in (True, False):
        _add_hatched(figure, rows, bought=bought)
    _add_marks(figure, rows, [as_estimate(row.floor) for row in rows], FLOOR, (PALETTE[0], "circle"), ABOVE)
    _add_marks(figure, rows, [row.marked_start for row in rows], START, (PALETTE[1], "diamond-open"), 0.0)
    simulated = [None if row.floor is not None else row.played_floor for row in rows]
    _add_marks(figure, rows, simulated, PLAYED_FLOOR, (PALETTE[0], "circle-open"), ABOVE, bought=False)
    _add_unchanged(figure, rows)
    _add_expected(figure, rows, f"{EXPECTED} at ε = {epsilon}")
    framed(figure, x_title=f"Largest error<br>(% of {whole})", y_title="", height=150 + ROW_HEIGHT * max(1, len(rows)))
    figure.update_xaxes(rangemode="tozero", **IN_PERCENT)
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=_ticks(rows),
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
    )
    said = ["Candidates, a row each, on one axis of largest error.", *(in_words(row, epsilon) for row in rows)]
    return Plot(figure, " ".join(said), rows_table(rows, epsilon))


def _ticks(rows: Sequence[CandidateRow]) -> list[str]:
    """The names, and below each who played the private table where nothing of that one is known and not all have the
    same."""
    names = [shown(row.label, NAME_CHARS) for row in rows]
    if len({row.truths for row in rows}) == 1:
        return names
    known = [row.floor is not None or row.start is not None or not row.truths for row in rows]
    return [
        name if itself else f"{name}<br>for {shown(_players(row), NAME_CHARS)}"
        for name, row, itself in zip(names, rows, known, strict=True)
    ]


def _players(row: CandidateRow) -> str:
    return row.truths[0] if len(row.truths) == 1 else f"{len(row.truths)} tables"


def _for(row: CandidateRow) -> str:
    return f"<br>{shown(row.played_by)} played the private table" if row.played_by else ""


def _add_hatched(figure: Figure, rows: Sequence[CandidateRow], *, bought: bool) -> None:
    """Hatch each row from 0 to what no reweighting gets below, in that row alone.

    bought  whether those rows are hatched whose floor was; the others are so lightly, for theirs is an estimate
    """
    from plotly.graph_objects import Bar

    found = [
        (place, row) for place, row in enumerate(rows) if row.unreachable > 0 and (row.floor is not None) == bought
    ]
    if not found:
        return
    figure.add_trace(
        Bar(
            orientation="h",
            x=[row.unreachable for _, row in found],
            y=[place for place, _ in found],
            width=0.72,
            marker={
                "color": translucent(PALETTE[0], 0.22 if bought else 0.06),
                "line": {"width": 0},
                "pattern": {
                    "shape": "/",
                    "fgcolor": PALETTE[0],
                    "size": 7 if bought else 12,
                    "solidity": 0.35 if bought else 0.12,
                },
            },
            name=HATCHED if bought else PLAYED_HATCHED,
            hovertext=[_never(row) for _, row in found],
            hoverinfo="text",
        )
    )


def _never(row: CandidateRow) -> str:
    if row.floor is None:
        words = f"no ε is expected to get below {in_percent(row.unreachable)}, by simulation"
        return f"<b>{shown(row.label)}</b>: {words}{_for(row)}"
    sure = f"{row.floor.confidence:.0%} confidence"
    return f"<b>{shown(row.label)}</b>: no ε gets below {percent(row.floor.low)} on the private table ({sure})"


def _add_marks(
    figure: Figure,
    rows: Sequence[CandidateRow],
    known: Sequence[Estimate | None],
    name: str,
    look: tuple[str, str],
    shift: float,
    *,
    bought: bool = True,
) -> None:
    """Draw a mark with its interval in each row that has one; `look` is its colour and its symbol."""
    from plotly.graph_objects import Scatter

    (colour, symbol), points = look, [(place, one) for place, one in enumerate(known) if one is not None]
    if not points:
        return
    figure.add_trace(
        Scatter(
            x=[estimate for _, (estimate, _, _) in points],
            y=[place + shift for place, _ in points],
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [high - estimate for _, (estimate, _, high) in points],
                "arrayminus": [estimate - low for _, (estimate, low, _) in points],
                "thickness": 2,
                "width": 6,
            },
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 11, "line": {"width": 2, "color": colour}},
            hovertext=[
                f"<b>{shown(rows[place].label)}</b><br>{name}: {interval(one, bought=bought)}"
                f"{'' if bought else _for(rows[place])}"
                for place, one in points
            ],
            hoverinfo="text",
        )
    )


def _add_unchanged(figure: Figure, rows: Sequence[CandidateRow]) -> None:
    from plotly.graph_objects import Scatter

    points = [(place, value) for place, row in enumerate(rows) if (value := row.marked_unchanged) is not None]
    if points:
        figure.add_trace(
            Scatter(
                x=[value for _, value in points],
                y=[place + 0.1 for place, _ in points],
                mode="markers",
                name=UNCHANGED,
                marker={"color": INK, "symbol": "line-ns-open", "size": 14, "line": {"width": 3, "color": INK}},
                hovertext=[
                    f"<b>{shown(rows[place].label)}</b><br>{UNCHANGED}: {in_percent(value)}{_for(rows[place])}"
                    for place, value in points
                ],
                hoverinfo="text",
            )
        )


def _add_expected(figure: Figure, rows: Sequence[CandidateRow], name: str) -> None:
    """Draw the expected error as a square, and its band as a thick line."""
    from plotly.graph_objects import Scatter

    points = [(place, known) for place, row in enumerate(rows) if (known := row.reached) is not None]
    if not points:
        return
    figure.add_trace(
        Scatter(
            x=[end for _, (_, low, high) in points for end in (low, high, None)],
            y=[height for place, _ in points for height in (place + BELOW, place + BELOW, None)],
            mode="lines",
            line={"color": translucent(PALETTE[2], 0.45), "width": 9},
            name="its band",
            legendgroup=name,
            showlegend=False,
            hoverinfo="skip",
        )
    )
    figure.add_trace(
        Scatter(
            x=[error for _, (error, _, _) in points],
            y=[place + BELOW for place, _ in points],
            mode="markers",
            name=name,
            legendgroup=name,
            marker={"color": PALETTE[2], "symbol": "square", "size": 11},
            hovertext=[
                f"<b>{shown(rows[place].label)}</b><br>{name}: {interval(known, bought=False)}{_for(rows[place])}"
                for place, known in points
            ],
            hoverinfo="text",
        )
    )
