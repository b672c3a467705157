"""The people of a server: who signed in, in which role, and what each is to which population."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.accounts.people import Standing
from pmwpub.service.core import Service
from pmwpub.service.operating.operators import refuse_others

NO_ROLE = "none"


@dataclass(frozen=True)
class PersonFacts:
    """One person, as the provider of accounts and the store know him or her.

    subject    what tells people apart who are shown alike, shortened
    role       of the latest sign-in
    last       when that was first seen, UTC
    owns       the populations that he or she owns
    member_of  those that he or she works on or sees, without owning them
    """

    shown: str
    subject: str
    role: str
    last: str
    owns: tuple[str, ...]
    member_of: tuple[str, ...]


def people(service: Service) -> list[PersonFacts]:
    """Everybody who ever signed in, the latest sign-in first."""
    refuse_others(service)
    ledger = service.ledger
    with ledger.view():
        names = [population.name for population in ledger.populations()]
        standings = {name: {one.account: one.standing for one in ledger.members(name)} for name in names}
        found = ledger.people()
    return [
        PersonFacts(
            one.account.shown or one.account.subject,
            one.account.short,
            NO_ROLE if one.role is None else str(one.role),
            one.latest,
            tuple(name for name in names if standings[name].get(one.account) is Standing.OWNER),
            tuple(name for name in names if standings[name].get(one.account) in (Standing.STEWARD, Standing.VIEWER)),
        )
        for one in sorted(found, key=lambda one: one.latest, reverse=True)
    ]
