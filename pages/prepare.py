"""Prepare: the public candidates, the schema, the private table of this session, and the workload."""

from __future__ import annotations

import streamlit as st

from pmwpub.ui import enter, opened
from pmwpub.ui.households.rule_panel import NO_LOOK, household_panel
from pmwpub.ui.prepare.misfit_panel import misfit_panel
from pmwpub.ui.prepare.private_upload import private_panel
from pmwpub.ui.prepare.rules_panel import rules_panel
from pmwpub.ui.prepare.schema_panel import schema_panel
from pmwpub.ui.prepare.uploads import candidates_panel
from pmwpub.ui.prepare.workload_panel import workload_panel
from pmwpub.ui.widgets.private_panel import unmapped_panel

session = enter("pages/prepare.py")
study = opened("Prepare")
changeable = session.may_change(study)
if not changeable and study.closed is None and not session.presenting:
    st.info("Charges were made on these tables: they can be changed once this session holds the private table.")
candidates_panel(session, study, changeable=changeable)
schema_panel(session, study, changeable=changeable)
if study.of_households:
    household_panel(session, study, changeable=changeable)
if not study.of_households or (study.schema is not None and study.schema.rules):
    rules_panel(session, study, changeable=changeable)
private_panel(session, study)
if study.of_households:
    st.caption(NO_LOOK)
elif study.schema is not None:
    with st.expander("Does the private table fit the schema?"):
        misfit_panel(session, study)
        unmapped_panel(session, study)
workload_panel(session, study)
