"""Signing in and out, and what the sidebar says of the person."""

from __future__ import annotations

import streamlit as st

from pmwpub.accounts.people import Actor, Role
from pmwpub.service import Mode
from pmwpub.ui.app.services import policy, service
from pmwpub.ui.app.signing_in import DEFAULT, providers, visitor
from pmwpub.ui.app.state import leave
from pmwpub.ui.server.leaving import attend
from pmwpub.ui.wording.written import plain

SIGN_IN = "Sign in"
NOBODY = "This server has accounts: sign in to see the populations that you are a member of."
NO_ROLE = (
    "You are signed in, and have no role on this server. Whoever runs it maps roles from your account; sign in again "
    "once yours is changed."
)
SINGLE = "Single user: this server has no accounts, and takes everybody who reaches it for one person."
SHARED = "This server has no accounts: a session is a population's steward while it holds its private table."
IN_WORDS = {
    Role.OPERATOR: "operator: trusted with all that this server holds",
    Role.STEWARD: "steward",
    Role.VIEWER: "viewer",
}


def let_in() -> None:
    """End this run for whoever is nobody here, before a word of any population is drawn; the first call of app.py."""
    attend()
    if policy().accounts is None or service().ledger.admit() is not None:
        return
    leave()
    st.title("pmwpub", anchor=False)
    acting = visitor(policy().accounts)
    if acting is not None and acting.sign_in is not None and service().ledger.is_open(acting.sign_in):
        st.info(NO_ROLE)
        st.button("Sign out", on_click=st.logout)
    else:
        st.info(NOBODY)
        for name in providers():
            label = SIGN_IN if name == DEFAULT else f"{SIGN_IN} with {plain(name)}"
            st.button(label, on_click=st.login, args=() if name == DEFAULT else (name,), key=f"sign in {name}")
    st.stop()


def person_part() -> None:
    """Say who is signed in, with a button that ends it; or that there are no accounts."""
    rules = policy()
    if rules.accounts is None:
        st.caption(SINGLE if rules.mode is Mode.SINGLE_USER else SHARED)
        return
    actor: Actor | None = service().ledger.admit()
    if actor is not None:
        st.caption(f"**{plain(actor.account.shown)}**, {IN_WORDS[actor.role]}")
        st.button("Sign out", on_click=st.logout, width="stretch")
