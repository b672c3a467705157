"""Work that nobody is charged for: who may ask for it, for how much, and whose share of the line it takes."""

from __future__ import annotations

from pmwpub.jobs import Claim, Lane
from pmwpub.service.core import Service


def free_claim(service: Service, population: str, n: int) -> Claim:
    """The claim of a simulation of n rows for a population that is asked for now.

    Raises as `Service.refuse_viewers` does for whoever only looks on at it, PlanError for more rows than it simulates.
    """
    service.refuse_viewers(population)
    service.policy.refuse_simulating(n)
    return Claim(Lane.FREE, service.asker())


def is_stored(service: Service, population: str, kind: str, key: str, job: str) -> bool:
    """Whether what a job makes is a stored document by now.

    job  the engine's name for it. It may have ended since this run of a page read what is stored: then that is read
         again, or a page would show neither a job nor its result
    """
    for _ in range(2):
        if key in {entry.key for entry in service.ledger.documents(population, kind)}:
            return True
        known = service.engine.job(job)
        if known is None or known.state != "done":
            return False
        service.ledger.forget()
    return False
