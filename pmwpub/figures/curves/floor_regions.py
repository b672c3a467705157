"""The regions that no epsilon reaches, shaded below the floors of public tables, with their names in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pmwpub.figures.curves.curve_values import ShadedFloor
from pmwpub.figures.curves.legend import CERTIFIED, NOISY
from pmwpub.figures.style import LABEL, percent, shown, translucent

if TYPE_CHECKING:
    from plotly.graph_objects import Figure, Scatter

FADE_STEPS = 8
CERTIFIED_OPACITY, NOISY_OPACITY = 0.30, 0.45
LABEL_SHARE = 0.06
"""The room that the name of a region takes, as a share of the figure's height."""
HEIGHTS = 9
"""The number of heights at which a region's name is tried."""


def add_floor(figure: Figure, floor: ShadedFloor, colour: str, span: tuple[float, float]) -> None:
    """Shade what no epsilon reaches: solid up to `low` if that is proved, then fading out up to `high`.

    span  the epsilons at the region's left and right end

    Nothing is shaded where nothing is proved to be out of reach.
    """
    if not floor.noisy and floor.low <= 0:
        return
    if floor.noisy:
        name, opacity = f"{NOISY}{shown(floor.label)}", NOISY_OPACITY
    else:
        name, opacity = f"{CERTIFIED}{shown(floor.label)}", CERTIFIED_OPACITY
    strips = [] if floor.noisy else [(0.0, floor.low, opacity)]
    step = (floor.high - floor.low) / FADE_STEPS
    if step > 0:
        strips += [
            (floor.low + i * step, floor.low + (i + 1) * step, opacity * (1 - i / FADE_STEPS))
            for i in range(FADE_STEPS)
        ]
    # All at once: to add them one by one takes plotly twice as long.
    figure.add_traces(
        [
            _strip(between, span, translucent(colour, strength), name, floor, first=i == 0)
            for i, (*between, strength) in enumerate(strips)
        ]
    )


def _strip(
    between: Sequence[float], span: tuple[float, float], fill: str, name: str, floor: ShadedFloor, *, first: bool
) -> Scatter:
    from plotly.graph_objects import Scatter

    (bottom, top), (left, right) = between, span
    return Scatter(
        x=[left, right, right, left],
        y=[bottom, bottom, top, top],
        mode="lines",
        line={"width": 0, "color": fill},
        fill="toself",
        fillcolor=fill,
        name=name,
        legendgroup=shown(floor.label),
        legendrank=3,
        showlegend=first,
        hoveron="fills",
        text=_floor_hover(floor),
        hoverinfo="text",
    )


def _floor_hover(floor: ShadedFloor) -> str:
    label = shown(floor.label)
    if floor.noisy:
        sure = "" if floor.confidence is None else f" ({floor.confidence:.0%} confidence)"
        ends = f"between {percent(floor.low)} and {percent(floor.high)}"
        return f"noisy floor of <b>{label}</b> on the private table: {ends}{sure}"
    return (
        f"no ε brings <b>{label}</b> below {percent(floor.low)}<br>"
        "a lower error needs another public table, not a larger ε"
    )


def write_into_regions(
    figure: Figure, floors: Sequence[ShadedFloor], lines: Sequence[tuple[float, ...]], top: float
) -> None:
    """Write each region's name at its left end, on a ground of its own, where there is room and the fewest lines pass.

    lines  the heights of each line at its left end; top  the height of the figure, in the same shares of the rows

    The hover, the legend and the table name it in any case; a table with a certified floor gets no second name.
    """
    certified = {floor.label for floor in floors if not floor.noisy}
    taken: list[float] = []
    for floor in floors:
        low, high = (floor.low, floor.high) if floor.noisy else (0.0, floor.low)
        if high - low < LABEL_SHARE * top or (floor.noisy and floor.label in certified):
            continue
        half = LABEL_SHARE * top / 2
        room = (high - low - 2 * half) / (HEIGHTS - 1)
        heights = (high - half - i * room for i in range(HEIGHTS))
        free = [y for y in heights if all(abs(y - other) >= 2 * half for other in taken)]
        if free:
            middle = min(free, key=lambda y: _lines_near(y, 1.3 * half, lines))
            taken.append(middle)
            words = f"{NOISY if floor.noisy else CERTIFIED}{shown(floor.label)}"
            _write(figure, f"{words}, on the private table" if floor.noisy else words, middle)


def _lines_near(height: float, reach: float, lines: Sequence[tuple[float, ...]]) -> int:
    """How many lines pass the height, or near it, where a label stands."""
    return sum(min(ends) - reach < height < max(ends) + reach for ends in lines)


def _write(figure: Figure, words: str, height: float) -> None:
    figure.add_annotation(
        x=0.01,
        xref="paper",
        xanchor="left",
        y=height,
        yanchor="middle",
        text=words,
        **LABEL,
        showarrow=False,
    )
