"""Error against epsilon, with the region that no epsilon reaches shaded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmwpub.figures.style import PALETTE, SYMBOLS, Plot, Table, colours, framed, number, shown, translucent

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

FADE_STEPS = 8
CERTIFIED_OPACITY, NOISY_OPACITY = 0.16, 0.40
WITHOUT_CURVES = (0.1, 1.0)


@dataclass(frozen=True)
class ErrorCurve:
    """The error that one table leads to, at each epsilon.

    epsilons        ascending, positive
    mean            errors as shares of n, averaged over `runs`
    standard_error  of the mean; zeros for a single run
    """

    label: str
    epsilons: tuple[float, ...]
    mean: tuple[float, ...]
    standard_error: tuple[float, ...]
    runs: int = 1


@dataclass(frozen=True)
class Unchanged:
    """The error of the table called `label`, published as it is: the same at every epsilon."""

    label: str
    error: float


@dataclass(frozen=True)
class Floor:
    """A table's best-mixture error, known to lie in [low, high].

    noisy       False: low is proved, and everything below it is out of reach; True: a differentially private
                estimate, right with probability `confidence`
    """

    label: str
    low: float
    high: float
    noisy: bool
    confidence: float | None = None


def error_against_epsilon(
    curves: Sequence[ErrorCurve],
    floors: Sequence[Floor] = (),
    unchanged: Sequence[Unchanged] = (),
    *,
    measure: str = "Maximum error",
) -> Plot:
    """Error (share of n) against epsilon on a log axis.

    One line a table with bars of one standard error; dashed, the table unchanged; below each certified floor the
    region is shaded in its table's colour, fading out where the floor's interval ends; noisy floors are bands.
    """
    from plotly.graph_objects import Figure

    figure = Figure()
    place = colours([item.label for group in (curves, unchanged, floors) for item in group])
    left, right = _epsilon_range(curves)
    top = _top(curves, floors, unchanged)
    for floor in sorted(floors, key=lambda floor: floor.noisy):
        _add_floor(figure, floor, PALETTE[place[floor.label]], (left, right))
    for line in unchanged:
        _add_unchanged(figure, line, PALETTE[place[line.label]], (left, right))
    for curve in curves:
        _add_curve(figure, curve, place[curve.label])
    framed(figure, x_title="ε (log scale)", y_title=f"{measure} (share of rows)", height=480)
    figure.update_xaxes(type="log", range=[math.log10(left), math.log10(right)], **_epsilon_ticks(curves))
    figure.update_yaxes(range=[0, top])
    _write_into_regions(figure, floors, top)
    return Plot(figure, _alt(curves, floors, unchanged, measure), _table(curves, floors, unchanged))


def _epsilon_range(curves: Sequence[ErrorCurve]) -> tuple[float, float]:
    epsilons = [epsilon for curve in curves for epsilon in curve.epsilons] or list(WITHOUT_CURVES)
    margin = max(1.08, (max(epsilons) / min(epsilons)) ** 0.06)
    return min(epsilons) / margin, max(epsilons) * margin


def _epsilon_ticks(curves: Sequence[ErrorCurve]) -> dict[str, list[float] | list[str]]:
    epsilons = sorted({epsilon for curve in curves for epsilon in curve.epsilons})
    return {"tickvals": epsilons, "ticktext": [f"{e:g}" for e in epsilons]} if 0 < len(epsilons) <= 12 else {}


def _top(curves: Sequence[ErrorCurve], floors: Sequence[Floor], unchanged: Sequence[Unchanged]) -> float:
    heights = [m + s for curve in curves for m, s in zip(curve.mean, curve.standard_error, strict=True)]
    heights += [floor.high for floor in floors] + [line.error for line in unchanged]
    return 1.08 * max(heights, default=0.0) or 1.0


def _add_curve(figure: Figure, curve: ErrorCurve, place: int) -> None:
    from plotly.graph_objects import Scatter

    bars = {"type": "data", "array": list(curve.standard_error), "thickness": 1.5, "width": 5}
    figure.add_trace(
        Scatter(
            x=list(curve.epsilons),
            y=list(curve.mean),
            error_y=bars if any(curve.standard_error) else None,
            mode="lines+markers",
            name=shown(curve.label),
            legendrank=1,
            line={"color": PALETTE[place], "width": 2.5},
            marker={"symbol": SYMBOLS[place], "size": 9},
            hovertext=[_hover(curve, i) for i in range(len(curve.epsilons))],
            hoverinfo="text",
        )
    )


def _hover(curve: ErrorCurve, i: int) -> str:
    smallest = min(e for e, mean in zip(curve.epsilons, curve.mean, strict=True) if mean <= curve.mean[i])
    return (
        f"<b>{shown(curve.label)}</b>, ε = {curve.epsilons[i]:g}<br>"
        f"error {number(curve.mean[i])} ± {number(curve.standard_error[i])} (one standard error, {curve.runs} runs)<br>"
        f"smallest ε tried for an error ≤ {number(curve.mean[i])}: {smallest:g}"
    )


def _add_unchanged(figure: Figure, line: Unchanged, colour: str, span: tuple[float, float]) -> None:
    from plotly.graph_objects import Scatter

    words = f"<b>{shown(line.label)}</b>, unchanged<br>error {number(line.error)} at every ε: nothing private used"
    figure.add_trace(
        Scatter(
            x=list(span),
            y=[line.error, line.error],
            mode="lines",
            name=f"{shown(line.label)}: public table, unchanged",
            legendrank=2,
            line={"color": colour, "width": 2, "dash": "dash"},
            hovertext=[words, words],
            hoverinfo="text",
        )
    )


def _add_floor(figure: Figure, floor: Floor, colour: str, span: tuple[float, float]) -> None:
    """The shaded region: solid up to `low` if that is proved, then fading out up to `high`."""
    if floor.noisy:
        name, opacity = f"noisy floor of {shown(floor.label)}", NOISY_OPACITY
    else:
        name, opacity = f"unachievable with {shown(floor.label)}", CERTIFIED_OPACITY
    strips = [] if floor.noisy or floor.low <= 0 else [(0.0, floor.low, opacity)]
    step = (floor.high - floor.low) / FADE_STEPS
    if step > 0:
        strips += [
            (floor.low + i * step, floor.low + (i + 1) * step, opacity * (1 - i / FADE_STEPS))
            for i in range(FADE_STEPS)
        ]
    for i, (bottom, top, strength) in enumerate(strips):
        _add_strip(figure, (bottom, top), span, translucent(colour, strength), name, _floor_hover(floor), first=i == 0)


def _add_strip(
    figure: Figure,
    between: tuple[float, float],
    span: tuple[float, float],
    fill: str,
    name: str,
    words: str,
    *,
    first: bool,
) -> None:
    from plotly.graph_objects import Scatter

    (bottom, top), (left, right) = between, span
    figure.add_trace(
        Scatter(
            x=[left, right, right, left],
            y=[bottom, bottom, top, top],
            mode="lines",
            line={"width": 0, "color": fill},
            fill="toself",
            fillcolor=fill,
            name=name,
            legendgroup=name,
            legendrank=3,
            showlegend=first,
            hoveron="fills",
            text=words,
            hoverinfo="text",
        )
    )


def _floor_hover(floor: Floor) -> str:
    label = shown(floor.label)
    if floor.noisy:
        sure = "" if floor.confidence is None else f" ({floor.confidence:.0%} confidence)"
        return f"noisy floor of <b>{label}</b>: between {number(floor.low)} and {number(floor.high)}{sure}"
    return (
        f"no ε brings <b>{label}</b> below {number(floor.low)}<br>"
        "a lower error needs another public table, not a larger ε"
    )


def _write_into_regions(figure: Figure, floors: Sequence[Floor], top: float) -> None:
    """The name of a region inside it, where there is room; the legend names it in any case."""
    taken: list[float] = []
    for floor in floors:
        middle = (floor.low + floor.high) / 2 if floor.noisy else floor.low / 2
        tall_enough = (floor.high - floor.low if floor.noisy else floor.low) >= 0.05 * top
        if tall_enough and all(abs(middle - other) >= 0.06 * top for other in taken):
            taken.append(middle)
            words = f"noisy floor of {shown(floor.label)}" if floor.noisy else f"unachievable with {shown(floor.label)}"
            figure.add_annotation(
                x=0.01,
                xref="paper",
                xanchor="left",
                y=middle,
                text=f"<b>{words}</b>",
                font={"size": 13},
                showarrow=False,
            )


def _alt(curves: Sequence[ErrorCurve], floors: Sequence[Floor], unchanged: Sequence[Unchanged], measure: str) -> str:
    sentences = [f"{measure} against epsilon on a logarithmic axis."]
    for curve in curves:
        values = ", ".join(f"{number(m)} at epsilon {e:g}" for e, m in zip(curve.epsilons, curve.mean, strict=True))
        sentences.append(f"{curve.label}: {values}.")
    sentences += [f"{line.label} unchanged: {number(line.error)}." for line in unchanged]
    for floor in floors:
        if floor.noisy:
            sentences.append(f"Noisy floor of {floor.label}: {number(floor.low)} to {number(floor.high)}.")
        else:
            sentences.append(f"Below {number(floor.low)} nothing is achievable with {floor.label}, at any epsilon.")
    return " ".join(sentences)


def _table(curves: Sequence[ErrorCurve], floors: Sequence[Floor], unchanged: Sequence[Unchanged]) -> Table:
    rows: list[tuple[str, str, float, float | None]] = [
        (curve.label, f"{e:g}", m, s)
        for curve in curves
        for e, m, s in zip(curve.epsilons, curve.mean, curve.standard_error, strict=True)
    ]
    rows += [(f"{line.label}: public table, unchanged", "any", line.error, None) for line in unchanged]
    for floor in floors:
        kind = "noisy floor of" if floor.noisy else "floor of"
        rows += [(f"{kind} {floor.label}, {end}", "any", value, None) for end, value in _ends(floor)]
    return Table(("line", "ε", "error (share of rows)", "standard error"), tuple(rows))


def _ends(floor: Floor) -> tuple[tuple[str, float], tuple[str, float]]:
    return ("at least", floor.low), ("at most", floor.high)
