"""The populations that the store holds, to be opened."""

from __future__ import annotations

import streamlit as st

from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session, go


def stored_panel(session: Session) -> None:
    """Offer the populations that the store holds, the newest first, to be opened."""
    with refusals():
        stored = [population.name for population in reversed(service().ledger.populations())]
        if stored:
            with panel("Open a stored population", Badge.PUBLIC):
                chosen = st.selectbox("Population", stored)
                if st.button("Open"):
                    session.open(chosen)
                    go("pages/prepare.py")
