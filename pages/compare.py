"""Compare: which candidate to use, what is known of each in a row, error against ε, and buying floors and starts."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.bought import assessments, best_candidate
from pmwpub.ui import Badge, end, enter, need, opened, panel, refusals, service
from pmwpub.ui.compare.assessment_form import purchase
from pmwpub.ui.compare.bought_assessments import other_workload, results_part, under_way
from pmwpub.ui.compare.free_facts import known_part
from pmwpub.ui.compare.overview import overview
from pmwpub.ui.compare.pools import made, offered
from pmwpub.ui.compare.simulated_errors import simulated_panel
from pmwpub.ui.compare.tuning_panel import tuning_form
from pmwpub.ui.households.household_pages import compare_households

session = enter("pages/compare.py")
study = opened("Compare")
if study.of_households:
    compare_households(session, study)
    end()
private, closed = session.buyer(study), study.closed is not None
bought, choices = assessments.assessments(service(), study), best_candidate.choices(service(), study)
need(study.usable or bought, "Add public candidates that fit the schema first.", "pages/prepare.py", closed=closed)
ready, chosen = bool(study.usable) and study.choice is not None, None
with panel("Which table to use", Badge.PUBLIC, *([Badge.DP] if bought or choices else [])), refusals():
    under_way(bought, choices, steward=session.steward(study) is not None)
    if ready:
        chosen = overview(study, bought)
    if words := other_workload(study, bought):
        st.info(words)
    if bought or choices:
        with st.expander("What was bought, number by number"):
            results_part(study, bought, choices)
need(study.usable, "Add public candidates that fit the schema first.", "pages/prepare.py", closed=closed)
need(study.choice, "Choose a workload first.", "pages/prepare.py", closed=closed)
if private is not None:
    with panel("The private table itself", Badge.DP), st.expander("Buy noisy floors and starts"), refusals():
        purchase(session, study, private, offered(study, [one.candidates for one in bought]))
elif not closed and not session.presenting:
    st.info("Only a session that holds the private table can buy assessments.")
simulated_panel(session, study, bought, None if chosen is None else chosen.pool)
with panel("More that is free", Badge.PUBLIC):
    with st.expander("The public tables against each other"):
        known_part(study, made(study))
    if len(study.usable) > 1:
        with st.expander("Rounds, selection and output from a public pair"), refusals():
            tuning_form(study)
