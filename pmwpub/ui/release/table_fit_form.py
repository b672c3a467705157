"""Table fit's own options on the release form, each in its own words, and the plan that they make."""

from __future__ import annotations

import streamlit as st

from pmwpub.plans import AnyTablePlan
from pmwpub.service import PrivateTable, Study
from pmwpub.service.bought.releases import table_fit_plan, weighted_pool_plan
from pmwpub.service.simulations.engine_advice import EngineAdvice
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.services import service
from pmwpub.ui.compare.pools import Pool
from pmwpub.ui.release.range_choice import ask_for_ranges
from pmwpub.ui.release.three_way_tick import ask_for_three_way
from pmwpub.ui.release.weighted_pool_panel import weighted_pool

MEASURED = "every table of one or two columns is measured"
ADDED_ROWS, THREE_COLUMNS, POOL = "added rows", "tables of three columns", "a pool with learnt weights"


def ask_for_table_fit(
    study: Study, private: PrivateTable, pool: Pool, epsilon: str, advice: EngineAdvice
) -> tuple[AnyTablePlan, str]:
    """The plan of table fit, with one candidate or several whose weights are learnt; and what it measures, in words."""
    several = weighted_pool(study, pool)
    if several is not None:
        ask_for_ranges(study, beside=POOL)
        pooled = weighted_pool_plan(service(), study, several, epsilon=epsilon, private_read_as=private.read_as)
        return pooled, f"{MEASURED}, and how much each public table weighs is learnt"
    grow = _grow()
    three = not grow and ask_for_three_way(study, advice)
    ranges = ask_for_ranges(study, beside=ADDED_ROWS if grow else THREE_COLUMNS if three else "")
    plan = table_fit_plan(
        service(),
        study,
        pool,
        epsilon=epsilon,
        grow=grow,
        three_way=three,
        ranges=ranges,
        private_read_as=private.read_as,
    )
    words = MEASURED.replace("one or two", "one, two or three") if three else MEASURED
    coarse = f", and coarse tables of {len(ranges)} ordered column{'' if len(ranges) == 1 else 's'}"
    return plan, f"{words}{coarse}" if ranges else words


def _grow() -> bool:
    grow = st.checkbox("Add rows where noisy tables show people of whom no public row tells", key=widget_keys.GROW)
    if grow:
        st.caption(
            "For such a combination of two columns, public rows are changed in one of them. Nothing more is measured "
            "or charged; where noise explains what is seen, no row is added."
        )
    return grow


def grows() -> bool:
    """Whether rows may be added, as the widgets further down were left."""
    ticked = bool(st.session_state.get(widget_keys.GROW))
    return ticked and st.session_state.get(widget_keys.ENGINE) == "table-fit"
