"""The levels that nest, as a tree of public shares: drawn on demand, a branch at a time where one is chosen."""

from __future__ import annotations

import streamlit as st

from pmwpub import figures
from pmwpub.service import Study
from pmwpub.service.inputs.reviewing import LevelTree, nested_levels
from pmwpub.ui.app.services import service
from pmwpub.ui.widgets import plot_panel
from pmwpub.ui.wording.written import plain

EVERYTHING = "everything"
MOST_BRANCHES = 200
"""Levels of parents that are offered as branches."""


def nested_part(study: Study) -> None:
    """A switch, and behind it the trees of the columns with parents."""
    if study.schema is None or not study.schema.parents:
        return
    if not st.toggle("Show the levels that nest", key="show nested levels"):
        return
    trees = nested_levels(service(), study)
    names = {place: " › ".join(tree.names) for place, tree in enumerate(trees)}
    place = 0
    if len(trees) > 1:
        place = st.selectbox("Which levels", list(names), format_func=names.__getitem__, key="nested tree")
    _tree(trees[place], place)


def _tree(tree: LevelTree, place: int) -> None:
    st.caption(plain(" › ".join(tree.names)))
    deepest = len(tree.names) - 1
    branches = [at for at, one in enumerate(tree.levels) if one.depth < deepest][:MOST_BRANCHES]
    chosen = st.selectbox(
        "What lies in",
        [None, *branches],
        format_func=lambda at: EVERYTHING if at is None else " › ".join(tree.path(at)),
        key=f"nested branch {place}",
    )
    drawn = tree.below(chosen)
    levels = [(one.label, one.depth, one.above, one.share) for one in drawn.levels]
    plot_panel.show(figures.drawn_once(figures.level_icicle, drawn.names, levels), "nested levels")
