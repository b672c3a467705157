"""Hand over: the one page for stakeholders, the files, and behind them what the release changed and its error."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.bought import releases
from pmwpub.ui import Badge, end, enter, need, opened, panel, service
from pmwpub.ui.hand_over.answers_panel import answers_panel
from pmwpub.ui.hand_over.before_and_after import compare
from pmwpub.ui.hand_over.chosen_release import chosen, latest, listed
from pmwpub.ui.hand_over.few_records_panel import few_records_panel
from pmwpub.ui.hand_over.in_short import BEHIND, in_short
from pmwpub.ui.hand_over.published_tables import published_panel
from pmwpub.ui.hand_over.quality_panel import quality_part
from pmwpub.ui.hand_over.replicates_panel import replicates_panel
from pmwpub.ui.hand_over.result_panel import release_panel
from pmwpub.ui.households.household_pages import hand_over_households
from pmwpub.ui.widgets.private_panel import true_errors_panel, true_marginals_panel

session = enter("pages/hand_over.py")
study = opened("Hand over")
if study.of_households:
    hand_over_households(session, study)
    end()
released = releases.releases(service(), study)
if released:
    shown = chosen(released) or latest(released)
    first = st.container()
    release_panel(session, study, shown)
    if shown.bundle is not None:
        with first:  # drawn last, so that it says nothing that was overtaken further down
            in_short(study, shown)
        with st.expander(BEHIND):
            answers_panel(study, shown)
            few_records_panel(study, shown)
            replicates_panel(study, shown)
            quality_part(session, study, shown)
            with panel("A release beside its public table", Badge.DP):
                beside = compare(study, [one for one in released if one.bundle is not None])
        if beside is not None:
            true_errors_panel(session, study, beside)
            true_marginals_panel(session, study, beside)
unchanged = published_panel(study)
with panel("Releases of this population", Badge.DP):
    listed(released)
need(released or unchanged, "What is handed over is a release.", "pages/release.py", closed=study.closed is not None)
