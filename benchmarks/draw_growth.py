"""Draw what `full_scale.py --scaling growth.csv` measured.

    python benchmarks/draw_growth.py growth.csv docs/growth.png

Needs the test extras and Chromium.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from plotly.graph_objects import Figure, Scatter
from plotly.subplots import make_subplots

from pmwpub.figures.style import PALETTE, SYMBOLS

PANELS = (("m", "atoms", "atoms m"), ("W", "marginals", "marginals W"), ("n", "rows", "private rows n"))


def drawn(lines: list[dict[str, str]]) -> Figure:
    """Seconds a round against each size, on log axes; the dotted lines grow in proportion."""
    figure = make_subplots(cols=3, shared_yaxes=True, horizontal_spacing=0.04)
    for place, (grows, column, title) in enumerate(PANELS, start=1):
        for epsilon, colour, symbol in zip(("0.1", "1"), PALETTE, SYMBOLS, strict=False):
            points = [line for line in lines if (line["grows"], line["epsilon"]) == (grows, epsilon)]
            sizes = [int(line[column]) for line in points]
            seconds = [float(line["seconds_a_round"]) for line in points]
            marker = {"color": colour, "symbol": symbol, "size": 9}
            figure.add_trace(
                Scatter(x=sizes, y=seconds, name=f"ε = {epsilon}", marker=marker, showlegend=place == 1), 1, place
            )
            proportional = [seconds[0] * size / sizes[0] for size in sizes]
            line = {"color": colour, "dash": "dot", "width": 1}
            figure.add_trace(
                Scatter(x=sizes, y=proportional, mode="lines", line=line, name="in proportion", showlegend=False),
                1,
                place,
            )
        figure.update_xaxes(type="log", title=title, dtick="D2", col=place)
    figure.update_yaxes(type="log", range=[-2.6, -0.6])
    figure.update_yaxes(title="seconds a round", col=1)
    figure.update_layout(template="plotly_white", width=1100, height=380, margin={"t": 20, "r": 10, "b": 50, "l": 70})
    return figure


def main() -> None:
    """Read the measurements, draw, and take the picture."""
    measured, picture = map(Path, sys.argv[1:3])
    with measured.open(newline="") as stream:
        figure = drawn(list(csv.DictReader(stream)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder, "growth.html")
        figure.write_html(page_file, config={"displayModeBar": False})
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1116, "height": 396})
        page.goto(page_file.as_uri())
        page.wait_for_timeout(1500)
        page.screenshot(path=str(picture))
        browser.close()


if __name__ == "__main__":
    main()
