"""Release: choose a candidate and ε, see the price, run PMW^Pub or table fit."""

from __future__ import annotations

import streamlit as st

from pmwpub.plans import UnchangedPlan
from pmwpub.service.bought import assessments, releases
from pmwpub.service.purchases import purchase_of
from pmwpub.ui import Badge, end, enter, link, need, opened, panel, refusals, service
from pmwpub.ui.hand_over.chosen_release import chosen, listed, show
from pmwpub.ui.households.household_pages import release_households_page
from pmwpub.ui.release.plan_form import bought_floors, in_words, plan_form
from pmwpub.ui.release.publishing import publishing_form
from pmwpub.ui.release.under_way import outcome_panel
from pmwpub.ui.release.weight_total_panel import weight_total_panel
from pmwpub.ui.widgets.price_form import purchase_form

session = enter("pages/release.py")
study = opened("Release")
if study.of_households:
    release_households_page(session, study)
    end()
released = releases.releases(service(), study)
private, closed = session.buyer(study), study.closed is not None
ready = bool(study.usable) and study.choice is not None
if private is None and not closed and not session.presenting:
    st.info("Only a session that holds the private table can buy a release.")
    link("pages/prepare.py", "Load the private table")
weight_total_panel(session, study)
if private is not None and ready:
    with panel("A new release", Badge.DP), refusals():
        plan, advice = plan_form(study, private, bought_floors(study, assessments.assessments(service(), study)))
        if isinstance(plan, UnchangedPlan):
            publishing_form(study, private, plan, advice)
        else:
            wanted, words = [purchase_of(plan)], in_words(study, plan)
            bought = purchase_form(session, study, private, wanted, words, place="release", label="Buy this release")
            if bought:
                show(study, bought[0].booking.id)
shown = chosen(released)
if shown is not None:
    outcome_panel(session, study, shown)
with panel("Releases of this population", Badge.DP):
    listed(released)
need(closed or study.usable, "A new release needs public candidates that fit the schema.", "pages/prepare.py")
need(closed or study.choice, "A new release needs a workload.", "pages/prepare.py")
