"""The populations of the server, by their public terms."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.operating.registered_populations import populations
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service


def populations_panel() -> None:
    """One row a population: whose it is, its grant, what was taken of it, how it stands."""
    with panel("Populations", Badge.OPERATOR), refusals():
        found = populations(service())
        if not found:
            st.caption("None is registered.")
            return
        st.dataframe(
            {
                "population": [one.name for one in found],
                "owner": [", ".join(one.owners) for one in found],
                "state": [one.state for one in found],
                "taken": [one.taken for one in found],
                "granted": [one.promise for one in found],
                "charges": [one.charges for one in found],
                "n": [one.n for one in found],
                "k": [one.rows_per_person for one in found],
            },
            hide_index=True,
            width="stretch",
            column_config={"n": st.column_config.NumberColumn(format="localized")},
            alt="Every population with its owner, grant and what was taken of it.",
        )
