"""A figure with its words, and its data as a table beside it."""

from __future__ import annotations

import streamlit as st

from pmwpub.figures import PICTURE, Plot

CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d", "zoom2d", "pan2d"]}
PRIVATE_CONFIG = {"displayModeBar": False}


def show(plot: Plot, key: str) -> None:
    """Draw a figure; its camera saves a PNG, and an expander holds the same data as a table and as a sentence."""
    config = CONFIG | {"toImageButtonOptions": PICTURE | {"filename": key.replace(" ", "-")}}
    st.plotly_chart(plot.figure, width="stretch", key=key, config=config, alt=plot.alt)
    with st.expander("The same as a table and in words"):
        st.dataframe(plot.table.columns, hide_index=True, width="stretch", alt=plot.alt)
        st.text(plot.alt)


def show_private(plot: Plot, key: str) -> None:
    """The same for the steward's own numbers, without any button that would save them."""
    st.plotly_chart(plot.figure, width="stretch", key=key, config=PRIVATE_CONFIG, alt=plot.alt)
    with st.expander("The same as a table and in words"):
        st.table(plot.table.columns)
        st.text(plot.alt)
