"""Who acts in a transaction, and what he or she may see and change: asked by `populations.identify`, so by all of it.

A transaction that a visitor of a server with accounts began carries the visitor. Role and standing are read in that
very transaction: what changed before it is in force.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from sqlalchemy import Connection, Table, insert, select

from pmwpub.accounts.people import Account, Actor, Role, SignIn, Standing, Visitor, lesser
from pmwpub.errors import StewardNeeded, UnknownPopulation
from pmwpub.ledger.members.member_tables import members, people, sign_ins, sign_outs

VISITOR, READ = "visitor", "read of the visitor"
"""The options of a connection under which its visitor stands, and what its transaction read of him or her so far."""

LOOKS_ON = "In your role here you look at this population and change nothing of it. Nothing was charged or changed."
NO_STEWARD = "This takes the role of a steward, and you do not have it now. Nothing was charged or changed."
NO_OWNER = "Only the population's owner may do this, in the role of a steward. Nothing was changed."
BESIDE = "Populations are moved by commands, beside the store. Nothing was changed."
NO_OPERATOR = "Only an operator may do this."


@dataclass(frozen=True)
class KnownPerson:
    """A person in the store, and the role of the latest sign-in."""

    id: int
    account: Account
    role: Role | None


Found = TypeVar("Found")


def visited(connection: Connection, visitor: Visitor) -> Connection:
    """The connection of a transaction that a visitor begins."""
    return connection.execution_options(**{VISITOR: visitor, READ: {}})


def forget(connection: Connection) -> None:
    """Read role and standing anew: this transaction changed some of them."""
    connection.get_execution_options().get(READ, {}).clear()


def _once(connection: Connection, what: object, read: Callable[[], Found]) -> Found:
    """What a transaction read already of its visitor, else what `read` reads now."""
    kept = connection.get_execution_options().get(READ)
    if kept is None:
        return read()
    if what not in kept:
        kept[what] = read()
    return cast(Found, kept[what])


def visitor_of(connection: Connection) -> Visitor | None:
    """Whoever began the transaction; None where the program itself did."""
    found: Visitor | None = connection.get_execution_options().get(VISITOR)
    return found


def present(connection: Connection) -> KnownPerson | None:
    """The visitor as a person, where a sign-in of hers stands and was not ended.

    Her role is the lesser of what the latest sign-in said when it was first seen, and of what this one means by the
    rules of now.
    """
    visitor = visitor_of(connection)
    if visitor is None or visitor.sign_in is None:
        return None
    sign_in = visitor.sign_in
    return _once(connection, sign_in, lambda: _person(connection, sign_in))


def _person(connection: Connection, sign_in: SignIn) -> KnownPerson | None:
    query = (
        select(sign_ins.c.person_id)
        .outerjoin(sign_outs, sign_outs.c.sign_in_id == sign_ins.c.id)
        .where(sign_ins.c.token == sign_in.token, sign_outs.c.sign_in_id.is_(None))
    )
    person_id = connection.execute(query).scalar()
    if person_id is None:
        return None
    person = known(connection, int(person_id))
    return replace(person, role=lesser(person.role, sign_in.role))


def known(connection: Connection, person_id: int) -> KnownPerson:
    """A person, with what the latest sign-in said: an earlier one counts no more, wherever it is still used."""
    query = (
        select(people.c.issuer, people.c.subject, sign_ins.c.role, sign_ins.c.shown)
        .outerjoin(sign_ins, sign_ins.c.person_id == people.c.id)
        .where(people.c.id == person_id)
        .order_by(sign_ins.c.issued.desc(), sign_ins.c.id.desc())
        .limit(1)
    )
    row = connection.execute(query).one()
    role = Role(row.role) if row.role else None
    return KnownPerson(person_id, Account(row.issuer, row.subject, row.shown or ""), role)


def standing_of(connection: Connection, population_id: int, person_id: int) -> Standing:
    """What a person is to a population now."""
    return _once(connection, (population_id, person_id), lambda: _standing(connection, population_id, person_id))


def _standing(connection: Connection, population_id: int, person_id: int) -> Standing:
    query = (
        select(members.c.standing)
        .where(members.c.population_id == population_id, members.c.person_id == person_id)
        .order_by(members.c.id.desc())
        .limit(1)
    )
    found = connection.execute(query).scalar()
    return Standing.NONE if found is None else Standing(found)


def sees(connection: Connection, population_id: int) -> bool:
    """Whether whoever acts may know of a population. Operators may: they read the store anyway."""
    if visitor_of(connection) is None:
        return True
    person = present(connection)
    if person is None or person.role is None:
        return False
    return person.role is Role.OPERATOR or standing_of(connection, population_id, person.id) is not Standing.NONE


def seen(connection: Connection, ids: Collection[int]) -> list[int]:
    """Those of some populations that whoever acts may know of, in their order; as `sees`, asked of all at once."""
    if is_operator(connection):
        return list(ids)
    standings = _standings(connection)
    return [one for one in ids if standings.get(one, Standing.NONE) is not Standing.NONE]


def owned(connection: Connection, ids: Collection[int]) -> list[int]:
    """Those of some populations that whoever acts owns, or operates; as `owns`, asked of all at once."""
    if is_operator(connection):
        return list(ids)
    standings = _standings(connection) if is_steward(connection) else {}
    return [one for one in ids if standings.get(one) is Standing.OWNER]


def _standings(connection: Connection) -> dict[int, Standing]:
    """What whoever acts is to each population; nothing to any without a role."""
    person = present(connection)
    if person is None or person.role is None:
        return {}
    query = select(members.c.population_id, members.c.standing).where(members.c.person_id == person.id)
    return {row.population_id: Standing(row.standing) for row in connection.execute(query.order_by(members.c.id))}


def unknown(connection: Connection, name: str) -> UnknownPopulation:
    """What is raised of a population that there is not, or that whoever acts may not know of: the same words of both,
    and of them what that person may do about it."""
    words = f"No population {name!r} is registered in this ledger"
    if visitor_of(connection) is None:
        return UnknownPopulation(f"{words}; register it first.")
    if is_steward(connection):
        return UnknownPopulation(f"{words} of which you are a member. Register one, or have its owner enter you.")
    return UnknownPopulation(f"{words} of which you are a member. Its owner enters members.")


def works(connection: Connection, population_id: int) -> bool:
    """Whether whoever acts may change anything of a population, load its table, and spend on it."""
    if visitor_of(connection) is None:
        return True
    person = present(connection)
    able = person is not None and person.role is not None and person.role.works
    return able and person is not None and standing_of(connection, population_id, person.id).works


def owns(connection: Connection, population_id: int) -> bool:
    """Whether whoever acts owns a population and works on it."""
    person = present(connection)
    own = person is not None and standing_of(connection, population_id, person.id) is Standing.OWNER
    return own and works(connection, population_id)


def require_work(connection: Connection, population_id: int) -> None:
    """StewardNeeded for whoever only looks on."""
    if not works(connection, population_id):
        raise StewardNeeded(LOOKS_ON)


def require_owner(connection: Connection, population_id: int) -> None:
    """StewardNeeded for anybody but an owner."""
    require_work(connection, population_id)
    if visitor_of(connection) is not None and not owns(connection, population_id):
        raise StewardNeeded(NO_OWNER)


def is_steward(connection: Connection) -> bool:
    """Whether whoever acts has a role in which populations are registered."""
    if visitor_of(connection) is None:
        return True
    person = present(connection)
    return person is not None and person.role is not None and person.role.works


def require_steward(connection: Connection) -> None:
    """StewardNeeded unless `is_steward`."""
    if not is_steward(connection):
        raise StewardNeeded(NO_STEWARD)


def is_operator(connection: Connection) -> bool:
    """Whether an operator acts, or the program itself."""
    person = present(connection)
    return visitor_of(connection) is None or (person is not None and person.role is Role.OPERATOR)


def require_operator(connection: Connection) -> None:
    """StewardNeeded for anybody but an operator."""
    if not is_operator(connection):
        raise StewardNeeded(NO_OPERATOR)


def require_program(connection: Connection) -> None:
    """StewardNeeded for every visitor: populations are moved beside their stores, by commands."""
    if visitor_of(connection) is not None:
        raise StewardNeeded(BESIDE)


def actor(connection: Connection) -> Actor | None:
    """Who acts, for a record; None where the program itself does, or somebody without a role."""
    person = present(connection)
    return None if person is None or person.role is None else Actor(person.account, person.role)


def sign(connection: Connection, table: Table, row: int) -> Actor | None:
    """Write beside a new row of bookings or marks who made it; nothing where the program itself did."""
    person = present(connection)
    if person is None or person.role is None:
        return None
    column = next(iter(table.primary_key)).name
    connection.execute(insert(table).values(**{column: row}, person_id=person.id, role=str(person.role)))
    return Actor(person.account, person.role)


def as_shown(connection: Connection, population_id: int, made: Actor) -> Actor:
    """Who made a record, as whoever acts may know it: those who only look on are told the role."""
    return made if works(connection, population_id) or is_operator(connection) else Actor(Account("", ""), made.role)
