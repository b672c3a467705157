"""How often a population's releases were tried against criteria, by its ledger; public."""

from __future__ import annotations

import json
from dataclasses import dataclass

from pmwpub.ledger import Booking, Ledger
from pmwpub.plans import RELEASE_KINDS


@dataclass(frozen=True)
class Attempts:
    """Draws that were charged.

    releases     of plans with criteria
    acceptances  of releases against theirs
    """

    releases: int
    acceptances: int


def attempts_by(ledger: Ledger, booking: Booking) -> Attempts:
    """What the ledger holds up to a booking, that one included; no result and failure count too.

    A number just beyond its bar is passed in one draw of forty, and so by one of ten draws or more in 22 % of cases:
    whoever reads a verdict has to know how many there were.
    """
    own = [one for one in ledger.bookings(booking.population) if one.id <= booking.id]
    plans = [json.loads(one.plan_json) for one in own if "criteria" in one.plan_json]
    releases = sum(plan.get("kind") in RELEASE_KINDS and bool(plan.get("criteria")) for plan in plans)
    return Attempts(releases, sum(plan.get("kind") == "acceptance" for plan in plans))
