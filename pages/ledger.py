"""Ledger: the terms, what was spent and on what, exports, and deleting uploads."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.service import Mark
from pmwpub.service.budget_left import balance_plot
from pmwpub.service.grant import left_after, price_small_print, price_words, with_percent
from pmwpub.service.history_files import columns, history_csv, history_json
from pmwpub.service.purchases.caveats import with_remarks
from pmwpub.ui import Badge, at_download, enter, opened, panel, plain, refusals, service
from pmwpub.ui.ledger.closing_panel import closing_panel
from pmwpub.ui.ledger.own_loads import own_loads_panel
from pmwpub.ui.ledger.recorded_decisions import decisions_panel
from pmwpub.ui.ledger.stored_uploads import delete_uploads
from pmwpub.ui.protect.population_terms import terms_panel
from pmwpub.ui.widgets import number_fields, plot_panel

ORDER = ["id", "time", "purpose", "percent_of_grant", "rho", "status", "remark", "mechanism", "sensitivity", "scale"]

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
    rows = with_remarks(with_percent(service().ledger.export(name), study.balance.total), marks)
    if rows:
        st.dataframe(
            columns(rows),
            hide_index=True,
            width="stretch",
            column_order=[*ORDER, "by"] if "by" in rows[0] else ORDER,
            column_config={
                "percent_of_grant": st.column_config.NumberColumn("% of the grant", format="%.2f"),
                "rho": st.column_config.NumberColumn("ρ", format="%.15g"),
            },
            alt="Every charge, the newest first.",
        )
        with st.container(horizontal=True):
            st.download_button(
                "Download CSV",
                at_download(name, lambda: history_csv(rows)),
                f"ledger-{name}.csv",
                "text/csv",
                on_click="ignore",
            )
            st.download_button(
                "Download JSON",
                at_download(name, lambda: history_json(rows)),
                f"ledger-{name}.json",
                "application/json",
                on_click="ignore",
            )
    else:
        st.info("Nothing was charged yet.")

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
