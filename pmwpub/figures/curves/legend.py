"""The legend of errors against epsilon: short, however many tables there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pmwpub.figures.style import INK, shown, translucent

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

CERTIFIED, NOISY, UNCHANGED = "unachievable with ", "noisy floor of ", ": public table, unchanged"
BOUND = ", the theorem's bound"
KEYS = {
    UNCHANGED: "dashed: unchanged",
    CERTIFIED: "shaded: unachievable",
    NOISY: "band: noisy floor, on the private table",
    BOUND: "long dashes: the theorem's bound",
}
HOLLOW = {"symbol": "circle-open", "size": 9, "line": {"width": 2}}
"""The marks of a bound, beside its dashes, so that it is not taken for a table unchanged."""


def add_legend(figure: Figure, lines: Sequence[str]) -> None:
    """Keep one entry a table, that of its line, and add grey ones that say what dashes, shades and bands are.

    lines  labels of the tables that have a line; a floor or dashes keep their own entry where their table has none
    """
    named = {shown(label) for label in lines}
    kinds: set[str] = set()
    for trace in figure.data:
        kind = _kind(trace.name)
        if kind and trace.legendgroup in named:
            kinds.add(kind)
            trace.showlegend = False
    for kind in KEYS:
        if kind in kinds:
            _add_key(figure, kind)


def _kind(name: str) -> str:
    if ending := next((kind for kind in (UNCHANGED, BOUND) if name.endswith(kind)), ""):
        return ending
    return next((kind for kind in (CERTIFIED, NOISY) if name.startswith(kind)), "")


def _add_key(figure: Figure, kind: str) -> None:
    from plotly.graph_objects import Scatter

    mode = {UNCHANGED: "lines", BOUND: "lines+markers"}.get(kind, "markers")
    outline = {"width": 1, "color": INK}
    fill = translucent(INK, 0.2 if kind == CERTIFIED else 0.7)
    square = {"symbol": "square", "size": 12, "color": fill, "line": outline}
    marks = {UNCHANGED: None, BOUND: HOLLOW | {"color": INK}}.get(kind, square)
    dash = "longdash" if kind == BOUND else "dash"
    figure.add_trace(
        Scatter(
            x=[None],
            y=[None],
            mode=mode,
            line=None if mode == "markers" else {"color": INK, "width": 2, "dash": dash},
            marker=marks,
            name=KEYS[kind],
            legendrank=4,
            hoverinfo="skip",
        )
    )
