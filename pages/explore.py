"""Explore: error against ε with what no ε reaches shaded, and a release beside its public prior. All free."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import assessing, exploring, releasing
from pmwpub.session import Badge, enter, link, need, opened, panel, plots, refusals, service, views
from pmwpub.session.comparing import compare
from pmwpub.session.private_numbers import true_errors_panel, true_marginals_panel
from pmwpub.session.watching import Waiting, watch

session = enter("pages/explore.py")
study = opened("Explore")
need(study.usable, "Add public candidates that fit the schema first.", "pages/data.py")
need(study.choice, "Choose a workload first.", "pages/workload.py")

floors = list(views.latest(assessing.assessments(service(), study), study).values())
with panel("Error against ε, by simulation", Badge.PUBLIC, *([Badge.DP] if floors else [])), refusals():
    st.markdown(
        "A public table plays the private one, so this costs nothing and everybody may see it. "
        "Below a table's floor there is no error to be had, **whatever ε**."
    )
    names = exploring.truths(study)
    truth = st.selectbox("Who plays the truth", list(names), format_func=names.__getitem__)
    found = exploring.exploration(service(), study, truth)
    if found.simulation is None and found.job is None:
        if st.button("Simulate", type="primary", help="Free: it uses public tables only."):
            exploring.explore(service(), study, truth)
            st.rerun()
    elif found.job is not None:
        watch([Waiting(found.job.key, "Simulation")], "step", charged=False)
    if found.simulation is not None or floors:
        plots.show(views.error_plot(found.simulation, floors), "error against epsilon")
    if floors:
        st.caption("The bands called noisy floors are DP releases on the private table, bought on the Candidates page.")
link("pages/release.py", "Next: release")

done = [one for one in releasing.releases(service(), study) if one.bundle is not None]
if done:
    with panel("A release beside its public table", Badge.DP):
        shown = compare(study, done)
    if shown is not None:
        true_errors_panel(session, study, shown)
        true_marginals_panel(session, study, shown)
