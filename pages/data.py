"""Data: the terms, the public candidates, the schema, and the private table of this session."""

from __future__ import annotations

import streamlit as st

from pmwpub.session import enter, link, opened
from pmwpub.session.schemas import schema_panel
from pmwpub.session.terms import terms_panel
from pmwpub.session.uploads import candidates_panel, private_panel

session = enter("pages/data.py")
study = opened("Data")
changeable = session.steward(study) is not None or study.balance.spent.units == 0
if not changeable:
    st.info("Charges were made on these tables: they can be changed once this session holds the private table.")
terms_panel(study.population)
candidates_panel(session, study, changeable=changeable)
schema_panel(session, study, changeable=changeable)
private_panel(session, study)
if session.steward(study) is not None:
    link("pages/workload.py", "Next: choose the workload")
