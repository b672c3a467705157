"""The total of the weights on Release: what was bought of it, and the form that buys it."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from pmwpub.plans import WeightTotalPlan
from pmwpub.rounding import near
from pmwpub.service import Study
from pmwpub.service.weighing import total_purchase
from pmwpub.service.weighing.total_purchase import BoughtTotal, TotalPurchase
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.widgets import number_fields
from pmwpub.ui.widgets.price_form import purchase_form
from pmwpub.ui.widgets.what_became import has_result, show_remarks
from pmwpub.ui.wording.written import plain

WHAT = (
    "Releases give shares of the total weight. What the private weights add up to is private: buy it with noise, or "
    "declare a public figure on Prepare."
)
SMALL = 100
FIRST = "0.1"
"""The ε that is proposed: a total takes little."""


def weight_total_panel(session: Session, study: Study) -> None:
    """Show the totals that were bought, for everybody, and the form that buys one, for the steward."""
    column = None if study.schema is None else study.schema.weight_column
    bought = total_purchase.bought_totals(service(), study.population.name)
    private = session.buyer(study)
    open_to_buy = private is not None and column is not None and column.total is None
    if not bought and not open_to_buy:
        return
    with panel("The total of the weights", Badge.DP):
        for one in bought:
            _shown(one, steward=session.steward(study) is not None)
        if private is None or not open_to_buy:
            return
        st.markdown(WHAT)
        with st.expander("Buy the total", expanded=not bought), refusals():
            epsilon = number_fields.number(
                st, "ε of the total", FIRST, "0.001", "100", key=widget_keys.WEIGHT_TOTAL_EPSILON
            )
            plan = total_purchase.total_plan(service(), study, epsilon=epsilon)
            wanted, buys = [TotalPurchase(plan)], _in_words(plan)
            if purchase_form(session, study, private, wanted, buys, place="total", label="Buy this total"):
                st.rerun()


def _in_words(plan: WeightTotalPlan) -> str:
    half_width, cap, most = (
        _number(one * Fraction(plan.unit)) for one in (plan.law.half_width, plan.cap, plan.n * plan.cap)
    )
    return (
        f"the sum of {plain(plan.column)} over all rows, ± {half_width} (95 %); {plan.n:,} rows of at most {cap} each "
        f"come to {most} at most"
    )


def _number(weight: Fraction) -> str:
    """Large ones whole, with their thousands parted."""
    return f"{round(weight):,}" if weight >= SMALL else near(weight)


def _shown(one: BoughtTotal, *, steward: bool) -> None:
    title = f"**Total of {plain(one.plan.column)}**"
    if has_result(one.outcome, "Total of the weights", title, steward=steward):
        st.markdown(f"{title}: {_number(one.weight)} ± {_number(one.within)} (95 %), a noisy number.")
        show_remarks(one.remarks)
