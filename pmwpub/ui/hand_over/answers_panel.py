"""Answers: pick columns, see each cell's share with its interval, the public table beside it."""

from __future__ import annotations

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.service import Released, Study
from pmwpub.service.bought.answers_of_releases import (
    COVERS,
    LARGEST_ORDER,
    answer_table,
    answers_csv,
    answers_of,
    misfitting,
    workload_csv,
)
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.services import service
from pmwpub.ui.wording.written import plain

MISSES = (
    "The public rows cannot answer this release's own noisy tables within their noise: their support is too thin. The "
    "intervals are wider for it."
)


def answers_panel(study: Study, found: Released) -> None:
    """Draw the question and its answer; nothing here costs anything."""
    bundle = found.bundle
    if bundle is None:
        return
    key = str(found.outcome.booking.id)
    with panel("Answers: how far off is this number?", Badge.DP):
        try:
            answers = answers_of(service(), bundle)
            names: list[str] = st.multiselect(
                "Columns, one to three",
                bundle.schema.domain.names,
                default=bundle.schema.domain.names[:1],
                max_selections=LARGEST_ORDER,
                key=f"answer {key}",
            )
            if not names:
                st.caption("Choose a column.")
                return
            cells = answers.marginal(names)
        except PmwPubError as refused:
            st.info(plain(str(refused)))
            return
        if answers.remark:
            st.info(plain(answers.remark))
        if misfitting(answers):
            st.warning(MISSES)
        table = answer_table(study, found, names, cells)
        st.dataframe(
            table.columns,
            hide_index=True,
            width="stretch",
            column_config={
                name: st.column_config.NumberColumn(format="percent")
                for name in ("share of rows", "from", "to", "public table")
            },
            alt=f"Shares of rows by {', '.join(names)}, with intervals.",
        )
        st.caption(COVERS)
        left, right = st.columns(2)
        left.download_button(
            "These cells (CSV)",
            answers_csv(cells),
            "answers.csv",
            "text/csv",
            key=f"answer csv {key}",
            on_click="ignore",
        )
        right.download_button(
            "All marginals of the workload (CSV)",
            lambda: workload_csv(answers),
            "all-answers.csv",
            "text/csv",
            key=f"answers csv {key}",
            on_click="ignore",
        )
