"""Loads of private tables, and tables under several populations: for the operator alone."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.rounding import moment
from pmwpub.service.operating.table_loads import NOTHING_RECORDED, TableLoad, loads, shared_tables
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.wording.written import plain


def loads_panel() -> None:
    """Tables that were charged under several populations, then every load, the newest first."""
    with panel("Loads of private tables", Badge.OPERATOR), refusals():
        found, several = loads(service()), shared_tables(service())
        st.caption("Which tables are alike is told to operators alone, and to an owner of what he or she owns.")
        for names in several:
            st.warning(
                f"One table was charged under {_listed(names)}: what leaves of its people adds up over all of them.",
                icon=":material/content_copy:",
            )
        if not found:
            st.info(NOTHING_RECORDED)
            return
        _table(found)


def _table(found: Sequence[TableLoad]) -> None:
    st.dataframe(
        {
            "time": [moment(one.time) for one in found],
            "population": [one.population for one in found],
            "look": ["elsewhere too" if one.elsewhere else "" for one in found],
            "charged under": [", ".join(one.charged_under) for one in found],
            "also loaded under": [", ".join(one.loaded_under) for one in found],
        },
        hide_index=True,
        width="stretch",
        alt="Every recorded load of a private table, the newest first.",
    )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f"**{plain(name)}**" for name in names)
