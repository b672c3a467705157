"""The plan of a release, from widgets to a frozen value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from pmwpub.errors import PlanError
from pmwpub.plans import ReleasePlan
from pmwpub.service import Study
from pmwpub.service.exploring import Advice, advise_rounds
from pmwpub.service.releasing import release_plan
from pmwpub.session.services import service
from pmwpub.session.words import plain
from pmwpub.session.workloads import described


def plan_form(study: Study, room: Callable[[Sequence[str]], None]) -> ReleasePlan:
    """Candidate or pool, ε and rounds; `room` shows what is known of the choice. PlanError while nothing is chosen."""
    attested = {facts.sha256: facts.name for facts in study.usable if facts.attested}
    chosen = st.multiselect(
        "Candidate (several make a pool)",
        list(attested),
        default=list(attested)[:1],
        format_func=attested.__getitem__,
        key="release candidates",
    )
    if not chosen:
        raise PlanError("Choose a candidate; it must be attested on the Data page.")
    room(chosen)
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
