"""Simulations on the Compare page: begin one, watch it, take it up again, look at it, hand it on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial

import streamlit as st

from pmwpub import figures
from pmwpub.plans.weighing import shares_of_what
from pmwpub.service import Assessed, Study
from pmwpub.service.choosing.expected_pool import is_pool_sweep
from pmwpub.service.endings import in_words
from pmwpub.service.simulations import explorations
from pmwpub.service.simulations.error_figure import (
    error_plot,
    size_plot,
    sizes,
)
from pmwpub.service.simulations.explorations import Exploration
from pmwpub.service.simulations.findings import (
    Measure,
    Simulation,
)
from pmwpub.service.simulations.sweep_range import played, truths
from pmwpub.service.simulations.truths.played_truths import weighing_words
from pmwpub.service.simulations.validated_settings import is_tuning
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.deferring import at_download
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import current, viewers_only
from pmwpub.ui.compare.bound_lines import ask_for_bounds
from pmwpub.ui.compare.pools import Pool
from pmwpub.ui.compare.simulation_figures import ChosenFigures, beside, chosen_errors, verdicts
from pmwpub.ui.compare.sweep_form import ask_for_terms, ask_for_truth, described
from pmwpub.ui.widgets import plot_panel
from pmwpub.ui.widgets.watching import Waiting, watch
from pmwpub.ui.wording.written import plain

NEW = "new"
NOTHING_BEGINS = "This server is for viewers alone: it shows the simulations that were made, and begins none."


def sweep_of_the_page(study: Study, pool: Pool | None = None) -> Exploration | None:
    """Ask which simulation is looked at: one of those asked for, the latest first, or a new one, once it is begun.

    pool  the candidate that the page is about: the first look is at a simulation in which it takes part
    """
    asked = explorations.explorations(service(), study)
    known = {one.key: one for one in asked}
    if asked:
        new = {} if viewers_only() else {NEW: "A new one…"}
        labels = {one.key: described(study, one.truth, one.terms) for one in asked} | new
        first, choices = _with(asked, pool).key, current().choices
        shown = st.session_state.get(widget_keys.SIMULATION)
        if shown not in labels or shown == choices.followed:  # nobody chose it: it follows the candidate
            st.session_state[widget_keys.SIMULATION] = choices.followed = first
        chosen = st.selectbox("Simulation", list(labels), format_func=labels.__getitem__, key=widget_keys.SIMULATION)
        if chosen != NEW:
            found = known[chosen]
            _tend(study, found)
            return found
    if viewers_only():
        st.info(NOTHING_BEGINS)
        return None
    with nullcontext() if asked else st.expander("A simulation by your own choices"):
        _new(study)
    return None


def _with(asked: Sequence[Exploration], chosen: Pool | None) -> Exploration:
    """The latest simulation in which no table of a candidate plays the truth, else the latest; those that answer
    another question, tuning and a pool at one ε, come last."""
    tables = set(chosen or ())
    swept = [one for one in asked if not is_tuning(one.terms) and not is_pool_sweep(one.terms)] or asked
    return next((one for one in swept if one.truth not in tables), swept[0])


def _new(study: Study) -> None:
    """Draw the form that begins a simulation."""
    truth = ask_for_truth(study)
    terms = ask_for_terms(study, truth)
    st.caption(f"{terms.sweep.parts(len(played(study, truth, terms))):,} runs and floors in all.")
    if st.button("Simulate", type="primary", help="Free: it uses public tables only."):
        current().choices.simulation = explorations.explore(service(), study, truth, terms).key
        st.rerun()


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


def show_sizes(study: Study, found: Exploration, simulation: Simulation, measure: Measure) -> None:
    """Draw how much of a public table it takes, where several shares were played."""
    known = sizes(study, found)
    if not known or not any(line.rounds for line in simulation.errors):
        return
    name = st.selectbox("Error against the share used of", list(known), key="simulation share of")
    plot_panel.show(
        size_plot(simulation, name, known[name], measure=measure, whole=_whole(study)), "error against share"
    )


def _whole(study: Study) -> str:
    return shares_of_what(weighed=study.weighs_rows)


def share(study: Study, found: Exploration, chosen: ChosenFigures) -> None:
    """Offer the first figure as a file of its own."""
    title = "Error against ε, by simulation"
    notes = (
        described(study, found.truth, found.terms),
        f"{truths(study).get(found.truth, 'A public table')} played the private table. Noisy floors, where drawn, are "
        "differentially private releases.",
        f"Workload of {study.workload().queries:,} queries; n = {study.population.n:,}.",
        *filter(None, [weighing_words(study)]),
        *chosen.notes,
    )
    st.download_button(
        "Download as a web page",
        data=at_download(
            study.population.name, lambda: figures.self_contained(chosen.plots[0][1], title=title, notes=notes)
        ),
        file_name="error-against-epsilon.html",
        mime="text/html",
        on_click="ignore",
        icon=":material/ios_share:",
        help="One file that opens without a network. The camera at the figure's corner saves a PNG.",
    )


def sweep_panel(study: Study, floors: Sequence[Assessed], chosen: Pool | None = None) -> Exploration | None:
    """Draw everything about simulations on public tables, and return the one that is looked at.

    chosen  the candidate that the page is about, whose line and shade are drawn first; in the demo with those of the
            far state, which no epsilon helps
    """
    follow_choice()
    found = sweep_of_the_page(study, chosen)
    simulation = finished_part(study, found)
    if simulation is None or found is None:
        if floors:
            plot_panel.show(
                error_plot(None, floors, whole=_whole(study), drawing=figures.drawn_once), "noisy floors alone"
            )
        return found
    whole = [named[max(named)] for named in sizes(study, found).values()]
    first = whole or (
        [] if chosen is None else [study.known_names(chosen), *([study.sample.far_away] if study.demo else [])]
    )
    ask = partial(ask_for_bounds, study, found, key="simulation")
    truth = truths(study).get(found.truth, "another table")
    drawn = chosen_errors(
        simulation,
        floors,
        "simulation",
        truth=truth,
        first=first,
        ask=ask,
        whole=_whole(study),
        drawing=figures.drawn_once,
    )
    for table, plot in drawn.plots:
        plot_panel.show(plot, f"error against epsilon {table}".strip())
    with st.expander("What the simulation says, and the figure as a file"):
        if words := weighing_words(study):
            st.caption(plain(words))
        show_sizes(study, found, simulation, drawn.measure)
        beside(simulation)
        verdicts(simulation, drawn.measure)
        if drawn.plots:
            share(study, found, drawn)
    return found
