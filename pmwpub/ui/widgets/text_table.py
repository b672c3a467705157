"""Tables whose cells Streamlit reads as Markdown: the one place that draws them, with foreign text shown inert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pmwpub.ui.wording.written import shown_inert


def text_table(found: Mapping[str, object], **how: Any) -> None:
    """Draw a table as `st.table` does with what else is given; no text in it is obeyed as markup.

    found  by header a column of cells, or one value
    """
    st.table({shown_inert(name): _column(value) for name, value in found.items()}, **how)


def _column(value: object) -> object:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_cell(one) for one in value]
    return _cell(value)


def _cell(value: object) -> object:
    return shown_inert(value) if isinstance(value, str) else value
