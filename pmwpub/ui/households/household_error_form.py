"""The charged noisy error of a release of households: its price, and what was bought, in both units."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from pmwpub.errors import PlanError
from pmwpub.rounding import in_percent, near
from pmwpub.service import PlanKey, Study
from pmwpub.service.households.bought_questions import bars_of_households, errors_of_households
from pmwpub.service.households.household_loading import HouseholdTable
from pmwpub.service.households.household_questions import HouseholdError, household_error_plan
from pmwpub.service.purchases import purchase_of
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.frame import refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.households.household_plan_form import LOAD_AGAIN
from pmwpub.ui.widgets import number_fields
from pmwpub.ui.widgets.price_form import purchase_form
from pmwpub.ui.widgets.what_became import has_result, show_remarks
from pmwpub.ui.wording.written import exact

WHAT = "Noisy largest error"


def household_errors_part(session: Session, study: Study, release: PlanKey) -> None:
    """Show what was bought of a release's error, for everybody, and the form that buys it, for the steward."""
    steward, name = session.steward(study) is not None, study.population.name
    for plan, outcome, found in errors_of_households(service(), name, release):
        epsilon = exact(plan.exact_epsilon)
        title = f"**{WHAT}**, ε = {epsilon}"
        if has_result(outcome, WHAT, title, steward=steward) and found is not None:
            _shown_error(found, epsilon)
    if (buyer := session.buyer(study)) is not None:
        with st.expander("Buy the noisy largest error of this release"), refusals():
            _buy_error(session, study, buyer, release)


def _shown_error(found: HouseholdError, epsilon: str) -> None:
    share, persons = found.households, found.persons
    st.info(
        f"{WHAT} on the private table: of households **{in_percent(share.estimate, 3)}**, between "
        f"{in_percent(share.low, 3)} and {in_percent(share.high, 3)}; of persons **{near(persons.estimate)} per "
        f"household**, between {near(persons.low)} and {near(persons.high)} ({share.confidence:.0%} confidence), "
        f"bought for ε = {epsilon} (pure).",
        icon=":material/straighten:",
    )
    show_remarks(found.remarks)


def _buy_error(session: Session, study: Study, private: object, release: PlanKey) -> None:
    if not isinstance(private, HouseholdTable):
        raise PlanError(LOAD_AGAIN)
    st.markdown(
        "The largest error over all queries of persons and of households, with noise: a charge of its own. A release "
        "can be used without it."
    )
    name, key = study.population.name, widget_keys.error_epsilon(release.plan_sha256, release.repeat)
    epsilon = number_fields.number(st, "ε of the noisy error (pure)", "0.05", "0.001", "10", key=key)
    plan = household_error_plan(service(), name, release, epsilon=epsilon, private=private)
    say_bars(bars_of_households(plan), plan.largest)
    buys = (
        f"the noisy largest error of draw {release.repeat + 1} of this plan, at ε = {exact(plan.exact_epsilon)} (pure)"
    )
    wanted, place = [purchase_of(plan)], f"error of {release}"
    if purchase_form(session, study, private, wanted, buys, place=place, label="Buy this error"):
        st.rerun()


def say_bars(bars: dict[str, Fraction], largest: int) -> None:
    """The error bars that a plan buys, in both units, said before the price; errors are shares of 0 to 1."""
    named = {part if len(bars) > 1 else "error": bar for part, bar in bars.items()}
    said = ", ".join(
        f"{part} **± {in_percent(bar)} of households (± {near(largest * bar)} persons per household)**"
        for part, bar in named.items()
    )
    st.markdown(f"Error bar (95 %): {said}.")
    if any(bar >= 1 for bar in bars.values()):
        st.warning("At this ε noise hides any error. Take a larger ε.")
