"""Candidates, a row each: what no reweighting gets below, the table unchanged, and the error to expect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmwpub.figures.style import IN_PERCENT, INK, PALETTE, Plot, Table, framed, percent, shown, translucent
from pmwpub.noisy_interval import NoisyInterval

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

ROW_HEIGHT = 84
FLOOR, START = "noisy floor, on the private table", "noisy start, on the private table"
PLAYED_FLOOR, UNCHANGED, EXPECTED = "floor, simulated", "table unchanged, expected", "release, expected"
HATCHED = "hatched: no ε gets below"
ABOVE, BELOW = -0.24, 0.24
"""Where in its row a mark stands: the floor above, what is expected below, the table unchanged between them."""


@dataclass(frozen=True)
class CandidateRow:
    """What is known of one candidate; errors are shares of the rows.

    floor, start  bought, on the private table itself; None where they were not
    played_floor  what stands for a floor that was not bought: the mean over simulations
    unchanged     what to expect of the table unchanged
    expected      what to expect of a release: the estimate, and between what it may lie
    """

    label: str
    floor: NoisyInterval | None = None
    start: NoisyInterval | None = None
    played_floor: float | None = None
    unchanged: float | None = None
    expected: tuple[float, float, float] | None = None

    @property
    def unreachable(self) -> float:
        """The length of the hatched part: the low end of the bought floor, else the simulated floor, as far as the
        expected error is not thought to come below that."""
        if self.floor is not None:
            return max(0.0, self.floor.low)
        low = 1.0 if self.expected is None else self.expected[1]
        return min(self.played_floor or 0.0, low)

    @property
    def reached(self) -> tuple[float, float, float] | None:
        """`expected`, no part of it below what was bought as out of reach."""
        if self.expected is None:
            return None
        error, low, high = (max(value, self.unreachable) for value in self.expected)
        return error, low, high


def candidate_rows(rows: Sequence[CandidateRow], *, epsilon: str, truths: Sequence[str] = ()) -> Plot:
    """One row a candidate in the given order, all on one axis; nothing of one row reaches into another.

    epsilon  of the release to come, as it is written
    truths   who played the private table in what is expected
    """
    from plotly.graph_objects import Figure

    figure = Figure()
    _add_hatched(figure, rows)
    _add_bought(figure, rows, [row.floor for row in rows], FLOOR, PALETTE[0], "circle", ABOVE)
    _add_bought(figure, rows, [row.start for row in rows], START, PALETTE[1], "diamond-open", 0.0)
    simulated = [None if row.floor is not None else row.played_floor for row in rows]
    _add_dots(figure, rows, simulated, PLAYED_FLOOR, "circle-open", ABOVE)
    _add_dots(figure, rows, [row.unchanged for row in rows], UNCHANGED, "line-ns-open", 0.1)
    _add_expected(figure, rows, f"{EXPECTED} at ε = {epsilon}")
    framed(figure, x_title="Largest error (% of the rows)", y_title="", height=150 + ROW_HEIGHT * max(1, len(rows)))
    figure.update_xaxes(rangemode="tozero", **IN_PERCENT)
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[shown(row.label, 24) for row in rows],
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
    )
    return Plot(figure, _alt(rows, epsilon, truths), _table(rows, epsilon))


def _add_hatched(figure: Figure, rows: Sequence[CandidateRow]) -> None:
    """Hatch each row from 0 to what no reweighting gets below, in that row alone."""
    from plotly.graph_objects import Bar

    found = [(place, row) for place, row in enumerate(rows) if row.unreachable > 0]
    if not found:
        return
    figure.add_trace(
        Bar(
            orientation="h",
            x=[row.unreachable for _, row in found],
            y=[place for place, _ in found],
            width=0.72,
            marker={
                "color": translucent(PALETTE[0], 0.22),
                "line": {"width": 0},
                "pattern": {"shape": "/", "fgcolor": PALETTE[0], "size": 7, "solidity": 0.35},
            },
            name=HATCHED,
            hovertext=[_never(row) for _, row in found],
            hoverinfo="text",
        )
    )


def _never(row: CandidateRow) -> str:
    if row.floor is None:
        return f"<b>{shown(row.label)}</b>: by simulations no ε is expected to get below {percent(row.unreachable)}"
    sure = f"{row.floor.confidence:.0%} confidence"
    return f"<b>{shown(row.label)}</b>: no ε gets below {percent(row.floor.low)} on the private table ({sure})"


def _add_bought(
    figure: Figure,
    rows: Sequence[CandidateRow],
    bought: Sequence[NoisyInterval | None],
    name: str,
    colour: str,
    symbol: str,
    shift: float,
) -> None:
    from plotly.graph_objects import Scatter

    points = [(place, known) for place, known in enumerate(bought) if known is not None]
    if not points:
        return
    figure.add_trace(
        Scatter(
            x=[known.estimate for _, known in points],
            y=[place + shift for place, _ in points],
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [known.high - known.estimate for _, known in points],
                "arrayminus": [known.estimate - known.low for _, known in points],
                "thickness": 2,
                "width": 6,
            },
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 11, "line": {"width": 2, "color": colour}},
            hovertext=[f"<b>{shown(rows[place].label)}</b><br>{name}: {_interval(known)}" for place, known in points],
            hoverinfo="text",
        )
    )


def _add_dots(
    figure: Figure, rows: Sequence[CandidateRow], values: Sequence[float | None], name: str, symbol: str, shift: float
) -> None:
    from plotly.graph_objects import Scatter

    points = [(place, value) for place, value in enumerate(values) if value is not None]
    if points:
        figure.add_trace(
            Scatter(
                x=[value for _, value in points],
                y=[place + shift for place, _ in points],
                mode="markers",
                name=name,
                marker={"color": INK, "symbol": symbol, "size": 14, "line": {"width": 3, "color": INK}},
                hovertext=[f"<b>{shown(rows[place].label)}</b><br>{name}: {percent(value)}" for place, value in points],
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
                f"<b>{shown(rows[place].label)}</b><br>{name}: {percent(error)} ({percent(low)} to {percent(high)})"
                for place, (error, low, high) in points
            ],
            hoverinfo="text",
        )
    )


def _interval(known: NoisyInterval) -> str:
    return f"{percent(known.estimate)} ({percent(known.low)} to {percent(known.high)})"


def _alt(rows: Sequence[CandidateRow], epsilon: str, truths: Sequence[str]) -> str:
    played = f" In what is expected {' and '.join(truths)} played the private table." if truths else ""
    said = [f"Candidates, a row each, on one axis of largest error.{played}"]
    for row in rows:
        parts = [
            f"{name} {_interval(own)}" for name, own in ((FLOOR, row.floor), (START, row.start)) if own is not None
        ]
        if row.floor is None and row.played_floor is not None:
            parts.append(f"{PLAYED_FLOOR} {percent(row.played_floor)}")
        if row.unchanged is not None:
            parts.append(f"{UNCHANGED} {percent(row.unchanged)}")
        if row.reached is not None:
            error, low, high = map(percent, row.reached)
            parts.append(f"{EXPECTED} at epsilon {epsilon} {error} ({low} to {high})")
        said.append(f"{row.label}: {', '.join(parts) or 'nothing is known yet'}.")
    return " ".join(said)


def _table(rows: Sequence[CandidateRow], epsilon: str) -> Table:
    header = ("candidate", FLOOR, "low", "high", START, "low", "high", PLAYED_FLOOR, UNCHANGED)
    expected = (f"{EXPECTED} at ε = {epsilon}", "low", "high")
    return Table(
        (*header, *expected),
        tuple(
            (
                row.label,
                *_ends(row.floor),
                *_ends(row.start),
                row.played_floor,
                row.unchanged,
                *(row.reached or (None, None, None)),
            )
            for row in rows
        ),
    )


def _ends(known: NoisyInterval | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if known is None else (known.estimate, known.low, known.high)
