"""Buying: every rule of spending, in the order in which it is asked.

A service for viewers alone buys nothing, and nothing is bought of a population that was retired or moved. The plans
must protect the population's unit, a person or a household, fit its terms and the loaded table, and mean the same
neighbours as all that the population bought before. The steward says that no public table was made from the private
one. Then all plans are charged in one transaction, or none: there the ledger asks that the population is open and its
terms are in force, that draws come in order, that the sum can be afforded, and, where all sessions are one steward's,
that the table belongs to no other population.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NoReturn

from pmwpub.errors import LedgerError, OverlapUndecided, PlanError, PopulationClosed
from pmwpub.ledger import Order, PlanKey
from pmwpub.ledger.bookings import check_repeat
from pmwpub.ledger.model import whole
from pmwpub.plans import ReleasePlan, TableFitPlan, WeightedPoolPlan
from pmwpub.service.choosing.outlook import not_worth
from pmwpub.service.core import Outcome, Price, Service, Spending
from pmwpub.service.households.household_unit import check_run
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.shared_rows import Overlap
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.purchases.neighbours import agreements, charges_of, largest_of
from pmwpub.service.purchases.offers import said
from pmwpub.service.purchases.protocol import Prepared, Purchase, WithoutPublicTables
from pmwpub.service.purchases.readings import other_reading_than_now, read_as_loaded, read_as_now, same_reading_as_then
from pmwpub.service.weighing.weighed_plans import check_weights

TICK = "None of these public tables was made from the private one"
"""What the steward says before every purchase that public tables take part in, whatever comparisons found."""

FREE_TICK = "I pay for this release although the public table unchanged, which is free, may be as good"
"""What the steward says before a release that is not expected to beat the free table."""

UNDECIDED = (
    "Before this purchase the steward has to say that no public table was made from the private one. Nothing was "
    "charged."
)

NOT_WORTH = (
    "Say first that you pay for this release all the same: a program gives --free-table-acknowledged, or "
    "free_table_acknowledged=True. Nothing was charged."
)

OTHER_READING = (
    "This plan was bought when a public table of it was read in another way, and what is stored is of that reading. "
    "Change the plan, or draw it again. Nothing was charged."
)


def buy(
    service: Service,
    private: PrivateTable,
    wanted: Sequence[Purchase],
    *,
    repeat: int = 0,
    tick: bool | None = None,
    free_tick: bool = False,
    current: Study | None = None,
) -> list[Outcome]:
    """Buy plans together: all are charged, or none. A plan that was sent before returns what is stored, uncharged.

    repeat   which draw of each plan; the next one is bought on purpose, none is passed over
    tick     whether the steward said `TICK`; None where nobody was asked, which is enough in a single user's service
             while the loaded table has nothing in common with the public ones
    free_tick  whether the steward said `FREE_TICK`: needed for a release that all that is known calls hardly better
             than the public table unchanged
    current  the population's public state, where it was read already

    Raises ViewersOnly, PopulationClosed, PlanError, OverlapUndecided, Overspent, TableBlocked, LedgerError or QueueFull
    before anything is charged.

    Privacy: each purchase's own charges, in zCDP; see the mechanisms. In a shared service what comparisons found
    changes nothing here: the same acts on neighbouring tables are asked, charged and recorded alike.
    """
    service.refuse_viewers(private.population)
    service.ledger.forget()
    repeat = whole(repeat, "A repeat")
    said(tick)
    said(free_tick, "a release is bought although the free table may be as good")
    current = current or study_store.study(service, private.population)
    known = _in_order(service, private, wanted, repeat, current)
    refuse_closed(service, current, known, repeat=repeat)
    if not free_tick and (doubted := doubts(service, current, known, repeat=repeat)):
        raise PlanError(f"{doubted[0]} {NOT_WORTH}")
    spendings = [_spending(service, private, one, repeat, current) for one in known]
    used = _undecided(service, current, known, spendings)
    check_tick(service, private, used, current, tick)
    agree = agreements(service, private, current, known)
    return service.spend(private.population, spendings, table=private.table, terms=current.population, agree=agree)


def refuse_closed(
    service: Service,
    current: Study,
    wanted: Sequence[Purchase],
    *,
    private: PrivateTable | None = None,
    repeat: int = 0,
) -> None:
    """Raise PopulationClosed where a plan is new and nothing more is bought; the ledger asks it again as it charges.

    private  the loaded table, where plans do not say yet how its file was read

    Raises PlanError for plans that do not protect the population's unit, which no population buys, open or closed.
    """
    name = current.population.name
    _check_units(current, wanted)
    if private is not None:
        wanted = [as_known(service, private, one, repeat, current) for one in wanted]
    new = [one for one in wanted if service.ledger.booking(name, PlanKey(one.plan.sha256, repeat)) is None]
    if new and current.closed is not None:
        raise PopulationClosed(f"{current.closed.words} Nothing was charged.")


def asks(current: Study, wanted: Sequence[Purchase]) -> bool:
    """Whether a purchase takes the steward's `TICK`: where a public table takes part, but in a demo, which is generated
    data. A function of public things alone."""
    return not current.demo and any(one.public_tables for one in wanted)


def doubts(service: Service, current: Study, wanted: Sequence[Purchase], *, repeat: int = 0) -> tuple[str, ...]:
    """Why releases among some purchases are hardly better than their public tables unchanged, which are free.

    One that was bought already is not asked about. A function of public and of released things.
    """
    found = []
    for one in wanted:
        plan, key = one.plan, PlanKey(one.plan.sha256, repeat)
        if (
            isinstance(plan, ReleasePlan | TableFitPlan | WeightedPoolPlan)
            and service.ledger.booking(current.population.name, key) is None
        ):
            found.append(not_worth(service, current, plan))
    return tuple(filter(None, found))


def warnings_before(
    service: Service, private: PrivateTable, public_tables: frozenset[str], current: Study
) -> tuple[Overlap, ...]:
    """What the loaded private table shares with the named candidates, also those that came since it was loaded.

    Privacy: for the steward only, like the table itself.
    """
    known = study_store.compared_again(service, private, current)
    return tuple(one for one in known.overlaps if public_tables & set(one.sha256.split("+")))


def price(
    service: Service, current: Study, wanted: Sequence[Purchase], *, private: PrivateTable, repeat: int = 0
) -> Price:
    """What plans cost together; a plan that was sent before costs nothing, nor one that stands twice among them.

    private  the loaded table: how its file was read is part of the plans

    All of it is said of one state of the store. Raises PlanError for plans that `buy` would refuse by their unit or
    draw, and for new ones that it would refuse by their weights.
    """
    name = current.population.name
    with service.ledger.view():
        due = {one.plan.sha256: one for one in _in_order(service, private, wanted, repeat, current)}
        charged = [one for key, one in due.items() if service.ledger.booking(name, PlanKey(key, repeat)) is None]
        for one in charged:
            check_weights(current, one.plan)
        found = service.price(name, [charge for one in charged for charge in one.charges(current)])
    pures: list[Fraction | None] = [getattr(one.plan, "exact_epsilon", None) for one in charged]
    return found if None in pures else replace(found, pure=sum(filter(None, pures), Fraction(0)))


def _in_order(
    service: Service, private: PrivateTable, wanted: Sequence[Purchase], repeat: int, current: Study
) -> list[Purchase]:
    """Purchases `as_known`; PlanError for another unit than the population's, and where draws between are lacking."""
    known = [as_known(service, private, one, repeat, current) for one in wanted]
    _check_units(current, known)
    for one in known:
        check_repeat(service.ledger.next_repeat(private.population, one.plan.sha256), repeat)
    return known


