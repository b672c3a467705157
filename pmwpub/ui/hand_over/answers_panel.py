"""Answers: pick columns, see each cell's share with its interval, the public table beside it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.service import Released, Study
from pmwpub.service.bought.answers_of_releases import (
    LARGEST_ORDER,
    MISSES,
    PUBLIC,
    RESTS_ON,
    WITHIN,
    CellAnswer,
    ReleaseAnswers,
    answer_table,
    answers_csv,
    answers_of,
    misfitting,
    share_of,
    workload_csv,
)
from pmwpub.ui.app.deferring import at_download
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.services import service
from pmwpub.ui.hand_over.number_panel import difference_part, mean_part
from pmwpub.ui.hand_over.ordered_panel import quantile_part, range_part
from pmwpub.ui.wording.written import plain

SHARES, IN_COLUMN, DIFFERENCE, MEAN = "shares of rows", "shares within a column", "a difference of two", "means"
RANGE, QUANTILES = "a range", "quantiles"


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
            if answers.remark:
                st.info(plain(answers.remark))
            if misfitting(answers):
                st.warning(MISSES)
            _statistic(study, found, answers, names, key)
        except PmwPubError as refused:
            st.info(plain(str(refused)))


def _statistic(study: Study, found: Released, answers: ReleaseAnswers, names: list[str], key: str) -> None:
    """Draw the choice of what is asked of the columns, and its answer."""
    asked = st.radio(
        "What",
        (SHARES, IN_COLUMN, DIFFERENCE, MEAN, RANGE, QUANTILES),
        format_func=lambda one: share_of(found).replace("share", "shares") if one == SHARES else one,
        horizontal=True,
        key=f"statistic {key}",
    )
    if asked == DIFFERENCE:
        difference_part(answers, names, key)
    elif asked == MEAN:
        mean_part(answers, names)
    elif asked == RANGE:
        range_part(answers, names, key)
    elif asked == QUANTILES:
        quantile_part(answers, names)
    elif asked == SHARES:
        _cells(study, found, answers, names, answers.marginal(names), key, share_of(found))
    elif len(names) < 2:
        st.caption("Choose a second column.")
    else:
        given = st.selectbox("Within the levels of", names, key=f"within {key}")
        st.caption(WITHIN)
        _cells(None, found, answers, names, answers.within(names, [given]), key, f"share within {given}")


def _cells(
    study: Study | None,
    found: Released,
    answers: ReleaseAnswers,
    names: list[str],
    cells: Sequence[CellAnswer],
    key: str,
    share: str,
) -> None:
    """Draw cells with their intervals, and their files.

    study  whose public table stands beside them; None beside other shares than those of all rows
    share  what they are shares of, as the header says it
    """
    table = answer_table(study, found, names, cells, share)
    st.dataframe(
        table.columns,
        hide_index=True,
        width="stretch",
        column_config={name: st.column_config.NumberColumn(format="percent") for name in (share, "from", "to", PUBLIC)},
        alt=f"Table: {share}, by {', '.join(names)}, with intervals.",
    )
    st.caption(answers.covers)
    st.caption(RESTS_ON)
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
        at_download(found.outcome.booking.population, lambda: workload_csv(answers)),
        "all-answers.csv",
        "text/csv",
        key=f"answers csv {key}",
        on_click="ignore",
    )
