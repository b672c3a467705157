"""What all sessions of the server share: the ledger, the workers, and a cache of public things."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from pmwpub.evaluation import cores
from pmwpub.jobs import Engine, InlineEngine
from pmwpub.jobs.dumps import no_core_dumps
from pmwpub.jobs.simulating import Place
from pmwpub.ledger import Ledger
from pmwpub.service import Policy, Service

Built = TypeVar("Built")
WORKERS = 2
KEPT = 128
"""Public things that the server keeps: tables, supports, workloads."""


@st.cache_resource(show_spinner=False)
def service() -> Service:
    """The server's one service, on the store that PMWPUB_STORE names, with its own workers."""
    no_core_dumps()
    return Service(Ledger.open(), engine(), public, place=place(), policy=policy())


def policy() -> Policy:
    """What the server may do, by the address that it listens on and by PMWPUB_MODE and PMWPUB_VIEWERS_ONLY."""
    return Policy.declared(st.get_option("server.address"))


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
