"""One change of the schema by a button: done or refused, and said after the page is drawn anew."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.ui.app.state import Session
from pmwpub.ui.wording.written import plain


def change_schema(session: Session, change: Callable[[], object], said: str) -> None:
    """Make the change, tell what was said of it or why the schema stays, and run the page again."""
    try:
        change()
    except PmwPubError as refusal:
        session.tell("error", f"The schema stays as it is. {plain(str(refusal))}")
    else:
        session.tell("success", said)
    st.rerun()
