"""Retiring a population: no purchase any more, for good."""

from __future__ import annotations

from pmwpub.errors import StewardNeeded
from pmwpub.ledger import Closing
from pmwpub.service.core import Service
from pmwpub.service.policy import Mode
from pmwpub.service.private_table import PrivateTable

FINAL = (
    "Retiring is final: what is left of the budget can never be spent, here or anywhere. What was bought stays: it can "
    "be looked at and downloaded."
)


WITHOUT_ACCOUNTS = (
    "This server has no accounts, so a population is retired here by a session that holds its private table; nothing "
    "was changed."
)


def retire(service: Service, name: str, *, private: PrivateTable | None, viewing: bool) -> Closing:
    """Retire a population for a session, after it was asked twice.

    private  the private table that the session holds, if it holds one
    viewing  whether the session is a viewer's

    Raises StewardNeeded for a viewer, and as `refuse_strangers`.
    """
    service.refuse_viewers(name)
    if viewing:
        raise StewardNeeded("Viewers retire no population; nothing was changed.")
    refuse_strangers(service, name, private)
    return service.ledger.retire(name)


def refuse_strangers(service: Service, name: str, private: PrivateTable | None) -> None:
    """Raise StewardNeeded where nothing tells whoever acts from a stranger, and charges were made.

    One trusted person's sessions, and owners by their account, need no private table: none is read. On a shared server
    without accounts it is all that tells a steward.
    """
    known = service.policy.mode is Mode.SINGLE_USER or service.policy.accounts is not None
    holds = private is not None and private.population == name
    if not known and not holds and service.ledger.balance(name).spent.units:
        raise StewardNeeded(WITHOUT_ACCOUNTS)
