"""A figure with its words, and its data as a table beside it."""

from __future__ import annotations

import streamlit as st

from pmwpub.figures import OFFLINE, PICTURE, Plot
from pmwpub.ui.widgets.text_table import text_table

CONFIG = OFFLINE | {"modeBarButtonsToRemove": ["lasso2d", "select2d", "zoom2d", "pan2d"]}
PRIVATE_CONFIG = OFFLINE | {"displayModeBar": False}


def show(plot: Plot, key: str) -> None:
    """Draw a figure; its camera saves a PNG, and an expander holds the same data as a table and as a sentence."""
    config = CONFIG | {"toImageButtonOptions": PICTURE | {"filename": key.replace(" ", "-")}}
    st.plotly_chart(_themed(plot).figure, width="stretch", key=key, config=config, alt=plot.alt)
    with st.expander("The same as a table and in words"):
        st.dataframe(plot.table.columns, hide_index=True, width="stretch", alt=plot.alt)
        st.text(plot.alt)


def show_private(plot: Plot, key: str) -> None:
    """Draw a figure of the steward's own numbers, without any button that would save them.

    Raises ValueError for a figure that is kept beyond this session.
    """
    if plot.kept:
        raise ValueError("A figure of the steward's own numbers is drawn anew; this one is kept for all sessions.")
    st.plotly_chart(_themed(plot).figure, width="stretch", key=key, config=PRIVATE_CONFIG, alt=plot.alt)
    with st.expander("The same as a table and in words"):
        text_table(plot.table.columns)
        st.text(plot.alt)


def _themed(plot: Plot) -> Plot:
    """The figure with words that stand out in the theme that is looked at.

    A figure that was drawn before the theme turned dark is drawn anew at the next run only.
    """
    return plot.on_white if st.context.theme.type == "light" else plot
