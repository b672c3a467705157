"""What was decided about a population and recorded for good."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.rounding import moment
from pmwpub.service import Mark
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.widgets.at_any_width import table_at_any_width
from pmwpub.ui.wording.written import plain


def decisions_panel(marks: Sequence[Mark]) -> None:
    """List what was decided and recorded for good, the newest last, and say what every plan carries since."""
    if not marks:
        return
    with panel("Recorded decisions", Badge.PUBLIC):
        for remark in remarks_from(marks):
            st.warning(f"Every plan from then on: {plain(remark)}.", icon=":material/visibility:")
        found = {
            "time": [moment(mark.time) for mark in marks],
            "what": [mark.kind for mark in marks],
            "note": [mark.note for mark in marks],
            **_by(marks),
        }
        table_at_any_width(found, short=found, key="decisions", alt="Recorded decisions, oldest first.")


def _by(marks: Sequence[Mark]) -> dict[str, list[str]]:
    """Who decided, where a server with accounts recorded any of it."""
    if all(mark.by is None for mark in marks):
        return {}
    return {"by": ["" if mark.by is None else mark.by.words for mark in marks]}
