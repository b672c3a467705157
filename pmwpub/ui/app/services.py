"""What all sessions of the server share: the ledger, the workers, and a cache of public things.

Any visitor can empty every cache of the server with one message of Streamlit's protocol. So the service, with its
ledger, its workers and their locks, stands in no cache: the process keeps it, by the address of its store. Only what
is public and can be built again is cached.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pmwpub.errors import PmwPubError, SettingRefused
from pmwpub.service import Engine, InlineEngine, Policy, Service, server_parts
from pmwpub.service.server_parts import PublicCache
from pmwpub.ui.app.signing_in import visitor

Built = TypeVar("Built")
FORWARDED = ("X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Via")
"""Headers of requests that came through a proxy."""

_LOCK = threading.Lock()
_SERVICES: dict[str, Service] = {}
"""The services, by the address of the store; only `service` and `close` touch them, and only under the lock."""


def service() -> Service:
    """The server's one service, on the store that PMWPUB_STORE names, with its own workers.

    It is made on the first call and lives as long as the process; where the store cannot be opened nothing is kept, and
    the next call tries again.
    """
    store = server_parts.store_address()
    rules = policy()
    with _LOCK:
        if store not in _SERVICES:
            acting = partial(visitor, rules.accounts)
            _SERVICES[store] = server_parts.open_service(engine, public, rules, asker, acting)
        return _SERVICES[store]


def close() -> None:
    """End every service of the process with its workers and drop what is cached; `service` then makes a new one."""
    with _LOCK:
        ended = list(_SERVICES.values())
        _SERVICES.clear()
    for one in ended:
        server_parts.close_service(one)
    _kept.clear()


def asker() -> str:
    """The browser session whose run of a page this is, and which has a share of the line; "" outside of a run."""
    running = get_script_run_ctx(suppress_warning=True)
    return "" if running is None else running.session_id


def policy() -> Policy:
    """What the server may do, by the address that it listens on and by PMWPUB_MODE and PMWPUB_VIEWERS_ONLY.

    Raises SettingRefused also where a proxy forwards to a server that takes all its sessions for one person's.
    """
    found = Policy.declared(address())
    running = get_script_run_ctx(suppress_warning=True)
    if found.answers and running is not None and not st.context.headers.keys().isdisjoint(FORWARDED):
        raise SettingRefused(
            "This server takes all its sessions for one person's, and a proxy forwards to it. Start it with "
            "PMWPUB_MODE=shared: comparisons of tables are then answered to nobody."
        )
    return found


def address() -> str | None:
    """The address that the server listens on; None where it listens on every one."""
    return st.get_option("server.address")


def engine() -> Engine | InlineEngine:
    """Worker processes; one of them compiles what is to be compiled while the first page is read."""
    return server_parts.worker_processes()


def recalling() -> AbstractContextManager[None]:
    """Have this run of a page read nothing twice from the store; where that cannot be opened, the page will say so."""
    try:
        return service().ledger.recalling()
    except PmwPubError:
        return nullcontext()


def public(key: str, build: Callable[[], Built]) -> Built:
    """A public thing by content key, built once for all sessions. Nothing private may go into `build`.

    It is built outside the cached function, for what that draws is recorded and drawn again for other sessions: a bar
    of progress, and its button, are this session's own. Only who asks for the very same thing waits meanwhile.
    """
    return _kept().public(key, build)


@st.cache_resource(show_spinner=False)
def _kept() -> PublicCache:
    return PublicCache()
