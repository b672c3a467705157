"""Who the operator is: somebody whose role says so now. On a server without accounts no session is."""

from __future__ import annotations

from pmwpub.accounts.people import Role
from pmwpub.errors import OperatorNeeded
from pmwpub.service.core import Service

NOT_HERE = "This is for the operators of this server."


def operates(service: Service) -> bool:
    """Whether whoever acts is an operator now: read from the store, and never remembered from before.

    Without accounts nobody is: whoever starts the server has its commands and its store.
    """
    actor = service.ledger.actor()
    return actor is not None and actor.role is Role.OPERATOR


def refuse_others(service: Service) -> None:
    """Raise OperatorNeeded for everybody but an operator."""
    if not operates(service):
        raise OperatorNeeded(NOT_HERE)
