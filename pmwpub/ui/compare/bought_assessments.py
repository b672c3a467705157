"""Everything that was bought about candidates: work under way, the ranking, the winners, downloads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans import AssessmentPlan, BestPlan
from pmwpub.rounding import in_percent
from pmwpub.service import Assessed, Study
from pmwpub.service.bought.best_candidate import ChosenCandidate
from pmwpub.service.grant import alone, taken
from pmwpub.service.history_files import history_csv, history_json
from pmwpub.ui.app.deferring import at_download
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import current
from pmwpub.ui.compare.floor_scope import NAMES, Setting, means, one_setting
from pmwpub.ui.widgets import plot_panel
from pmwpub.ui.widgets.price_form import NO_RESULT
from pmwpub.ui.widgets.watching import Waiting, await_results, watch
from pmwpub.ui.widgets.what_became import show_remarks
from pmwpub.ui.wording import ranked_floors, side_by_side
from pmwpub.ui.wording.written import counted, exact, plain

OVER = {
    "fast": "a public sample of the workload, or all of a small one",
    "part": "a part chosen by public tables",
    "full": "the whole workload",
}


def results_part(study: Study, bought: Sequence[Assessed], choices: Sequence[ChosenCandidate]) -> None:
    """Draw what was bought in words and figures: winners, the ranking of each setting, downloads, everything."""
    for choice in choices:
        _winner(study, choice)
    target = current().choices.good_enough
    for name in NAMES:
        found = list(side_by_side.latest(bought, study, name).values())
        if found:
            _ranking(study, [one for one in bought if one.plan.setting == name], found, name, target)
    st.markdown("##### Everything that was bought")
    _everything(bought, choices)


def other_workload(study: Study, bought: Sequence[Assessed]) -> str:
    """What to say of floors that were bought for another workload or schema, which no figure of today shows; or ""."""
    done = [one for one in bought if one.outcome.status == "done"]
    if not done or side_by_side.latest(bought, study):
        return ""
    return (
        f"{counted(len(done), 'assessment')} of before stand under another workload or schema: they say nothing of "
        "today's queries, and stand in the list of all that was bought."
    )


def under_way(bought: Sequence[Assessed], choices: Sequence[ChosenCandidate], *, steward: bool) -> None:
    """Draw work under way, whose progress is the steward's alone, and what came to no result."""
    waiting = [Waiting.on(one.outcome.booking, one.name) for one in bought if one.outcome.status == "running"]
    waiting += [Waiting.on(one.outcome.booking, _offer(one)) for one in choices if one.outcome.status == "running"]
    if waiting and steward:
        watch(waiting, "step", charged=True)
    elif waiting:
        await_results(waiting)
    for one in bought:
        if one.outcome.status == "no result":
            st.warning(f"**{plain(one.name)}**, ε = {exact(one.plan.exact_epsilon)}: {NO_RESULT}")


def _offer(choice: ChosenCandidate) -> str:
    return f"Best of {', '.join(sorted(choice.names))}"


def _winner(study: Study, choice: ChosenCandidate) -> None:
    """Say of one choice what was chosen among what, and what it cost."""
    offered = ", ".join(plain(name) for name in sorted(choice.names))
    if choice.outcome.status == "no result":
        st.warning(f"**Best of {offered}**, ε = {exact(choice.plan.exact_epsilon)}: {NO_RESULT}")
    if choice.winner is None:
        return
    price = service().cost_of(study.population.name, [choice.outcome.booking])
    st.success(
        f"Best of {offered}: **{plain(choice.name)}**, for {taken(price.rho, price.total)} of the grant (by itself "
        f"{alone(price)}). The choice is noisy. {means(study, choice.plan.setting)}",
        icon=":material/trophy:",
    )
    show_remarks(choice.remarks)


def _ranking(
    study: Study, bought: Sequence[Assessed], found: Sequence[Assessed], setting: Setting, target: float
) -> None:
    """Draw the floors of one setting: floors over different parts of the workload stand in different figures."""
    if not one_setting(study):
        st.markdown(f"##### Floors, {NAMES[setting]}")
    for never, words in ranked_floors.verdicts(found, target):
        (st.error if never else st.success)(words, icon=":material/block:" if never else ":material/check:")
    plot_panel.show(ranked_floors.dot_plot(found, weighed=study.weighs_rows), f"candidates {setting}")
    known = {one.candidates for one in found}
    bookings = [one.outcome.booking for one in bought if one.candidates in known]
    price = service().cost_of(study.population.name, bookings)
    st.markdown(ranked_floors.worked_sentence(found, price, whole=setting == "full" or one_setting(study)))
    st.caption(means(study, setting))
    show_remarks([remark for one in found for remark in one.remarks])
    _downloads(study, ranked_floors.rows(found), setting)


def _downloads(study: Study, rows: Sequence[ranked_floors.Row], setting: Setting) -> None:
    name = f"assessments-{study.population.name}-{setting}"
    with st.container(horizontal=True):
        for label, mime, content in (("CSV", "text/csv", history_csv), ("JSON", "application/json", history_json)):
            st.download_button(
                f"Download {label}",
                at_download(study.population.name, partial(content, rows)),
                f"{name}.{label.lower()}",
                mime,
                key=f"download assessments {setting} {label}",
                icon=":material/download:",
                on_click="ignore",
            )


def _everything(bought: Sequence[Assessed], choices: Sequence[ChosenCandidate]) -> None:
    plans: list[AssessmentPlan | BestPlan] = [*(one.plan for one in bought), *(one.plan for one in choices)]
    outcomes = [one.outcome for one in bought] + [one.outcome for one in choices]
    found = [(_value(one.floor), _value(one.start), "") for one in bought] + [("", "", one.name) for one in choices]
    st.dataframe(
        {
            "candidate": [one.name for one in bought] + [_offer(one) for one in choices],
            "ε": [exact(plan.exact_epsilon) for plan in plans],
            "setting": [plan.setting for plan in plans],
            "status": [outcome.status for outcome in outcomes],
            "noisy floor": [floor for floor, _, _ in found],
            "noisy start": [start for _, start, _ in found],
            "chosen": [winner for _, _, winner in found],
            "plan": [plan.sha256[:12] for plan in plans],
        },
        hide_index=True,
        width="stretch",
        alt="Every assessment and choice that was bought.",
    )


def _value(noisy: NoisyInterval | None) -> str:
    return "" if noisy is None else in_percent(noisy.estimate, 3)


def room_table(found: Sequence[Assessed]) -> None:
    """Draw noisy floor and start of the chosen candidates, as a table beside the choice of ε."""
    st.dataframe(
        {
            "candidate": [one.name for one in found],
            "noisy floor, interval": [side_by_side.interval(one.floor) for one in found],
            "noisy start, interval": [side_by_side.interval(one.start) for one in found],
            "floor over": [OVER[one.plan.setting] for one in found],
        },
        hide_index=True,
        width="stretch",
        alt="Noisy floors and starts of the chosen candidates.",
    )
