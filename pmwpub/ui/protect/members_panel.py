"""Who owns the open population and who is a member of it, and the owner's form for that."""

from __future__ import annotations

import streamlit as st

from pmwpub.accounts.people import Standing
from pmwpub.errors import PmwPubError
from pmwpub.service import Study
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import policy, service
from pmwpub.ui.app.state import Session
from pmwpub.ui.wording.written import plain

AS = {
    "a steward: works on it": Standing.STEWARD,
    "a viewer: sees what is released": Standing.VIEWER,
    "an owner: a steward who enters members": Standing.OWNER,
    "no member any more": Standing.NONE,
}


def members_panel(session: Session, study: Study) -> None:
    """List the members to those who work on the population; its owner changes them. Nothing without accounts."""
    name = study.population.name
    if policy().accounts is None or session.presenting:
        return
    with panel("Members", Badge.PUBLIC), refusals():
        known = service().ledger.members(name)
        st.dataframe(
            {"who": [one.account.shown for one in known], "is": [str(one.standing) for one in known]},
            hide_index=True,
            width="stretch",
            alt="The owners and members of this population.",
        )
        if not service().ledger.owns(name):
            st.caption("Its owner enters members.")
            return
        with st.form("members", enter_to_submit=False, border=False):
            left, right = st.columns(2)
            shown = left.text_input("E-mail or name, as shown when they sign in")
            chosen = right.selectbox("is", list(AS))
            if st.form_submit_button("Enter", key="enter member"):
                _enter(session, name, shown, AS[chosen])


def _enter(session: Session, name: str, shown: str, standing: Standing) -> None:
    try:
        entered = service().ledger.enter_member(name, shown, standing)
    except PmwPubError as refusal:
        st.error(plain(str(refusal)), icon=":material/block:")
        return
    word = "no member any more" if standing is Standing.NONE else f"entered as {standing}"
    session.tell("success", f"{plain(entered.account.shown)} is {word}, from the next action on.")
    st.rerun()
