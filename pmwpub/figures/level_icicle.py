"""Levels that nest: the widest parent at the left, the column at the right; heights are shares of public rows."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.figures.style import Cell, Plot, Table, framed, percent, shown

TILES = ("#08456E", "#0B5E8E", "#0072B2")
"""One hue; white words stand out from each."""
MOST_TILES = 600
ROW_HEIGHT = 22
LEAST_HEIGHT, MOST_HEIGHT = 260, 620
LABEL_CHARS = 18

Level = tuple[str, int, int | None, float | None]
"""Its label, how deep it lies, the place of the level that it lies in, its share of public rows."""


def level_icicle(names: Sequence[str], levels: Sequence[Level]) -> Plot:
    """A tile for each level, beside those that lie in it.

    Levels that no public row has take no height; where there are no public rows all levels of the column take one
    alike. Where there are more than 600 levels the deepest ones are left to the table.
    """
    from plotly.graph_objects import Figure, Icicle

    depth = _drawn_depth(levels)
    tiles = [place for place, one in enumerate(levels) if one[1] <= depth]
    heights = _heights(levels, depth)
    figure = Figure(
        Icicle(
            ids=[str(place) for place in tiles],
            labels=[shown(levels[place][0], LABEL_CHARS) for place in tiles],
            parents=["" if levels[place][2] is None else str(levels[place][2]) for place in tiles],
            values=[heights[place] for place in tiles],
            branchvalues="total",
            marker={"colors": [TILES[levels[place][1] % len(TILES)] for place in tiles]},
            hovertext=[_hover(names, levels, place) for place in tiles],
            hoverinfo="text",
            textfont={"color": "#FFFFFF"},
            tiling={"orientation": "h"},
            pathbar={"visible": False},
            sort=False,
        )
    )
    deepest = sum(one[1] == depth for one in levels)
    framed(figure, x_title="", y_title="", height=min(max(LEAST_HEIGHT, ROW_HEIGHT * deepest), MOST_HEIGHT))
    figure.update_layout(margin={"l": 5, "r": 5, "b": 5})
    return Plot(figure, _alt(names, levels), _table(names, levels))


def _drawn_depth(levels: Sequence[Level]) -> int:
    """The deepest level that is drawn: as deep as tiles allow, the widest parent in any case."""
    deepest = max(one[1] for one in levels)
    fitting = (depth for depth in range(deepest, 0, -1) if sum(one[1] <= depth for one in levels) <= MOST_TILES)
    return next(fitting, 0)


def _heights(levels: Sequence[Level], depth: int) -> list[float]:
    """Each level's height: what the deepest drawn ones in it have together, so that no sum falls short of a part."""
    known = any(share is not None for _, _, _, share in levels)
    heights = [0.0] * len(levels)
    for place in range(len(levels) - 1, -1, -1):
        _, own, above, share = levels[place]
        if own == depth:
            heights[place] = (share or 0.0) if known else 1.0
        if own <= depth and above is not None:
            heights[above] += heights[place]
    return heights


def _hover(names: Sequence[str], levels: Sequence[Level], place: int) -> str:
    label, depth, above, share = levels[place]
    within = "" if above is None else f"<br>in {shown(levels[above][0])}"
    words = "" if share is None else f"<br>{percent(share)} of the public rows"
    return f"{shown(names[depth])}: {shown(label)}{within}{words}"


def _table(names: Sequence[str], levels: Sequence[Level]) -> Table:
    """One row a level of the column, with what it lies in."""
    rows: list[tuple[Cell, ...]] = []
    for label, depth, above, share in levels:
        if depth < len(names) - 1:
            continue
        path = [label]
        while above is not None:
            path.append(levels[above][0])
            above = levels[above][2]
        rows.append((*reversed(path), None if share is None else percent(share)))
    return Table((*names, "public rows"), tuple(rows))


def _alt(names: Sequence[str], levels: Sequence[Level]) -> str:
    counts = [sum(one[1] == depth for one in levels) for depth in range(len(names))]
    words = ", ".join(f"{many:,} of {name}" for name, many in zip(names, counts, strict=True))
    return f"Levels that nest: {words}. Each lies in one of the column before it; the table lists which."
