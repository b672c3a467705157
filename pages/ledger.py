"""Ledger: the terms, what was spent and on what, exports, and deleting uploads."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.service import Mark
from pmwpub.service.budget_left import balance_plot
from pmwpub.service.grant import left_after, price_small_print, price_words
from pmwpub.ui import Badge, enter, opened, panel, plain, refusals, service
from pmwpub.ui.ledger.closing_panel import closing_panel
from pmwpub.ui.ledger.history_panel import history_part
from pmwpub.ui.ledger.own_loads import own_loads_panel
from pmwpub.ui.ledger.recorded_decisions import decisions_panel
from pmwpub.ui.ledger.stored_uploads import delete_uploads
from pmwpub.ui.protect.population_terms import terms_panel
from pmwpub.ui.widgets import number_fields, plot_panel

session = enter("pages/ledger.py")
study = opened("Ledger")
name = study.population.name
marks: Sequence[Mark] = ()

with panel("Balance", Badge.PUBLIC), refusals():
    plot_panel.show(balance_plot(study.balance, service().reserved(name), closed=study.closed is not None), "balance")

with panel("History", Badge.PUBLIC), refusals():
    st.caption("Append-only. A charge stays, whatever became of its result.")
    if study.of_households:
        st.caption(f"Each charge protects {plain(study.population.unit)}; none protects single persons alone.")
    marks = service().ledger.marks(name)
    history_part(study, marks)

decisions_panel(marks)
own_loads_panel(session, study)
if study.closed is None:
    with panel("What a further release would cost", Badge.PUBLIC), refusals():
        epsilon = number_fields.number(st, "ε of a further release", "0.5", "0.001", "100")
        price = service().price_at(name, epsilon)
        st.markdown(f"At most {price_words(price)}. {price_small_print(price)}")
        if price.affordable:
            st.markdown(f"Left afterwards: {left_after(price)}.")
        else:
            st.warning("That is more than is left.")

terms_panel(session, study)
delete_uploads(session, study)
closing_panel(session, study)
