"""A figure with its words, and its data as a table beside it."""

from __future__ import annotations

import streamlit as st

from pmwpub.figures import Plot

CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d", "zoom2d", "pan2d"]}


def show(plot: Plot, key: str) -> None:
    """Draw a figure; an expander holds the same data as a table and as a sentence."""
    st.plotly_chart(plot.figure, width="stretch", key=key, config=CONFIG, alt=plot.alt)
    with st.expander("The same as a table and in words"):
        st.dataframe(plot.table.columns, hide_index=True, width="stretch", alt=plot.alt)
        st.text(plot.alt)
