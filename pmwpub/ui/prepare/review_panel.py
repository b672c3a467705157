"""The review of columns, one row each, before anything has a price: suspicious ones first, each with its remedies."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.inputs.reviewing import LEFT_OUT, Review, ReviewedColumn, reviewed
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.households.reviewed_homes import for_households
from pmwpub.ui.prepare.review_cards import cards, what_is_known
from pmwpub.ui.widgets.reading_progress import progress_bar

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
    found = for_households(found, study)
    st.markdown(_summary(found))
    _table(found)
    cards(session, study, found, changeable=changeable)
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
    known: dict[str, Sequence[object]] = {
        "column": [one.name for one in rows],
        "look": [_mark(one) for one in rows],
        "kind": [one.kind if one.kind != LEFT_OUT else "" for one in rows],
        "levels": [len(one.levels) or None for one in rows],
        "public rows": [list(one.bars[:MOST_BARS]) if one.encoded else None for one in rows],
        "why": [what_is_known(one) for one in rows],
        "levels or bins": [" · ".join(one.levels) for one in rows],
    }
    st.dataframe(
        {name: values for name, values in known.items() if any(values)},
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
            "levels or bins": config.TextColumn(width="large"),
        },
        placeholder="–",
        alt="The review: each column with its kind, levels, and what should be known of it.",
    )


def _mark(row: ReviewedColumn) -> str:
    if row.suspicious:
        return "suspicious"
    return "look" if row.encoded and row.remarks else LEFT_OUT if row.kind == LEFT_OUT else ""
