"""The legend of errors against epsilon: short, however many tables there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pmwpub.figures.style import INK, shown, translucent

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

CERTIFIED, NOISY, UNCHANGED = "unachievable with ", "noisy floor of ", ": public table, unchanged"
KEYS = {UNCHANGED: "dashed: unchanged", CERTIFIED: "shaded: unachievable", NOISY: "band: noisy floor"}


def add_legend(figure: Figure, lines: Sequence[str]) -> None:
    """One entry a table, that of its line; grey entries say what its dashes, shades and bands are.

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
    if name.endswith(UNCHANGED):
        return UNCHANGED
    return next((kind for kind in (CERTIFIED, NOISY) if name.startswith(kind)), "")


def _add_key(figure: Figure, kind: str) -> None:
    from plotly.graph_objects import Scatter

    dashed = kind == UNCHANGED
    square = {"symbol": "square", "size": 14, "color": translucent(INK, 0.35 if kind == CERTIFIED else 0.7)}
    figure.add_trace(
        Scatter(
            x=[None],
            y=[None],
            mode="lines" if dashed else "markers",
            line={"color": INK, "width": 2, "dash": "dash"} if dashed else None,
            marker=None if dashed else square,
            name=KEYS[kind],
            legendrank=4,
            hoverinfo="skip",
        )
    )
