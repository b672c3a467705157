"""Candidates: free facts, the price of a noisy best-mixture error for each, and what was bought."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import assessing
from pmwpub.session import Badge, enter, link, need, opened, panel, refusals, service
from pmwpub.session.buying import plans_form, results_panel
from pmwpub.session.known import known_panel
from pmwpub.session.spending import confirm, told

session = enter("pages/candidates.py")
study = opened("Candidates")
st.markdown(
    "The **best-mixture error** of a public table is the error that would remain if it were reweighted perfectly. "
    "No ε gets below it: a table with a high one must be replaced, not paid for."
)
need(study.usable, "Add public candidates that fit the schema first.", "pages/data.py")
need(study.choice, "Choose a workload first.", "pages/workload.py")

bought = assessing.assessments(service(), study)
if bought:
    results_panel(study, bought)
known_panel(study, [])

private = session.steward(study)
if private is None:
    st.info("Only a session that holds the private table can buy assessments.")
    link("pages/data.py", "Load the private table")
    st.stop()
with panel("Buy noisy floors and starts", Badge.DP), refusals():
    plans = plans_form(study)
    price = assessing.price(service(), study.population.name, plans)
    if confirm(price, key=" ".join(plan.sha256 for plan in plans), label="Buy these assessments"):
        if not price.affordable:
            assessing.refuse(price, len(plans))
        told(session, [assessing.assess(service(), private, plan, current=study) for plan in plans])
        st.rerun()
