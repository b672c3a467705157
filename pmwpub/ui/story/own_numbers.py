"""The story's end with the numbers of one's own release, where there is one."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.bought.releases import releases
from pmwpub.service.choosing.expectation import handed_over
from pmwpub.service.inputs.study_store import study
from pmwpub.ui.app.frame import Badge, link, panel
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.widgets import small_picture
from pmwpub.ui.wording.written import plain


def own_numbers(session: Session) -> None:
    """Say promise, error and limits of the open population's latest release; nothing is drawn where there is none."""
    if session.population is None:
        return
    current = study(service(), session.population)
    done = [one for one in releases(service(), current) if one.bundle is not None]
    if not done:
        return
    summary = handed_over(service(), current, done[-1])
    with panel("The same with your own numbers", Badge.DP):
        st.markdown(f"**{plain(current.population.name)}, release {done[-1].number}: {plain(done[-1].name)}**")
        said = (summary.promise[1], summary.errors[0], summary.cautions[0])
        st.markdown("\n".join(f"- {plain(words)}" for words in said))
        small_picture.show(summary.figure)
        link("pages/hand_over.py", "The whole page", release=str(done[-1].number))
