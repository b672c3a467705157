"""Compare, Release and Hand over of a population whose unit is a household."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.households.household_releases import household_releases
from pmwpub.service.purchases import purchase_of
from pmwpub.ui.app.frame import Badge, link, need, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.hand_over.chosen_release import chosen, latest, listed, show
from pmwpub.ui.households.household_plan_form import household_plan_form
from pmwpub.ui.households.household_results import released_panel
from pmwpub.ui.households.rule_panel import public_table
from pmwpub.ui.households.simulated_households import household_errors
from pmwpub.ui.release.plan_form import in_words
from pmwpub.ui.release.under_way import outcome_panel
from pmwpub.ui.widgets.price_form import purchase_form

NOT_COMPARED = (
    "For a population of households this page sells nothing: noisy floors and starts, and the choice of the best "
    "candidate, are bought by pmwpub assess. What is known for free: how many whole households of each public table "
    "can be copied, and how far a simulated release is off."
)
NO_RULE = "Say first how rows make households."


def compare_households(session: Session, study: Study) -> None:
    """What is known of the public tables for free, and what is not sold."""
    with panel("Which table to use", Badge.PUBLIC), refusals():
        st.markdown(NOT_COMPARED)
        closed = study.closed is not None
        need(study.household, NO_RULE, "pages/prepare.py", closed=closed)
        public_table(study, study.household_schema())
        if not (closed or session.presenting):
            link("pages/release.py", "Choose a release")
    if study.household is not None:
        household_errors(study, study.household_schema())


def release_households_page(session: Session, study: Study) -> None:
    """Buy a release of households, and what became of the one that the address names."""
    released, private = household_releases(service(), study), session.buyer(study)
    closed = study.closed is not None
    if private is None and not closed and not session.presenting:
        st.info("Only a session that holds the private table can buy a release.")
        link("pages/prepare.py", "Load the private table")
    elif private is not None and study.choice is not None:
        with panel("A new release of households", Badge.DP), refusals():
            plan = household_plan_form(study, private)
            wanted, words = [purchase_of(plan)], in_words(study, plan)
            bought = purchase_form(session, study, private, wanted, words, place="release", label="Buy this release")
            if bought:
                show(study, bought[0].booking.id)
    shown = chosen(released)
    if shown is not None:
        outcome_panel(session, study, shown)
    with panel("Releases of this population", Badge.DP):
        listed(released)
    need(closed or study.household, "A new release needs to know how rows make households.", "pages/prepare.py")
    need(closed or study.choice, "A new release needs a workload.", "pages/prepare.py")


def hand_over_households(session: Session, study: Study) -> None:
    """The files of a release of households, and what it says."""
    released = household_releases(service(), study)
    if released:
        released_panel(session, study, chosen(released) or latest(released))
    with panel("Releases of this population", Badge.DP):
        listed(released)
    need(released, "What is handed over is a release.", "pages/release.py", closed=study.closed is not None)
