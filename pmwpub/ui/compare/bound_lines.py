"""The accuracy theorem beside a simulation: drawn where it is asked for, and never without what it rests on."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.simulations.explorations import Exploration
from pmwpub.service.simulations.findings import Simulation
from pmwpub.service.simulations.proved_bounds import ProvedBounds, bounds_of
from pmwpub.ui.wording.written import plain

LABEL = "Draw the bound of the paper's accuracy theorem (worst case, not what to expect)"
HELP = "It needs each table's best-mixture error: the certified floor of this simulation, never a private number."


def ask_for_bounds(study: Study, found: Exploration, simulation: Simulation, key: str) -> ProvedBounds:
    """Draw a toggle, off at first, and return the bounds that it asks for; no toggle where no floor is known yet."""
    if not (simulation.errors and simulation.floors and st.toggle(LABEL, key=f"{key} theorem", help=HELP)):
        return ProvedBounds()
    bounds = bounds_of(study, found, simulation)
    meaning, *rests_on = map(plain, bounds.words)
    st.caption(meaning)
    with st.expander("What the bound rests on"):
        st.markdown("\n".join(f"- {words}" for words in rests_on))
    return bounds
