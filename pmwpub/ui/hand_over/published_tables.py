"""Public tables that were published unchanged: their files, beside those of releases."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Study
from pmwpub.service.unchanged_release import published
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.services import service
from pmwpub.ui.hand_over.result_panel import downloads
from pmwpub.ui.wording.written import plain


def published_panel(study: Study) -> bool:
    """List what was published unchanged, each with its files; returns whether there is any."""
    found = published(service(), study)
    if found:
        with panel("Public tables published unchanged", Badge.PUBLIC):
            st.caption("No private row was read for these, and nothing was charged.")
            for one in reversed(found):
                with st.expander(f"{plain(one.name)}, plan {one.plan.sha256[:16]}", expanded=len(found) == 1):
                    downloads(one.bundle, one.plan.sha256[:16], f"release-{one.plan.sha256[:16]}.zip")
    return bool(found)
