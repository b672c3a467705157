"""A server's service and its parts: the store, the workers, where simulations run, and whether all of it is ready.

A program of a single run (a command, the library) opens a `Ledger` and makes a `Service` itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from pmwpub.accounts.account_rules import AccountRules
from pmwpub.accounts.people import Visitor
from pmwpub.errors import PmwPubError
from pmwpub.evaluation import cores
from pmwpub.jobs import Engine, InlineEngine, Shares
from pmwpub.jobs.dumps import no_core_dumps
from pmwpub.ledger.live.store_health import check_store, check_witness
from pmwpub.ledger.logged import LoggedLedger, log_lines
from pmwpub.ledger.store_files.store_address import store_url
from pmwpub.service.core import Service, SharedCache
from pmwpub.service.policy import Policy
from pmwpub.service.records.signed_files import declared_key
from pmwpub.settings import Settings
from pmwpub.tasks.public_cache import PublicCache
from pmwpub.tasks.simulation_work import SweepPlace

__all__ = [
    "NOTHING_READY",
    "PublicCache",
    "check_installation",
    "close_service",
    "log_purchases",
    "open_service",
    "readiness",
    "simulation_place",
    "store_address",
    "worker_processes",
]

NOTHING_READY: Mapping[str, bool] = dict.fromkeys(("store", "witness", "workers", "warm"), False)
"""What `readiness` answers where there is no service."""

CHECK_SECONDS = 600.0
"""So long workers may take to compile everything on a slow machine that is being installed."""


def store_address() -> str:
    """The address of the store that PMWPUB_STORE names, else of the user's own one.

    It may hold a password, so it is for this process alone. Raises StoreUnavailable for an address that is none.
    """
    return store_url(None).render_as_string(hide_password=False)


def open_service(
    workers: Callable[[], Engine | InlineEngine],
    cache: SharedCache,
    policy: Policy,
    asker: Callable[[], str],
    visitor: Callable[[], Visitor | None],
) -> Service:
    """A service on the store that PMWPUB_STORE names; its ledger logs each charge and each end of a plan.

    workers  makes the engine, once the store is open
    cache    keeps what is public, for all sessions
    asker    who asks for free work now
    visitor  who acts now, on a server with accounts; None where the program itself does

    Raises SettingRefused for settings that are none, StoreUnavailable where the store cannot be opened; no worker
    is then started.

    Privacy: from now on no crash writes this process's memory, which may hold private rows, to disk.
    """
    no_core_dumps()
    place = simulation_place()
    declared_key()
    ledger = LoggedLedger.open()
    beside = policy.beside(ledger)
    ledger.visited_by(visitor)
    return Service(ledger, workers(), cache, place=place, policy=beside, asker=asker)


def close_service(service: Service) -> None:
    """End the workers of a service, then let go of its store."""
    service.engine.shutdown()
    service.ledger.close()


def worker_processes() -> Engine:
    """As many worker processes as PMWPUB_WORKERS says; one of them compiles what is to be compiled at once."""
    wanted = Settings.declared()
    shares = Shares(wanted.queue_paid, wanted.queue_session, max(1, wanted.workers - 1))
    workers = Engine(wanted.workers, waiting=wanted.queue, shares=shares)
    workers.readiness.begin()
    return workers


def simulation_place() -> SweepPlace:
    """Where simulations run: on the Dask cluster that PMWPUB_DASK names, else on every core of this machine."""
    address = Settings.declared().dask
    return SweepPlace("dask", address=address) if address else SweepPlace("processes", cores())


def log_purchases() -> None:
    """Write a line for each charge and each end of a plan to stderr, from now on."""
    log_lines()


def readiness(service: Service) -> Mapping[str, bool]:
    """Whether store, witness, workers and warm-up are as a purchase needs them. It says no more: it is public."""
    return {
        "store": _holds(check_store, service),
        "witness": _holds(check_witness, service),
        "workers": not isinstance(service.engine, Engine) or len(service.engine.pids()) > 0,
        "warm": service.engine.readiness.state == "ready",
    }


def check_installation(policy: Policy, accounts: Callable[[AccountRules | None], None]) -> Mapping[str, object]:
    """What a server with these settings would stand on, tried once, and how long that took; nothing is charged.

    accounts  raises SettingRefused for accounts that are set up in part, as the server does when it starts

    A store that is not there yet is made, as a server would make it. Loops that are not compiled yet are compiled, and
    kept where there is a place for that.

    Raises SettingRefused, StoreUnavailable or NotReady, in words, for the first thing that no purchase could do with.
    """
    started = time.monotonic()
    accounts(policy.accounts)
    service = open_service(worker_processes, PublicCache().public, policy, str, lambda: None)
    try:
        check_store(service.ledger)
        check_witness(service.ledger)
        service.engine.readiness.require(seconds=CHECK_SECONDS)
        parts = readiness(service)
        mode = service.policy.mode.value
    finally:
        close_service(service)
    return {"ready": all(parts.values()), **parts, "mode": mode, "seconds": round(time.monotonic() - started, 1)}


def _holds(check: Callable[..., None], service: Service) -> bool:
    try:
        check(service.ledger)
    except PmwPubError:
        return False
    return True
