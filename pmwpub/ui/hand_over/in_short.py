"""The one page for the stakeholder: what is promised, how far numbers may be off, what not to use it for."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub import figures
from pmwpub.service import Released, Study
from pmwpub.service.choosing.expectation import ReleaseSummary, handed_over
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.services import service
from pmwpub.ui.wording.written import plain


def in_short(study: Study, found: Released) -> None:
    """Draw the summary of a finished release, as its report begins with it."""
    summary = handed_over(service(), study, found)
    with panel("In short", Badge.DP):
        left, right = st.columns(2)
        with left:
            _list("What is promised", (*summary.promise, summary.spent))
        with right:
            _list("How far numbers may be off", summary.errors)
            if summary.levels:
                _levels(summary)
        if summary.figure:
            st.html(summary.figure)
        _list("What not to use it for", summary.cautions)


def _levels(summary: ReleaseSummary) -> None:
    with st.expander("Shares of single columns, with intervals"):
        table = figures.Table(
            ("column", "level", "share of rows", "from", "to"),
            tuple((one.column, one.level, one.share, one.low, one.high) for one in summary.levels),
        )
        st.dataframe(
            table.columns,
            hide_index=True,
            width="stretch",
            column_config={name: st.column_config.NumberColumn(format="percent") for name in table.header[2:]},
            alt="Shares of single columns, with intervals.",
        )


def _list(title: str, sentences: Sequence[str]) -> None:
    st.markdown(f"**{title}**")
    st.markdown("\n".join(f"- {plain(words)}" for words in sentences))
