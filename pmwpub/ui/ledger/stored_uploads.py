"""The public tables that were uploaded and stored, to be deleted at once."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.inputs import study_store
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session


def delete_uploads(session: Session, study: Study) -> None:
    """Draw the panel that deletes the stored public tables at once; charges, results, schema and workload stay."""
    with panel("Stored uploads", Badge.PUBLIC):
        if not study.candidates:
            st.caption("No table is stored. The private table never is.")
            return
        st.caption("The public candidates are stored; the private table never is. What was bought stays either way.")
        if not session.in_charge(study):
            if not session.presenting:
                st.info("They can be deleted once this session holds the private table.")
            return
        sure = st.checkbox(f"Delete all {len(study.candidates)} stored public tables")
        if st.button("Delete now", disabled=not sure):
            with refusals():
                for facts in study.candidates:
                    study_store.remove_candidate(service(), study.population.name, facts.sha256)
                session.tell("success", "The stored public tables are deleted.")
                st.rerun()
