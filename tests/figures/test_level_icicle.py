"""Levels that nest, drawn: tiles add up to those that lie in them, and the table has every level."""

from __future__ import annotations

from pmwpub.figures import level_icicle
from pmwpub.figures.level_icicle import MOST_TILES, Level

NAMES = ("state", "county")
LEVELS: tuple[Level, ...] = (
    ("a", 0, None, 0.75),
    ("b", 0, None, 0.25),
    ("a1", 1, 0, 0.5),
    ("a2", 1, 0, 0.25),
    ("b1", 1, 1, 0.25),
)


def test_tiles_are_as_high_as_the_levels_in_them_together() -> None:
    (tiles,) = level_icicle(NAMES, LEVELS).figure.data
    assert dict(zip(tiles.labels, tiles.values, strict=True)) == {
        "a": 0.75,
        "b": 0.25,
        "a1": 0.5,
        "a2": 0.25,
        "b1": 0.25,
    }
    assert dict(zip(tiles.ids, tiles.parents, strict=True)) == {"0": "", "1": "", "2": "0", "3": "0", "4": "1"}


def test_without_public_rows_every_level_is_as_high_as_another() -> None:
    (tiles,) = level_icicle(NAMES, tuple((label, depth, above, None) for label, depth, above, _ in LEVELS)).figure.data
    assert list(tiles.values) == [2, 1, 1, 1, 1]


def test_the_table_lists_each_level_with_what_it_lies_in() -> None:
    plot = level_icicle(NAMES, LEVELS)
    assert plot.table.header == ("state", "county", "public rows")
    assert plot.table.rows == (("a", "a1", "50 %"), ("a", "a2", "25 %"), ("b", "b1", "25 %"))
    assert "2 of state, 3 of county" in plot.alt


def test_very_many_levels_are_left_to_the_table() -> None:
    many = tuple(("x" + str(place), 1, place % 2, 0.001) for place in range(MOST_TILES))
    plot = level_icicle(NAMES, (*LEVELS[:2], *many))
    assert len(plot.figure.data[0].labels) == 2
    assert list(plot.figure.data[0].values) == [0.75, 0.25]
    assert len(plot.table.rows) == MOST_TILES


def test_a_level_that_is_markup_is_drawn_as_text() -> None:
    plot = level_icicle(NAMES, (("<b>a</b>", 0, None, 1.0), ("<i>", 1, 0, 1.0)))
    assert plot.figure.data[0].labels[0] == "&lt;b&gt;a&lt;/b&gt;"
