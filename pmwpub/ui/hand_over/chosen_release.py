"""Which release a page is about: the one that its address names; and all of them, each under its own address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

from pmwpub.service import Released, Study
from pmwpub.service.bought.releases import releases
from pmwpub.service.households.household_releases import ReleasedHouseholds, household_releases
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import address
from pmwpub.ui.release.plan_form import steps_in_words
from pmwpub.ui.wording.written import plain

AnyReleased = TypeVar("AnyReleased", Released, ReleasedHouseholds)
"""A release of persons' rows, or of households."""


def show(study: Study, booking: int) -> None:
    """Point the address at the release of a booking, by the number that its name has, and run the page on it."""
    every: Sequence[Released] | Sequence[ReleasedHouseholds] = releases(service(), study)
    if study.of_households:
        every = household_releases(service(), study)
    st.query_params["release"] = next(str(one.number) for one in every if one.outcome.booking.id == booking)
    st.rerun()


def chosen(released: Sequence[AnyReleased]) -> AnyReleased | None:
    """The release that the address names by its number; None, with a warning where no release has it.

    Addresses of before named a release by its booking, whose numbers are those of a whole store.
    """
    wanted = st.query_params.get("release")
    if wanted is None:
        return None
    found = next((one for one in released if str(one.number) == wanted), None)
    found = found or next((one for one in released if str(one.outcome.booking.id) == wanted), None)
    if found is None:
        st.warning("This population has no release of the number in the address.")
    else:
        # A link to the page that is open already does not reach the browser's address, and the next run would lose it.
        st.query_params["release"] = str(found.number)
    return found


def latest(released: Sequence[AnyReleased]) -> AnyReleased:
    """The latest release that came to a result, else the latest one; there is at least one."""
    return next((one for one in reversed(released) if one.bundle is not None), released[-1])


def listed(released: Sequence[AnyReleased]) -> None:
    """List every release of the population, the newest first, each under its own address."""
    if not released:
        st.caption("None was bought.")
    words = {"running": "at work", "done": "done", "no result": "no result"}
    for one in reversed(released):
        label = f"Release {one.number}: {plain(one.name)}, {steps_in_words(one.plan)}, {words[one.outcome.status]}"
        st.page_link("pages/hand_over.py", label=label, query_params=address(release=str(one.number)))
