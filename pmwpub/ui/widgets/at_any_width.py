"""Tables of many columns, which on a narrow screen are shorter ones that need not be moved sideways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pmwpub.ui.widgets.text_table import text_table

TALL = 8
"""So many rows stand below each other on a narrow screen; of more, the others are reached within the table."""
HEIGHT = 520
LOOK = """<style>
[class*="st-key-narrow-table"] { display: none !important; }
[class*="st-key-narrow-table"] :is(td, th) { overflow-wrap: anywhere; white-space: normal !important; }
@media (max-width: 900px) {
  [class*="st-key-wide-table"] { display: none !important; }
  [class*="st-key-narrow-table"] { display: flex !important; }
}
</style>"""


def table_at_any_width(
    found: Mapping[str, Sequence[object]], *, short: Mapping[str, Sequence[object]], key: str, alt: str, **wide: Any
) -> None:
    """Draw a table, as `st.dataframe` does with what else is given; where the window is narrow, a shorter one.

    short  the columns of that one, header and cells; its texts are wrapped
    key    names the table on its page
    """
    st.html(LOOK)
    with st.container(key=f"wide-table-{key}"):
        st.dataframe(found, hide_index=True, width="stretch", alt=alt, **wide)
    rows = max((len(column) for column in short.values()), default=0)
    with st.container(key=f"narrow-table-{key}", height=HEIGHT if rows > TALL else "content"):
        text_table({name: [str(cell) for cell in column] for name, column in short.items()}, hide_index=True)
