"""Buying: every rule of spending, in the order in which it is asked.

A service for viewers alone buys nothing. The plans must fit the population's terms and the loaded table. The steward
says that no public table was made from the private one. Then all plans are charged in one transaction, or none: there
the ledger asks that the terms are in force, that draws come in order, that the sum can be afforded, and, where all
sessions are one steward's, that the table belongs to no other population.
"""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.errors import OverlapUndecided
from pmwpub.ledger import Booking, Order, PlanKey
from pmwpub.service import studies
from pmwpub.service.core import Outcome, Price, PrivateTable, Service, Spending
from pmwpub.service.purchases.protocol import Purchase
from pmwpub.service.purchases.readings import same_reading_as_then
from pmwpub.service.shared import Overlap
from pmwpub.service.study import Study

TICK = "None of these public tables was made from the private one"
"""What the steward says before every purchase that public tables take part in, whatever comparisons found."""

UNDECIDED = (
    "Before this purchase the steward has to say that no public table was made from the private one. Nothing was "
    "charged."
)


def buy(
    service: Service,
    private: PrivateTable,
    wanted: Sequence[Purchase],
    *,
    repeat: int = 0,
    tick: bool | None = None,
    current: Study | None = None,
) -> list[Outcome]:
    """Buy plans together: all are charged, or none. A plan that was sent before returns what is stored, uncharged.

    repeat   which draw of each plan; the next one is bought on purpose, none is passed over
    tick     whether the steward said `TICK`; None where nobody was asked, which is enough in a single user's service
             while the loaded table has nothing in common with the public ones
    current  the population's public state, where it was read already

    Raises ViewersOnly, PlanError, OverlapUndecided, Overspent, TableBlocked, LedgerError or QueueFull before anything
    is charged.

    Privacy: each purchase's own charges, in zCDP; see the mechanisms. In a shared service what comparisons found
    changes nothing here: the same acts on neighbouring tables are asked, charged and recorded alike.
    """
    service.policy.refuse_viewers()
    current = current or studies.study(service, private.population)
    spendings = [_spending(service, private, one, repeat, current) for one in wanted]
    used = _undecided(service, current, wanted, spendings)
    if used and not (tick or (tick is None and _goes_without(service, private, used, current))):
        raise OverlapUndecided(UNDECIDED)
    return service.spend(private.population, spendings, table=private.table, terms=private.terms)


def asks(current: Study, wanted: Sequence[Purchase]) -> bool:
    """Whether a purchase takes the steward's `TICK`: where a public table takes part, but in a demo, which is generated
    data. A function of public things alone."""
    return not current.demo and any(one.public_tables for one in wanted)


def warnings_before(
    service: Service, private: PrivateTable, public_tables: frozenset[str], current: Study
) -> tuple[Overlap, ...]:
    """What the loaded private table shares with the named candidates, also those that came since it was loaded.

    Privacy: for the steward only, like the table itself.
    """
    known = studies.compared_again(service, private, current)
    return tuple(one for one in known.overlaps if public_tables & set(one.sha256.split("+")))


def price(service: Service, current: Study, wanted: Sequence[Purchase], *, repeat: int = 0) -> Price:
    """What plans cost together; a plan that was sent before costs nothing, nor one that stands twice among them."""
    due = {one.plan.sha256: one for one in wanted if booked(service, current.population.name, one, repeat) is None}
    return service.price(current.population.name, [charge for one in due.values() for charge in one.charges(current)])


def booked(service: Service, population: str, one: Purchase, repeat: int) -> Booking | None:
    """The booking of a plan, also under the hash that it had before the reading of files was part of it.

    Such an earlier booking counts only where the recorded reading of then is the one of now.
    """
    found = service.ledger.booking(population, PlanKey(one.plan.sha256, repeat))
    earlier = one.plan.earlier
    if found is not None or earlier is None:
        return found
    then = service.ledger.booking(population, PlanKey(earlier.sha256, repeat))
    return then if then is not None and same_reading_as_then(service.ledger, population, then, one.plan) else None


def _goes_without(service: Service, private: PrivateTable, used: frozenset[str], current: Study) -> bool:
    return service.policy.answers and not warnings_before(service, private, used, current)


def _spending(service: Service, private: PrivateTable, one: Purchase, repeat: int, current: Study) -> Spending:
    prepared = one.prepared(service, private, current, repeat)
    known = booked(service, private.population, one, repeat)
    key, text = (
        (PlanKey(one.plan.sha256, repeat), one.plan.canonical) if known is None else (known.key, known.plan_json)
    )
    return Spending(Order(key, text, one.charges(current)), one.task, prepared.work, prepared.encode)


def _undecided(
    service: Service, current: Study, wanted: Sequence[Purchase], spendings: Sequence[Spending]
) -> frozenset[str]:
    """The public tables of the plans that are not bought yet; none where nothing is asked."""
    if not asks(current, wanted):
        return frozenset()
    name = current.population.name
    due = [
        one.public_tables
        for one, spending in zip(wanted, spendings, strict=True)
        if service.ledger.booking(name, spending.order.key) is None
    ]
    return frozenset().union(*due)
