"""Who owns the open population and who is a member of it, and the owner's form for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pmwpub.accounts.people import Account, Role, Standing
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
            {
                "who": [one.account.shown for one in known],
                "subject": [one.account.short for one in known],
                "is": [str(one.standing) for one in known],
            },
            hide_index=True,
            width="stretch",
            alt="The owners and members of this population.",
        )
        if not service().ledger.owns(name):
            st.caption("Its owner enters members.")
            return
        _form(session, name, {one.account: one.standing for one in known})


def _form(session: Session, name: str, members: Mapping[Account, Standing]) -> None:
    """Enter one of the members, or of those who are found by a name: people choose their names, never their subject."""
    shown = st.text_input("E-mail or name, as shown when they sign in")
    found = service().ledger.find_people(name, shown) if shown.strip() else []
    if shown.strip() and not found:
        st.caption("Nobody who signed in here is shown so. Members sign in once before they are added.")
    standings = {one.account: _preset(one.role) for one in found} | dict(members)
    people = list(dict.fromkeys([*(one.account for one in found), *members]))
    left, right = st.columns(2)
    who = left.selectbox(
        "Person", people, None, format_func=lambda one: _told(one, people), placeholder="Choose, by the subject"
    )
    held = Standing.VIEWER if who is None else standings[who]
    key = "standing" if who is None else f"standing of {who.subject} {people.index(who)}"
    chosen = right.selectbox("is", list(AS), list(AS.values()).index(held), key=key)
    if st.button("Enter", key="enter member"):
        if who is None:
            st.error("Choose a person.", icon=":material/block:")
        else:
            _enter(session, name, who, AS[chosen])


def _preset(role: Role | None) -> Standing:
    """What somebody who is no member yet is entered as unless another is chosen: no more than the role is good for."""
    return Standing.STEWARD if role is not None and role.works else Standing.VIEWER


def _told(account: Account, among: Sequence[Account]) -> str:
    """The name with a subject that nobody else among some people is told by."""
    alike = [one for one in among if one.short == account.short]
    return f"{account.shown} ({account.short if len(alike) == 1 else f'{account.subject} of {account.issuer}'})"


def _enter(session: Session, name: str, account: Account, standing: Standing) -> None:
    try:
        entered = service().ledger.enter_member(name, account, standing)
    except PmwPubError as refusal:
        st.error(plain(str(refusal)), icon=":material/block:")
        return
    word = "no member any more" if standing is Standing.NONE else f"entered as {standing}"
    session.tell(
        "success",
        f"{plain(entered.account.shown)} ({plain(entered.account.short)}) is {word}, from the next action on.",
    )
    st.rerun()
