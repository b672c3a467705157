"""The charged noisy error of a finished release on the private table: its price, and what was bought."""

from __future__ import annotations

import streamlit as st

from pmwpub.plans.weighing import shares_of_what
from pmwpub.rounding import in_percent
from pmwpub.service import PlanKey, PrivateTable, Study
from pmwpub.service.bought import release_errors
from pmwpub.service.bought.release_errors import MeasuredError
from pmwpub.service.purchases import ErrorPurchase
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.frame import refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.widgets import number_fields
from pmwpub.ui.widgets.price_form import purchase_form
from pmwpub.ui.widgets.what_became import has_result, show_remarks
from pmwpub.ui.wording.written import exact


def errors_part(session: Session, study: Study, release: PlanKey) -> None:
    """Show what was bought of a release's error, for everybody, and the form that buys it, for the steward."""
    private = session.steward(study)
    for found in release_errors.measured_errors(service(), study.population.name, release):
        _shown(found, steward=private is not None)
    if (buyer := session.buyer(study)) is not None:
        with st.expander("Buy the noisy largest error of this release"), refusals():
            _buy(session, study, buyer, release)


def _shown(found: MeasuredError, *, steward: bool) -> None:
    epsilon, what = exact(found.plan.exact_epsilon), "Noisy largest error"
    if not has_result(found.outcome, what, f"**{what}**, ε = {epsilon}", steward=steward) or found.error is None:
        return
    error, whole = found.error, shares_of_what(weighed=found.plan.weights is not None)
    st.info(
        f"{what} on the private table: **{in_percent(error.estimate, 3)}** of {whole}, between "
        f"{in_percent(error.low, 3)} and {in_percent(error.high, 3)} ({error.confidence:.0%} confidence), bought "
        f"for ε = {epsilon} (pure).",
        icon=":material/straighten:",
    )
    show_remarks(found.remarks)


def _buy(session: Session, study: Study, private: PrivateTable, release: PlanKey) -> None:
    st.markdown(
        "The largest error over all queries of the workload, with noise: a charge of its own. A release can be used "
        "without it."
    )
    name = study.population.name
    key = widget_keys.error_epsilon(release.plan_sha256, release.repeat)
    epsilon = number_fields.number(st, "ε of the noisy error (pure)", "0.05", "0.001", "10", key=key)
    plan = release_errors.error_plan(service(), name, release, epsilon=epsilon)
    buys = (
        f"the noisy largest error of draw {release.repeat + 1} of this plan, at ε = {exact(plan.exact_epsilon)} (pure)"
    )
    wanted = [ErrorPurchase(plan)]
    if purchase_form(session, study, private, wanted, buys, place=f"error of {release}", label="Buy this error"):
        st.rerun()
