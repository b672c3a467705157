"""Compare: error against ε of releases of households, by simulation on public ones."""

from __future__ import annotations

import streamlit as st

from pmwpub import figures
from pmwpub.service import Study
from pmwpub.service.endings import in_words
from pmwpub.service.households.household_rules import HouseholdSchema
from pmwpub.service.simulations.error_figure import error_plot
from pmwpub.service.simulations.findings import not_beaten
from pmwpub.service.simulations.households.household_explorations import (
    HouseholdExploration,
    HouseholdSimulation,
    HouseholdTerms,
    explore_households,
    household_exploration,
    takes_no_households,
)
from pmwpub.service.simulations.households.household_truths import LEVEL_WHOLES, LEVEL_WORDS
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import viewers_only
from pmwpub.ui.compare.sweep_panel import NOTHING_BEGINS
from pmwpub.ui.widgets import plot_panel
from pmwpub.ui.widgets.watching import Waiting, watch
from pmwpub.ui.wording.simulation_verdicts import not_beaten_words
from pmwpub.ui.wording.written import plain

PLAYED = (
    "A simulation: the households of one public table play the private ones, and the others are released, whole and "
    "weighed, or as they are."
)
FREE = "Free: it uses public tables only."


def household_errors(study: Study, schema: HouseholdSchema) -> None:
    """Draw the panel: who plays the private households, and what a simulation found; begin one where there is none."""
    with panel("Error against ε, by simulation", Badge.PUBLIC), refusals():
        names = {facts.sha256: facts.name for facts in study.usable}
        if not names or study.choice is None:
            st.info("A simulation needs a public table and a workload; the Prepare page has both.")
            return
        st.markdown(PLAYED)
        truth = st.selectbox("Who plays the private households", list(names), format_func=names.__getitem__)
        terms = HouseholdTerms(truth)
        found = household_exploration(service(), study, schema, terms)
        if found.simulation is not None:
            _show(found.simulation, names[truth])
        else:
            _begin(study, schema, terms, found)


def _begin(study: Study, schema: HouseholdSchema, terms: HouseholdTerms, found: HouseholdExploration) -> None:
    if found.job is not None:
        watch([Waiting(found.job.key, "Simulation")], "run", charged=False)
        return
    if found.reason is not None:
        st.error(plain(in_words(found.reason, charged=False)), icon=":material/error:")
    if viewers_only():
        st.info(NOTHING_BEGINS)
    elif st.button("Simulate", type="primary", help=FREE):
        explore_households(service(), study, schema, terms)
        st.rerun()


def _show(simulation: HouseholdSimulation, truth: str) -> None:
    level = st.radio("Errors of", list(LEVEL_WORDS), format_func=LEVEL_WORDS.__getitem__, key="household level")
    own = simulation.levels[level]
    if own.floors:
        st.caption("In the shaded region no mixture of public households has an error, whatever ε.")
    plot_panel.show(
        error_plot(own, truth=truth, whole=LEVEL_WHOLES[level], drawing=figures.drawn_once), f"error of {level}"
    )
    with st.expander("What the simulation says"):
        for one in not_beaten(own):
            st.warning(not_beaten_words(one), icon=":material/balance:")
        if words := takes_no_households(simulation):
            st.caption(plain(words))
