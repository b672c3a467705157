"""Loads of a population's table, for its owner: a server with accounts alone keeps and tells them."""

from __future__ import annotations

import streamlit as st

from pmwpub.rounding import moment
from pmwpub.service import Study
from pmwpub.service.operating.table_loads import own_loads
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.widgets.at_any_width import table_at_any_width


def own_loads_panel(session: Session, study: Study) -> None:
    """List the loads, and which of the owner's other populations the very same table stands under; else nothing."""
    if session.presenting or not (found := own_loads(service(), study.population.name)):
        return
    with panel("Loads of the private table", Badge.PRIVATE):
        st.caption("You own this population. Of others, those that you own too are named, and no more.")
        if any(one.elsewhere for one in found):
            st.warning("What leaves of the people of a table adds up over all populations that it stands under.")
        listed = {
            "time": [moment(one.time) for one in found],
            "charged under": [", ".join(one.charged_under) for one in found],
            "also loaded under": [", ".join(one.loaded_under) for one in found],
        }
        alt = "Each recorded load of this population's table, the newest first."
        table_at_any_width(listed, short=listed, key="loads", alt=alt)
