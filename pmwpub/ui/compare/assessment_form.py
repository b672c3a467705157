"""The purchase that is about to be made: floors and starts of candidates, or only the winner."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.errors import PlanError
from pmwpub.numerals import as_fraction
from pmwpub.plans import AssessmentPlan, BestPlan
from pmwpub.service import PrivateTable, Study, purchases
from pmwpub.service.bought.assessments import assessment_plan, epsilon_for, shares_of
from pmwpub.service.bought.best_candidate import best_plan
from pmwpub.service.purchases import AssessmentPurchase, BestPurchase
from pmwpub.service.simulations.public_pairs import forecast
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.compare.floor_scope import Setting, choose_setting, means, part_for
from pmwpub.ui.compare.free_facts import known_pools
from pmwpub.ui.compare.pools import Pool, made, make_pool, named
from pmwpub.ui.widgets import number_fields
from pmwpub.ui.widgets.price_form import purchase_form
from pmwpub.ui.wording import forecasts
from pmwpub.ui.wording.forecasts import Sentence
from pmwpub.ui.wording.written import exact, plain

FLOOR, START = "floor (reweighted perfectly)", "start (published unchanged)"
EACH, WINNER = "floor and start of each", "only which one is best"
BY_EPSILON, BY_PRECISION = "ε for each", "a wanted error bar"


def purchase(session: Session, study: Study, private: PrivateTable, offered: Sequence[Pool]) -> None:
    """Draw the widgets of a plan, its worth, its exact price, and the button that spends."""
    what = st.radio("What to buy", [EACH, WINNER], horizontal=True, key="what to buy")
    fresh = [pool for pool in offered if len(pool) == 1 or pool in made(study)]
    chosen = st.multiselect("Candidates", list(offered), default=fresh, format_func=lambda pool: named(study, pool))
    make_pool(study)
    setting = choose_setting(study, "Floors over", "assessment setting")
    st.caption(means(study, setting))
    if what == WINNER:
        _buy_winner(session, study, private, chosen, setting)
    else:
        _buy_each(session, study, private, chosen, setting)


def _buy_each(session: Session, study: Study, private: PrivateTable, chosen: Sequence[Pool], setting: Setting) -> None:
    plans = _plans(study, chosen, setting)
    wanted = [AssessmentPurchase(plan) for plan in plans]
    if purchases.price(service(), study, wanted, private=private).rho.units:  # else it was bought before
        _worth_of_each(study, plans[0], chosen)
    buys, label = _each_in_words(study, plans), "Buy these assessments"
    if purchase_form(session, study, private, wanted, buys, place="assessments", label=label):
        st.rerun()


def _each_in_words(study: Study, plans: Sequence[AssessmentPlan]) -> str:
    """What is bought, as the plans themselves have it."""
    said = []
    for plan in plans:
        parts = " and ".join(share.purpose for share in shares_of(plan))
        said.append(f"{parts} of {plain(study.known_names(plan.inputs.candidates))} at ε = {exact(plan.exact_epsilon)}")
    return f"{'; '.join(said)} (pure)"


def _plans(study: Study, chosen: Sequence[Pool], setting: Setting) -> list[AssessmentPlan]:
    """One plan a candidate; PlanError while nothing is chosen."""
    parts = st.multiselect("What to buy for each", [FLOOR, START], default=[FLOOR, START])
    if not chosen or not parts:
        raise PlanError("Choose at least one candidate (attested on the Prepare page), and floor, start or both.")
    floor, start = FLOOR in parts, START in parts
    epsilon, part = _epsilon(study, floor=floor, start=start), part_for(study, setting)
    return [
        assessment_plan(study, pool, epsilon=epsilon, floor=floor, start=start, setting=setting, part=part)
        for pool in chosen
    ]


def _epsilon(study: Study, *, floor: bool, start: bool) -> str:
    """The ε of each candidate: as given, or the smallest one that buys the wanted error bar."""
    left, right = st.columns(2)
    if left.radio("Set", [BY_EPSILON, BY_PRECISION], horizontal=True, key="epsilon or precision") == BY_EPSILON:
        return number_fields.number(
            right, "ε for each candidate (pure)", "0.05", "0.001", "10", key=widget_keys.ASSESSMENT_EPSILON
        )
    wanted = number_fields.number(
        right, "Error bar wanted, ± points (95 %)", "1", "0.01", "50", key=widget_keys.ASSESSMENT_PRECISION
    )
    epsilon = epsilon_for(study, str(as_fraction(wanted) / 100), floor=floor, start=start)
    right.caption(f"That takes ε = {exact(epsilon)} for each candidate.")
    return str(epsilon)


def _worth_of_each(study: Study, plan: AssessmentPlan, chosen: Sequence[Pool]) -> None:
    pools = known_pools(study, plan.setting, made(study))
    bought = forecast(service(), study, plan, pools=pools)
    shares = ", ".join(f"{share.purpose} at ε = {exact(share.epsilon)}" for share in shares_of(plan))
    st.markdown(f"{forecasts.bars(bought, weighed=study.weighs_rows)} {len(chosen)} × ({shares}).")
    say(forecasts.worth(bought))
    say(forecasts.will_resolve(bought, plan.setting))


def _buy_winner(
    session: Session, study: Study, private: PrivateTable, chosen: Sequence[Pool], setting: Setting
) -> None:
    st.caption("One charge, however many candidates: the one of the lowest floor is named, and no number is released.")
    plan = _best_plan(study, chosen, setting)
    say(forecasts.winner_worth(plan))
    names = " or ".join(plain(study.known_names(pool)) for pool in plan.pools)
    buys = f"which of {names} has the lowest floor, at ε = {exact(plan.exact_epsilon)} (pure)"
    if purchase_form(session, study, private, [BestPurchase(plan)], buys, place="choice", label="Buy this choice"):
        st.rerun()


def _best_plan(study: Study, chosen: Sequence[Pool], setting: Setting) -> BestPlan:
    epsilon = number_fields.number(st, "ε of the choice (pure)", "0.05", "0.001", "10", key=widget_keys.CHOICE_EPSILON)
    return best_plan(study, chosen, epsilon=epsilon, setting=setting, part=part_for(study, setting))


def say(said: Sentence | None) -> None:
    """Show a sentence the way it is meant."""
    if said is not None:
        getattr(st, said.kind)(said.words)
