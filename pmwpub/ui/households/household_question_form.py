"""Buying noisy floors and starts of public tables of households, or only which of them is best."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.errors import PlanError, StillToChoose
from pmwpub.plans import HouseholdAssessmentPlan, HouseholdBestPlan
from pmwpub.rounding import in_percent, near
from pmwpub.service import Study
from pmwpub.service.households.bought_questions import bars_of_households, household_shortfall
from pmwpub.service.households.household_loading import HouseholdTable
from pmwpub.service.households.household_outlook import public_parts
from pmwpub.service.households.household_questions import (
    household_assessment_plan,
    household_best_plan,
    shares_of_households,
)
from pmwpub.service.purchases import purchase_of
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.households.household_error_form import say_bars
from pmwpub.ui.households.household_plan_form import LOAD_AGAIN, NO_TABLE
from pmwpub.ui.widgets import number_fields
from pmwpub.ui.widgets.price_form import purchase_form
from pmwpub.ui.wording.written import exact, plain

FLOOR, START = "floor (best mixture of its households)", "start (published unchanged)"
EACH, WINNER = "floor and start of each", "only which one is best"


def household_question_form(session: Session, study: Study, private: object) -> None:
    """Draw the widgets of the plans, what they are worth, their exact price, and the button that spends.

    Raises PlanError where no table can be asked about, StillToChoose while too little is chosen.
    """
    if not isinstance(private, HouseholdTable):
        raise PlanError(LOAD_AGAIN)
    parts = public_parts(service(), study, study.household_schema())
    on_offer = [one.sha256 for one in study.candidates if one.attested and parts[one.sha256].households]
    if not on_offer:
        raise PlanError(NO_TABLE)
    what = st.radio("What to buy", [EACH, WINNER], horizontal=True, key="what to buy of households")
    chosen = st.multiselect(
        "Candidates", on_offer, default=on_offer, format_func=lambda one: parts[one].name, key="household candidates"
    )
    if what == WINNER:
        _buy_best(session, study, private, chosen)
    else:
        _buy_floors(session, study, private, chosen)


def _buy_floors(session: Session, study: Study, private: HouseholdTable, chosen: Sequence[str]) -> None:
    plans = _plans_of_each(study, private, chosen)
    say_bars(bars_of_households(plans[0]), plans[0].largest)
    said = []
    for plan in plans:
        parts = " and ".join(share.purpose for share in shares_of_households(plan))
        said.append(f"{parts} of {plain(study.known_names(plan.inputs.candidates))} at ε = {exact(plan.exact_epsilon)}")
    buys, wanted = f"{'; '.join(said)} (pure)", [purchase_of(plan) for plan in plans]
    if purchase_form(session, study, private, wanted, buys, place="assessments", label="Buy these assessments"):
        st.rerun()


def _plans_of_each(study: Study, private: HouseholdTable, chosen: Sequence[str]) -> list[HouseholdAssessmentPlan]:
    """One plan a candidate, of one ε each."""
    parts = st.multiselect("What to buy for each", [FLOOR, START], default=[FLOOR, START], key="household parts")
    if not chosen or not parts:
        raise StillToChoose("Choose at least one candidate, and floor, start or both.")
    epsilon, schema = _epsilon_of("ε for each candidate (pure)"), study.household_schema()
    return [
        household_assessment_plan(
            study, schema, one, epsilon=epsilon, private=private, floor=FLOOR in parts, start=START in parts
        )
        for one in chosen
    ]


def _buy_best(session: Session, study: Study, private: HouseholdTable, chosen: Sequence[str]) -> None:
    st.caption("One charge, however many candidates: the one of the lowest floor is named, and no number is released.")
    if len(chosen) < 2:
        raise StillToChoose("Choose at least two candidates.")
    epsilon = _epsilon_of("ε of the choice (pure)")
    plan = household_best_plan(study, study.household_schema(), chosen, epsilon=epsilon, private=private)
    _say_shortfall(plan)
    names = " or ".join(plain(study.known_names((one,))) for one in plan.inputs.candidates)
    buys = f"which of {names} has the lowest floor, at ε = {exact(plan.exact_epsilon)} (pure)"
    if purchase_form(session, study, private, [purchase_of(plan)], buys, place="choice", label="Buy this choice"):
        st.rerun()


def _say_shortfall(plan: HouseholdBestPlan) -> None:
    bar = household_shortfall(plan)
    if bar >= 1:
        st.warning("At this ε the choice is hardly better than a guess. Take a larger ε.")
        return
    st.markdown(
        f"With probability 95 % the chosen one's floor is at most **{in_percent(bar)} of households "
        f"({near(plan.largest * bar)} persons per household)** above the lowest."
    )


def _epsilon_of(label: str) -> str:
    return number_fields.number(st, label, "0.05", "0.001", "10", key=widget_keys.HOUSEHOLD_QUESTION_EPSILON)
