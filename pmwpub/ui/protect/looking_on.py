"""What the first page says to whoever only looks on, and the way out of that, where there is one."""

from __future__ import annotations

import streamlit as st

from pmwpub.ui.app.services import policy, service
from pmwpub.ui.app.state import Session, go, viewers_only

PRESENTED = "The stakeholder view opens what is stored."
LOOKS_ON = "You see the populations that you are a member of, and what is released of them."


def looking_on(session: Session) -> None:
    """Say what may be done here in the stakeholder view; a steward who looks at others' population may close it."""
    if not viewers_only():
        st.info(f"{PRESENTED} Turn it off to open the demo or to register a population.")
    elif policy().viewers_only:
        st.info(PRESENTED)
    else:
        st.info(LOOKS_ON)
        if session.population is not None and service().ledger.may_register() and st.button("Close this population"):
            st.query_params.clear()
            session.open(None)
            go(session.page)
