"""A small picture that stands by itself, an SVG, on a page."""

from __future__ import annotations

import re
from base64 import b64encode

import streamlit as st

WIDEST = "30rem"
INKS = "<style>svg { color: #3A434B } @media (prefers-color-scheme: dark) { svg { color: #C5CED6 } }</style>"
"""Of words and axes. An image takes the scheme of the page around it, whatever run of the page drew it."""


def show(svg: str) -> None:
    """Draw an SVG as an image whose text is what the SVG says of itself; nothing where it is "".

    Not as markup: Streamlit takes every `<svg>` out of a page's HTML.
    """
    if not svg:
        return
    said = re.search(r'aria-label="([^"]*)"', svg)
    start, found, rest = svg.partition(">")
    data = b64encode(f"{start}{found}{INKS}{rest}".encode()).decode()
    st.html(
        f'<img alt="{said.group(1) if said else ""}" src="data:image/svg+xml;base64,{data}" '
        f'style="width: 100%; max-width: {WIDEST}">'
    )
