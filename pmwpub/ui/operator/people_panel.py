"""Who signed in, and in which role."""

from __future__ import annotations

import streamlit as st

from pmwpub.rounding import moment
from pmwpub.service.operating.known_people import people
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service


def people_panel() -> None:
    """One row a person: the role of the latest sign-in, and what he or she owns."""
    with panel("People", Badge.OPERATOR), refusals():
        found = people(service())
        st.caption("Roles come from the provider of accounts; a change there counts here from the next sign-in on.")
        st.dataframe(
            {
                "person": [one.shown for one in found],
                "subject": [one.subject for one in found],
                "role": [one.role for one in found],
                "last sign-in": [moment(one.last) for one in found],
                "owns": [", ".join(one.owns) for one in found],
                "member of": [", ".join(one.member_of) for one in found],
            },
            hide_index=True,
            width="stretch",
            alt="Everybody who signed in, the latest first.",
        )
