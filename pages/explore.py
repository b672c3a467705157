"""Explore: error against ε with what no ε reaches shaded, and a release beside its public prior. All free."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.bought import assessments, releases
from pmwpub.service.simulations.sweep_range import SweepRange
from pmwpub.ui import Badge, enter, link, need, opened, panel, refusals, service
from pmwpub.ui.compare.private_sweep_panel import private_sweep_panel
from pmwpub.ui.compare.sweep_panel import sweep_panel
from pmwpub.ui.compare.tuning_panel import show_chosen, tuning_form
from pmwpub.ui.release.before_and_after import compare
from pmwpub.ui.widgets.private_panel import true_errors_panel, true_marginals_panel
from pmwpub.ui.wording import side_by_side

session = enter("pages/explore.py")
study = opened("Explore")
need(study.usable, "Add public candidates that fit the schema first.", "pages/data.py")
need(study.choice, "Choose a workload first.", "pages/workload.py")

floors = list(side_by_side.latest(assessments.assessments(service(), study), study).values())
found = None
with panel("Error against ε, by simulation", Badge.PUBLIC, *([Badge.DP] if floors else [])), refusals():
    st.markdown(
        "A public table plays the private one, so this costs nothing and everybody may see it. "
        "Below a table's floor there is no error to be had, **whatever ε**."
    )
    found = sweep_panel(study, floors)
    if floors:
        st.caption("The bands called noisy floors are DP releases on the private table, bought on the Candidates page.")
    show_chosen(study, found)
if len(study.usable) > 1:
    with panel("Rounds, selection and output from a public pair", Badge.PUBLIC), refusals():
        tuning_form(study)
link("pages/release.py", "Next: release")
private_sweep_panel(session, study, SweepRange() if found is None else found.terms)

done = [one for one in releases.releases(service(), study) if one.bundle is not None]
if done:
    with panel("A release beside its public table", Badge.DP):
        shown = compare(study, done)
    if shown is not None:
        true_errors_panel(session, study, shown)
        true_marginals_panel(session, study, shown)
