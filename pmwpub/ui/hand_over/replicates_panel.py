"""Replicate weights: a release's errors for survey software, made when somebody asks."""

from __future__ import annotations

import streamlit as st

from pmwpub.service import Released, Study
from pmwpub.service.bought.replicates_of_releases import (
    REPLICATES,
    REPRODUCE,
    Bundle,
    ReplicatesSeen,
    archive,
    can_be_made,
    make,
    replicates,
)
from pmwpub.ui.app.deferring import at_download
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import viewers_only
from pmwpub.ui.widgets.watching import Waiting, watch
from pmwpub.ui.wording.written import plain

READ = (
    "One line for each public row, with its released weight and {} others. The note beside the table says how R's "
    "package survey and others are told: bootstrap, scale 1/{}, mse."
)
NOT_MADE = "They were not made; nothing was charged."


def replicates_panel(study: Study, found: Released) -> None:
    """Offer the file, or to make it; nothing here costs anything. Nothing is drawn where it cannot be made."""
    bundle = found.bundle
    if bundle is None or not can_be_made(bundle):
        return
    key = str(found.outcome.booking.id)
    with panel("Replicate weights, for survey software", Badge.DP), refusals():
        st.markdown(READ.format(REPLICATES, REPLICATES))
        seen = replicates(service(), study, bundle)
        if seen.stored:
            st.download_button(
                "Replicate weights and their note (zip)",
                at_download(study.population.name, lambda: archive(service(), study, bundle)),
                f"replicate-weights-{key}.zip",
                "application/zip",
                key=f"replicates {key}",
                icon=":material/download:",
                on_click="ignore",
            )
        elif seen.job is not None:
            watch([Waiting(seen.job.key, "Replicate weights")], "step", charged=False)
        else:
            _offer(study, bundle, key, seen)
        st.caption(REPRODUCE)


def _offer(study: Study, bundle: Bundle, key: str, seen: ReplicatesSeen) -> None:
    if seen.reason is not None:
        st.warning(plain(seen.reason.words) or NOT_MADE)
    if viewers_only():
        st.info("This server is for viewers alone: it makes none.")
    elif st.button("Make replicate weights", key=f"make replicates {key}", help="Free; it may take a minute."):
        make(service(), study, bundle)
        st.rerun()
