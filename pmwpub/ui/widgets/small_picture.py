"""A small picture that stands by itself, an SVG, on a page."""

from __future__ import annotations

import re
from base64 import b64encode

import streamlit as st

WIDEST = "30rem"


def show(svg: str) -> None:
    """Draw an SVG as an image whose text is what the SVG says of itself; nothing where it is "".

    Not as markup: Streamlit takes every `<svg>` out of a page's HTML.
    """
    if not svg:
        return
    said = re.search(r'aria-label="([^"]*)"', svg)
    data = b64encode(svg.encode()).decode()
    st.html(
        f'<img alt="{said.group(1) if said else ""}" src="data:image/svg+xml;base64,{data}" '
        f'style="width: 100%; max-width: {WIDEST}">'
    )
