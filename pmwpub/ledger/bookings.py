"""Bookings: the charges of a plan, made once, and what became of them.

The order is charge, draw, store, show. A booking is charged in one transaction, drawn by the one caller that charged
it, and ends in one recorded outcome at most: a stored result, or "no result". Both are final, for what a viewer was
once told about a plan never changes; so a result that comes after "no result" is not stored, and cannot be taken back
either. The charge stands whatever happens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, replace

from sqlalchemy import Connection, RowMapping, Select, func, insert, select

from pmwpub.accounts.people import Actor
from pmwpub.errors import LedgerError, NoResult, Overspent, PlanError, StoreUnavailable
from pmwpub.ledger import agreements, fingerprints, populations, tables
from pmwpub.ledger.agreements import Agreement
from pmwpub.ledger.database import lock_store, now
from pmwpub.ledger.members import access, signed_rows
from pmwpub.ledger.members.member_tables import booked_by
from pmwpub.ledger.model import Booking, Charge, ChargeRecord, Order, PlanKey, Population, Status
from pmwpub.ledger.moving.closings import require_open
from pmwpub.ledger.table_handles import TableHandle
from pmwpub.ledger.tables import bookings, charges, outcomes, results
from pmwpub.privacy.budget import ZCDP, epsilon_of
from pmwpub.rounding import down, up


def book_all(
    connection: Connection,
    name: str,
    orders: Sequence[Order],
    table: TableHandle | None,
    terms: Population | None = None,
    refuse_elsewhere: bool = True,
    agree: Sequence[Agreement] = (),
) -> list[Booking]:
    """Make all charges of all orders, or none; a key that is booked already adds nothing, and counts once.

    terms             the terms that the plans were made for, all of them
    agree             what the new plans, and those that the population has then, must agree on
    refuse_elsewhere  False where `table` is compared with no other population's; it is remembered all the same

    Raises PopulationClosed where nothing more is bought, Overspent when they together exceed what is left, TableBlocked
    when the table is another population's too, PlanError for a draw before which others were never made, LedgerError
    when `terms` are not those in force.

    Privacy: plans are chosen after earlier noisy results were seen. A zCDP budget that is fixed beforehand still holds
    for the whole sequence, as long as no charge is let through that would exceed it: such a filter is as good as
    composition of a fixed list (Feldman and Zrnic 2021; Whitehouse, Ramdas, Rogers and Wu 2023). So what is promised is
    the granted total; the sum of the charges so far is no promise of its own.
    """
    if table is not None:
        lock_store(connection)
    population_id = populations.identify(connection, name, lock=True)
    booked = {order.key: find(connection, population_id, order.key) for order in orders}
    new: dict[PlanKey, Order] = {}
    for order in orders:
        if booked[order.key] is None:
            new.setdefault(order.key, order)
    if new:
        _refuse(connection, population_id, name, list(new.values()), table if refuse_elsewhere else None, terms)
        agreements.require(connection, population_id, agree, [order.plan_json for order in new.values()])
    made = {key: _append(connection, population_id, name, order, table) for key, order in new.items()}
    return _answers(orders, {key: made[key] if stored is None else stored for key, stored in booked.items()})


def _answers(orders: Sequence[Order], booked: dict[PlanKey, Booking]) -> list[Booking]:
    """One booking for each order; of one key sent twice only the first is fresh, for it is drawn once."""
    found = []
    for order in orders:
        found.append(booked[order.key])
        booked[order.key] = replace(booked[order.key], fresh=False)
    return found


def check_repeat(drawn: int, repeat: int) -> None:
    """Raise PlanError where draws in between were never made.

    drawn  how many draws the plan has, and so the `repeat` of its next one
    """
    if not 0 <= repeat <= drawn:
        raise PlanError(
            f"Draws are counted from 0, each after the one before; this plan was drawn {drawn} times, so "
            f"--repeat {drawn} is the next. --repeat {repeat} came. Nothing was charged."
        )


def _refuse(
    connection: Connection,
    population_id: int,
    name: str,
    new: Sequence[Order],
    compared: TableHandle | None,
    terms: Population | None,
) -> None:
    """Raise what `book_all` raises, before anything is written."""
    require_open(connection, population_id)
    if terms is not None:
        _refuse_other_terms(connection, population_id, terms)
    if not all(order.charges for order in new):
        raise LedgerError("A plan that touches private rows needs at least one charge.")
    if compared is not None:
        fingerprints.refuse_blocked(connection, population_id, compared)
    drawn: dict[str, int] = {}
    for plan_sha256, repeat in (astuple(order.key) for order in new):
        following = drawn.get(plan_sha256, 0) or repeats(connection, population_id, plan_sha256)
        check_repeat(following, repeat)
        drawn[plan_sha256] = max(following, repeat + 1)
    _refuse_overspending(connection, population_id, name, new)


def _append(connection: Connection, population_id: int, name: str, order: Order, table: TableHandle | None) -> Booking:
    created = now()
    row = {"population_id": population_id, **asdict(order.key)}
    inserted = insert(bookings).values(plan_json=order.plan_json, created=created, **row).returning(bookings.c.id)
    booking_id = connection.execute(inserted).scalar_one()
    ids = tuple(_append_charge(connection, population_id, booking_id, charge, created) for charge in order.charges)
    if table is not None:
        fingerprints.remember(connection, population_id, booking_id, table)
    by = access.sign(connection, booked_by, booking_id)
    return Booking(booking_id, name, order.key, order.plan_json, ids, "charged", created, fresh=True, by=by)


def _refuse_other_terms(connection: Connection, population_id: int, terms: Population) -> None:
    if terms != populations.current(connection, population_id):
        raise LedgerError(
            "The population's terms were changed meanwhile; load the private table again and plan again. Nothing was "
            "charged."
        )


def _refuse_overspending(connection: Connection, population_id: int, name: str, new: Sequence[Order]) -> None:
    wanted = sum(charge.rho.units for order in new for charge in order.charges)
    balance = populations.balance(connection, population_id)
    if balance.spent.units + wanted <= balance.total.units:
        return
    price, left = ZCDP(wanted), balance.remaining
    several = len(new) > 1
    costs, themselves = (f"These {len(new)} plans together cost", "themselves") if several else ("This costs", "itself")
    raise Overspent(
        f"{costs} rho = {up(price.rho, 6)} (epsilon {up(epsilon_of(price, balance.delta))} by {themselves}), but "
        f"{name!r} has rho = {down(left.rho, 6)} left (epsilon {down(balance.epsilon_remaining)}). "
        f"Spend less{', or on fewer of them' if several else ''}; nothing was charged."
    )


def _append_charge(connection: Connection, population_id: int, booking_id: int, charge: Charge, created: str) -> int:
    values = {
        "population_id": population_id,
        "booking_id": booking_id,
        "purpose": charge.purpose,
        "mechanism": charge.mechanism,
        "sensitivity": charge.sensitivity,
        "scale": charge.scale,
        "units": charge.rho.units,
        "created": created,
    }
    return connection.execute(insert(charges).values(**values).returning(charges.c.id)).scalar_one()


def _status() -> Select[tuple[object, ...]]:
    status = func.coalesce(outcomes.c.status, "charged").label("status")
    joined = bookings.join(tables.populations).outerjoin(outcomes, outcomes.c.booking_id == bookings.c.id)
    joined = joined.outerjoin(results, results.c.booking_id == bookings.c.id)
    return select(bookings, tables.populations.c.name, status, results.c.sha256).select_from(joined)


def find(connection: Connection, population_id: int, key: PlanKey) -> Booking | None:
    """The booking of a key, if there is one."""
    query = _status().where(
        bookings.c.population_id == population_id,
        bookings.c.plan_sha256 == key.plan_sha256,
        bookings.c.repeat == key.repeat,
    )
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        return None
    ids = connection.execute(select(charges.c.id).where(charges.c.booking_id == row["id"]).order_by(charges.c.id))
    return _booking(row, ids.scalars().all(), signed_rows.bookers(connection, population_id))


def every(connection: Connection, population_id: int) -> list[Booking]:
    """All bookings of a population, oldest first."""
    ids: dict[int, list[int]] = {}
    made = select(charges.c.booking_id, charges.c.id).where(charges.c.population_id == population_id)
    for booking_id, charge_id in connection.execute(made.order_by(charges.c.id)):
        ids.setdefault(booking_id, []).append(charge_id)
    query = _status().where(bookings.c.population_id == population_id).order_by(bookings.c.id)
    by = signed_rows.bookers(connection, population_id)
    return [_booking(row, ids.get(row["id"], ()), by) for row in connection.execute(query).mappings()]


def _booking(row: RowMapping, charged: Sequence[int], by: Mapping[int, Actor]) -> Booking:
    key, ids = PlanKey(row["plan_sha256"], row["repeat"]), tuple(charged)
    found = (row["id"], row["name"], key, row["plan_json"], ids, row["status"], row["created"])
    return Booking(*found, result=row["sha256"], by=by.get(row["id"]))


def repeats(connection: Connection, population_id: int, plan_sha256: str) -> int:
    """How many bookings a plan has; the next draw on purpose takes this number as its `repeat`."""
    same = (bookings.c.population_id == population_id, bookings.c.plan_sha256 == plan_sha256)
    latest = connection.execute(select(func.max(bookings.c.repeat)).where(*same)).scalar()
    return 0 if latest is None else int(latest) + 1


def finish(connection: Connection, booking_id: int, body: bytes) -> None:
    """Store the result of a booking, once; the same bytes again change nothing."""
    status = _locked_status(connection, booking_id)
    digest = hashlib.sha256(body).hexdigest()
    if status == "no result":
        raise LedgerError("This plan was already closed with no result; a late result is not stored. The charge stays.")
    if status == "done":
        if connection.execute(select(results.c.sha256).where(results.c.booking_id == booking_id)).scalar() != digest:
            raise LedgerError("This plan's result is stored already, with other bytes; the stored ones stay.")
        return
    connection.execute(insert(outcomes).values(booking_id=booking_id, status="done", created=now()))
    connection.execute(insert(results).values(booking_id=booking_id, sha256=digest, body=body))


def void(connection: Connection, booking_id: int) -> None:
    """Record that a booking will have no result; to record it again changes nothing."""
    status = _locked_status(connection, booking_id)
    if status == "done":
        raise LedgerError("This plan's result is stored already; it stays.")
    if status == "charged":
        connection.execute(insert(outcomes).values(booking_id=booking_id, status="no result", created=now()))


def close(connection: Connection, booking_id: int) -> bool:
    """Record that a booking will have no result, unless it has one; returns whether it has none."""
    status = _locked_status(connection, booking_id)
    if status == "charged":
        void(connection, booking_id)
    return status != "done"


def _locked_status(connection: Connection, booking_id: int) -> Status:
    row = connection.execute(select(bookings.c.id).where(bookings.c.id == booking_id).with_for_update()).one_or_none()
    if row is None:
        raise LedgerError(f"No booking {booking_id} stands in this ledger; a result is stored only under its charge.")
    status = connection.execute(select(outcomes.c.status).where(outcomes.c.booking_id == booking_id)).scalar()
    return status or "charged"


def result(connection: Connection, booking_id: int) -> bytes:
    """The stored result of a booking; NoResult if there is none, StoreUnavailable if its bytes are damaged."""
    row = connection.execute(select(results).where(results.c.booking_id == booking_id)).one_or_none()
    if row is None or not access.sees(connection, _population_of(connection, booking_id)):
        raise NoResult("no result is stored; the charge stays; nothing is drawn again")
    body = bytes(row.body)
    if hashlib.sha256(body).hexdigest() != row.sha256:
        raise StoreUnavailable("The stored result is damaged; restore a backup of the ledger. Nothing is drawn again.")
    return body


def _population_of(connection: Connection, booking_id: int) -> int:
    query = select(bookings.c.population_id).where(bookings.c.id == booking_id)
    return int(connection.execute(query).scalar_one())


def history(connection: Connection, population_id: int) -> list[ChargeRecord]:
    """Every charge, oldest first, with what became of it."""
    status = func.coalesce(outcomes.c.status, "charged").label("status")
    joined = charges.outerjoin(outcomes, outcomes.c.booking_id == charges.c.booking_id)
    query = select(charges, status).select_from(joined).where(charges.c.population_id == population_id)
    by = signed_rows.bookers(connection, population_id)
    return [
        ChargeRecord(
            row.id,
            row.created,
            row.purpose,
            row.mechanism,
            row.sensitivity,
            row.scale,
            ZCDP(row.units),
            row.status,
            by.get(row.booking_id),
        )
        for row in connection.execute(query.order_by(charges.c.id))
    ]
