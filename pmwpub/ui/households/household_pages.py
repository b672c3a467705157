"""Compare, Release and Hand over of a population whose unit is a household."""

from __future__ import annotations

import streamlit as st

from pmwpub.plans import HouseholdBestPlan
from pmwpub.rounding import near
from pmwpub.service import Study
from pmwpub.service.households.bought_questions import AskedOfTables, asked_of_tables
from pmwpub.service.households.household_questions import HouseholdError
from pmwpub.service.households.household_releases import household_releases
from pmwpub.ui.app.frame import Badge, link, need, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.hand_over.chosen_release import chosen, latest, listed
from pmwpub.ui.households.household_plan_form import household_plan_form
from pmwpub.ui.households.household_question_form import household_question_form
from pmwpub.ui.households.household_results import released_panel
from pmwpub.ui.households.rule_panel import public_table
from pmwpub.ui.households.simulated_households import household_errors
from pmwpub.ui.release.new_release import buy_release, release_buyer, releases_panel
from pmwpub.ui.widgets.what_became import has_result, show_remarks
from pmwpub.ui.wording.written import exact, plain

NOT_COMPARED = (
    "Known for free: how many whole households each public table has to be copied, and how far a simulated release is "
    "off. Bought, with noise: the error of a public table as it is (start) and of its best mixture (floor), or only "
    "which table is best."
)
BOUGHT_ERRORS = (
    "No share of households is off by more than the first number, no count of persons per household by more than the "
    "second; in brackets 95 % intervals."
)
NO_RULE = "Say first how rows make households."


def compare_households(session: Session, study: Study) -> None:
    """What is known of the public tables for free, what was bought, and the form that buys more."""
    with panel("Which table to use", Badge.PUBLIC), refusals():
        st.markdown(NOT_COMPARED)
        closed = study.closed is not None
        need(study.household, NO_RULE, "pages/prepare.py", closed=closed)
        public_table(study, study.household_schema())
        if not (closed or session.presenting):
            link("pages/release.py", "Choose a release")
    if study.household is not None:
        household_errors(study, study.household_schema())
    _bought(session, study)
    private = session.buyer(study)
    if private is not None and study.choice is not None:
        with panel("The private table itself", Badge.DP), st.expander("Buy noisy floors and starts"), refusals():
            household_question_form(session, study, private)
    elif private is None and not closed and not session.presenting:
        st.info("Only a session that holds the private table can buy floors and starts.")


def _bought(session: Session, study: Study) -> None:
    """Draw noisy errors and choices that were bought, for everybody; how far work is, for the steward."""
    asked = asked_of_tables(service(), study)
    if not asked:
        return
    with panel("Noisy errors that were bought", Badge.DP):
        finished = [one for one in asked if _is_done(session, study, one)]
        for one in finished:
            if one.chosen:
                epsilon = exact(one.plan.exact_epsilon)
                words = f"Best of {plain(one.offered)}: **{plain(one.chosen)}**, bought for ε = {epsilon} (pure)."
                st.success(f"{words} The choice is noisy.", icon=":material/trophy:")
        rows = [_told(one.offered, part, error) for one in finished for part, error in one.errors.items()]
        if rows:
            st.markdown(BOUGHT_ERRORS)
            st.dataframe(rows, hide_index=True, width="stretch")
        show_remarks(remark for one in finished for remark in one.remarks)


def _is_done(session: Session, study: Study, one: AskedOfTables) -> bool:
    """Whether there is a result; else it is said what became of it."""
    label = f"Best of {one.offered}" if isinstance(one.plan, HouseholdBestPlan) else one.offered
    title = f"**{plain(label)}**, ε = {exact(one.plan.exact_epsilon)}"
    return has_result(one.outcome, label, title, steward=session.steward(study) is not None)


def _told(name: str, part: str, error: HouseholdError) -> dict[str, object]:
    """A row of the table of bought errors."""
    share, persons = error.households, error.persons
    return {
        "candidate": name,
        "error": part,
        "share of households": f"{near(share.estimate)} ({near(share.low)} to {near(share.high)})",
        "persons per household": f"{near(persons.estimate)} ({near(persons.low)} to {near(persons.high)})",
    }


def release_households_page(session: Session, study: Study) -> None:
    """Buy a release of households, and what became of the one that the address names."""
    released, private = household_releases(service(), study), release_buyer(session, study)
    closed = study.closed is not None
    if private is not None and study.choice is not None:
        with panel("A new release of households", Badge.DP), refusals():
            buy_release(session, study, private, household_plan_form(study, private))
    releases_panel(session, study, released)
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
