"""Panels of exact private numbers: off by default, confirmed, recorded, kept in this session's memory alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

from pmwpub import figures
from pmwpub.service import PrivateTable, Study
from pmwpub.service.steward_only import recorded_numbers
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.hand_over.before_and_after import BeforeAndAfter
from pmwpub.ui.widgets import plot_panel
from pmwpub.ui.widgets.text_table import text_table
from pmwpub.ui.wording.written import number

Found = TypeVar("Found")
LATER = "Offered once a plan is frozen and charged: numbers seen before could steer it, and no ε covers that."
CONFIRM = (
    "I know that no ε covers these numbers, that this look is recorded, and that every later plan, schema and workload "
    "of this population carries a remark"
)


def true_errors_panel(session: Session, study: Study, shown: BeforeAndAfter) -> None:
    """Draw the exact errors of a release.

    shown  the release, as it stands beside its public table
    """
    key = shown.key
    found = opened_numbers(
        session,
        study,
        key=("true errors", key),
        title=f"True errors of release {shown.number}",
        what="The exact largest, mean and root-mean-square error of this release over its workload.",
        compute=lambda private: recorded_numbers.true_errors(service(), private, key),
    )
    if found is None:
        return
    with found[0]:
        errors = found[1]
        left, middle, right = st.columns(3)
        left.metric("Largest error", number(errors.max_error))
        middle.metric("Mean error", number(errors.mean_error))
        right.metric("RMS error", number(errors.rms_error))


def true_marginals_panel(session: Session, study: Study, shown: BeforeAndAfter) -> None:
    """Draw the private one-way marginal of the chosen column, beside release and public table."""
    found = opened_numbers(
        session,
        study,
        key="one-way marginals",
        title="The same column in the private table",
        what="The exact shares of every column's levels in the private table.",
        compute=lambda private: recorded_numbers.one_way_shares(service(), private),
    )
    if found is None:
        return
    with found[0]:
        private = found[1][shown.attribute]
        plot_panel.show_private(
            figures.marginal_comparison(shown.levels, shown.public, shown.released, private, attribute=shown.attribute),
            "one-way private",
        )


def unmapped_panel(session: Session, study: Study) -> None:
    """Draw how many private cells have no level, column by column."""
    found = opened_numbers(
        session,
        study,
        key="unmapped cells",
        title="Private cells without a level",
        what=recorded_numbers.UNMAPPED[study.rows_beyond],
        compute=lambda private: recorded_numbers.unmapped_cells(service(), private),
    )
    if found is None:
        return
    with found[0]:
        counts = found[1]
        text_table({"column": list(counts), "cells without a level": list(counts.values())})


def opened_numbers(
    session: Session,
    study: Study,
    *,
    key: Hashable,
    title: str,
    what: str,
    compute: Callable[[PrivateTable], Found],
) -> tuple[st.delta_generator.DeltaGenerator, Found] | None:
    """The place for a panel's numbers and the numbers, once the steward opened it; else None.

    Nothing is drawn for anybody else. `compute` records the look before it computes.
    """
    private = session.steward(study)
    if private is None:
        return None
    with panel(title, Badge.PRIVATE):
        if key in session.seen:
            place = st.container()
            if st.button("Close", key=f"close {key}", help="The record stays; opening again is recorded again."):
                del session.seen[key]
                st.rerun()
            return place, session.seen[key]  # type: ignore[return-value]
        st.caption(what)
        if not recorded_numbers.offered(service(), study.population.name):
            st.caption(LATER)
            return None
        sure = st.checkbox(CONFIRM, key=f"confirm {key}")
        if st.button("Open, and record it", key=f"open {key}", disabled=not sure):
            with refusals(), st.spinner("Counting…"):
                session.seen[key] = compute(private)
                st.rerun()
    return None
