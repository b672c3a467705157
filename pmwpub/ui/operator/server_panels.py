"""The server as it runs: its health, its jobs, and its limits."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.operating.job_lines import JobFacts, jobs
from pmwpub.service.operating.limits import limits
from pmwpub.service.operating.server_health import health
from pmwpub.ui.app.frame import Badge, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.wording.written import plain


def health_panel() -> None:
    """What a purchase needs, part by part."""
    with panel("Health", Badge.OPERATOR), refusals():
        for part in health(service()):
            icon = ":material/check_circle:" if part.well else ":material/error:"
            state = "" if part.well else "**not well** · "
            st.markdown(f"{icon} {part.name}: {state}{plain(part.words)}")


def jobs_panel() -> None:
    """What is at work, and what waits."""
    with panel("Jobs", Badge.OPERATOR), refusals():
        found = jobs(service())
        if not found:
            st.caption("Nothing is at work, and nothing waits.")
            return
        at_work = sum(one.place == 0 for one in found)
        st.markdown(f"**{at_work}** at work, **{len(found) - at_work}** in line.")
        st.dataframe(
            {
                "place": [_place(one) for one in found],
                "what": [one.kind for one in found],
                "paid": ["paid" if one.paid else "free" for one in found],
                "population": [one.population for one in found],
            },
            hide_index=True,
            width="stretch",
            alt="The jobs at work, then those that wait, the next one first.",
        )


def _place(job: JobFacts) -> str:
    return "at work" if job.place == 0 else f"{job.place} in line"


def limits_panel() -> None:
    """Every setting in force."""
    with panel("Limits", Badge.OPERATOR), refusals():
        found = limits(service())
        st.caption("They are the environment's, and change when the server is started anew.")
        st.dataframe(
            {
                "what": [one.meaning for one in found],
                "in force": [one.value for one in found],
                "variable": [one.variable for one in found],
                "set": ["set" if one.declared else "by default" for one in found],
            },
            hide_index=True,
            width="stretch",
            alt="The settings in force, with their variables.",
        )
