"""The offer to take a public table unchanged, for nothing, where it is good enough as it is."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.bought.releases import unchanged_plan
from pmwpub.service.choosing.free_table import FreeTable
from pmwpub.service.choosing.simulated_pairs import Pool
from pmwpub.service.unchanged_release import is_published
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.frame import link
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import current, go, viewers_only
from pmwpub.ui.wording.candidate_verdict import free_words

RELEASE = "pages/release.py"
UNCHANGED = "unchanged"
TAKE = "Take it unchanged, for nothing"


def free_offer(study: Study, free: FreeTable, wanted: float) -> None:
    """Say that a table is good enough for free, and offer it in one click, which leads to Release or stays there."""
    done = is_published(service(), study, unchanged_plan(study, free.pool))
    st.info(f"{free_words(study, free, wanted)}{' It is published.' if done else ''}", icon=":material/money_off:")
    session = current()
    if done:
        link("pages/hand_over.py", "Open what to hand over")
        return
    if viewers_only() or session.buyer(study) is None:
        return
    if session.page == RELEASE:
        st.button(TAKE, on_click=_take, args=(free.pool,))
    elif st.button(TAKE):
        _take(free.pool)
        go(RELEASE)


def is_taken(pool: Pool) -> bool:
    """Whether the form of Release stands at this table unchanged."""
    stands = st.session_state.get(widget_keys.ENGINE) == UNCHANGED
    return stands and st.session_state.get(widget_keys.RELEASE_POOL) == pool


def _take(pool: Pool) -> None:
    """Set the form of Release to this table unchanged."""
    st.session_state[widget_keys.RELEASE_POOL] = pool
    st.session_state[widget_keys.ENGINE] = UNCHANGED
