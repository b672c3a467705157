"""The stored populations, the balance as a figure, and deleting what was uploaded."""

from __future__ import annotations

import streamlit as st

from pmwpub import figures
from pmwpub.ledger import Balance
from pmwpub.privacy.budget import ZCDP, epsilon_of
from pmwpub.service import Study, studies
from pmwpub.session.frame import Badge, panel, refusals
from pmwpub.session.services import service
from pmwpub.session.state import Session, go


def stored_panel(session: Session) -> None:
    """Open a population that the store holds, the newest first."""
    with refusals():
        stored = [population.name for population in reversed(service().ledger.populations())]
        if stored:
            with panel("Open a stored population", Badge.PUBLIC):
                chosen = st.selectbox("Population", stored)
                if st.button("Open"):
                    session.open(chosen)
                    go("pages/data.py")


def balance_plot(balance: Balance, running: ZCDP) -> figures.Plot:
    """Spent, at work and left, as lengths in rho."""

    def amount(rho: ZCDP) -> figures.Amount:
        return figures.Amount(float(rho.rho), epsilon_of(rho, balance.delta))

    settled = balance.spent - running
    parts = (balance.total, running, settled, balance.remaining)
    return figures.budget_bar(*(amount(rho) for rho in parts), delta=float(balance.delta))


def delete_uploads(session: Session, study: Study) -> None:
    """Delete the stored public tables now; charges, results, schema and workload stay."""
    with panel("Stored uploads", Badge.PUBLIC):
        if not study.candidates:
            st.caption("No table is stored. The private table never is.")
            return
        st.caption("The public candidates are stored; the private table never is. What was bought stays either way.")
        if not session.may_change(study):
            if not session.presenting:
                st.info("They can be deleted once this session holds the private table.")
            return
        sure = st.checkbox(f"Delete all {len(study.candidates)} stored public tables")
        if st.button("Delete now", disabled=not sure):
            for facts in study.candidates:
                studies.remove_candidate(service(), study.population.name, facts.sha256)
            session.tell("success", "The stored public tables are deleted.")
            st.rerun()
