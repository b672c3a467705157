"""A figure as one file that needs nothing else: it can be sent around, opened without a network, read without sight."""

from __future__ import annotations

import html
from collections.abc import Sequence

from pmwpub.figures.style import Cell, Plot, Table, number

PICTURE = {"format": "png", "scale": 2, "height": 600, "width": 1000}
"""What the camera button of a figure saves."""

OFFLINE = {"displaylogo": False, "showSendToCloud": False}
"""A figure's toolbar without the button, there by default, that sends the chart and its data to Plotly's server."""

PAPER, INK = "#FFFFFF", "#1F2933"

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "form-action 'none'; base-uri 'none'"
)
_STILL = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
_STYLE = (
    f"body{{background:{PAPER};color:{INK};font-family:sans-serif;line-height:1.5;max-width:64rem;margin:2rem auto;"
    "padding:0 1rem}figure{margin:1rem 0;overflow-x:auto}table{border-collapse:collapse}"
    "th,td{border-bottom:1px solid #C5CDD5;padding:.3rem .8rem;text-align:left}"
)


def self_contained(plot: Plot, *, title: str, notes: Sequence[str], further: Sequence[tuple[str, Plot]] = ()) -> bytes:
    """An HTML page with the figure, its words and its data as a table; nothing is fetched.

    title, notes  plain text; whatever stands in them or in labels is shown and not obeyed
    further       more figures below it, each with its heading

    A figure with an SVG is that SVG, and its page runs no script; any other one brings plotly itself, of 4.8 MB.
    """
    plots = [plot, *(one for _, one in further)]
    policy = _STILL if all(one.svg for one in plots) else _POLICY
    words = "".join(f"<p>{html.escape(note)}</p>" for note in notes)
    below = "".join(f"<h1>{html.escape(heading)}</h1>{_figure(one)}" for heading, one in further)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body><h1>{html.escape(title)}</h1>{words}{_figure(plot)}{below}</body></html>"
    ).encode()


def _figure(plot: Plot) -> str:
    drawn, alt = plot.svg or _interactive(plot), html.escape(plot.alt, quote=True)
    return (
        f'<figure role="img" aria-label="{alt}">{drawn}</figure>'
        f"<h2>In words</h2><p>{alt}</p><h2>As a table</h2>{_table(plot.table)}"
    )


def _interactive(plot: Plot) -> str:
    from plotly.graph_objects import Figure

    figure = Figure(plot.figure)
    figure.update_layout(paper_bgcolor=PAPER, plot_bgcolor=PAPER, font_color=INK)
    drawn: str = figure.to_html(
        full_html=False,
        include_plotlyjs=True,
        div_id="figure",
        config={"toImageButtonOptions": PICTURE, **OFFLINE},
    )
    return drawn


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in table.columns)
    lines = zip(*table.columns.values(), strict=True)
    rows = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in line) + "</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(cell: Cell) -> str:
    return "–" if cell is None else number(cell) if isinstance(cell, float) else html.escape(str(cell))
