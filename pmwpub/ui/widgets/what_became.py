"""What became of something that was bought, as all its panels show it: at work, without a result, with remarks."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from pmwpub.service import Outcome
from pmwpub.ui.widgets.price_form import NO_RESULT
from pmwpub.ui.widgets.watching import Waiting, await_results, watch
from pmwpub.ui.wording.written import plain


def has_result(outcome: Outcome, label: str, title: str, *, steward: bool) -> bool:
    """Whether there is something to show; else it is said that work is under way, or that there will be no result.

    label    of the work, in text
    title    of what was bought, in markdown
    steward  whether the session sees how far the work is
    """
    waiting = [Waiting.on(outcome.booking, label)]
    if outcome.status == "running" and steward:
        watch(waiting, "step", charged=True)
    elif outcome.status == "running":
        await_results(waiting)
    elif outcome.result is None:
        st.warning(f"{title}: {NO_RESULT}")
    return outcome.result is not None


def show_remarks(remarks: Iterable[str]) -> None:
    """What must be known beside a number, each remark once."""
    for remark in dict.fromkeys(remarks):
        st.warning(plain(remark[:1].upper() + remark[1:]), icon=":material/visibility:")
