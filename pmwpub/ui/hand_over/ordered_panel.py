"""Ordered columns, in Answers: the share of a range, and quantiles; each with its interval."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.service.bought.answers_of_releases import (
    OF_A_QUANTILE,
    OF_A_RANGE,
    RESTS_ON,
    QuantileAnswer,
    ReleaseAnswers,
)
from pmwpub.ui.hand_over.number_panel import show_number
from pmwpub.ui.wording.written import number, plain

PARTS = (0.25, 0.5, 0.75)


def range_part(answers: ReleaseAnswers, names: Sequence[str], key: str) -> None:
    """Draw the choice of a range of one of the columns, and the share of rows in it."""
    ordered = _ordered(answers, names)
    if not ordered:
        return
    name: str = st.selectbox("Range of", ordered, key=f"range of {key}")
    levels = answers.ordered.levels(name)
    left, right = st.columns(2)
    asked = (str(key), name)
    places = range(len(levels))
    first: int = left.selectbox("from", places, format_func=levels.__getitem__, key=f"range from {asked}")
    last: int = right.selectbox("to", places, len(levels) - 1, format_func=levels.__getitem__, key=f"range to {asked}")
    if first > last:
        st.caption("Choose a first end that is not behind the second.")
        return
    show_number(answers.ordered.of_levels(name, first, last), percent=True)
    st.caption(OF_A_RANGE)
    st.caption(RESTS_ON)


def quantile_part(answers: ReleaseAnswers, names: Sequence[str]) -> None:
    """Draw the quartiles of each chosen column that is ordered."""
    ordered = _ordered(answers, names)
    for name in ordered:
        for found in answers.ordered.quantiles(name, PARTS):
            _show(found)
    if ordered:
        st.caption(OF_A_QUANTILE)
        st.caption(RESTS_ON)


def _ordered(answers: ReleaseAnswers, names: Sequence[str]) -> list[str]:
    found = [name for name in names if name in answers.ordered.names]
    if not found:
        st.caption("None of these columns is numeric or ordered.")
    return found


def _show(found: QuantileAnswer) -> None:
    with st.container(border=True):
        if found.level is not None:
            st.metric(plain(found.what), found.level if found.value is None else number(found.value))
        if found.first is not None and found.last is not None:
            ends = (found.first, found.last) if found.low is None else (number(found.low), number(found.high or 0.0))
            st.markdown(f"95 % interval: {plain(ends[0])} to {plain(ends[1])}; rests on: {found.basis}.")
        if found.remark:
            st.caption(plain(found.remark))
