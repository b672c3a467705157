"""The tick for tables of three columns on the release form, and what simulations on public tables say of them."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.simulations.engine_advice import EngineAdvice, expected, fits, fitted, pays
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.services import service

TICK = "Measure tables of three columns too"
UNKNOWN = "This pays for few columns or very many people. No simulation of it is stored for this choice."


def ask_for_three_way(study: Study, advice: EngineAdvice) -> bool:
    """Whether table fit measures tables of three columns; ticked beforehand where that is advised.

    Nothing is asked where the workload has none, or too many.
    """
    workload = study.workload()
    if not service().cache(f"three-way:{workload.sha256}", lambda: fits(workload, three_way=True)):
        return False
    _follow(advice)
    ticked = st.checkbox(TICK, key=widget_keys.THREE_WAY)
    st.caption(_words(advice))
    return ticked


def _follow(advice: EngineAdvice) -> None:
    """Set the tick as advised, unless the steward set it otherwise than was advised before."""
    before = bool(st.session_state.get(widget_keys.ADVISED_THREE_WAY))
    if bool(st.session_state.get(widget_keys.THREE_WAY, before)) == before:
        st.session_state[widget_keys.THREE_WAY] = advice.three_way
    st.session_state[widget_keys.ADVISED_THREE_WAY] = advice.three_way


def _words(advice: EngineAdvice) -> str:
    both = fitted(advice.trial)
    if both is None:
        return UNKNOWN
    plain, three = map(expected, both)
    verdict = "Advised" if pays(advice.trial) else "Not advised"
    return f"{verdict}: on public tables the largest error was {three} with them, {plain} without."