def _check_units(current: Study, wanted: Sequence[Purchase]) -> None:
    for one in wanted:
        check_run(current.population, largest_of(one.plan))


def as_known(service: Service, private: PrivateTable, one: Purchase, repeat: int, current: Study) -> Purchase:
    """A purchase whose plan says how its files are read; or as it was hashed before readings were part of plans, where
    it was bought so on files that were read as they are now.

    Raises PlanError for a plan that says another reading of a file than the one of now, and where the plan's own hash
    stands for public files that were read otherwise then.
    """
    asked = read_as_loaded(one, private)
    now, name = read_as_now(service, asked, current), private.population
    earlier = now.plan.earlier
    then = None if earlier is None else service.ledger.booking(name, PlanKey(earlier.sha256))
    table = private.table if service.policy.answers else None
    own = service.ledger.booking(name, PlanKey(now.plan.sha256))
    if own is None and then is not None and same_reading_as_then(service.ledger, name, then, now.plan, table=table):
        return replace(now, plan=earlier)  # type: ignore[type-var]
    if not isinstance(asked.plan, WithoutPublicTables):
        current.check_readings(asked.plan.inputs)
    drawn = 0 <= repeat < service.ledger.next_repeat(name, asked.plan.sha256)
    found = service.ledger.booking(name, PlanKey(asked.plan.sha256, repeat)) if drawn else None
    if found is not None and other_reading_than_now(service.ledger, found, asked.plan):
        raise PlanError(OTHER_READING)
    return asked


def check_tick(
    service: Service, private: PrivateTable, used: frozenset[str], current: Study, tick: bool | None
) -> None:
    """Raise OverlapUndecided where public tables are used and the steward has not said enough of them.

    tick  as in `buy`

    Privacy: for the steward only, as `warnings_before`.
    """
    alone = tick is None and service.policy.answers
    if used and not tick and not (alone and not warnings_before(service, private, used, current)):
        raise OverlapUndecided(UNDECIDED)


def _spending(service: Service, private: PrivateTable, one: Purchase, repeat: int, current: Study) -> Spending:
    """A plan on its way to the ledger; of one that was sent before nothing is made up any more."""
    key = PlanKey(one.plan.sha256, repeat)
    sent = service.ledger.booking(private.population, key) is not None
    if not sent:
        check_weights(current, one.plan)
    prepared = SENT if sent else one.prepared(service, private, current, repeat)
    order = Order(key, one.plan.canonical, charges_of(one, current, private.household_rule))
    return Spending(order, one.task, prepared.work, prepared.encode)


def _never(*_: object) -> NoReturn:
    raise LedgerError("The booking of this plan is gone from the store; restore the store from its backup.")


SENT = Prepared(_never, _never)
"""Of a plan that is booked: its result is stored or at work, and nothing is drawn again."""


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
