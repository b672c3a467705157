"""Publishing a public table unchanged: one word of the steward's, and no price."""

from __future__ import annotations

import streamlit as st

from pmwpub.plans import UnchangedPlan
from pmwpub.service import PrivateTable, Study, purchases
from pmwpub.service.simulations.engine_advice import EngineAdvice
from pmwpub.service.unchanged_release import is_published, publish_unchanged
from pmwpub.ui.app.frame import link
from pmwpub.ui.app.services import service
from pmwpub.ui.wording.written import plain


def publishing_form(study: Study, private: PrivateTable, plan: UnchangedPlan, advice: EngineAdvice) -> None:
    """Draw the form that publishes a public table as it is, or say that it is published."""
    if is_published(service(), study, plan):
        st.success("Published: its files are ready.", icon=":material/task_alt:")
        link("pages/hand_over.py", "Open what to hand over")
        return
    used = frozenset(plan.inputs.candidates)
    for one in () if study.demo else purchases.warnings_before(service(), private, used, study):
        st.warning(plain(one.warning), icon=":material/content_copy:")
    with st.form(f"publish {plan.sha256}", enter_to_submit=False):
        st.markdown("**Price: nothing.** The files are made of public things alone, and no charge is made.")
        ticked = study.demo or st.checkbox(purchases.TICK, key=f"agree {plan.sha256} {purchases.TICK}")
        pressed = st.form_submit_button("Publish it unchanged", type="primary", key=f"confirm {plan.sha256}")
    if pressed and not ticked:
        st.warning("Tick the sentence above first; nothing was published.")
    elif pressed:
        why = advice.reason if advice.engine == "unchanged" else ""
        publish_unchanged(service(), study, plan, private=private, tick=True, why=why)
        st.rerun()
