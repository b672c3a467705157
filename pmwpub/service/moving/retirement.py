"""Retiring a population: no purchase any more, for good."""

from __future__ import annotations

from pmwpub.errors import StewardNeeded
from pmwpub.ledger import Closing
from pmwpub.service.core import Service
from pmwpub.service.private_table import PrivateTable

FINAL = (
    "Retiring is final: what is left of the budget can never be spent, here or anywhere. What was bought stays: it can "
    "be looked at and downloaded."
)


def retire(service: Service, name: str, *, private: PrivateTable | None, viewing: bool) -> Closing:
    """Retire a population for a session, after it was asked twice.

    private  the private table that the session holds, if it holds one
    viewing  whether the session is a viewer's

    Raises StewardNeeded for a viewer, and after the first charge for whoever does not hold the population's table.
    """
    service.refuse_viewers(name)
    if viewing:
        raise StewardNeeded("Viewers retire no population; nothing was changed.")
    holds = private is not None and private.population == name
    if not holds and service.ledger.balance(name).spent.units:
        raise StewardNeeded("It can be retired once this session holds the private table; nothing was changed.")
    return service.ledger.retire(name)
