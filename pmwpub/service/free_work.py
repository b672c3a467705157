"""Work that nobody is charged for: who may ask for it, for how much, and whose share of the line it takes."""

from __future__ import annotations

from pmwpub.jobs import Claim, Lane
from pmwpub.service.core import Service


def free_claim(service: Service, n: int) -> Claim:
    """The claim of a simulation of n rows that is asked for now.

    Raises ViewersOnly on a server for viewers alone, PlanError for more rows than it simulates.
    """
    service.policy.refuse_viewers()
    service.policy.refuse_simulating(n)
    return Claim(Lane.FREE, service.asker())
