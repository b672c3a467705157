"""Releases as they are stored: read back by plan and draw."""

from __future__ import annotations

from pmwpub.errors import NoResult, PlanError
from pmwpub.ledger import PlanKey
from pmwpub.release.bundle import Bundle
from pmwpub.service.core import Service, kind_of


def stored_release(service: Service, population: str, release: PlanKey) -> Bundle:
    """The stored bytes of a release, as a bundle.

    Raises PlanError where the population has no such release, NoResult where it has no stored result.
    """
    booking = service.ledger.booking(population, release)
    if booking is None or kind_of(booking) != "release":
        raise PlanError(f"{population!r} has no release of that plan and draw; see its ledger for those that it has.")
    if booking.status != "done":
        raise NoResult("No result is stored for that release, so it has no error to be measured; nothing was charged.")
    return Bundle.from_bytes(service.ledger.result(booking.id))
