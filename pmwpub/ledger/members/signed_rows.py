"""Who made which row: bookings and marks, read back and put back."""

from __future__ import annotations

from sqlalchemy import Connection, Table, insert, select

from pmwpub.accounts.people import Account, Actor, Role
from pmwpub.ledger.database import now
from pmwpub.ledger.members import access
from pmwpub.ledger.members.member_tables import booked_by, marked_by, people
from pmwpub.ledger.tables import bookings, marks


def bookers(connection: Connection, population_id: int) -> dict[int, Actor]:
    """Who made each booking of a population, as whoever acts may know it; none where the program itself did."""
    return _shown(connection, population_id, booked_by, bookings)


def markers(connection: Connection, population_id: int) -> dict[int, Actor]:
    """Who made each mark, likewise."""
    return _shown(connection, population_id, marked_by, marks)


def _shown(connection: Connection, population_id: int, table: Table, rows: Table) -> dict[int, Actor]:
    column = next(iter(table.primary_key))
    query = select(column.label("row"), table.c.role, table.c.person_id).join(rows, rows.c.id == column)
    made = connection.execute(query.where(rows.c.population_id == population_id)).all()
    accounts = {one: access.known(connection, one).account for one in {row.person_id for row in made}}
    return {
        row.row: access.as_shown(connection, population_id, Actor(accounts[row.person_id], Role(row.role)))
        for row in made
    }


def everybody(connection: Connection, table: Table) -> dict[int, Actor]:
    """Who made each row of a table, of all populations and without the names that are shown; for the witness."""
    column = next(iter(table.primary_key))
    query = select(column.label("row"), table.c.role, people.c.issuer, people.c.subject)
    rows = connection.execute(query.join(people, people.c.id == table.c.person_id)).all()
    return {one.row: Actor(Account(one.issuer, one.subject), Role(one.role)) for one in rows}


def person(connection: Connection, account: Account) -> int:
    """The row of a person, who is added where she is not known."""
    query = select(people.c.id).where(people.c.issuer == account.issuer, people.c.subject == account.subject)
    found = connection.execute(query).scalar()
    if found is not None:
        return int(found)
    row = insert(people).values(issuer=account.issuer, subject=account.subject, created=now())
    return int(connection.execute(row.returning(people.c.id)).scalar_one())


def put_back(connection: Connection, table: Table, row: int, made: Actor) -> None:
    """Write who made a row that is added again from another record of the store."""
    column = next(iter(table.primary_key)).name
    connection.execute(
        insert(table).values(**{column: row}, person_id=person(connection, made.account), role=str(made.role))
    )
