"""What is made of cells, in Answers: a difference of two, a mean; each one number with its interval."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.service.bought.answers_of_releases import OF_A_MEAN, RESTS_ON, NumberAnswer, ReleaseAnswers
from pmwpub.ui.wording.written import number, plain


def difference_part(answers: ReleaseAnswers, names: Sequence[str], key: str) -> None:
    """Draw the choice of two cells of a marginal, and the share of one less that of the other."""
    cells = [one.levels for one in answers.marginal(names)]
    if len(cells) < 2:
        st.caption("These columns have one cell alone.")
        return

    def words(place: int) -> str:
        return ", ".join(f"{name} = {level}" for name, level in cells[place].items())

    left, right = st.columns(2)
    asked = (str(key), *names)
    first: int = left.selectbox("Share of", range(len(cells)), format_func=words, key=f"first {asked}")
    second: int = right.selectbox("less share of", range(len(cells)), 1, format_func=words, key=f"second {asked}")
    if first == second:
        st.caption("Choose two different cells.")
        return
    show_number(answers.difference(cells[first], cells[second]), percent=True)
    st.caption(RESTS_ON)


def mean_part(answers: ReleaseAnswers, names: Sequence[str]) -> None:
    """Draw the mean of each chosen column that is numeric."""
    numeric = [name for name in names if name in answers.numeric]
    if not numeric:
        st.caption("None of these columns is numeric, so none has a mean.")
        return
    for name in numeric:
        show_number(answers.mean(name), percent=False)
    st.caption(OF_A_MEAN)
    st.caption(RESTS_ON)


def show_number(found: NumberAnswer, *, percent: bool) -> None:
    """Draw a number with its interval: a share in points where `percent`."""

    def written(value: float) -> str:
        return f"{100 * value:.2f} points" if percent else number(value)

    with st.container(border=True):
        if found.value is not None:
            st.metric(plain(found.what), written(found.value))
        if found.low is not None and found.high is not None:
            st.markdown(f"95 % interval: {written(found.low)} to {written(found.high)}; rests on: {found.basis}.")
        if found.of_bins:
            st.markdown(plain(found.of_bins))
        if found.remark:
            st.caption(plain(found.remark))
