"""The stored populations, the balance as a figure, and deleting what was uploaded."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub import figures
from pmwpub.ledger import Balance, Mark
from pmwpub.privacy.budget import ZCDP, epsilon_of
from pmwpub.rounding import above, below
from pmwpub.service import Study
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session, go
from pmwpub.ui.wording.written import left, plain


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
        return figures.Amount(above(rho.rho), epsilon_of(rho, balance.delta))

    remaining = figures.Amount(below(balance.remaining.rho), float(left(balance.remaining, balance.delta)))
    settled = balance.spent - running
    return figures.budget_bar(
        amount(balance.total), amount(running), amount(settled), remaining, delta=above(balance.delta)
    )


def decisions_panel(marks: Sequence[Mark]) -> None:
    """What was decided and recorded for good, the newest last; and what every plan carries since."""
    if not marks:
        return
    with panel("Recorded decisions", Badge.PUBLIC):
        for remark in remarks_from(marks):
            st.warning(f"Every plan from then on: {plain(remark)}.", icon=":material/visibility:")
        st.dataframe(
            {
                "time": [mark.time for mark in marks],
                "what": [mark.kind for mark in marks],
                "note": [mark.note for mark in marks],
            },
            hide_index=True,
            width="stretch",
            alt="Recorded decisions, oldest first.",
        )


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
                study_store.remove_candidate(service(), study.population.name, facts.sha256)
            session.tell("success", "The stored public tables are deleted.")
            st.rerun()
