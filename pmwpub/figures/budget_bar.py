"""The budget as one bar."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from pmwpub.figures.style import INK, PALETTE, Plot, Table, framed
from pmwpub.rounding import down, up

SPENT, REMAINING = PALETTE[1], PALETTE[2]


@dataclass(frozen=True)
class Amount:
    """A part of a budget: rho, which adds up, and the epsilon that it stands for alone, which does not."""

    rho: float
    epsilon: float


def budget_bar(
    total: Amount, reserved: Amount, spent: Amount, remaining: Amount, *, delta: float, closed: bool = False
) -> Plot:
    """Taken, at work and left as lengths in percent of the grant, counted in rho. Fits a sidebar.

    remaining  of the total, after what is spent and reserved
    closed     whether nothing more is bought, so that what remains is no budget any more
    """
    from plotly.graph_objects import Bar, Figure

    rest = ("not taken" if closed else "left", remaining, REMAINING, "")
    parts = (("taken", spent, SPENT, ""), ("at work", reserved, SPENT, "/"), rest)
    words = _percentages(total, reserved, spent)
    figure = Figure()
    for (name, amount, colour, hatching), said in zip(parts, words, strict=True):
        figure.add_trace(
            Bar(
                x=[_share(amount, total)],
                y=[0],
                orientation="h",
                name=name,
                marker={"color": colour, "line_width": 0, "pattern": {"shape": hatching, "fgcolor": colour}},
                hovertext=[f"{name}: {said} of the grant"],
                hoverinfo="text",
            )
        )
    framed(figure, x_title="percent of the grant", y_title="", height=175)
    figure.update_layout(barmode="stack", bargap=0.1, margin={"l": 5, "r": 5, "t": 85, "b": 45}, showlegend=False)
    figure.update_xaxes(range=[0, 100], showgrid=False, nticks=3)
    figure.update_yaxes(visible=False)
    figure.add_annotation(
        text=_key(words, total, None if closed else remaining, delta),
        align="left",
        showarrow=False,
        font={"size": 13},
        **{"x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "bottom"},
    )
    rows = [(name, _share(amount, total), amount.rho) for name, amount, _, _ in parts]
    table = Table(("part", "% of the grant", "ρ"), (*rows, ("grant", 100.0, total.rho)))
    return Plot(figure, _alt(words, total, None if closed else remaining, delta), table)


def _share(amount: Amount, total: Amount) -> float:
    return 100 * amount.rho / total.rho if total.rho else 0.0


def _percentages(total: Amount, reserved: Amount, spent: Amount) -> list[str]:
    """Taken, at work and left, to a hundredth, together 100 %: what is left is rounded down."""
    running, settled, granted = (Decimal(repr(one.rho)) for one in (reserved, spent, total))
    at_work, both = (_hundredths(rho, granted) for rho in (running, running + settled))
    shares = (both - at_work, at_work, 100 - both)
    return [f"{max(share, Decimal(0)).normalize():f} %" for share in shares]


def _hundredths(rho: Decimal, total: Decimal) -> Decimal:
    """A part of the total in percent, rounded up to a hundredth; floats tell no part of 1e-9 of it."""
    share = round(100 * rho / total, 9) if total else Decimal(0)
    return share.quantize(Decimal("0.01"), ROUND_CEILING)


def _key(words: list[str], total: Amount, remaining: Amount | None, delta: float) -> str:
    """The legend, in the order of the bar, short enough for a narrow column; remaining is None once it is closed."""
    taken, at_work, left = words
    rest = (
        f"not taken {left}: closed"
        if remaining is None
        else f"left {left}, a release at ε = {down(remaining.epsilon, 3)}"
    )
    lines = (
        f'<span style="color:{SPENT}">■</span> taken {taken}',
        f'<span style="color:{SPENT}">▨</span> at work {at_work}',
        f'<span style="color:{REMAINING}">■</span> {rest}',
        f'<span style="color:{INK}">□</span> promised ε = {up(total.epsilon, 3)}, δ = {up(delta, 3)}',
    )
    return "<br>".join(lines)


def _alt(words: list[str], total: Amount, remaining: Amount | None, delta: float) -> str:
    taken, at_work, left = words
    rest = (
        f"{left} not taken, and nothing more is bought"
        if remaining is None
        else f"{left} left, enough for one release at ε = {down(remaining.epsilon, 3)}"
    )
    return (
        f"Privacy budget, in percent of the grant: {taken} taken, {at_work} at work, {rest}. Promised for everything "
        f"together: ε = {up(total.epsilon, 3)} at δ = {up(delta, 3)}. Percentages count ρ, which adds up; ε does not."
    )
