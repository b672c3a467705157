"""Closing a population: retired here, in two steps, or moved by whoever runs the servers."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.moving.retirement import FINAL, refuse_strangers, retire
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.wording.written import plain

MOVING = (
    "To move it to another server with its budget and all that was bought, whoever runs the servers uses "
    "`pmwpub ledger export`; it is closed here by that."
)
SURE = "Retire this population for good"
AGAIN = "Nothing was changed yet. Type its name, and press again."


def closing_panel(session: Session, study: Study) -> None:
    """Offer to retire the open population to whoever may; say how it is moved."""
    name = study.population.name
    if study.closed is not None or session.presenting or not service().ledger.owns(name):
        return
    with panel("Moving and closing", Badge.PUBLIC), st.expander("Close this population"), refusals():
        st.caption(MOVING)
        refuse_strangers(service(), name, session.private)
        st.warning(FINAL)
        sure = st.checkbox(SURE, key=f"retire {name}")
        if not sure:
            return
        st.caption(AGAIN)
        typed = st.text_input("Its name", key=f"retired name {name}")
        if st.button("Retire it", disabled=typed.strip() != name):
            with refusals():
                closing = retire(service(), name, private=session.private, viewing=session.presenting)
                session.tell("success", plain(closing.words))
                st.rerun()
