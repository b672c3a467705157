"""What all sessions of the server share: the ledger, the workers, and a cache of public things."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from pmwpub.errors import SettingRefused
from pmwpub.evaluation import cores
from pmwpub.jobs import Engine, InlineEngine
from pmwpub.jobs.dumps import no_core_dumps
from pmwpub.jobs.simulating import Place
from pmwpub.ledger import Ledger
from pmwpub.service import Policy, Service

Built = TypeVar("Built")
WORKERS = 2
FORWARDED = ("X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Via")
"""Headers of requests that came through a proxy."""
KEPT = 128
"""Public things that the server keeps: tables, supports, workloads."""


@st.cache_resource(show_spinner=False)
def service() -> Service:
    """The server's one service, on the store that PMWPUB_STORE names, with its own workers."""
    no_core_dumps()
    ledger = Ledger.open()
    return Service(ledger, engine(), public, place=place(), policy=Policy.on(ledger, address()))


def policy() -> Policy:
    """What the server may do, by the address that it listens on and by PMWPUB_MODE and PMWPUB_VIEWERS_ONLY.

    Raises SettingRefused also where a proxy forwards to a server that takes all its sessions for one person's.
    """
    found = Policy.declared(address())
    if found.answers and any(name in st.context.headers for name in FORWARDED):
        raise SettingRefused(
            "This server takes all its sessions for one person's, and a proxy forwards to it. Start it with "
            "PMWPUB_MODE=shared: comparisons of tables are then answered to nobody."
        )
    return found


def address() -> str | None:
    """What the server listens on; None everywhere."""
    return st.get_option("server.address")


def engine() -> Engine | InlineEngine:
    """Worker processes; one of them compiles what is to be compiled while the first page is read."""
    workers = Engine(workers=WORKERS)
    workers.readiness.begin()
    return workers


def place() -> Place:
    """Where simulations run: on the Dask cluster that PMWPUB_DASK names, else on every core of this machine."""
    address = os.environ.get("PMWPUB_DASK", "")
    return Place("dask", address=address) if address else Place("processes", cores())


def public(key: str, build: Callable[[], Built]) -> Built:
    """A public thing by content key, built once for all sessions. Nothing private may go into `build`."""
    return _kept(key, build)


@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _kept(key: str, _build: Callable[[], object]) -> object:
    return _build()
