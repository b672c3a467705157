"""The budget as one bar."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.figures.style import INK, PALETTE, Plot, Table, framed
from pmwpub.rounding import down, up

SPENT, REMAINING = PALETTE[1], PALETTE[2]


@dataclass(frozen=True)
class Amount:
    """A part of a budget: rho, which adds up, and the epsilon that it stands for alone, which does not."""

    rho: float
    epsilon: float


def budget_bar(total: Amount, reserved: Amount, spent: Amount, remaining: Amount, *, delta: float) -> Plot:
    """Spent, reserved and remaining as lengths in rho; the words carry epsilon and delta. Fits a sidebar.

    remaining  of the total, after what is spent and reserved
    """
    from plotly.graph_objects import Bar, Figure

    parts = (("spent", spent, SPENT, ""), ("reserved", reserved, SPENT, "/"), ("remaining", remaining, REMAINING, ""))
    words = (_words(spent, delta), _words(reserved, delta), _left(remaining, delta))
    figure = Figure()
    for (name, amount, colour, hatching), said in zip(parts, words, strict=True):
        figure.add_trace(
            Bar(
                x=[amount.rho],
                y=[0],
                orientation="h",
                name=name,
                marker={"color": colour, "line_width": 0, "pattern": {"shape": hatching, "fgcolor": colour}},
                hovertext=[f"{name}: {said}"],
                hoverinfo="text",
            )
        )
    framed(figure, x_title=f"ρ (total {up(total.rho, 3)})", y_title="", height=175)
    figure.update_layout(barmode="stack", bargap=0.1, margin={"l": 5, "r": 5, "t": 85, "b": 45}, showlegend=False)
    figure.update_xaxes(range=[0, total.rho or 1.0], showgrid=False, nticks=3)
    figure.update_yaxes(visible=False)
    figure.add_annotation(
        text=_key(total, reserved, spent, remaining, delta),
        align="left",
        showarrow=False,
        font={"size": 13},
        **{"x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "bottom"},
    )
    rows = tuple((name, amount.rho, amount.epsilon, delta) for name, amount, _, _ in parts)
    table = Table(("part", "ρ", "ε", "δ"), (*rows, ("total", total.rho, total.epsilon, delta)))
    return Plot(figure, _alt(total, reserved, spent, remaining, delta), table)


def _key(total: Amount, reserved: Amount, spent: Amount, remaining: Amount, delta: float) -> str:
    """The legend, in the order of the bar, short enough for a narrow column."""
    lines = (
        f'<span style="color:{SPENT}">■</span> spent ε = {up(spent.epsilon, 3)}',
        f'<span style="color:{SPENT}">▨</span> reserved ε = {up(reserved.epsilon, 3)}',
        f'<span style="color:{REMAINING}">■</span> remaining ε = {down(remaining.epsilon, 3)}',
        f'<span style="color:{INK}">□</span> total ε = {up(total.epsilon, 3)}, δ = {up(delta, 3)}',
    )
    return "<br>".join(lines)


def _words(amount: Amount, delta: float) -> str:
    """A total, or what is spent of it, in words: losses, rounded up."""
    return f"ρ = {up(amount.rho, 3)}, that is ε = {up(amount.epsilon, 3)} at δ = {up(delta, 3)}"


def _left(amount: Amount, delta: float) -> str:
    return f"ρ = {down(amount.rho, 3)}, that is ε = {down(amount.epsilon, 3)} at δ = {up(delta, 3)}"


def _alt(total: Amount, reserved: Amount, spent: Amount, remaining: Amount, delta: float) -> str:
    return (
        f"Privacy budget: {_words(total, delta)} in all; spent {up(spent.rho, 3)} (ε {up(spent.epsilon, 3)}), "
        f"reserved {up(reserved.rho, 3)} (ε {up(reserved.epsilon, 3)}), "
        f"remaining {down(remaining.rho, 3)} (ε {down(remaining.epsilon, 3)}). Lengths add in ρ; ε does not add."
    )
