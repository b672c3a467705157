"""Sign-ins, and who owns a population or is a member of it: what is written of them, and read by those who may."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from pmwpub.accounts.people import Account, Role, SignIn, Standing
from pmwpub.errors import LedgerError
from pmwpub.ledger.database import lock_store, now
from pmwpub.ledger.members import access, signed_rows
from pmwpub.ledger.members.member_tables import members, people, sign_ins, sign_outs

NOT_KNOWN = "That person never signed in here. Members sign in once before they are added. Nothing was changed."
NO_MEMBER = "That person is no member. Nothing was changed."
LAST_OWNER = "A population keeps an owner: add another one first. Nothing was changed."


@dataclass(frozen=True)
class Member:
    """A person and what he or she is to a population."""

    account: Account
    standing: Standing


@dataclass(frozen=True)
class Registrant:
    """A person who signed in here at least once, for operators.

    role     of the latest sign-in; None for none
    latest   UTC, when that was first seen here
    """

    account: Account
    role: Role | None
    latest: str


def admit(connection: Connection, sign_in: SignIn) -> None:
    """Note a sign-in when it is first seen; to see it again changes nothing."""
    if connection.execute(select(sign_ins.c.id).where(sign_ins.c.token == sign_in.token)).scalar() is not None:
        return
    lock_store(connection)
    if connection.execute(select(sign_ins.c.id).where(sign_ins.c.token == sign_in.token)).scalar() is not None:
        return
    row = {
        "person_id": signed_rows.person(connection, sign_in.account),
        "token": sign_in.token,
        "role": str(sign_in.role or ""),
        "shown": sign_in.account.shown,
        "issued": sign_in.issued,
    }
    connection.execute(insert(sign_ins).values(created=now(), **row))
    access.forget(connection)


def is_noted(connection: Connection, sign_in: SignIn) -> bool:
    """Whether a sign-in was seen before."""
    return connection.execute(select(sign_ins.c.id).where(sign_ins.c.token == sign_in.token)).scalar() is not None


def sign_out(connection: Connection, sign_in: SignIn) -> None:
    """End a sign-in for good, wherever its token is still shown."""
    admit(connection, sign_in)
    found = connection.execute(select(sign_ins.c.id).where(sign_ins.c.token == sign_in.token)).scalar_one()
    if connection.execute(select(sign_outs).where(sign_outs.c.sign_in_id == found)).one_or_none() is None:
        connection.execute(insert(sign_outs).values(sign_in_id=found, created=now()))
        access.forget(connection)


def listed(connection: Connection, population_id: int) -> list[Member]:
    """The owners and members of a population, in the order in which each was first entered."""
    rows = connection.execute(select(members).where(members.c.population_id == population_id).order_by(members.c.id))
    latest = {row.person_id: Standing(row.standing) for row in rows}
    held = {one: standing for one, standing in latest.items() if standing is not Standing.NONE}
    return [Member(access.known(connection, one).account, standing) for one, standing in held.items()]


def enter(connection: Connection, population_id: int, account: Account, standing: Standing) -> Member:
    """Make a person, by issuer and subject, what `standing` says. LedgerError for who never signed in.

    The caller has asked whether whoever acts may do so.
    """
    by = access.present(connection)
    person_id = _signed_in(connection, account)
    before = access.standing_of(connection, population_id, person_id)
    if standing is Standing.NONE and before is Standing.NONE:
        raise LedgerError(NO_MEMBER)
    owners = [one for one in listed(connection, population_id) if one.standing is Standing.OWNER]
    if standing is not Standing.OWNER and [one.account for one in owners] == [account]:
        raise LedgerError(LAST_OWNER)
    if before is not standing:
        row = {"population_id": population_id, "person_id": person_id, "entered_by": None if by is None else by.id}
        connection.execute(insert(members).values(standing=str(standing), created=now(), **row))
        access.forget(connection)
    return Member(access.known(connection, person_id).account, standing)


def _signed_in(connection: Connection, account: Account) -> int:
    query = select(people.c.id).join(sign_ins, sign_ins.c.person_id == people.c.id)
    own = query.where(people.c.issuer == account.issuer, people.c.subject == account.subject)
    found = connection.execute(own.limit(1)).scalar()
    if found is None:
        raise LedgerError(NOT_KNOWN)
    return int(found)


def shown_as(connection: Connection, shown: str) -> list[Registrant]:
    """Everybody whose latest sign-in shows that name, in whatever case, in the order of first sight."""
    named = shown.strip().casefold()
    return [one for one in registrants(connection) if named and one.account.shown.casefold() == named]


def registrants(connection: Connection) -> list[Registrant]:
    """Everybody who ever signed in, in the order of first sight. Whose asking it is, the caller knows."""
    found: dict[int, Registrant] = {}
    rows = connection.execute(select(sign_ins).order_by(sign_ins.c.issued, sign_ins.c.id)).all()
    for row in sorted(rows, key=lambda one: (one.person_id, one.issued, one.id)):
        known = access.known(connection, row.person_id)
        found[row.person_id] = Registrant(known.account, known.role, row.created)
    return list(found.values())
