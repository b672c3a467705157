"""Public tables played against each other: one certified floor for each ordered pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.figures.style import ROWS, Plot, Table, framed, percent, shown
from pmwpub.rounding import in_percent

# One hue from light to dark: dark is a high floor.
SEQUENTIAL = ((0.0, "#E6F1F8"), (0.5, "#6BAED6"), (1.0, "#08456E"))
ROW_HEIGHT = 44
NAME_CHARS = 24


@dataclass(frozen=True)
class PairFloor:
    """One public table as the truth and another as its candidate; all public.

    low, high  certified bounds of the best-mixture error
    start      the error of the candidate unchanged
    covered    the share of the truth's rows, or of their weight, that the candidate has too
    empty      queries that the truth meets and no row of the candidate does
    """

    truth: str
    candidate: str
    low: float
    high: float
    start: float
    covered: float
    empty: int

    @property
    def interval(self) -> str:
        """ "1.2 %", or "1.2 % to 1.5 %" where three digits tell the ends apart."""
        low, high = percent(self.low), percent(self.high)
        return high if low == high else f"{low} to {high}"

    @property
    def short(self) -> str:
        """The upper end of the floor in percent to two digits, which fits into a cell."""
        return in_percent(self.high)


def pair_map(pairs: Sequence[PairFloor], *, whole: str = ROWS) -> Plot:
    """Candidates in rows, the lowest floors on top; who plays the private table in columns; floors in the cells.

    whole  what floors, and what is covered, are shares of
    """
    from plotly.graph_objects import Figure, Heatmap

    candidates = _ranked(pairs)
    truths = sorted({pair.truth for pair in pairs})
    cells = {(pair.candidate, pair.truth): pair for pair in pairs}
    grid = [[cells.get((candidate, truth)) for truth in truths] for candidate in candidates]
    figure = Figure(
        Heatmap(
            z=[[None if pair is None else pair.high for pair in line] for line in grid],
            zmin=0.0,
            zmax=max((pair.high for pair in pairs), default=0.0) or 1.0,
            colorscale=[list(stop) for stop in SEQUENTIAL],
            showscale=False,
            text=[["" if pair is None else pair.short for pair in line] for line in grid],
            texttemplate="%{text}",
            hovertext=[["" if pair is None else _hover(pair, whole) for pair in line] for line in grid],
            hoverinfo="text",
            hoverongaps=False,
            xgap=2,
            ygap=2,
        )
    )
    height = 170 + ROW_HEIGHT * max(2, len(candidates))
    framed(
        figure, x_title=f"plays the private table<br>(cells: floor, % of {whole})", y_title="candidate", height=height
    )
    figure.update_xaxes(**_names(truths), showgrid=False)
    figure.update_yaxes(**_names(candidates), showgrid=False, autorange="reversed", tickangle=0)
    return Plot(figure, _alt(pairs, candidates), _table(pairs, candidates, whole))


def _ranked(pairs: Sequence[PairFloor]) -> list[str]:
    """The candidates by their mean floor over the truths, the lowest first."""
    floors: dict[str, list[float]] = {}
    for pair in pairs:
        floors.setdefault(pair.candidate, []).append(pair.high)
    return sorted(floors, key=lambda name: sum(floors[name]) / len(floors[name]))


def _names(labels: Sequence[str]) -> dict[str, object]:
    ticks = [shown(label, NAME_CHARS) for label in labels]
    return {"tickvals": list(range(len(labels))), "ticktext": ticks, "zeroline": False}


def _hover(pair: PairFloor, whole: str) -> str:
    own = "its rows" if whole == ROWS else whole
    return (
        f"<b>{shown(pair.candidate)}</b> for {shown(pair.truth)}<br>floor {pair.interval} (reweighted perfectly)<br>"
        f"start {percent(pair.start)} (unchanged)<br>{pair.covered:.1%} of {own} covered, {pair.empty:,} empty cells"
    )


def _alt(pairs: Sequence[PairFloor], candidates: Sequence[str]) -> str:
    sentences = ["Best-mixture error of each candidate when another public table plays the private one."]
    for name in candidates:
        values = ", ".join(f"{pair.interval} for {pair.truth}" for pair in pairs if pair.candidate == name)
        sentences.append(f"{name}: {values}.")
    return " ".join(sentences)


def _table(pairs: Sequence[PairFloor], candidates: Sequence[str], whole: str) -> Table:
    shares = ("rows covered" if whole == ROWS else "covered", "floor, at least", "floor, at most", "start")
    header = ("candidate", "plays the private table", shares[0], "empty cells", *shares[1:])
    ordered = sorted(pairs, key=lambda pair: candidates.index(pair.candidate))
    rows = [(p.candidate, p.truth, p.covered, p.empty, p.low, p.high, p.start) for p in ordered]
    return Table(header, tuple(rows), shares=shares)
