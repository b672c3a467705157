"""Operator: how the server runs, whose its populations are, who loaded what; for a session of that role alone."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.operating.operators import refuse_others
from pmwpub.ui import end, enter, entitled, refusals, service
from pmwpub.ui.app.state import viewers_only
from pmwpub.ui.operator.loads_panel import loads_panel
from pmwpub.ui.operator.people_panel import people_panel
from pmwpub.ui.operator.populations_panel import populations_panel
from pmwpub.ui.operator.server_panels import health_panel, jobs_panel, limits_panel

session = enter("pages/operators.py")
entitled("Operator")
if session.presenting and not viewers_only():
    st.info("The stakeholder view shows nothing of the server. Turn it off to see this page.")
    end()
with refusals():
    refuse_others(service())
    st.caption("You are trusted with all that this server holds. No row, count or noise-free number is on this page.")
    st.button("Look again", icon=":material/refresh:")
    health_panel()
    jobs_panel()
    populations_panel()
    loads_panel()
    people_panel()
    limits_panel()
