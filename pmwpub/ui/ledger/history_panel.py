"""What was charged, row by row, and its files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pmwpub.rounding import moment
from pmwpub.service import Mark, Study
from pmwpub.service.grant import with_percent
from pmwpub.service.history_files import Row, columns, history_csv, history_json
from pmwpub.service.purchases.caveats import with_remarks
from pmwpub.ui.app.deferring import at_download
from pmwpub.ui.app.services import service
from pmwpub.ui.widgets.at_any_width import table_at_any_width

ORDER = ("id", "time", "purpose", "percent_of_grant", "rho", "status", "remark", "mechanism", "sensitivity", "scale")


def history_part(study: Study, marks: Sequence[Mark]) -> None:
    """Draw every charge, the newest first, and offer the history as files, whose times stay as the store has them."""
    name = study.population.name
    rows = with_remarks(with_percent(service().ledger.export(name), study.balance.total), marks)
    if not rows:
        st.info("Nothing was charged yet.")
        return
    shown = columns([row | {"time": moment(str(row["time"]))} for row in rows])
    table_at_any_width(
        shown,
        short={
            "purpose": [_in_words(row) for row in reversed(rows)],
            "% of the grant": shown["percent_of_grant"],
            "time": shown["time"],
        },
        key="history",
        alt="Every charge, the newest first.",
        column_order=[*ORDER, "by"] if "by" in rows[0] else ORDER,
        column_config={
            "percent_of_grant": st.column_config.NumberColumn("% of the grant", format="%.2f"),
            "rho": st.column_config.NumberColumn("ρ", format="%.15g"),
        },
    )
    with st.container(horizontal=True):
        for label, kind, content in (("CSV", "text/csv", history_csv), ("JSON", "application/json", history_json)):
            st.download_button(
                f"Download {label}",
                at_download(name, partial(content, rows)),
                f"ledger-{name}.{label.lower()}",
                kind,
                on_click="ignore",
            )


def _in_words(row: Row) -> str:
    """The purpose of a charge, with what has to be said of it."""
    said = [str(row["purpose"]), *([] if row["status"] == "done" else [str(row["status"])]), str(row["remark"])]
    return "; ".join(filter(None, said))
