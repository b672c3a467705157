"""The accuracy bound against the number of rounds, as the parts that it adds up, and against epsilon."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmwpub.figures.style import INK, LABEL, PALETTE, Plot, Table, framed, number, translucent
from pmwpub.rounding import near

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

PARTS = (
    "twice the best-mixture error",
    "weights that have not settled",
    "noise of selection",
    "bad luck in the rounds",
)
"""The parts from the bottom to the top; each alone would be the bound if the others were nothing."""

PATTERNS = ("", "/", "\\", "x")
BOUND, NOTHING = "bound", "says nothing: no error exceeds 1"


@dataclass(frozen=True)
class BoundParts:
    """The bound at one number of rounds: its parts in the order of PARTS, shares of rows."""

    rounds: int
    parts: tuple[float, float, float, float]

    @property
    def total(self) -> float:
        """The bound: the sum of its parts, a share of rows."""
        return sum(self.parts)


def bound_against_rounds(points: Sequence[BoundParts], best: int) -> Plot:
    """The parts of the bound stacked over the number of rounds, on a log axis; `best` is marked.

    points  in ascending order of rounds
    """
    from plotly.graph_objects import Figure, Scatter

    figure, rounds = Figure(), [point.rounds for point in points]
    for place, name in enumerate(PARTS):
        figure.add_trace(
            Scatter(
                x=rounds,
                y=[point.parts[place] for point in points],
                name=name,
                mode="lines",
                stackgroup="parts",
                line={"color": PALETTE[place], "width": 1},
                fillcolor=translucent(PALETTE[place], 0.35),
                fillpattern={
                    "shape": PATTERNS[place],
                    "fgcolor": PALETTE[place],
                    "bgcolor": translucent(PALETTE[place], 0.35),
                    "solidity": 0.15,
                },
                hovertext=[f"T = {point.rounds:,}<br>{name}: {number(point.parts[place])}" for point in points],
                hoverinfo="text",
            )
        )
    framed(figure, x_title="T, rounds (log scale)", y_title="Bound on the largest error<br>(share of rows)", height=440)
    ticks = [a * 10**k for k in range(7) for a in (1, 3) if min(rounds) <= a * 10**k <= max(rounds)]
    figure.update_xaxes(type="log", range=[math.log10(min(rounds)), math.log10(max(rounds))])
    figure.update_xaxes(tickvals=ticks, ticktext=[f"{tick:,}" for tick in ticks])
    top = 1.25 * min(point.total for point in points)
    figure.update_yaxes(range=[0, max(top, min(3 * top, max(point.total for point in points)))])
    figure.add_vline(x=best, line={"color": INK, "dash": "dash", "width": 2})
    right = math.log10(best) > (math.log10(min(rounds)) + math.log10(max(rounds))) / 2
    figure.add_annotation(  # on a log axis an annotation, unlike a line, stands at the logarithm
        text=f"least at T = {best:,}",
        showarrow=False,
        **{"x": math.log10(best), "xanchor": "right" if right else "left"},
        **{"y": 1, "yref": "paper", "yanchor": "bottom"},
    )
    figure.update_layout(legend={"traceorder": "reversed"})
    rows = tuple((point.rounds, *point.parts, point.total) for point in points)
    return Plot(figure, _rounds_alt(points, best), Table(("rounds T", *PARTS, "bound"), rows))


def bound_against_epsilon(epsilons: Sequence[float], errors: Sequence[float], rounds: Sequence[int]) -> Plot:
    """The bound, at the best number of rounds of each epsilon, on a log axis; above 1 it is faint.

    epsilons  ascending
    """
    from plotly.graph_objects import Figure, Scatter

    figure = Figure()
    figure.add_trace(
        Scatter(
            x=list(epsilons),
            y=list(errors),
            mode="lines+markers",
            name=BOUND,
            line={"color": PALETTE[0], "width": 2.5, "dash": "dash"},
            marker={"size": 9},
            hovertext=[
                f"ε = {near(epsilon, 6)}<br>bound {number(error)} at T = {t:,}"
                for epsilon, error, t in zip(epsilons, errors, rounds, strict=True)
            ],
            hoverinfo="text",
        )
    )
    framed(figure, x_title="ε (log scale)", y_title="Bound on the largest error<br>(share of rows)", height=380)
    figure.update_xaxes(type="log", tickvals=list(epsilons), ticktext=[near(epsilon, 6) for epsilon in epsilons])
    figure.update_yaxes(range=[0, 1.08 * max(1.0, *errors)])
    if max(errors) > 1:
        shade_nothing(figure, 1.08 * max(errors))
    rows = tuple(zip(epsilons, errors, rounds, strict=True))
    return Plot(figure, _epsilon_alt(epsilons, errors), Table(("ε", "bound (share of rows)", "rounds T"), rows))


def shade_nothing(figure: Figure, top: float) -> None:
    """Shade the region above 1, up to the top of the axis, where no bound says anything."""
    figure.add_hrect(
        y0=1.0,
        y1=top,
        fillcolor=translucent(INK, 0.18),
        line_width=0,
        annotation_text=NOTHING,
        annotation_position="top right",
        annotation=dict(LABEL),  # plotly writes into it
    )


def _rounds_alt(points: Sequence[BoundParts], best: int) -> str:
    at = min(points, key=lambda point: abs(point.rounds - best))
    parts = ", ".join(f"{name} {number(part)}" for name, part in zip(PARTS, at.parts, strict=True))
    ends = f"{number(points[0].total)} at {points[0].rounds:,} and {number(points[-1].total)} at {points[-1].rounds:,}"
    return (
        "The accuracy bound against the number of rounds. "
        f"It is least, {number(at.total)}, at {best:,} rounds: {parts}. It is {ends} rounds."
    )


def _epsilon_alt(epsilons: Sequence[float], errors: Sequence[float]) -> str:
    values = ", ".join(
        f"{number(error)} at epsilon {near(epsilon, 6)}" for epsilon, error in zip(epsilons, errors, strict=True)
    )
    return f"The accuracy bound against epsilon, each at its best number of rounds: {values}. Above 1 it says nothing."
