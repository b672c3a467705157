"""A release beside its public prior: one-way bars and two-way differences."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.figures.style import PALETTE, Plot, Table, framed, number, shown

# From ColorBrewer's PuOr, dark ends first: two hues that no kind of colour blindness merges.
DIVERGING = ((0.0, "#B35806"), (0.25, "#F1A340"), (0.5, "#F7F7F7"), (0.75, "#998EC3"), (1.0, "#542788"))
LEVEL_CHARS = 24
TURNS = [0, -45, -90]
"""The angles that labels along the bottom may have: the first at which they keep apart is taken."""


def marginal_comparison(
    levels: Sequence[str],
    public: Sequence[float],
    released: Sequence[float],
    private: Sequence[float] | None = None,
    *,
    attribute: str,
) -> Plot:
    """The shares of each level of one attribute: public table, release, and the private table if it may be seen.

    private  exact shares, for the steward alone: the series says so wherever it shows
    """
    from plotly.graph_objects import Bar, Figure

    series = [("public table", public, PALETTE[0], ""), ("release (noisy)", released, PALETTE[1], "/")]
    if private is not None:
        series.append(("private table, steward only, not covered by ε", private, PALETTE[2], "x"))
    figure = Figure()
    for name, shares, colour, pattern in series:
        figure.add_trace(
            Bar(
                x=list(range(len(levels))),
                y=list(shares),
                name=name,
                marker={"color": colour, "pattern": {"shape": pattern, "fillmode": "overlay", "solidity": 0.2}},
                hovertext=[
                    f"<b>{shown(level)}</b><br>{name}: {share:.2%}" for level, share in zip(levels, shares, strict=True)
                ],
                hoverinfo="text",
            )
        )
    framed(figure, x_title=shown(attribute), y_title="share of rows (%)", height=420)
    figure.update_layout(barmode="group", bargap=0.25)
    figure.update_xaxes(**_level_axis(levels), autotickangles=TURNS)
    figure.update_yaxes(tickformat=".3~p", rangemode="tozero")
    rows = tuple(zip(levels, *(shares for _, shares, _, _ in series), strict=True))
    names = tuple(name for name, _, _, _ in series)
    table = Table((attribute, *names), rows, shares=names)
    return Plot(figure, _bars_alt(levels, series, attribute), table)


def difference_map(
    row_levels: Sequence[str],
    column_levels: Sequence[str],
    differences: Sequence[Sequence[float]],
    *,
    rows: str,
    columns: str,
    difference: str = "release (noisy) minus public table",
) -> Plot:
    """The differences of a two-way marginal, cell by cell, on a scale that is symmetric about zero.

    differences  in shares of rows, one sequence for each level of `rows`
    """
    from plotly.graph_objects import Figure, Heatmap

    largest = max((abs(value) for line in differences for value in line), default=0.0) or 1.0
    hover = [
        [f"{shown(rows)}: <b>{shown(r)}</b><br>{shown(columns)}: <b>{shown(c)}</b><br>{value:+.2%}"
         for c, value in zip(column_levels, line, strict=True)]
        for r, line in zip(row_levels, differences, strict=True)
    ]  # fmt: skip
    figure = Figure(
        Heatmap(
            z=[list(line) for line in differences],
            zmin=-largest,
            zmax=largest,
            colorscale=[list(stop) for stop in DIVERGING],
            colorbar={"title": {"text": "difference<br>(% of rows)"}, "tickformat": "+.3~p"},
            hovertext=hover,
            hoverinfo="text",
            xgap=1,
            ygap=1,
        )
    )
    framed(figure, x_title=shown(columns), y_title=shown(rows), height=200 + 26 * max(6, len(row_levels)))
    figure.update_xaxes(**_level_axis(column_levels), showgrid=False, autotickangles=TURNS)
    figure.update_yaxes(**_level_axis(row_levels), showgrid=False, autorange="reversed", tickangle=0)
    table = Table(
        (rows, *column_levels),
        tuple((r, *line) for r, line in zip(row_levels, differences, strict=True)),
        shares=tuple(column_levels),
    )
    return Plot(figure, _map_alt(row_levels, column_levels, differences, rows, columns, difference), table)


def _level_axis(levels: Sequence[str]) -> dict[str, object]:
    """An axis of whole positions with the levels as tick text: a level such as "1e3" or a date stays what it is."""
    return {
        "tickvals": list(range(len(levels))),
        "ticktext": [shown(level, LEVEL_CHARS) for level in levels],
    }


def _bars_alt(levels: Sequence[str], series: Sequence[tuple[str, Sequence[float], str, str]], attribute: str) -> str:
    sentences = [f"Shares of {attribute}, level by level."]
    for i, level in enumerate(levels):
        sentences.append(f"{level}: " + ", ".join(f"{name} {shares[i]:.1%}" for name, shares, _, _ in series) + ".")
    return " ".join(sentences)


def _map_alt(
    row_levels: Sequence[str],
    column_levels: Sequence[str],
    differences: Sequence[Sequence[float]],
    rows: str,
    columns: str,
    difference: str,
) -> str:
    opening = f"Two-way differences of {rows} by {columns}, {difference}."
    cells = [(abs(v), v, r, c) for r, line in enumerate(differences) for c, v in enumerate(line)]
    if not cells:
        return opening
    _, value, r, c = max(cells)
    return (
        f"{opening} The largest is {number(100 * value)} percentage points, at {row_levels[r]} and {column_levels[c]}."
    )
