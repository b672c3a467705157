"""The form that registers a population."""

from __future__ import annotations

import streamlit as st

from pmwpub.errors import PlanError, PmwPubError
from pmwpub.service import Population
from pmwpub.service.terms import PERSONS_ALLOWED, ROWS_ALLOWED, delta_of, unit_of, warnings_of
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session, go
from pmwpub.ui.households import unit_choice
from pmwpub.ui.households.unit_choice import HOMES, LARGEST
from pmwpub.ui.widgets import agreeing, number_fields
from pmwpub.ui.wording.written import plain

FORM = "register"
ROWS, MOST = "n, the rows of the private table", "k, the most rows that one person may own"
UNTIL = "Nothing is registered until it is put right."


def register_panel(session: Session) -> None:
    """Draw the form that fixes a population's terms; those that warn of something are taken once that was ticked."""
    with panel("Register a population", Badge.PUBLIC):
        st.caption(
            "A population is the people whose data one budget protects. Terms can be corrected until the first charge; "
            "from then on n, k (or H) and δ are fixed."
        )
        homes = unit_choice.protects_homes()  # outside the form, for the fields follow from it
        with st.form(FORM, enter_to_submit=False, border=False):
            _fields(session, homes=homes)


def _fields(session: Session, *, homes: bool) -> None:
    """Draw the fields of a population of persons, or of households, and its button."""
    left, right = st.columns(2)
    name = left.text_input("Name", placeholder="e.g. health-survey-2026")
    if homes:
        rows, unit = left.text_input(HOMES, placeholder="e.g. 10000"), None
        most = left.text_input(LARGEST, placeholder="e.g. 6")
    else:
        unit = right.text_input("Who is protected", value="one person")
        rows, most = left.text_input(ROWS, value="10000"), right.text_input(MOST, value="1")
    epsilon = (right if homes else left).text_input("Total ε", value="1")
    delta = right.text_input("δ (empty: 1/n²)", value="")
    above = st.container()
    if st.form_submit_button("Register", key="register population"):
        with above:
            _register(session, name, unit, rows, most, epsilon, delta)
    with above:
        agreeing.ask(FORM)


def _register(session: Session, name: str, unit: str | None, rows: str, most: str, epsilon: str, delta: str) -> None:
    """Register what was typed and go to its data, or say on this run why not.

    unit  who is protected, in words; None for whole households
    """
    try:
        n = number_fields.as_whole(rows, HOMES if unit is None else ROWS, *ROWS_ALLOWED, so=UNTIL)
        if unit is None:
            k = number_fields.as_whole(most, LARGEST, *PERSONS_ALLOWED, so=UNTIL)
        else:
            k = number_fields.as_whole(most, MOST, *ROWS_ALLOWED, so=UNTIL)
        if unit is not None and unit.strip().casefold() == "household":
            raise PlanError(unit_choice.SAID_IN_WORDS)
        unit = unit_of(n, k) if unit is None else unit
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
