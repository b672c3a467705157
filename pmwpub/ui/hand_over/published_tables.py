"""Public tables that were published unchanged: their files, beside those of releases."""

from __future__ import annotations

import streamlit as st

from pmwpub.numerals import as_fraction
from pmwpub.service import Study
from pmwpub.service.choosing.free_table import start_known
from pmwpub.service.unchanged_release import Published, published
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import current
from pmwpub.ui.hand_over.result_panel import downloads
from pmwpub.ui.wording.candidate_verdict import unchanged_words
from pmwpub.ui.wording.written import plain

NOT_FOR = (
    "Do not read anything into differences that may be smaller than its error. Do not look for single "
    "people: the rows are public people's."
)


def published_panel(study: Study) -> bool:
    """List what was published unchanged, each with its files; returns whether there is any."""
    found = published(service(), study)
    if found:
        with panel("Public tables published unchanged", Badge.PUBLIC):
            for one in reversed(found):
                with st.expander(f"{plain(one.name)}, plan {one.plan.sha256[:16]}", expanded=len(found) == 1):
                    _in_short(study, one)
                    downloads(one.bundle, one.plan.sha256[:16], f"release-{one.plan.sha256[:16]}.zip")
    return bool(found)


def _in_short(study: Study, one: Published) -> None:
    """What is promised, how far off numbers may be, and what not to do with it."""
    with service().ledger.view():
        known = _start(study, one)
    st.markdown(
        "\n".join(
            f"- **{title}**: {words}"
            for title, words in (
                ("Promised", "no private row was read for these files, and nothing was charged: ε = 0."),
                ("How far off", known or "not known. Nothing was simulated or bought of this table unchanged."),
                ("Not for", NOT_FOR),
            )
        )
    )


def _start(study: Study, one: Published) -> str:
    usable = {facts.sha256 for facts in study.usable}
    if study.choice != one.plan.inputs.workload or not set(one.plan.inputs.candidates) <= usable:
        return ""
    found = start_known(service(), study, one.plan.inputs.candidates, float(as_fraction(current().choices.epsilon)))
    words = "" if found is None else f"{unchanged_words(study, found)}."
    return f"{words[:1].lower()}{words[1:]}"
