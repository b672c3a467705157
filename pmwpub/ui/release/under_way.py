"""What became of a release that was just bought: its progress, its end, and where its files are."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Released, Study
from pmwpub.service.households.household_releases import ReleasedHouseholds
from pmwpub.ui.app.frame import Badge, link, panel
from pmwpub.ui.app.state import Session
from pmwpub.ui.widgets.price_form import NO_RESULT
from pmwpub.ui.widgets.watching import Waiting, watch
from pmwpub.ui.wording.written import plain

AT_WORK = {
    "release": ("PMW^Pub", "round"),
    "table-fit": ("Table fit", "step"),
    "table-fit-pool": ("Table fit", "step"),
    "households": ("Table fit of households", "step"),
    "households-pmw-pub": ("PMW^Pub of households", "round"),
}
"""What works on a plan, and what its progress counts, by the kind of plan."""


def outcome_panel(session: Session, study: Study, found: Released | ReleasedHouseholds) -> None:
    """Draw a release by what became of it; the files of one that is done stand on Hand over."""
    with panel(f"Release {found.number}: {plain(found.name)}", Badge.DP):
        if found.outcome.status == "running":
            watch_release(found, cancel=session.steward(study) is not None)
            return
        if found.bundle is None:
            st.warning(NO_RESULT)
            label = "See it, or draw again"
        else:
            st.success("Done: its files and what to hand over are ready.", icon=":material/task_alt:")
            label = "Open what to hand over"
        link("pages/hand_over.py", label, release=str(found.number))


def watch_release(found: Released | ReleasedHouseholds, *, cancel: bool) -> None:
    """Show the progress of a release that is at work."""
    name, unit = AT_WORK[found.plan.kind]
    watch([Waiting.on(found.outcome.booking, name)], unit, charged=True, cancel=cancel)
