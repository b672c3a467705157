"""Data: the terms, the public candidates, the schema, and the private table of this session."""

from __future__ import annotations

import streamlit as st

from pmwpub.ui import enter, link, opened
from pmwpub.ui.prepare.misfit_panel import misfit_panel
from pmwpub.ui.prepare.private_upload import private_panel
from pmwpub.ui.prepare.schema_panel import schema_panel
from pmwpub.ui.prepare.uploads import candidates_panel
from pmwpub.ui.protect.population_terms import terms_panel
from pmwpub.ui.widgets.private_panel import unmapped_panel

session = enter("pages/data.py")
study = opened("Data")
changeable = session.may_change(study)
if not changeable and not session.presenting:
    st.info("Charges were made on these tables: they can be changed once this session holds the private table.")
terms_panel(session, study)
candidates_panel(session, study, changeable=changeable)
schema_panel(session, study, changeable=changeable)
private_panel(session, study)
unmapped_panel(session, study)
misfit_panel(session, study)
if session.steward(study) is not None:
    link("pages/workload.py", "Next: choose the workload")
