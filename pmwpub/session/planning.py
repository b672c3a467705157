"""The plan of a release, from widgets to a frozen value."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.errors import PlanError
from pmwpub.plans import ReleasePlan
from pmwpub.service import Assessed, Study
from pmwpub.service.exploring import Advice, advise_rounds
from pmwpub.service.releasing import release_plan
from pmwpub.session import standing
from pmwpub.session.assessed import room_table
from pmwpub.session.services import service
from pmwpub.session.words import plain
from pmwpub.session.workloads import described


def plan_form(study: Study, found: Sequence[Assessed]) -> ReleasePlan:
    """Candidate or pool, ε and rounds, beside the noisy floors that were bought. PlanError while nothing is chosen."""
    attested = {facts.sha256: facts.name for facts in study.usable if facts.attested}
    chosen = st.multiselect(
        "Candidate (several make a pool)",
        list(attested),
        default=_best(found, list(attested)),
        format_func=attested.__getitem__,
        key="release candidates",
    )
    if not chosen:
        raise PlanError("Choose a candidate; it must be attested on the Data page.")
    room_table([one for one in found if set(one.candidates) <= set(chosen)])
    left, right = st.columns(2)
    epsilon = repr(round(left.number_input("ε of this release", 0.001, 100.0, value=1.0, step=0.1, format="%.3f"), 6))
    rounds = _rounds(right, advise_rounds(service(), study, chosen, epsilon))
    plan = release_plan(service(), study, chosen, epsilon=epsilon, rounds=rounds)
    if study.choice is not None:
        st.caption(
            f"Workload: {described(study.choice)}. Selection by the exponential mechanism, last weights, replay of "
            f"past measurements. Plan {plan.sha256[:16]}"
        )
    return plan


def _best(found: Sequence[Assessed], attested: list[str]) -> list[str]:
    """The candidate of the lowest noisy floor, else the first one."""
    ranked = [one.candidates[0] for one, _ in standing.ranked(found) if one.candidates[0] in attested]
    return (ranked + attested)[:1]


def _rounds(place: st.delta_generator.DeltaGenerator, advice: Advice) -> int:
    advised = place.checkbox(f"Use the advised number of rounds: {advice.rounds}", value=True)
    if advice.truth:
        place.caption(
            f"From the paper's rule and a simulation at ε = {advice.epsilon:g}, in which {plain(advice.truth)} played "
            "the truth."
        )
    else:
        place.caption("A default: no simulation of this choice is stored. Explore makes one, for free.")
    if advised:
        return advice.rounds
    return int(place.number_input("Rounds", 1, 10_000, value=advice.rounds, key="rounds"))
