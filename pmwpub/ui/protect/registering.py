"""The form that registers a population."""

from __future__ import annotations

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.service import Population
from pmwpub.service.terms import ROWS_ALLOWED, delta_of, warnings_of
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session, go
from pmwpub.ui.widgets import agreeing, number_fields
from pmwpub.ui.wording.written import plain

FORM = "register"
ROWS, MOST = "n, the rows of the private table", "k, the most rows that one person may own"
UNTIL = "Nothing is registered until it is put right."


def register_panel(session: Session) -> None:
    """Draw the form that fixes a population's terms; those that warn of something are taken once that was ticked."""
    with panel("Register a population", Badge.PUBLIC), st.form(FORM, enter_to_submit=False, border=False):
        st.caption(
            "A population is the people whose data one budget protects. Terms can be corrected until the first charge; "
            "from then on n, k and δ are fixed."
        )
        left, right = st.columns(2)
        name = left.text_input("Name", placeholder="health-survey-2026")
        unit = right.text_input("Who is protected", value="one person")
        rows = left.text_input(ROWS, value="10000")
        most = right.text_input(MOST, value="1")
        epsilon = left.text_input("Total ε", value="1")
        delta = right.text_input("δ (empty: 1/n²)", value="")
        above = st.container()
        if st.form_submit_button("Register", key="register population"):
            with above:
                _register(session, name, unit, rows, most, epsilon, delta)
        with above:
            agreeing.ask(FORM)


def _register(session: Session, name: str, unit: str, rows: str, most: str, epsilon: str, delta: str) -> None:
    """Register what was typed and go to its data, or say on this run why not."""
    try:
        n = number_fields.as_whole(rows, ROWS, *ROWS_ALLOWED, so=UNTIL)
        k = number_fields.as_whole(most, MOST, *ROWS_ALLOWED, so=UNTIL)
        terms = Population(name, n, k, unit, epsilon, delta_of(delta, n))  # type: ignore[arg-type]
        if not agreeing.agreed(FORM, warnings_of(terms)):
            return
        service().ledger.register(terms)
    except PmwPubError as refusal:
        agreeing.forget(FORM)
        st.error(plain(str(refusal)), icon=":material/block:")
        return
    session.open(terms.name)
    go("pages/prepare.py")
