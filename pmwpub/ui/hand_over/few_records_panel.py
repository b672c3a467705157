"""Whose rows the synthetic ones are: how many few public records carry, and what leaving them out would cost."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Released, Study
from pmwpub.service.bought.answers_of_releases import MERGING, PUBLIC_PEOPLE, FewRecords, few_records_in
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.services import service

FEW = (2, 3, 5, 10, 20, 50)
"""Fewer records than one of these are few."""


def few_records_panel(study: Study, found: Released) -> None:
    """Draw the question for columns that point to a person, and its answer; nothing here costs anything."""
    bundle = found.bundle
    if bundle is None:
        return
    key = str(found.outcome.booking.id)
    with panel("Whose rows are these?", Badge.DP):
        st.markdown(PUBLIC_PEOPLE)
        left, right = st.columns([3, 1])
        names: list[str] = left.multiselect(
            "Columns that point to a person, the weightiest first", bundle.schema.domain.names, key=f"few columns {key}"
        )
        least: int = right.selectbox("Few is fewer than", FEW, index=2, key=f"few {key}")
        if not names:
            st.caption("Choose columns such as age, place and job.")
            return
        looked = few_records_in(service(), study, found, names, least)
        if looked is None:
            st.info("The public table is no longer here under this schema; `pmwpub few-records` takes its file.")
        else:
            _answer(looked)


def _answer(looked: FewRecords) -> None:
    st.markdown(
        f"**{looked.share:.2%}** of the coded rows have one of {looked.combinations:,} combinations in these columns "
        f"that fewer than {looked.least} public records have."
    )
    if looked.dropped is None or looked.merged is None:
        st.caption("No row would be left without them.")
        return
    st.markdown(
        f"- Leaving them out changes an answer of the workload by up to {looked.dropped.largest:.2%} of the rows, by "
        f"{looked.dropped.mean:.3%} on average.\n"
        f"- Merging them changes one by up to {looked.merged.largest:.2%}, by {looked.merged.mean:.3%} on average."
    )
    st.caption(MERGING)
