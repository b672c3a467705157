"""What the Release page does alike for persons and for whole households: who may buy, the purchase, its outcome."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.plans import AnyReleasePlan
from pmwpub.plans.household_round_plans import AnyHouseholdPlan
from pmwpub.service import PrivateTable, Study
from pmwpub.service.purchases import purchase_of
from pmwpub.ui.app.frame import Badge, link, panel
from pmwpub.ui.app.state import Session
from pmwpub.ui.hand_over.chosen_release import AnyReleased, chosen, listed, show
from pmwpub.ui.release.plan_form import in_words
from pmwpub.ui.release.under_way import outcome_panel
from pmwpub.ui.widgets.price_form import purchase_form


def release_buyer(session: Session, study: Study) -> PrivateTable | None:
    """The private table that a release is bought of; where this session lacks it, and one could be sold, say so."""
    private = session.buyer(study)
    if private is None and study.closed is None and not session.presenting:
        st.info("Only a session that holds the private table can buy a release.")
        link("pages/prepare.py", "Load the private table")
    return private


def buy_release(session: Session, study: Study, private: PrivateTable, plan: AnyReleasePlan | AnyHouseholdPlan) -> None:
    """The price of a plan and the button that buys it; what was bought is then the release that the address names."""
    wanted, words = [purchase_of(plan)], in_words(study, plan)
    bought = purchase_form(session, study, private, wanted, words, place="release", label="Buy this release")
    if bought:
        show(study, bought[0].booking.id)


def releases_panel(session: Session, study: Study, released: Sequence[AnyReleased]) -> None:
    """What became of the release that the address names, and the list of all."""
    shown = chosen(released)
    if shown is not None:
        outcome_panel(session, study, shown)
    with panel("Releases of this population", Badge.DP):
        listed(released)
