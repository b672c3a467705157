"""Error against ε by simulation, beside the floors that were bought; and on the private table, for the steward."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.service import Assessed, Study
from pmwpub.service.simulations.sweep_range import SweepRange
from pmwpub.service.simulations.validated_settings import is_tuning
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.state import Session
from pmwpub.ui.compare.pools import Pool
from pmwpub.ui.compare.private_sweep_panel import private_sweep_panel
from pmwpub.ui.compare.sweep_panel import sweep_panel
from pmwpub.ui.compare.tuning_panel import show_chosen
from pmwpub.ui.wording import side_by_side


def simulated_panel(session: Session, study: Study, bought: Sequence[Assessed], chosen: Pool | None) -> None:
    """Draw error against ε with what no ε reaches shaded; below it, for the steward, the private table's own."""
    floors = list(side_by_side.latest(bought, study).values())
    found = None
    with panel("Error against ε, by simulation", Badge.PUBLIC, *([Badge.DP] if floors else [])), refusals():
        plays = "Made-up state A, or a public table," if study.demo else "A public table"
        st.markdown(f"{plays} plays the private one. In the shaded region no error is to be had, **whatever ε**.")
        found = sweep_panel(study, floors, chosen)
        if found is None or not is_tuning(found.terms):
            show_chosen(study, found)
    private_sweep_panel(session, study, SweepRange() if found is None else found.terms)
