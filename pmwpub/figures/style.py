"""What all figures share: one palette, one frame, inert labels, and the value that they return."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from pmwpub.rounding import in_percent, near

if TYPE_CHECKING:
    from plotly.graph_objects import Figure, layout

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8040F0", "#806030")
"""Okabe and Ito's darker colours and two more: each stands out from white and from near-black (3:1), and any two
stay apart under every kind of colour blindness."""

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
"""Markers, one a colour, so that no line is told from another by colour alone."""

INK = "#747A80"
"""Text and axes where no theme sets its own: readable on white and on near-black."""

INK_ON_WHITE = "#6A7076"
"""Words in a light theme, whose own grey for them stays below 4.5:1; on near-black they stand out 3.6:1."""

LABEL = {"font": {"size": 12, "color": "#FFFFFF"}, "bgcolor": "#2B333B", "borderpad": 2}
"""Words on a ground of their own, where lines may pass."""

FAINT = "rgba(116, 122, 128, 0.25)"
CLEAR = "rgba(0, 0, 0, 0)"
LABEL_CHARS = 40

IN_PERCENT = {"tickformat": ".3~p"}
"""An axis of shares, written in percent."""

TOOLBAR = 34
"""Pixels at the top of a figure that hold the buttons of its toolbar and nothing else."""

Cell = str | float | int | None
IN_UNITS = " (%)"
"""What stands behind the name of a column of shares."""


@dataclass(frozen=True)
class Table:
    """The data of a figure, row by row, for readers who cannot or will not see it.

    shares  the names of columns of shares, such as errors, which readers see in percent
    """

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    shares: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, list[Cell]]:
        """The data column by column, as a table widget takes them: shares in percent, and columns in which nothing
        stands left out; a name that comes twice gets a number."""
        seen: Counter[str] = Counter()
        columns: dict[str, list[Cell]] = {}
        for i, name in enumerate(self.header):
            seen[name] += 1
            unique = name if seen[name] == 1 else f"{name} ({seen[name]})"
            cells = [row[i] for row in self.rows]
            if cells and all(cell in (None, "") for cell in cells):
                continue
            columns[unique + IN_UNITS * (name in self.shares)] = (
                [_hundredths(cell) for cell in cells] if name in self.shares else cells
            )
        return columns


def _hundredths(cell: Cell) -> Cell:
    """A share in percent, to four digits; whatever else stands in its column as it is."""
    return float(near(100 * cell, 4)) if isinstance(cell, int | float) else cell


@dataclass(frozen=True, eq=False)
class Plot:
    """A figure, what it shows in words, and its data. Labels in `alt` and `table` are plain text, not markup.

    svg  the same as a small picture that stands by itself; "" where there is none
    kept  whether the process keeps it for all sessions (`drawn_once`), so that it must show nothing private
    """

    figure: Figure
    alt: str
    table: Table
    svg: str = ""
    kept: bool = False

    @cached_property
    def on_white(self) -> Plot:
        """The same plot with words that stand out on white, made once."""
        return inked(self, INK_ON_WHITE)


def cut(label: str, limit: int = LABEL_CHARS) -> str:
    """A label as plain text of one line and at most `limit` characters."""
    line = " ".join(label.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def shown(label: str, limit: int = LABEL_CHARS) -> str:
    """A label as a figure may hold it: one line, cut to `limit` characters, its markup made inert."""
    return html.escape(cut(label, limit), quote=False)


def number(value: float) -> str:
    """A number to three significant digits."""
    return near(value)


def percent(share: float) -> str:
    """An error, a share of the rows, in percent to three significant digits."""
    return in_percent(share, 3)


def translucent(colour: str, opacity: float) -> str:
    """A palette colour as rgba."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:.3f})"


def colours(labels: Iterable[str]) -> dict[str, int]:
    """label -> its place in `PALETTE` and `SYMBOLS`, in order of first appearance."""
    return {label: place % len(PALETTE) for place, label in enumerate(dict.fromkeys(labels))}


ROWS = "the rows"
"""What errors are shares of where nothing else is said."""
LONG = 16
"""Characters of the longest such words that stand on an axis of errors in one line."""


def error_title(measure: str, whole: str) -> str:
    """The title of an axis of errors, which says what they are shares of."""
    return f"{measure}{' ' if len(whole) <= LONG else '<br>'}(% of {whole})"


def framed(figure: Figure, *, x_title: str, y_title: str, height: int) -> Figure:
    """Give a figure the common frame: transparent, titled axes, a quiet grid; above it, the legend below the toolbar.

    Marks on an axis are drawn whole.

    Fonts and grid stand in the template, which Streamlit's theme overrides in light and dark mode alike.
    """
    figure.update_layout(
        template=_template(),
        height=height,
        margin={"l": 60, "r": 20, "t": TOOLBAR, "b": 55},
        legend={
            "orientation": "h",
            "tracegroupgap": 0,
            **{"xref": "container", "xanchor": "left", "x": 0},
            **{"yref": "container", "yanchor": "top", "y": 1 - TOOLBAR / height},
        },
        # Not left to a theme: a saved picture has no web font, and text measured in one would not fit.
        font_family="sans-serif",
        hoverlabel={"align": "left"},
        hovermode="closest",
        dragmode=False,
    )
    figure.update_traces(cliponaxis=False, selector={"type": "scatter", "mode": "markers"})
    figure.update_xaxes(title_text=x_title, automargin=True)
    figure.update_yaxes(title_text=y_title, automargin=True, ticklabelstandoff=5)
    return figure


def inked(plot: Plot, ink: str) -> Plot:
    """The same plot, its words all of one colour, but for those on a ground of their own."""
    from plotly.graph_objects import Figure

    copy, font = Figure(plot.figure), {"color": ink}
    copy.update_layout(font=font)
    copy.update_xaxes(tickfont=font, title_font=font)
    copy.update_yaxes(tickfont=font, title_font=font)
    copy.update_traces(colorbar={"tickfont": font, "title": {"font": font}}, selector={"type": "heatmap"})
    for note in copy.layout.annotations:
        if note.font.color in (None, INK):
            note.font.color = ink
    return replace(plot, figure=copy)


@cache
def _template() -> layout.Template:
    """Made once: to check its parts takes plotly longer than a page may. A figure that takes it has a copy."""
    from plotly.graph_objects import layout

    axis = {"gridcolor": FAINT, "zerolinecolor": FAINT, "linecolor": INK, "title": {"standoff": 12}}
    return layout.Template(
        layout={
            "font": {"family": "sans-serif", "size": 14, "color": INK},
            "paper_bgcolor": CLEAR,
            "plot_bgcolor": CLEAR,
            "colorway": list(PALETTE),
            "xaxis": axis,
            "yaxis": axis,
        }
    )
