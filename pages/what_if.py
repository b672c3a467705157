"""What if: what the theory promises, and what a bias in the public table does. Free; nothing private is touched."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.simulations.theorem_calculator import facts_of
from pmwpub.ui import Badge, enter, panel, refusals
from pmwpub.ui.app.frame import opened_if_any
from pmwpub.ui.what_if.bias_slider import bias_panel
from pmwpub.ui.what_if.calculators import accuracy_calculator, rows_calculator

session = enter("pages/what_if.py")
study = opened_if_any("What if")
facts = facts_of(study)
if study is not None and study.of_households:
    st.info("All on this page is of persons' rows one by one; it says nothing of a release of households.")
bias_panel(study)
with panel("What does the theory promise?", Badge.PUBLIC), refusals():
    accuracy_calculator(facts)
with panel("How many rows suffice?", Badge.PUBLIC), refusals():
    tables = [] if study is None else [(one.name, one.rows) for one in study.usable]
    rows_calculator(facts.queries, facts.rows_per_person, facts.n, tables or [("a public table", facts.m)])
