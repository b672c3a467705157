"""The choice of a pool with learnt weights on the release form: several public tables, no budget spent on choosing."""

from __future__ import annotations

import streamlit as st

from pmwpub.errors import PlanError
from pmwpub.service import Study
from pmwpub.ui.app import widget_keys
from pmwpub.ui.compare.pools import Pool, offered

WORDS = (
    "All of these tables take part in one release: how much each of them weighs is learnt from the noisy tables, and "
    "published. Nothing is spent on choosing between them. One is taken alone where no mixture is clearly better."
)
TOO_FEW = "A pool with learnt weights needs two public tables or more. Nothing was charged."


def weighted_pool(study: Study, pool: Pool) -> Pool | None:
    """Ask whether several public tables take part with learnt weights; these, or None where none do.

    pool  the candidate or pool that is chosen; its tables are taken at first, or all where it is one

    Raises PlanError for fewer than two tables.
    """
    singles = [one[0] for one in offered(study) if len(one) == 1]
    if len(singles) < 2 or not st.toggle("Pool with learnt weights", key=widget_keys.WEIGHTED_POOL):
        return None
    first = list(pool) if len(pool) > 1 else singles
    chosen: list[str] = st.multiselect(
        "Public tables that take part",
        singles,
        default=first,
        format_func=lambda one: study.known_names([one]),
        key="weighted pool tables",
    )
    st.caption(WORDS)
    if len(chosen) < 2:
        raise PlanError(TOO_FEW)
    return tuple(sorted(chosen))
