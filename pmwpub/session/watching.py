"""Long work while it runs: progress, time left, cancel. The page reruns when something ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pmwpub.ledger import Booking
from pmwpub.service.core import job_key
from pmwpub.session.services import service
from pmwpub.session.words import plain, progress

EVERY_SECONDS = 0.7


@dataclass(frozen=True)
class Waiting:
    """A job that is waited for: its key in the engine, and its name for people."""

    key: str
    label: str

    @classmethod
    def on(cls, booking: Booking, label: str) -> Waiting:
        return cls(job_key(booking.population, booking.key), label)


@st.fragment(run_every=EVERY_SECONDS)
def await_results(waiting: Sequence[Waiting]) -> None:
    """That work is under way, and nothing of how far it is: what everybody but the steward sees of an assessment."""
    engine = service().engine
    if any((job := engine.job(item.key)) is None or job.over for item in waiting):
        st.rerun()
    for item in waiting:
        st.info(
            f"**{plain(item.label)}** is at work; what becomes of it appears here.", icon=":material/hourglass_top:"
        )


@st.fragment(run_every=EVERY_SECONDS)
def watch(waiting: Sequence[Waiting], unit: str, *, charged: bool, cancel: bool = True) -> None:
    """Progress of each job; `unit` names its steps, `charged` whether cancelling leaves a charge behind.

    cancel  whether this session may stop it
    """
    engine = service().engine
    for item in waiting:
        job = engine.job(item.key)
        if job is None or job.over:
            st.rerun()
        share = job.done / job.total if job.total else 0.0
        bar, stop = st.columns([5, 1], vertical_alignment="center") if cancel else (st, None)
        bar.progress(min(1.0, share), text=f"{plain(item.label)}: {progress(job, unit, engine.place(item.key))}")
        hint = "The charge stays, and there will be no result." if charged else "Nothing was charged."
        if stop is not None and stop.button("Cancel", key=f"cancel {item.key}", help=hint, width="stretch"):
            engine.cancel(item.key)
