"""Assessments: the plan that is about to be bought, and everything that was bought."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.errors import PlanError
from pmwpub.plans import FAST_MARGINALS, AssessmentPlan
from pmwpub.service import Assessed, Study
from pmwpub.service.assessing import assessment_plan
from pmwpub.session import plots, views
from pmwpub.session.frame import Badge, link, panel
from pmwpub.session.services import service
from pmwpub.session.spending import NO_RESULT
from pmwpub.session.watching import Waiting, watch
from pmwpub.session.words import number, plain

FLOOR, START = "floor (reweighted perfectly)", "start (published unchanged)"
FAST = (
    f"Fast setting: the floor is taken over a public sub-workload of at most {FAST_MARGINALS} marginals, solved "
    "exactly. It is a valid lower bound of the floor over the whole workload. The start is over the whole workload."
)


def plans_form(study: Study) -> list[AssessmentPlan]:
    """One plan a candidate, from the widgets; PlanError while nothing is chosen."""
    st.caption(FAST)
    attested = {facts.sha256: facts.name for facts in study.usable if facts.attested}
    left, right = st.columns([2, 1])
    chosen = left.multiselect("Candidates", list(attested), default=list(attested), format_func=attested.__getitem__)
    epsilon = right.number_input(
        "ε for each candidate (pure)", 0.001, 10.0, value=0.05, step=0.01, format="%.3f", key="assessment epsilon"
    )
    parts = st.multiselect("What to buy for each", [FLOOR, START], default=[FLOOR, START])
    if not chosen or not parts:
        raise PlanError("Choose at least one candidate (attested on the Data page), and floor, start or both.")
    return [
        assessment_plan(study, [one], epsilon=repr(round(epsilon, 6)), floor=FLOOR in parts, start=START in parts)
        for one in chosen
    ]


def results_panel(study: Study, bought: Sequence[Assessed]) -> None:
    """Work under way, then the ranked candidates with intervals and sentences."""
    with panel("Noisy best-mixture errors", Badge.DP):
        running = [one for one in bought if one.outcome.status == "running"]
        if running:
            watch([Waiting.on(one.outcome.booking, one.name) for one in running], "step", charged=True)
        for one in bought:
            if one.outcome.status == "no result":
                st.warning(f"**{plain(one.name)}**, ε = {one.plan.epsilon}: {NO_RESULT}")
        found = list(views.latest(bought, study).values())
        if found:
            _ranking(study, found)
            link("pages/explore.py", "Next: see error against ε")
        if len(bought) > len(found):
            with st.expander("Everything that was bought"):
                _everything(bought)


def _ranking(study: Study, found: Sequence[Assessed]) -> None:
    target = st.number_input(
        "An error that would be good enough", 0.001, 1.0, value=0.05, step=0.01, format="%.3f", key="target error"
    )
    for never, words in views.verdicts(found, target):
        (st.error if never else st.success)(words, icon=":material/block:" if never else ":material/check:")
    plots.show(views.dot_plot(found), "candidates")
    price = service().cost_of(study.population.name, [one.outcome.booking for one in found])
    st.markdown(views.worked_sentence(found, price))
    st.caption(FAST)


def _everything(bought: Sequence[Assessed]) -> None:
    st.dataframe(
        {
            "candidate": [one.name for one in bought],
            "ε": [one.plan.epsilon for one in bought],
            "status": [one.outcome.status for one in bought],
            "noisy floor": [None if one.floor is None else number(one.floor.value) for one in bought],
            "noisy start": [None if one.start is None else number(one.start.value) for one in bought],
            "plan": [one.plan.sha256[:12] for one in bought],
        },
        hide_index=True,
        width="stretch",
    )


def room_table(found: Sequence[Assessed]) -> None:
    """Noisy floor and start of the chosen candidates, beside the choice of ε."""
    if not found:
        st.caption("No noisy floor was bought for this choice; the Candidates page sells it.")
        return
    st.dataframe(
        {
            "candidate": [one.name for one in found],
            "noisy floor, interval": [views.interval(one.floor) for one in found],
            "noisy start, interval": [views.interval(one.start) for one in found],
        },
        hide_index=True,
        width="stretch",
        alt="Noisy floors and starts of the chosen candidates.",
    )
    st.caption("A release moves the error from the start towards the floor; no ε gets below the floor.")
