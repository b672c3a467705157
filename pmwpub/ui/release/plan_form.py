"""The plan of a release, from widgets to a frozen value."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.errors import PlanError, StillToChoose
from pmwpub.numerals import as_fraction
from pmwpub.plans import (
    AnyReleasePlan,
    HouseholdPlan,
    HouseholdRoundPlan,
    ReleasePlan,
    UnchangedPlan,
    WeightedPoolPlan,
)
from pmwpub.plans.criteria import Criterion
from pmwpub.plans.household_round_plans import AnyHouseholdPlan
from pmwpub.rounding import in_percent, near
from pmwpub.service import Assessed, PrivateTable, Study
from pmwpub.service.bought.best_candidate import choices
from pmwpub.service.bought.engine_choice import with_criteria
from pmwpub.service.bought.latest_numbers import latest_of_all
from pmwpub.service.bought.releases import release_plan, unchanged_plan
from pmwpub.service.budget_left import left
from pmwpub.service.choosing.free_table import good_enough_for_free
from pmwpub.service.choosing.preselection import Preselection, preselected
from pmwpub.service.simulations.advice import Advice, EpsilonAdvice, advise_epsilon, advise_rounds
from pmwpub.service.simulations.engine_advice import EngineAdvice
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import current
from pmwpub.ui.compare import method_variants
from pmwpub.ui.compare.bought_assessments import room_table
from pmwpub.ui.compare.pools import Pool, make_pool, named, offered
from pmwpub.ui.compare.tuning_panel import offer_tuned
from pmwpub.ui.release.criteria_form import criteria_form
from pmwpub.ui.release.engine_form import ENGINES, UNCHANGED, ask_for_engine, engine_to_come
from pmwpub.ui.release.table_fit_form import ask_for_table_fit, grows
from pmwpub.ui.widgets import number_fields
from pmwpub.ui.widgets.free_offer import free_offer, is_taken
from pmwpub.ui.wording import epsilon_limits
from pmwpub.ui.wording.chosen_workload import described
from pmwpub.ui.wording.written import plain

FREE = "The table is taken unchanged: nothing is spent, whatever ε stands here. Another engine below would spend it."
OWN, SMALLEST, REST = "own", "smallest", "rest"
HOW = {OWN: "ε of one's own", SMALLEST: "the smallest ε for the error that is good enough", REST: "all that is left"}


def plan_form(
    study: Study, private: PrivateTable, found: Sequence[Assessed]
) -> tuple[AnyReleasePlan | UnchangedPlan, EngineAdvice]:
    """Candidate or pool, ε, engine, rounds and variants, beside the noisy floors that were bought; and the advice on
    the engine that stands there.

    Raises StillToChoose while a criterion is ticked that is not complete: no release is bought without it.
    """
    pool = _pool(study, found)
    epsilon = _epsilon(study, pool, [one for one in found if set(one.candidates) <= set(pool)])
    asked = criteria_form(study)
    with st.expander("Engine, rounds and variants"):
        planned = _by_engine(study, private, pool, epsilon, asked.criteria)
    if asked.lacking:
        raise StillToChoose(asked.lacking)
    return planned


def _by_engine(
    study: Study, private: PrivateTable, pool: Pool, epsilon: str, criteria: tuple[Criterion, ...]
) -> tuple[AnyReleasePlan | UnchangedPlan, EngineAdvice]:
    """Ask for the engine and its settings, and make the plan."""
    engine, advice = ask_for_engine(study, pool, epsilon)
    plan: AnyReleasePlan | UnchangedPlan
    if engine == UNCHANGED:
        plan, words = unchanged_plan(study, pool), "nothing is measured"
    elif engine == "table-fit":
        plan, words = ask_for_table_fit(study, private, pool, epsilon, advice)
    else:
        plan, words = _pmw_pub_plan(study, private, pool, epsilon)
    plan = with_criteria(plan, criteria)
    if study.choice is not None:
        st.caption(f"Workload: {described(study.choice)}; {words}. Plan {plan.sha256[:16]}")
    return plan, advice


def in_words(study: Study, plan: AnyReleasePlan | AnyHouseholdPlan) -> str:
    """What a plan buys, as the plan itself has it."""
    name = plain(study.known_names(plan.inputs.candidates))
    if isinstance(plan, HouseholdPlan | HouseholdRoundPlan):
        return f"a release of households with {name}, plan {plan.sha256[:16]}"
    criteria = "; ".join(plain(one.words) for one in plan.criteria)
    meets = f", which has to meet: {criteria}" if criteria else ""
    return f"a release with {name}, {steps_in_words(plan)}, plan {plan.sha256[:16]}{meets}"


def steps_in_words(plan: AnyReleasePlan | AnyHouseholdPlan) -> str:
    """The engine of a plan, by what it does: "25 rounds", or "by table fit"."""
    if isinstance(plan, HouseholdPlan):
        return "whole households by table fit"
    if isinstance(plan, HouseholdRoundPlan):
        return f"whole households by PMW^Pub, rounds: {plan.rounds:,}"
    if isinstance(plan, WeightedPoolPlan):
        return "by table fit with learnt weights"
    if not isinstance(plan, ReleasePlan):
        more = ", which may add rows" if plan.growth is not None else ""
        more += ", with coarse tables of ordered columns" if plan.ranges is not None else ""
        return f"by table fit{', with tables of three columns' if plan.three_way_share is not None else more}"
    return "1 round" if plan.rounds == 1 else f"{plan.rounds:,} rounds"


def _pmw_pub_plan(study: Study, private: PrivateTable, pool: Pool, epsilon: str) -> tuple[ReleasePlan, str]:
    """The plan of PMW^Pub with its rounds and variants, and these in words."""
    offer_tuned(study, epsilon)
    rounds = _rounds(advise_rounds(service(), study, pool, epsilon))
    chosen = method_variants.variants()
    plan = release_plan(
        service(), study, pool, epsilon=epsilon, rounds=rounds, private_read_as=private.read_as, **chosen
    )
    return plan, method_variants.in_words(chosen)


def _pool(study: Study, found: Sequence[Assessed]) -> Pool:
    """Ask for candidate or pool, the one of the least expected error chosen beforehand, and say why.

    Raises PlanError where none is attested, StillToChoose while none is chosen.
    """
    on_offer = offered(study, [one.candidates for one in found])
    known = {one.candidates: one for one in found}
    if not on_offer:
        raise PlanError("A release needs a candidate that is attested on the Prepare page.")
    with service().ledger.view():
        best = preselected(service(), study, found, on_offer, epsilon=float(as_fraction(current().choices.epsilon)))
    if best.pooled is not None:
        st.session_state.setdefault(widget_keys.WEIGHTED_POOL, True)
    _choose_beforehand(study, best, on_offer)
    _offer_free(study, found, best, on_offer)

    def label(pool: Pool) -> str:
        one = known.get(pool)
        floor = "" if one is None or one.floor is None else f" (noisy floor {in_percent(one.floor.estimate)})"
        return f"{named(study, pool)}{floor}"

    options = list(dict.fromkeys([pool for pool, _ in best.expected if pool in on_offer] + on_offer))
    pool: Pool | None = st.selectbox(
        "Candidate or pool",
        options,
        index=None,
        format_func=label,
        key=widget_keys.RELEASE_POOL,
        placeholder="Choose one",
        help=plain(best.reason),
    )
    make_pool(study)
    if pool is None:
        raise StillToChoose(f"Choose a candidate. {best.reason}")
    return pool


def _choose_beforehand(study: Study, best: Preselection, on_offer: Sequence[Pool]) -> None:
    """Have the field stand at the best candidate, unless another one of those offered stands there."""
    first = _winner(study) if best.pool is None else best.pool
    if st.session_state.get(widget_keys.RELEASE_POOL) not in on_offer:
        st.session_state[widget_keys.RELEASE_POOL] = first if first in on_offer else None


def _offer_free(study: Study, found: Sequence[Assessed], best: Preselection, on_offer: Sequence[Pool]) -> None:
    """Offer a table that is good enough unchanged, unless it is what stands chosen."""
    wanted = current().choices.good_enough
    free = good_enough_for_free(study, found, on_offer, best, wanted)
    if free is not None and not is_taken(free.pool):
        free_offer(study, free, wanted)


def _winner(study: Study) -> Pool | None:
    """The candidate that a bought choice named last."""
    found = [one.winner for one in choices(service(), study) if one.winner is not None]
    return found[-1] if found else None


def _epsilon(study: Study, pool: Pool, found: Sequence[Assessed]) -> str:
    """Ask how much to spend, and say what ε can do, and what it cannot."""
    wanted = current().choices.good_enough
    with service().ledger.view():
        engine = engine_to_come(study, pool, current().choices.epsilon)
        order = [engine, *(name for name in ENGINES if name not in (engine, UNCHANGED))]
        advised = {name: advise_epsilon(service(), study, pool, wanted, engine=name) for name in order}
    advice = advised[engine]
    if st.session_state.get(widget_keys.ENGINE) == UNCHANGED:
        st.caption(FREE)
    how = st.radio("How much to spend", list(HOW), format_func=HOW.__getitem__, horizontal=True, key="how much")
    given = _spent(study, how, advice, wanted)
    if grows():
        st.caption("Rows may be added: floors are of a public table's own rows, and no limit of this release.")
        return given
    for words in epsilon_limits.floor_warnings(found, wanted):
        st.warning(words, icon=":material/block:")
    with st.expander("What ε can do here"):
        for name, one in advised.items():
            if one is not None or name == engine:
                st.caption(epsilon_limits.epsilon_words(one, wanted))
        if found:
            room_table(found)
            st.caption("A release moves the error from the start towards the floor; no ε gets below the floor.")
        else:
            st.caption("No noisy floor was bought for this choice; the Compare page sells it.")
    return given


def _spent(study: Study, how: str, advice: EpsilonAdvice | None, wanted: float) -> str:
    """The ε of the plan, as it was typed, as a simulation advises it, or all that is left."""
    if how == OWN:
        kept, key = current().choices, widget_keys.RELEASE_EPSILON
        kept.epsilon = number_fields.number(st, "ε of this release", kept.epsilon, "0.001", "100", key=key)
        return kept.epsilon
    if how == REST:
        given = left(study.balance.remaining, study.balance.delta)
        if as_fraction(given) <= 0:
            raise PlanError("Nothing is left of the grant to be spent on a release.")
    elif advice is None or advice.epsilon is None:
        raise PlanError(epsilon_limits.epsilon_words(advice, wanted, inert=False))
    else:
        given = near(advice.epsilon, 6)
    st.markdown(f"ε = **{given}**")
    return given


def _rounds(advice: Advice) -> int:
    st.session_state.setdefault(widget_keys.ADVISED_ROUNDS, True)
    advised = st.checkbox(f"Use the advised number of rounds: {advice.rounds}", key=widget_keys.ADVISED_ROUNDS)
    if advice.truth:
        how = "The best of those tried in" if advice.tried else "From the paper's rule and"
        st.caption(
            f"{how} a simulation at ε = {near(advice.epsilon, 6)}, in which {plain(advice.truth)} played the truth."
        )
    else:
        st.caption("A default: no simulation of this choice is stored. Compare makes one, for free.")
    if advised:
        return advice.rounds
    return number_fields.whole(st, "Rounds", advice.rounds, 1, 10_000, key=widget_keys.ROUNDS)


def bought_floors(study: Study, bought: Sequence[Assessed]) -> list[Assessed]:
    """What was bought under today's schema and workload; a floor over the whole workload before one over a part."""
    return list(latest_of_all(bought, study).values())
