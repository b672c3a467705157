"""One marginal out of many, chosen by name: bars of one column, a map of two, a map of two at a level of a third."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from pmwpub import figures
from pmwpub.records import Floats
from pmwpub.service.quality_report import MarginalsCompared
from pmwpub.ui.widgets import plot_panel

MINUS = "release (noisy) minus public table"


@dataclass(frozen=True, eq=False)
class ChosenMarginal:
    """A marginal with its cells.

    names, levels     its columns, each with its levels
    public, released  shares of rows, shaped by the levels
    private           exact shares, for the steward alone; None for everybody else
    """

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    public: Floats
    released: Floats
    private: Floats | None = None

    @property
    def differences(self) -> Mapping[str, Floats]:
        """The differences that can be drawn, by what they are in words: shares of rows, shaped by the levels."""
        if self.private is None:
            return {MINUS: self.released - self.public}
        return {
            "release (noisy) minus private table": self.released - self.private,
            "public table minus private table": self.public - self.private,
        }


def choose_ways(offered: Sequence[int], label: str, key: str) -> int:
    """Ask how many columns a marginal has."""
    ways: int = st.radio(
        label,
        offered,
        horizontal=True,
        format_func=lambda ways: "one column" if ways == 1 else f"{ways} columns",
        key=key,
    )
    return ways


def choose(
    compared: MarginalsCompared, order: Sequence[int], key: str, *, private: Floats | None = None
) -> ChosenMarginal:
    """Ask for a marginal, in the given order, and return the one that is picked.

    private  float64 (Q,), for the steward alone
    """
    place: int = st.selectbox(
        "Look at one of them",
        order,
        format_func=lambda place: " × ".join(compared.names(place)),
        key=f"choose {key} {compared.ways}",
    )
    domain = compared.workload.domain
    attributes = [domain.attributes[position] for position in compared.workload.marginals[place].attributes]
    return ChosenMarginal(
        tuple(attribute.name for attribute in attributes),
        tuple(attribute.levels for attribute in attributes),
        compared.cells(place, compared.public),
        compared.cells(place, compared.released),
        None if private is None else compared.cells(place, private),
    )


def show(chosen: ChosenMarginal, key: str) -> None:
    """Draw a marginal; with the private table's cells in it, as a private plot."""
    public = chosen.private is None
    draw, drawing = (plot_panel.show, figures.drawn_once) if public else (plot_panel.show_private, figures.drawn_anew)
    if len(chosen.names) == 1:
        private = None if chosen.private is None else chosen.private.tolist()
        shares = (chosen.public.tolist(), chosen.released.tolist(), private)
        draw(drawing(figures.marginal_comparison, chosen.levels[0], *shares, attribute=chosen.names[0]), key)
        return
    words = list(chosen.differences)
    drawn = words[0]
    if len(words) > 1:
        drawn = st.radio("Show", words, horizontal=True, key=f"difference {key}")
    differences = chosen.differences[drawn]
    kept = [0, 1]
    if len(chosen.names) == 3:
        third = _slicer(chosen.levels)
        kept = [i for i in range(3) if i != third]
        at = _level(chosen.names[third], chosen.levels[third], np.moveaxis(differences, third, 0), key)
        differences = np.take(differences, at, axis=third)
        drawn = f"{drawn}, where {chosen.names[third]} is {chosen.levels[third][at]}"
    rows, columns = kept
    plot = drawing(
        figures.difference_map,
        chosen.levels[rows],
        chosen.levels[columns],
        differences.tolist(),
        rows=chosen.names[rows],
        columns=chosen.names[columns],
        difference=drawn,
    )
    draw(plot, key)


def _slicer(levels: Sequence[tuple[str, ...]]) -> int:
    """The column that is held at one level: that of the fewest levels."""
    return min(range(len(levels)), key=lambda i: len(levels[i]))


def _level(name: str, levels: Sequence[str], slices: Floats, key: str) -> int:
    """Ask for a level of the third column; the picker begins with the level that differs most."""
    most = int(np.abs(slices).reshape(len(levels), -1).sum(axis=1).argmax())
    at: int = st.selectbox(
        f"Where {name} is", range(len(levels)), index=most, format_func=lambda at: levels[at], key=f"level {key} {name}"
    )
    return at
