"""Simulated releases on the private table itself: for the steward, recorded, in this session's memory alone."""

from __future__ import annotations

import streamlit as st

from pmwpub.plans.weighing import shares_of_what
from pmwpub.service import Study
from pmwpub.service.simulations.sweep_range import SweepRange
from pmwpub.service.steward_only import recorded_numbers
from pmwpub.service.steward_only.private_sweeps import PrivateSweep, stop, sweep_private
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.compare.simulation_figures import beside, chosen_errors, verdicts
from pmwpub.ui.widgets import plot_panel
from pmwpub.ui.widgets.private_panel import CONFIRM, LATER
from pmwpub.ui.widgets.watching import Waiting, watch

KEY = "simulated on the private table"
EARLY = "The simulation ended early; what is finished is kept, and nothing was charged."
WHAT = (
    "The same sweep with the private table as the truth: exact errors of simulated releases, and certified floors. It "
    "never leaves this session: it is not stored, not shared, cannot be downloaded, and is gone after a refresh."
)


def private_sweep_panel(session: Session, study: Study, terms: SweepRange) -> None:
    """Draw the panel for the steward; nothing is drawn for anybody else."""
    private = session.steward(study)
    if private is None:
        return
    with panel("Error against ε on the private table itself", Badge.PRIVATE), refusals():
        found = session.seen.get(KEY)
        if isinstance(found, PrivateSweep):
            _show(session, study, found)
            return
        with st.expander("What that is, and how it is opened"):
            st.caption(WHAT)
            if not recorded_numbers.offered(service(), study.population.name):
                st.caption(LATER)
                return
            sure = st.checkbox(CONFIRM, key=f"confirm {KEY}")
            if st.button("Simulate on it, and record it", disabled=not sure):
                session.seen[KEY] = sweep_private(service(), private, study, terms)
                st.rerun()


def _show(session: Session, study: Study, found: PrivateSweep) -> None:
    job = service().engine.job(found.key)
    if job is not None and not job.over:
        watch([Waiting(found.key, "Simulation on the private table")], "run", charged=False)
    elif found.simulation is None:
        st.info(EARLY if found.reason is None else f"{EARLY} The sweep begins anew if it is opened again.")
    known = found.shown
    beside(known)
    if known.errors or known.floors:
        chosen = chosen_errors(known, (), KEY, truth="itself", whole=shares_of_what(weighed=study.weighs_rows))
        for table, plot in chosen.plots:
            plot_panel.show_private(plot, f"private error against epsilon {table}".strip())
        if known.errors:
            verdicts(known, chosen.measure)
    if st.button("Close", key=f"close {KEY}", help="The record stays; opening again is recorded again."):
        stop(service(), found)
        del session.seen[KEY]
        st.rerun()
