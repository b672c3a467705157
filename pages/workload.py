"""Workload: which marginals the release must answer; fixed before anything is spent."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.inputs import study_store
from pmwpub.ui import Badge, enter, link, need, opened, panel, refusals, service
from pmwpub.ui.prepare.workload_panel import choose, described, facts_table

session = enter("pages/workload.py")
study = opened("Workload")
need(study.schema, "A workload needs a schema.", "pages/data.py")
changeable = session.may_change(study)

with panel("The queries", Badge.PUBLIC):
    st.markdown(
        "A k-way marginal counts the rows for every combination of levels of k columns. The release is made to "
        "answer all cells of the chosen marginals; the largest error over them is what the app reports."
    )
    if study.choice is not None:
        st.markdown(f"Chosen: **{described(study.choice)}**.")
    if changeable:
        with refusals():
            choice = choose(study)
            if choice is not None:
                facts_table(study, choice)
            if choice is not None and choice == study.choice:
                st.caption("This is the workload in force.")
            elif choice is not None and st.button("Use this workload", type="primary"):
                study_store.choose_workload(service(), study.population.name, choice)
                session.tell("success", f"The workload is now {described(choice)}. Earlier results keep theirs.")
                st.rerun()
    elif study.choice is not None:
        facts_table(study, study.choice)
        who = "by the steward" if session.presenting else "once this session holds the private table"
        st.info(f"Charges were made with it: it can be changed {who}.")
if study.choice is not None:
    link("pages/candidates.py", "Next: assess the candidates")
