"""Answers of a release of households: pick what is counted and columns, see each cell with its interval."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.households.household_downloads import HouseholdBundle
from pmwpub.service.households.household_releases import ReleasedHouseholds
from pmwpub.service.households.released_cells import (
    COUNTED,
    LARGEST_ORDER,
    OF_HOUSEHOLDS,
    UNITS,
    Counted,
    HouseholdAnswers,
    all_cells_csv,
    answers_of,
    cells_csv,
    columns_of,
)
from pmwpub.ui.app.deferring import at_download
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service


def household_answers_panel(found: ReleasedHouseholds, bundle: HouseholdBundle) -> None:
    """Draw the question and its answer; nothing here costs anything."""
    key = found.outcome.booking.id
    with panel("Answers with intervals", Badge.DP), refusals():
        answers = answers_of(service(), str(found.outcome.booking.result), bundle)
        of: Counted = st.radio("Counted", COUNTED[::-1], horizontal=True, key=f"counted {key}")
        options = answers.measured.domain(of).names
        names: list[str] = st.multiselect(
            "Columns, one to three",
            options,
            default=options[:1],
            max_selections=LARGEST_ORDER,
            key=f"household answer {of} {key}",
        )
        if not names:
            st.caption("Choose a column.")
            return
        _cells(answers, of, names, found)


def _cells(answers: HouseholdAnswers, of: Counted, names: list[str], found: ReleasedHouseholds) -> None:
    """Draw the cells of a marginal with their intervals, and the files of these and of all."""
    cells, key = answers.marginal(names, of), found.outcome.booking.id
    shown = columns_of(cells, of)
    written = "%.3f" if of == "persons" else "percent"
    numbers = [name for name in shown if name not in (*cells[0].levels, "remark")]
    st.dataframe(
        shown,
        hide_index=True,
        width="stretch",
        column_config=dict.fromkeys(numbers, st.column_config.NumberColumn(format=written)),
        alt=f"Table: {UNITS[of]}, by {', '.join(names)}, with intervals.",
    )
    st.expander("What the intervals rest on").caption(OF_HOUSEHOLDS)
    left, right = st.columns(2)
    left.download_button(
        "These cells (CSV)",
        cells_csv(cells, of),
        "answers.csv",
        "text/csv",
        key=f"household answer csv {key}",
        on_click="ignore",
    )
    right.download_button(
        "All measured tables (CSV)",
        at_download(found.outcome.booking.population, lambda: all_cells_csv(answers)),
        "all-answers.csv",
        "text/csv",
        key=f"household answers csv {key}",
        on_click="ignore",
    )
