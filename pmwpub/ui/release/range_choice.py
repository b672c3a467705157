"""The choice of coarse tables on the release form: ordered columns of which ranges and quantiles are wanted sharper."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.choosing.columns_for_ranges import columns_for_ranges
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.services import service

LABEL = "Sharper answers to “between x and y” for"
COST = (
    "A quarter of the budget goes to tables in which neighbouring levels of these columns count as one (coarse "
    "tables). Ranges and quantiles get sharper; every other table gets about 15 % more noise."
)
APART = "Sharper answers to “between x and y” are not made together with {}; take the tick out for them."


def ask_for_ranges(study: Study, *, beside: str = "") -> tuple[str, ...]:
    """The ordered columns of which coarse tables are measured; those of the workload's prefixes at first.

    beside  what else of table fit is ticked that no plan has together with them, in words; "" for nothing

    Nothing is asked where the workload has no ordered column of enough levels.
    """
    options = columns_for_ranges(service(), study)
    if not options:
        return ()
    if beside:
        st.caption(APART.format(beside))
        return ()
    asked = () if study.choice is None else study.choice.prefixes
    first = [name for name in options if name in asked]
    key = widget_keys.range_columns(study.workload().sha256)
    chosen: list[str] = st.multiselect(LABEL, options, first, key=key, placeholder="Choose columns")
    if chosen:
        st.caption(COST)
    return tuple(chosen)
