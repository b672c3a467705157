"""Whether a server could take a purchase now, part by part, and in words for whoever can mend it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pmwpub.errors import PmwPubError
from pmwpub.jobs import Engine
from pmwpub.ledger import Ledger
from pmwpub.ledger.live.store_health import check_store, check_witness, store_name
from pmwpub.service.core import Service
from pmwpub.service.operating.operators import refuse_others
from pmwpub.settings import Settings


@dataclass(frozen=True)
class HealthPart:
    """One thing that a purchase needs.

    words  how it is; where it is not well, what is wrong
    """

    name: str
    well: bool
    words: str


def health(service: Service) -> list[HealthPart]:
    """Store, witness, workers and warm-up, as `/ready` has them, with what is wrong where something is.

    Privacy: where the store is, is for the operator alone; no charge and no table is read.
    """
    refuse_others(service)
    return [
        _asked("store", service.ledger, check_store, store_name(service.ledger)),
        _asked("witness", service.ledger, check_witness, "can take a booking"),
        _workers(service),
        HealthPart("warm-up", service.engine.readiness.state == "ready", service.engine.readiness.state),
    ]


def _asked(name: str, ledger: Ledger, check: Callable[[Ledger], None], words: str) -> HealthPart:
    try:
        check(ledger)
    except PmwPubError as problem:
        return HealthPart(name, False, str(problem))
    return HealthPart(name, True, words)


def _workers(service: Service) -> HealthPart:
    if not isinstance(service.engine, Engine):
        return HealthPart("workers", True, "each job runs where it is asked for")
    alive, wanted = len(service.engine.pids()), Settings.declared().workers
    return HealthPart("workers", alive > 0, f"{alive} of {wanted} at hand")
