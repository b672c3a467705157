"""Protect: the terms of the open population; the demo in one click, another population, one that is stored."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.inputs.demo import HOMES, STATES, SURVEY, open_demo
from pmwpub.ui import Badge, enter, go, panel, refusals, service
from pmwpub.ui.app.frame import opened_if_any
from pmwpub.ui.protect.looking_on import looking_on
from pmwpub.ui.protect.members_panel import members_panel
from pmwpub.ui.protect.population_terms import terms_panel
from pmwpub.ui.protect.registering import register_panel
from pmwpub.ui.protect.stored_populations import stored_panel

STATES_WORDS = "Persons of four states. Each row counts as one, and what is protected is one person."
SURVEY_WORDS = (
    "Surveys of the same states: homes were drawn with known chances, and each person counts as the weight that "
    "follows from them. What is protected is one person."
)
HOMES_WORDS = (
    "The same surveys without weights. What is protected is a whole household, whose number of persons is private."
)
DEMOS = (
    ("Open the demo", STATES, ":material/play_arrow:", STATES_WORDS),
    ("Open a survey with weights", SURVEY, ":material/scale:", SURVEY_WORDS),
    ("Open a survey of households", HOMES, ":material/home:", HOMES_WORDS),
)

session = enter("pages/protect.py")
study = opened_if_any("Protect")
if study is not None:
    terms_panel(session, study)
    members_panel(session, study)
else:
    st.markdown(
        "You hold a private table and some public ones about similar people. pmwpub tells you, under differential "
        "privacy, **which public table can help and which never will**, and makes a synthetic table with a "
        "certificate. A ledger keeps the total that ever leaves within the (ε, δ) that you set."
    )

if session.presenting:
    looking_on(session)
    stored_panel(session)
    st.stop()

with panel("See it work", Badge.PUBLIC):
    fresh = "" if study is None else " Each click opens a fresh population with a budget of its own."
    st.markdown(f"Generated tables: state A plays the private one, three others are public.{fresh}")
    if study is None:
        st.markdown("\n".join(f"- **{sample.title}**: {sample.words}." for _, sample, _, _ in DEMOS))
    with st.container(horizontal=True):
        pressed = [
            sample
            for label, sample, icon, words in DEMOS
            if st.button(label, type="primary" if sample == STATES else "secondary", icon=icon, help=words)
        ]
    for sample in pressed:
        with refusals(), st.spinner("Reading four tables…"):
            name, private = open_demo(service(), sample)
            session.open(name)
            session.hold(private)
            said = f"Loaded: {sample.words}. State A is the private table; three candidates, a workload."
            session.tell("success", said)
            go("pages/compare.py")

register_panel(session)
stored_panel(session)
