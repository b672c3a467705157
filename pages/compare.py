"""Compare: what was bought of the candidates, what is known for free, and error against ε with the rest shaded."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.bought import assessments, best_candidate
from pmwpub.ui import Badge, enter, link, need, opened, panel, refusals, service
from pmwpub.ui.compare.assessment_form import purchase
from pmwpub.ui.compare.bought_assessments import results_panel
from pmwpub.ui.compare.free_facts import known_panel
from pmwpub.ui.compare.pools import made, offered
from pmwpub.ui.compare.simulated_errors import simulated_panel
from pmwpub.ui.compare.tuning_panel import tuning_form

session = enter("pages/compare.py")
study = opened("Compare")
st.markdown(
    "The **best-mixture error** of a public table is the error that would remain if it were reweighted perfectly. "
    "No ε gets below it: a table with a high one must be replaced, not paid for."
)
private = session.steward(study)
bought, choices = assessments.assessments(service(), study), best_candidate.choices(service(), study)
if bought or choices:
    with refusals():
        results_panel(study, bought, choices, steward=private is not None)
need(study.usable, "Add public candidates that fit the schema first.", "pages/prepare.py")
need(study.choice, "Choose a workload first.", "pages/prepare.py")
if private is not None:
    with panel("Buy noisy floors and starts", Badge.DP), refusals():
        purchase(session, study, private, offered(study, [one.candidates for one in bought]))
elif not session.presenting:
    st.info("Only a session that holds the private table can buy assessments.")
    link("pages/prepare.py", "Load the private table")
simulated_panel(session, study, bought)
known_panel(study, made(study))
if len(study.usable) > 1:
    with panel("Rounds, selection and output from a public pair", Badge.PUBLIC), refusals():
        tuning_form(study)
