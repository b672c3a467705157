"""Candidates: what is known for free, the price of a noisy best-mixture error for each, and what was bought."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.bought import assessments, best_candidate
from pmwpub.ui import Badge, enter, link, need, opened, panel, refusals, service
from pmwpub.ui.compare.assessment_form import purchase
from pmwpub.ui.compare.bought_assessments import results_panel
from pmwpub.ui.compare.free_facts import known_panel
from pmwpub.ui.compare.pools import made, offered

session = enter("pages/candidates.py")
study = opened("Candidates")
st.markdown(
    "The **best-mixture error** of a public table is the error that would remain if it were reweighted perfectly. "
    "No ε gets below it: a table with a high one must be replaced, not paid for."
)
private = session.steward(study)
bought, choices = assessments.assessments(service(), study), best_candidate.choices(service(), study)
if bought or choices:
    with refusals():
        results_panel(study, bought, choices, steward=private is not None)
need(study.usable, "Add public candidates that fit the schema first.", "pages/data.py")
need(study.choice, "Choose a workload first.", "pages/workload.py")
known_panel(study, made(study))

if private is not None:
    with panel("Buy noisy floors and starts", Badge.DP), refusals():
        purchase(session, study, private, offered(study, [one.candidates for one in bought]))
elif not session.presenting:
    st.info("Only a session that holds the private table can buy assessments.")
    link("pages/data.py", "Load the private table")
