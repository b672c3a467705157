"""Candidates ranked by their noisy floors, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pmwpub.figures.style import IN_PERCENT, INK, PALETTE, Plot, Table, framed, percent, shown, translucent
from pmwpub.noisy_interval import NoisyInterval

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Role = Literal["floor", "start"]
NAMES: dict[Role, str] = {
    "floor": "noisy floor (reweighted perfectly)",
    "start": "noisy start (published unchanged)",
}
LOOKS: dict[Role, tuple[str, str]] = {"floor": (PALETTE[0], "circle"), "start": (PALETTE[1], "diamond-open")}
ROW_HEIGHT = 56
APART = 0.08
"""The distance, in rows, between a candidate's floor and its start, so that intervals that meet stay legible."""


@dataclass(frozen=True)
class AssessedCandidate:
    """What was bought about one candidate.

    floor, start  None where it was not bought, or came to no result
    group         candidates with one number are too close to call; None stands alone
    """

    label: str
    floor: NoisyInterval | None
    start: NoisyInterval | None = None
    group: int | None = None

    def known(self, role: Role) -> NoisyInterval | None:
        """The candidate's floor or start; None where it is not known."""
        return self.floor if role == "floor" else self.start

    @property
    def rank(self) -> float:
        """What a candidate is ranked by: its floor, else its start; last without either."""
        best = self.floor or self.start
        return float("inf") if best is None else best.estimate


def candidates_dot_plot(candidates: Sequence[AssessedCandidate], *, confidence: float, whole: str = "the rows") -> Plot:
    """One row a candidate, the best on top: floor and start as dots, each with its interval.

    confidence  of every interval, such as 0.95
    whole       what errors are shares of
    """
    from plotly.graph_objects import Figure

    ranked = _ranked(candidates)
    figure = Figure()
    _add_room(figure, ranked)
    for role in NAMES:
        _add_dots(figure, ranked, role)
    title = f"Error (% of {whole}),<br>noisy, with {confidence:.0%} intervals"
    framed(figure, x_title=title, y_title="", height=140 + ROW_HEIGHT * max(1, len(ranked)))
    figure.update_xaxes(rangemode="tozero", **IN_PERCENT)
    figure.update_yaxes(
        tickvals=list(range(len(ranked))),
        ticktext=[shown(candidate.label) for candidate in ranked],
        range=[len(ranked) - 0.4, -0.85],
        showgrid=False,
        zeroline=False,
    )
    _add_groups(figure, ranked)
    return Plot(figure, _alt(ranked, confidence), _table(ranked))


def _ranked(candidates: Sequence[AssessedCandidate]) -> list[AssessedCandidate]:
    """The candidates by rank; the members of a group stand together, in the place of the best of them."""
    best: dict[int, float] = {}
    for candidate in candidates:
        if candidate.group is not None:
            best[candidate.group] = min(candidate.rank, best.get(candidate.group, float("inf")))

    def place(candidate: AssessedCandidate) -> tuple[float, int, float]:
        if candidate.group is None:
            return candidate.rank, -1, candidate.rank
        return best[candidate.group], candidate.group, candidate.rank

    return sorted(candidates, key=place)


def _add_room(figure: Figure, ranked: Sequence[AssessedCandidate]) -> None:
    """Draw a thin line from each floor to its start: the room that a release has."""
    from plotly.graph_objects import Scatter

    x: list[float | None] = []
    y: list[float | None] = []
    for row, candidate in enumerate(ranked):
        if candidate.floor and candidate.start:
            x += [candidate.floor.estimate, candidate.start.estimate, None]
            y += [row - APART, row + APART, None]
    figure.add_trace(
        Scatter(x=x, y=y, mode="lines", line={"color": INK, "width": 1}, hoverinfo="skip", showlegend=False)
    )


def _add_dots(figure: Figure, ranked: Sequence[AssessedCandidate], role: Role) -> None:
    from plotly.graph_objects import Scatter

    points = [(row, c.label, known) for row, c in enumerate(ranked) if (known := c.known(role)) is not None]
    if not points:
        return
    colour, symbol = LOOKS[role]
    shift = -APART if role == "floor" else APART
    figure.add_trace(
        Scatter(
            x=[known.estimate for _, _, known in points],
            y=[row + shift for row, _, _ in points],
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [known.high - known.estimate for _, _, known in points],
                "arrayminus": [known.estimate - known.low for _, _, known in points],
                "thickness": 2,
                "width": 6,
            },
            mode="markers",
            name=NAMES[role],
            marker={"color": colour, "symbol": symbol, "size": 12, "line": {"width": 2, "color": colour}},
            hovertext=[
                f"<b>{shown(label)}</b><br>{NAMES[role]}: {_with_interval(known)}" for _, label, known in points
            ],
            hoverinfo="text",
        )
    )


def _groups(ranked: Sequence[AssessedCandidate]) -> list[tuple[int, int]]:
    """First and last row of every group of at least two."""
    rows: dict[int, list[int]] = {}
    for row, candidate in enumerate(ranked):
        if candidate.group is not None:
            rows.setdefault(candidate.group, []).append(row)
    return [(members[0], members[-1]) for members in rows.values() if len(members) > 1]


def _add_groups(figure: Figure, ranked: Sequence[AssessedCandidate]) -> None:
    for first, last in _groups(ranked):
        figure.add_shape(
            type="rect",
            xref="paper",
            x0=0,
            x1=1,
            y0=first - 0.42,
            y1=last + 0.42,
            fillcolor=translucent(INK, 0.14),
            line_width=0,
            layer="below",
        )
        figure.add_annotation(
            text="too close to call",
            xref="paper",
            x=1,
            xanchor="right",
            y=first - 0.42,
            yanchor="bottom",
            showarrow=False,
        )


def _with_interval(known: NoisyInterval) -> str:
    return f"{percent(known.estimate)} ({percent(known.low)} to {percent(known.high)})"


def _alt(ranked: Sequence[AssessedCandidate], confidence: float) -> str:
    sentences = [f"Candidates from the lowest noisy floor to the highest, with {confidence:.0%} intervals."]
    for candidate in ranked:
        parts = [f"{role} {_with_interval(known)}" for role in NAMES if (known := candidate.known(role)) is not None]
        sentences.append(f"{candidate.label}: {', '.join(parts) or 'no result'}.")
    for first, last in _groups(ranked):
        names = ", ".join(candidate.label for candidate in ranked[first : last + 1])
        sentences.append(f"Too close to call: {names}.")
    return " ".join(sentences)


def _table(ranked: Sequence[AssessedCandidate]) -> Table:
    header = ["candidate"]
    for role in NAMES:
        header += [f"noisy {role}", f"{role}: from", f"{role}: to"]
    rows = []
    for candidate in ranked:
        row: list[str | float | None] = [candidate.label]
        for role in NAMES:
            known = candidate.known(role)
            row += [None] * 3 if known is None else [known.estimate, known.low, known.high]
        rows.append((*row, "" if candidate.group is None else f"tie {candidate.group}"))
    return Table((*header, "too close to call"), tuple(rows), shares=tuple(header[1:]))
