"""A file that was refused but reads under other options: its encoding and delimiter, to be confirmed by a person."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pmwpub.service.inputs.file_reading import DELIMITERS, ENCODINGS, ReadOptions
from pmwpub.ui.app.pending import Kind, PendingFile
from pmwpub.ui.app.state import Session
from pmwpub.ui.wording.written import plain

PUBLIC_READING = (
    "How the private file is read becomes part of the plans that are bought with it, which are public. Decide it by "
    "how the file was made, not by what stands in it."
)
NO_HEADER = "The first line is a row of data: the file has no header"
NO_HEADER_NAMES = "Columns are called column_1, column_2 and so on; without the tick the first line gives the names."
Take = Callable[[PendingFile, ReadOptions], None]


def confirm_reading(session: Session, kind: Kind, take: Take, caution: str = "") -> None:
    """Draw a box for each held file: why it was refused, two pickers, and the button that reads it so.

    take     what is done with a file and the options that were confirmed for it
    caution  what to compare the file with before it is confirmed
    """
    for held in session.shelf.of(kind):
        with st.container(border=True):
            st.warning(f"**{plain(held.name)}** was not read. {plain(held.refusal)} Nothing was charged.")
            if kind == "private":
                st.caption(PUBLIC_READING)
            if caution:
                st.info(plain(caution))
            options = _pickers(held)
            with st.container(horizontal=True):
                if st.button(f"Read as {options.words}", type="primary", key=f"read held {held.number}"):
                    session.shelf.drop(held)
                    take(held, options)
                    st.rerun()
                if st.button("Give this file up", key=f"drop held {held.number}"):
                    session.shelf.drop(held)
                    st.rerun()


def _pickers(held: PendingFile) -> ReadOptions:
    left, right = st.columns(2)
    encoding = left.selectbox(
        "Encoding",
        list(ENCODINGS),
        index=list(ENCODINGS).index(held.suggestion.encoding),
        format_func=ENCODINGS.__getitem__,
        key=f"encoding {held.number}",
    )
    delimiter = right.selectbox(
        "Delimiter",
        list(DELIMITERS),
        index=list(DELIMITERS).index(held.suggestion.delimiter),
        format_func=DELIMITERS.__getitem__,
        key=f"delimiter {held.number}",
    )
    if held.suggestion.no_header:
        bare = st.checkbox(NO_HEADER, value=True, key=f"no header {held.number}", help=NO_HEADER_NAMES)
        return ReadOptions(encoding, delimiter, no_header=bare)
    if not held.suggestion.row_names:
        return ReadOptions(encoding, delimiter)
    named = st.checkbox("The first column, without a name, holds names of rows", value=True, key=f"rows {held.number}")
    return ReadOptions(encoding, delimiter, named)
