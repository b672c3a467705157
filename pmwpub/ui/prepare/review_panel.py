"""The review of columns, one row each, before anything has a price: suspicious ones first, each with its remedies."""

from __future__ import annotations

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.service import Study
from pmwpub.service.inputs.reviewing import LEFT_OUT, Remedy, Review, ReviewedColumn, decide, reviewed
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.widgets.reading_progress import progress_bar
from pmwpub.ui.wording.remedies import remedy_words
from pmwpub.ui.wording.written import plain

AT_ONCE = 8
"""Columns to look at whose remedies are shown without being asked for."""
MOST_BARS = 60
HEIGHT = 420


def review_part(session: Session, study: Study, *, changeable: bool) -> bool:
    """Every column of the public tables: its kind, a picture, what was merged, left out, and why. False without any."""
    if study.schema is None or not study.candidates:
        return False
    with progress_bar("Looking over the columns…") as progress:
        found = reviewed(service(), study, progress)
    if found is None:
        return False
    st.markdown(_summary(found))
    _table(found)
    if changeable:
        _decisions(session, study, found)
    return True


def _summary(found: Review) -> str:
    out = len(found.left_out)
    encoded = len(found.columns) - out
    looked = sum(1 for one in found.columns if one.encoded and one.remarks)
    parts = [
        f"**{encoded:,}** {'column is' if encoded == 1 else 'columns are'} encoded",
        f"**{out:,}** {'is' if out == 1 else 'are'} not",
    ]
    if looked:
        parts.append(f"**{looked:,}** should be looked at")
    return f"{', '.join(parts)}. All of this is public and costs nothing."


def _table(found: Review) -> None:
    rows = found.columns
    config = st.column_config
    st.dataframe(
        {
            "column": [one.name for one in rows],
            "look": [_mark(one) for one in rows],
            "kind": [one.kind if one.kind != LEFT_OUT else "" for one in rows],
            "public rows": [list(one.bars[:MOST_BARS]) if one.encoded else None for one in rows],
            "levels": [len(one.levels) or None for one in rows],
            "why": [_words(one) for one in rows],
            "levels or bins": [" · ".join(one.levels) for one in rows],
        },
        hide_index=True,
        width="stretch",
        height=min(HEIGHT, 38 + 35 * len(rows)),
        column_config={
            "column": config.TextColumn(pinned=True, width="small"),
            "look": config.TextColumn(width="small"),
            "kind": config.TextColumn(width="small"),
            "public rows": config.BarChartColumn(
                width="small", y_min=0, y_max=1, help="Each level or bin among the public rows, beside the largest."
            ),
            "levels": config.NumberColumn(width="small"),
            "why": config.TextColumn(width="large"),
        },
        placeholder="–",
        alt="The review: each column with its kind, levels, and what should be known of it.",
    )


def _mark(row: ReviewedColumn) -> str:
    if row.suspicious:
        return "suspicious"
    return "look" if row.encoded and row.remarks else LEFT_OUT if row.kind == LEFT_OUT else ""


def _words(row: ReviewedColumn) -> str:
    said = any(one.kind == "spelling" for one in row.remarks)
    merged = [f"Taken as one: {'; '.join(row.merged)}."] if row.merged and not said else []
    return " ".join([*(one.text for one in row.remarks), *merged] or [row.why])


def _decisions(session: Session, study: Study, found: Review) -> None:
    """The remedies as buttons: of the columns to look at, and of any other that is asked for."""
    waiting = [one for one in found.columns if one.remedies]
    for row in waiting[:AT_ONCE]:
        _decision(session, study, row)
    with st.expander("Decide about another column"):
        others = [one for one in found.columns if one not in waiting[:AT_ONCE]]
        if not others:
            st.caption("All columns are listed above.")
            return
        name = st.selectbox("Column", [one.name for one in others], key="reviewed column")
        row = next((one for one in others if one.name == name), others[0])
        _decision(session, study, row)


def _decision(session: Session, study: Study, row: ReviewedColumn) -> None:
    with st.container(border=True):
        st.markdown(f"**{plain(row.name)}** · {row.kind}")
        st.caption(plain(_words(row) or "Nothing stands out."))
        with st.container(horizontal=True):
            for remedy in row.remedies or _any_time(row):
                words = remedy_words(remedy)
                if st.button(words, key=f"decide {row.name} {remedy.rule} {remedy.value}"):
                    _decide(session, study, remedy, words)


def _any_time(row: ReviewedColumn) -> tuple[Remedy, ...]:
    """What may be decided about a column of which nothing is said."""
    if not row.encoded:
        return (Remedy(row.name, "kind", "categorical"), Remedy(row.name, "kind", "numeric"))
    return (Remedy(row.name, "kind", "ignore"), Remedy(row.name, "kind", "id"))


def _decide(session: Session, study: Study, remedy: Remedy, words: str) -> None:
    try:
        decide(service(), study, remedy)
    except PmwPubError as refusal:
        session.tell("error", f"The schema stays as it is. {plain(str(refusal))}")
    else:
        session.tell("success", f"{plain(remedy.column)}: {plain(words)}. The schema is saved.")
    st.rerun()
