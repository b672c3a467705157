"""The columns of the review one by one, as cards that a phone shows whole: levels, what is known, decisions, Undo."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.inputs import decisions
from pmwpub.service.inputs.decisions import Decisions
from pmwpub.service.inputs.reviewing import LEFT_OUT, Remedy, Review, ReviewedColumn
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.households.reviewed_homes import IN_USE
from pmwpub.ui.prepare.schema_changes import change_schema
from pmwpub.ui.wording.remedies import remedy_words
from pmwpub.ui.wording.written import plain

AT_ONCE = 8
"""Cards that are shown together."""
MOST_LEVELS = 6
"""Levels or bins that a card names."""


def cards(session: Session, study: Study, found: Review, *, changeable: bool) -> None:
    """A card for each column that should be looked at or was decided about, some at once; any other by its name."""
    known = decisions.decisions(service(), study.population.name) if changeable else Decisions()
    waiting = [one for one in found.columns if one.remedies or one.remarks or known.of(one.name)]
    for row in _some(waiting):
        _card(session, study, row, known, changeable=changeable)
    others = [one for one in found.columns if one not in waiting]
    with st.expander("Look at another column"):
        if not others:
            st.caption("All columns are listed above.")
            return
        name = st.selectbox("Column", [one.name for one in others], key="reviewed column")
        row = next((one for one in others if one.name == name), others[0])
        _card(session, study, row, known, changeable=changeable)


def _some(waiting: Sequence[ReviewedColumn]) -> Sequence[ReviewedColumn]:
    """As many as are shown together; which, where there are more, is chosen by their place."""
    if len(waiting) <= AT_ONCE:
        return waiting
    begins = range(0, len(waiting), AT_ONCE)
    names = {begin: f"{begin + 1} to {min(begin + AT_ONCE, len(waiting))}" for begin in begins}
    label = f"Columns to look at: {len(waiting):,}, {AT_ONCE} at once"
    begin = st.selectbox(label, list(begins), format_func=names.__getitem__, key=widget_keys.REVIEWED_RANGE)
    return waiting[begin : begin + AT_ONCE]


def _card(session: Session, study: Study, row: ReviewedColumn, known: Decisions, *, changeable: bool) -> None:
    with st.container(border=True):
        kind = row.kind if row.suspicious or not row.encoded else f"{row.kind}, {len(row.levels):,} levels"
        st.markdown(f"**{plain(row.name)}** · {kind}{' · suspicious' if row.suspicious else ''}")
        st.caption(plain(what_is_known(row) or "Nothing stands out."))
        if row.encoded:
            st.caption(plain(levels_in_words(row)))
        if not changeable or row.kind == IN_USE:
            return
        for one in known.of(row.name):
            _decided(session, study, one)
        with st.container(horizontal=True):
            for remedy in _offered(study, row):
                if remedy not in known.remedies and st.button(remedy_words(remedy), key=_key("decide", remedy)):
                    _decide(session, study, remedy)


def what_is_known(row: ReviewedColumn) -> str:
    """What a person should know of a column, in sentences."""
    said = any(one.kind == "spelling" for one in row.remarks)
    merged = [f"Taken as one: {'; '.join(row.merged)}."] if row.merged and not said else []
    return " ".join([*(one.text for one in row.remarks), *merged] or [row.why])


def levels_in_words(row: ReviewedColumn) -> str:
    """The first levels or bins and those of no value, each with its share of the public rows."""
    found = list(zip(row.levels, row.shares, strict=True))
    listed = [f"{level} {share:.0%}" for level, share in found if level not in row.missing]
    more = [f"and {len(listed) - MOST_LEVELS:,} more"] if len(listed) > MOST_LEVELS else []
    blank = [f"{level} {share:.0%}" for level, share in found if level in row.missing]
    without = f"; without a value: {' · '.join(blank[:MOST_LEVELS])}" if blank else ""
    return f"In public rows: {' · '.join([*listed[:MOST_LEVELS], *more])}{without}"


def _offered(study: Study, row: ReviewedColumn) -> list[Remedy]:
    """What a click may decide; of households neither weights nor ids of persons, which they refuse."""
    offered = row.remedies or _any_time(row)
    return [one for one in offered if not (study.of_households and _of_persons_alone(one))]


def _of_persons_alone(remedy: Remedy) -> bool:
    return remedy.rule == "weight" or (remedy.rule == "kind" and remedy.value == "id")


def _any_time(row: ReviewedColumn) -> tuple[Remedy, ...]:
    """What may be decided about a column of which nothing is said."""
    if not row.encoded and row.kind == LEFT_OUT:
        return (Remedy(row.name, "kind", "categorical"), Remedy(row.name, "kind", "numeric"))
    return (Remedy(row.name, "kind", "ignore"), Remedy(row.name, "kind", "id"))


def _decided(session: Session, study: Study, remedy: Remedy) -> None:
    """One decision that holds, and the button that takes it back."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Decided: {plain(remedy_words(remedy))}.")
        if st.button("Undo", key=_key("undo", remedy), icon=":material/undo:"):
            said = f"{plain(remedy.column)}: taken back. The schema is saved."
            change_schema(session, lambda: decisions.undo(service(), study, remedy), said)


def _decide(session: Session, study: Study, remedy: Remedy) -> None:
    said = f"{plain(remedy.column)}: {plain(remedy_words(remedy))}. The schema is saved."
    change_schema(session, lambda: decisions.decide(service(), study, remedy), said)


def _key(what: str, remedy: Remedy) -> str:
    return f"{what} {remedy.column} {remedy.rule} {remedy.value}"
