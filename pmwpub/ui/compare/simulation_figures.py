"""The figures of a simulation as their choices have them, and what it says in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pmwpub import figures
from pmwpub.rounding import near
from pmwpub.service import Assessed
from pmwpub.service.simulations.error_figure import MEASURED, Lines, error_plots, labels, lines_of, several
from pmwpub.service.simulations.findings import (
    Measure,
    Simulation,
    baseline_remarks,
    expected_pools,
    not_beaten,
    not_run,
    reach,
)
from pmwpub.service.simulations.proved_bounds import ProvedBounds
from pmwpub.ui.app.state import current
from pmwpub.ui.wording.simulation_verdicts import expected_pool_words, not_beaten_words, reach_words
from pmwpub.ui.wording.written import plain

LINES: dict[Lines, str] = {"best": "the best of them at each ε, known to a simulation only", "each": "each of them"}
MOST_LINES = len(figures.PALETTE)
WITH_BOUGHT = "Draw the bought floors too: they are of the private table, the lines are not"


@dataclass(frozen=True, eq=False)
class ChosenFigures:
    """Figures as their choices have them, by the table that each is of; `notes` belong to them wherever they go."""

    plots: tuple[tuple[str, figures.Plot], ...]
    measure: Measure
    notes: tuple[str, ...] = ()


def chosen_errors(
    simulation: Simulation,
    bought: Sequence[Assessed],
    key: str,
    *,
    truth: str,
    first: Sequence[str] = (),
    ask: Callable[[Simulation], ProvedBounds] | None = None,
    whole: str = figures.ROWS,
    drawing: figures.Drawing = figures.drawn_anew,
) -> ChosenFigures:
    """Ask for lines, measure and bounds, and make a figure for each table that they choose, each with its own shade.

    truth  who plays the private table
    first  names of tables whose lines are drawn at first; the best line where there is none of them
    ask    draws the choice of bounds, where they are offered: they are about the maximum error alone
    whole, drawing  as `error_plot` has it
    """
    place = st.container()
    with st.expander("Measure, lines and proved bounds"):
        measure: Measure = st.radio(
            "Error", list(MEASURED), format_func=MEASURED.__getitem__, horizontal=True, key=f"{key} measure"
        )
        lines: Lines = "best"
        if several(simulation):
            lines = st.radio("Rounds and variants", list(LINES), format_func=LINES.__getitem__, key=f"{key} lines")
        bounds = ProvedBounds()
        if measure != "max_error":
            st.caption("Floors bound the maximum error; they are not drawn here.")
        elif ask is not None:
            bounds = ask(simulation)
        noisy = bool(bought) and st.checkbox(WITH_BOUGHT, key=f"{key} bought")
    known = labels(simulation, measure=measure, lines=lines)
    drawn = _drawn(place, known, key, lines_of(simulation, known, first))
    floors = bought if noisy else ()
    plots = error_plots(
        simulation,
        floors,
        drawn=drawn,
        truth=truth,
        measure=measure,
        lines=lines,
        bounds=bounds.lines,
        whole=whole,
        drawing=drawing,
    )
    return ChosenFigures(tuple(plots), measure, bounds.words)


def _drawn(place: DeltaGenerator, known: Sequence[str], key: str, begin: Sequence[str]) -> Sequence[str]:
    """Ask which lines are drawn: at first those of the chosen table, or the best line where it has none."""
    if len(known) < 2:
        return known
    chosen: list[str] = place.multiselect(
        "Lines",
        known,
        default=list(begin[:MOST_LINES] or known[:1]),
        max_selections=MOST_LINES,
        key=f"{key} drawn {len(known)} {' '.join(begin)}",
    )
    return chosen


def beside(simulation: Simulation) -> None:
    """Say what has to be said of baselines: what a line means, and why one is missing."""
    for label, remark in baseline_remarks(simulation):
        st.caption(f"{label}: {plain(remark)}.")
    for one in not_run(simulation):
        epsilons = ", ".join(near(epsilon, 6) for epsilon in one.epsilons)
        st.info(f"{one.label} did not run at ε = {epsilons}. {plain(one.reason)}", icon=":material/block:")


def verdicts(simulation: Simulation, measure: Measure) -> None:
    """Say where the table unchanged does as well, and which ε the error takes that would be good enough."""
    for pool, other in expected_pools(simulation, measure):
        st.info(expected_pool_words(pool, other), icon=":material/join_inner:")
    for found in not_beaten(simulation, measure):
        st.warning(not_beaten_words(found), icon=":material/balance:")
    wanted = current().choices.good_enough
    st.markdown("\n".join(f"- {reach_words(one, wanted)}" for one in reach(simulation, wanted)))
