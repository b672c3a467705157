"""The choice of an engine on the release form: what public tables advise, and why; the steward takes what they like."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.simulations import engine_trials
from pmwpub.service.simulations.engine_advice import EngineAdvice, advise_engine
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import viewers_only
from pmwpub.ui.compare.pools import Pool
from pmwpub.ui.widgets.watching import Waiting, watch
from pmwpub.ui.wording.written import plain

UNCHANGED = "unchanged"
ENGINES = {"table-fit": "Table fit", "pmw-pub": "PMW^Pub", UNCHANGED: "The public table unchanged, for free"}
ENGINE_WORDS = {
    "table-fit": "All tables of one and two columns are measured at once; the public rows are reweighted to them.",
    "pmw-pub": "The method of Liu et al. (2021): each round picks a badly answered query and measures it.",
    UNCHANGED: "The public table is published as it is. No private row is read for it, and nothing is charged.",
}
TRY = "Try them on public tables"


def ask_for_engine(study: Study, pool: Pool, epsilon: str) -> tuple[str, EngineAdvice]:
    """Ask for the engine; returns it, and what is advised.

    The advised one is chosen until another one is; the table unchanged is offered where it is what is advised.
    """
    advice = advise_engine(service(), study, pool, epsilon)
    _follow(advice)
    offered = [name for name in ENGINES if name != UNCHANGED or UNCHANGED in (advice.engine, _chosen())]
    chosen: str = st.radio("Engine", offered, format_func=ENGINES.__getitem__, horizontal=True, key=widget_keys.ENGINE)
    st.caption(ENGINE_WORDS[chosen])
    st.caption(plain(advice.reason))
    _trial(study, pool, advice)
    return chosen, advice


def engine_to_come(study: Study, pool: Pool, epsilon: str) -> str:
    """The engine that the release will be made with: the one that stands chosen, or else what is advised.

    Table fit where the public table unchanged is: that has no ε.
    """
    engine = _chosen() if _chosen() != st.session_state.get(widget_keys.ADVISED_ENGINE) else None
    taken = engine or advise_engine(service(), study, pool, epsilon).engine
    return "table-fit" if taken == UNCHANGED else taken


def _follow(advice: EngineAdvice) -> None:
    """Choose the advised engine beforehand, unless the steward took another one than was advised before."""
    before = st.session_state.get(widget_keys.ADVISED_ENGINE)
    if _chosen() in (None, before):
        st.session_state[widget_keys.ENGINE] = advice.engine
    st.session_state[widget_keys.ADVISED_ENGINE] = advice.engine


def _chosen() -> str | None:
    found: str | None = st.session_state.get(widget_keys.ENGINE)
    return found


def _trial(study: Study, pool: Pool, advice: EngineAdvice) -> None:
    """Show the progress of a trial, or offer one where it is possible and was not made."""
    trial = advice.trial
    if trial.job is not None:
        watch([Waiting(trial.job.key, "Both engines on public tables")], "step", charged=False)
    elif not trial.ways and trial.possible and not viewers_only():
        hint = "Free, and a matter of seconds: other public tables play the private one, at this ε."
        if st.button(TRY, help=hint, icon=":material/science:"):
            engine_trials.try_engines(service(), study, pool, trial.epsilon)
            st.rerun()
