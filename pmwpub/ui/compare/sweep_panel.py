"""Simulations on the Compare page: begin one, watch it, take it up again, look at it, hand it on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from pmwpub import figures
from pmwpub.rounding import near
from pmwpub.service import Assessed, Study
from pmwpub.service.endings import in_words
from pmwpub.service.simulations import explorations
from pmwpub.service.simulations.error_figure import (
    ENGINE_NAMES,
    MEASURED,
    Lines,
    error_plot,
    labels,
    several,
    size_plot,
    sizes,
)
from pmwpub.service.simulations.explorations import Exploration
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
from pmwpub.service.simulations.sweep_range import played
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import current, viewers_only
from pmwpub.ui.compare.bound_lines import ask_for_bounds
from pmwpub.ui.compare.sweep_form import ask_for_terms, ask_for_truth, described
from pmwpub.ui.widgets import plot_panel
from pmwpub.ui.widgets.watching import Waiting, watch
from pmwpub.ui.wording.simulation_verdicts import expected_pool_words, not_beaten_words, reach_words
from pmwpub.ui.wording.written import plain

NEW = "new"
NOTHING_BEGINS = "This server is for viewers alone: it shows the simulations that were made, and begins none."
LINES: dict[Lines, str] = {"best": "the best of them at each ε, known to a simulation only", "each": "each of them"}
MOST_LINES = len(figures.PALETTE)


def sweep_of_the_page(study: Study) -> Exploration | None:
    """Ask which simulation is looked at: one of those asked for, the latest first, or a new one, once it is begun."""
    asked = explorations.explorations(service(), study)
    known = {one.key: one for one in asked}
    if asked:
        new = {} if viewers_only() else {NEW: "A new one…"}
        labels = {one.key: described(study, one.truth, one.terms) for one in asked} | new
        if st.session_state.get(widget_keys.SIMULATION) not in labels:
            st.session_state[widget_keys.SIMULATION] = asked[0].key
        chosen = st.selectbox("Simulation", list(labels), format_func=labels.__getitem__, key=widget_keys.SIMULATION)
        if chosen != NEW:
            found = known[chosen]
            _tend(study, found)
            return found
    if viewers_only():
        st.info(NOTHING_BEGINS)
        return None
    truth = ask_for_truth(study)
    terms = ask_for_terms(study, truth)
    st.caption(f"{terms.sweep.parts(len(played(study, truth, terms))):,} runs and floors in all.")
    if st.button("Simulate", type="primary", help="Free: it uses public tables only."):
        current().choices.simulation = explorations.explore(service(), study, truth, terms).key
        st.rerun()
    return None


def follow_choice() -> None:
    """Turn to the simulation that was just begun; call it before the widgets are drawn."""
    choices = current().choices
    if choices.simulation is not None:
        st.session_state[widget_keys.SIMULATION], choices.simulation = choices.simulation, None


def _tend(study: Study, found: Exploration) -> None:
    """Show the progress of a simulation that runs, or offer a way on for one that stopped."""
    if found.job is not None:
        watch([Waiting(found.job.key, "Simulation")], "run", charged=False)
    elif found.simulation is None:
        if found.reason is not None:
            st.error(plain(in_words(found.reason, charged=False)), icon=":material/error:")
        st.info("This simulation stopped on its way. What is finished is kept, and none of it is made again.")
        if not viewers_only() and st.button("Resume", type="primary", help="Free: it uses public tables only."):
            explorations.explore(service(), study, found.truth, found.terms)
            st.rerun()


def finished_part(study: Study, found: Exploration | None) -> Simulation | None:
    """What there is to be seen of a simulation by now; None where there is nothing yet."""
    if found is None or found.simulation is not None:
        return None if found is None else found.simulation
    early = None if found.job is not None else explorations.so_far(service(), study, found)
    return early if early is not None and (early.errors or early.floors) else None


@dataclass(frozen=True, eq=False)
class ChosenFigure:
    """A figure as its choices have it; `notes` belong to it wherever it goes."""

    plot: figures.Plot
    measure: Measure
    notes: tuple[str, ...] = ()


def chosen_errors(
    simulation: Simulation | None,
    bought: Sequence[Assessed],
    key: str,
    *,
    first: Sequence[str] = (),
    ask: Callable[[Simulation], ProvedBounds] | None = None,
    drawing: figures.Drawing = figures.drawn_anew,
) -> ChosenFigure:
    """Ask for measure, lines and bounds, and make the figure that they choose.

    first  lines that are drawn at first, where they are not all
    ask    draws the choice of bounds, where they are offered: they are about the maximum error alone
    drawing  as `error_plot` has it
    """
    measure: Measure = st.radio(
        "Error", list(MEASURED), format_func=MEASURED.__getitem__, horizontal=True, key=f"{key} measure"
    )
    lines: Lines = "best"
    if simulation is not None and several(simulation):
        lines = st.radio("Rounds and variants", list(LINES), format_func=LINES.__getitem__, key=f"{key} lines")
    drawn = None if simulation is None else _drawn(labels(simulation, measure=measure, lines=lines), key, first)
    bounds = ProvedBounds()
    if measure != "max_error":
        st.caption("Floors bound the maximum error; they are not drawn here.")
    elif simulation is not None and ask is not None:
        bounds = ask(simulation)
    plot = error_plot(
        simulation, bought, measure=measure, lines=lines, drawn=drawn, bounds=bounds.lines, drawing=drawing
    )
    return ChosenFigure(plot, measure, bounds.words)


def _drawn(known: Sequence[str], key: str, first: Sequence[str]) -> Sequence[str] | None:
    """Which lines are drawn: all of a few; a choice where there are more than colours, or parts of tables."""
    wanted = {*first, *(f"{name}, {engine}" for name in first for engine in ENGINE_NAMES)}
    begin = ([label for label in known if label in wanted] or list(known))[:MOST_LINES]
    if len(known) <= MOST_LINES and len(begin) == len(known):
        return None
    chosen: list[str] = st.multiselect(
        "Lines", known, default=begin, max_selections=MOST_LINES, key=f"{key} drawn {len(known)}"
    )
    return chosen


def show_sizes(study: Study, found: Exploration, simulation: Simulation, measure: Measure) -> None:
    """Draw how much of a public table it takes, where several shares were played."""
    known = sizes(study, found)
    if not known or not any(line.rounds for line in simulation.errors):
        return
    name = st.selectbox("Error against the share used of", list(known), key="simulation share of")
    plot_panel.show(size_plot(simulation, name, known[name], measure=measure), "error against share")


def beside(simulation: Simulation) -> None:
    """Say what has to be said of baselines: what a line means, and why one is missing."""
    for label, remark in baseline_remarks(simulation):
        st.caption(f"{label}: {plain(remark)}.")
    for one in not_run(simulation):
        epsilons = ", ".join(near(epsilon, 6) for epsilon in one.epsilons)
        st.info(f"{one.label} did not run at ε = {epsilons}. {plain(one.reason)}", icon=":material/block:")


def verdicts(simulation: Simulation, measure: Measure, key: str) -> None:
    """Say where the table unchanged does as well, and which ε an error takes."""
    for pool, other in expected_pools(simulation, measure):
        st.info(expected_pool_words(pool, other), icon=":material/join_inner:")
    for found in not_beaten(simulation, measure):
        st.warning(not_beaten_words(found), icon=":material/balance:")
    wanted = st.number_input(
        "A maximum error that would be good enough",
        0.0001,
        1.0,
        value=0.05,
        step=0.01,
        format="%.4f",
        key=f"{key} wanted",
    )
    lines = [f"- {reach_words(one, wanted)}" for one in reach(simulation, wanted)]
    st.markdown("\n".join(lines))


def share(study: Study, found: Exploration, chosen: ChosenFigure) -> None:
    """Offer the figure as a file of its own."""
    title = "Error against ε, by simulation"
    notes = (
        described(study, found.truth, found.terms),
        "A public table played the private one. Noisy floors, where drawn, are differentially private releases.",
        f"Workload of {study.workload().queries:,} queries; n = {study.population.n:,}.",
        *chosen.notes,
    )
    st.download_button(
        "Download as a web page",
        data=lambda: figures.self_contained(chosen.plot, title=title, notes=notes),
        file_name="error-against-epsilon.html",
        mime="text/html",
        on_click="ignore",
        icon=":material/ios_share:",
        help="One file that opens without a network. The camera at the figure's corner saves a PNG.",
    )


def sweep_panel(study: Study, floors: Sequence[Assessed]) -> Exploration | None:
    """Draw everything about simulations on public tables, and return the one that is looked at."""
    follow_choice()
    found = sweep_of_the_page(study)
    simulation = finished_part(study, found)
    if simulation is None and not floors:
        return found
    whole = [] if found is None else [named[max(named)] for named in sizes(study, found).values()]
    ask = None if found is None else partial(ask_for_bounds, study, found, key="simulation")
    chosen = chosen_errors(simulation, floors, "simulation", first=whole, ask=ask, drawing=figures.drawn_once)
    plot_panel.show(chosen.plot, "error against epsilon")
    if simulation is not None and found is not None:
        show_sizes(study, found, simulation, chosen.measure)
        beside(simulation)
        verdicts(simulation, chosen.measure, "simulation")
        share(study, found, chosen)
    return found
