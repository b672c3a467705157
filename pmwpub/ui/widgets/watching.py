"""Long work while it runs: progress, time left, cancel. The page reruns when something ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pmwpub.service import Booking
from pmwpub.service.core import job_key
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import again, is_outdated, viewers_only
from pmwpub.ui.wording.written import plain, progress

EVERY_SECONDS = 0.7


@dataclass(frozen=True)
class Waiting:
    """A job that is waited for: its key in the engine, its name for people, and its booking if it was charged."""

    key: str
    label: str
    booking: Booking | None = None

    @classmethod
    def on(cls, booking: Booking, label: str) -> Waiting:
        """What waits for the work of a booking."""
        return cls(job_key(booking.population, booking.key), label, booking)

    @property
    def elsewhere(self) -> bool:
        """Whether another program on the same store is at work on the job, of which no more is known here."""
        here = service().engine.job(self.key)
        return here is None and self.booking is not None and service().outcome(self.booking).status == "running"

    @property
    def over(self) -> bool:
        """Whether there is nothing left to wait for."""
        job = service().engine.job(self.key)
        return not self.elsewhere if job is None else job.over


def _at_work(item: Waiting) -> None:
    st.info(f"**{plain(item.label)}** is at work; what becomes of it appears here.", icon=":material/hourglass_top:")


@st.fragment(run_every=EVERY_SECONDS)
def await_results(waiting: Sequence[Waiting]) -> None:
    """Say that work is under way, and nothing of how far it is: what all but the steward see of an assessment."""
    if is_outdated() or any(item.over for item in waiting):
        again()
    for item in waiting:
        _at_work(item)


@st.fragment(run_every=EVERY_SECONDS)
def watch(waiting: Sequence[Waiting], unit: str, *, charged: bool, cancel: bool = True) -> None:
    """Show the progress of each job, with a button that cancels it.

    unit     the name of its steps
    charged  whether cancelling leaves a charge behind
    cancel   whether this session may stop it; on a server for viewers alone none may
    """
    if is_outdated():
        again()
    engine = service().engine
    cancel = cancel and not viewers_only()
    for item in waiting:
        if item.over:
            again()
        job = engine.job(item.key)
        if job is None:
            _at_work(item)
            continue
        share = job.done / job.total if job.total else 0.0
        row = st.container(horizontal=True, vertical_alignment="center")
        row.progress(min(1.0, share), text=f"{plain(item.label)}: {progress(job, unit, engine.place(item.key))}")
        hint = "The charge stays, and there will be no result." if charged else "Nothing was charged."
        if cancel and row.button("Cancel", key=f"cancel {item.key}", help=hint):
            engine.cancel(item.key)
