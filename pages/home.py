"""Home: the demo in one click, register a population, open a stored one."""

from __future__ import annotations

import streamlit as st

from pmwpub.ledger import Population
from pmwpub.ledger.model import MAX_ROWS
from pmwpub.service.demo import open_demo
from pmwpub.session import Badge, enter, entered, go, notices, panel, refusals, service
from pmwpub.session.accounts import stored_panel
from pmwpub.session.state import viewers_only
from pmwpub.session.terms import default_delta

ROWS, MOST = "n, the rows of the private table", "k, the most rows that one person may own"

session = enter("pages/home.py")
st.title("Release private data with the help of public data", anchor=False)
notices(session)
st.markdown(
    "You hold a private table and some public ones about similar people. pmwpub tells you, under differential "
    "privacy, **which public table can help and which never will**, and makes a synthetic table with a certificate. "
    "A ledger keeps the total that ever leaves within the (ε, δ) that you set."
)

if session.presenting:
    way_out = "" if viewers_only() else " Turn it off to open the demo or to register a population."
    st.info(f"The stakeholder view opens what is stored.{way_out}")
    stored_panel(session)
    st.stop()

with panel("See it work", Badge.PUBLIC):
    st.markdown(
        "Four generated tables: state A plays the private one; B, C and D are public candidates. Each click opens a "
        "fresh population with a budget of its own."
    )
    if st.button("Open the demo", type="primary", icon=":material/play_arrow:"):
        with refusals(), st.spinner("Reading four tables…"):
            name, private = open_demo(service())
            session.open(name)
            session.hold(private)
            session.tell("success", "The demo is loaded: state A as the private table, three candidates, a workload.")
            go("pages/candidates.py")

with panel("Register a population", Badge.PUBLIC), st.form("register", enter_to_submit=False, border=False):
    st.caption(
        "A population is the people whose data one budget protects. n, k and δ are fixed from the first charge on."
    )
    left, right = st.columns(2)
    name = left.text_input("Name", placeholder="health-survey-2026")
    unit = right.text_input("Who is protected", value="one person")
    rows = left.text_input(ROWS, value="10000")
    most = right.text_input(MOST, value="1")
    epsilon = left.text_input("Total ε", value="1")
    delta = right.text_input("δ (empty: 1/n²)", value="")
    if st.form_submit_button("Register", key="register population"):
        with refusals():
            n, k = entered.as_whole(rows, ROWS, 1, MAX_ROWS), entered.as_whole(most, MOST, 1, MAX_ROWS)
            terms = Population(name, n, k, unit, epsilon, delta or default_delta(n))
            service().ledger.register(terms)
            session.open(terms.name)
            go("pages/data.py")

stored_panel(session)
