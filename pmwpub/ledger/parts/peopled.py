"""What a ledger knows of people: who acts, what they may do, and who is a member of which population."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, select

from pmwpub.accounts.people import Account, Actor, Role, SignIn, Standing, Visitor
from pmwpub.errors import UnknownPopulation
from pmwpub.ledger import populations, tables
from pmwpub.ledger.database import Database
from pmwpub.ledger.members import access, membership
from pmwpub.ledger.members.membership import Member, Registrant


class Peopled:
    """The part of a `Ledger` that asks who acts. Without a visitor the program itself does, and may do everything."""

    _database: Database

    def visited_by(self, visitor: Callable[[], Visitor | None]) -> None:
        """Have each transaction from now on be whose `visitor` says at its beginning."""
        self._database.visitor = visitor

    def admit(self) -> Actor | None:
        """Note the visitor's sign-in when it is first seen; who acts, None where that is nobody with a role.

        Where the thread recalls, the store is asked once in a run of a page.
        """
        visitor = self._database.visitor()
        if visitor is None or visitor.sign_in is None:
            return None
        sign_in = visitor.sign_in
        return self._database.thread.recalled(("admitted", sign_in), lambda: self._admit(sign_in))

    def _admit(self, sign_in: SignIn) -> Actor | None:
        with self._database.reading() as connection:
            noted = membership.is_noted(connection, sign_in)
        if not noted:
            with self._database.writing() as connection:
                membership.admit(connection, sign_in)
        return self.actor()

    def actor(self) -> Actor | None:
        """Who acts now, and in which role; never remembered from before."""
        with self._database.reading() as connection:
            return access.actor(connection)

    def role_of(self, sign_in: SignIn) -> Role | None:
        """The role in which somebody acts by a sign-in now; None for nobody. For what is asked outside of a page."""
        with self._database.reading() as connection:
            person = access.present(access.visited(connection, Visitor(sign_in)))
            return None if person is None else person.role

    def is_open(self, sign_in: SignIn) -> bool:
        """Whether a sign-in was noted and not ended, whatever role it has."""
        with self._database.reading() as connection:
            return access.present(access.visited(connection, Visitor(sign_in))) is not None

    def sign_out(self, sign_in: SignIn) -> None:
        """End a sign-in: from the next transaction on nobody acts by its token."""
        with self._database.writing() as connection:
            membership.sign_out(connection, sign_in)

    def works(self, name: str) -> bool:
        """Whether whoever acts may change a population and spend on it; False where it is unknown to them."""

        def asked(connection: Connection) -> bool:
            try:
                return access.works(connection, populations.identify(connection, name))
            except UnknownPopulation:
                return False

        return self._database.visitor() is None or self._database.read(("works", name), asked)

    def may_register(self) -> bool:
        """Whether whoever acts has a role in which populations are registered and private tables loaded."""
        return self._database.visitor() is None or self._database.read("may register", access.is_steward)

    def require_work(self, name: str) -> None:
        """StewardNeeded unless `works`, asked anew; UnknownPopulation for a visitor who is no member."""
        if self._database.visitor() is None:
            return
        with self._database.reading() as connection:
            access.require_work(connection, populations.identify(connection, name))

    def require_steward(self) -> None:
        """StewardNeeded unless `may_register`, asked anew."""
        if self._database.visitor() is None:
            return
        with self._database.reading() as connection:
            access.require_steward(connection)

    def require_operator(self) -> None:
        """StewardNeeded for anybody but an operator, or the program itself."""
        with self._database.reading() as connection:
            access.require_operator(connection)

    def owns(self, name: str) -> bool:
        """Whether whoever acts owns a population; the program itself does, and need not ask."""
        if self._database.visitor() is None:
            return True
        with self._database.reading() as connection:
            population_id = populations.identify(connection, name)
            return access.owns(connection, population_id)

    def members(self, name: str) -> list[Member]:
        """The owners and members of a population; StewardNeeded for those who only look on, unless they operate."""
        with self._database.reading() as connection:
            population_id = populations.identify(connection, name)
            if not access.is_operator(connection):
                access.require_work(connection, population_id)
            return membership.listed(connection, population_id)

    def find_people(self, name: str, shown: str) -> list[Registrant]:
        """Everybody who signed in and is shown so, with the role; StewardNeeded for all but the owner of a population
        and operators.

        What is shown decides nothing, as people may choose it: of those found, `enter_member` takes one.
        """
        with self._database.reading() as connection:
            population_id = populations.identify(connection, name)
            if not access.is_operator(connection):
                access.require_owner(connection, population_id)
            return membership.shown_as(connection, shown)

    def enter_member(self, name: str, account: Account, standing: Standing) -> Member:
        """Make a person, by issuer and subject, a member or none any more; for the owner.

        An operator, or the program itself, may make somebody the owner: of a population that nobody owns, or whose
        owner is gone. Raises StewardNeeded for anybody else, LedgerError for who never signed in or leaves and is
        no member, and for a population that would be without an owner.
        """
        with self._database.writing() as connection:
            population_id = _seen(connection, name)
            if not (standing is Standing.OWNER and access.is_operator(connection)):
                access.require_owner(connection, population_id)
            return membership.enter(connection, population_id, account, standing)

    def people(self) -> list[Registrant]:
        """Everybody who ever signed in; StewardNeeded for anybody but an operator."""
        with self._database.reading() as connection:
            access.require_operator(connection)
            return membership.registrants(connection)


def _seen(connection: Connection, name: str) -> int:
    """The row of a population that whoever acts may know of, locked, in a transaction that writes."""
    query = select(tables.populations.c.id).where(tables.populations.c.name == name).with_for_update()
    found = connection.execute(query).scalar()
    if found is None or not access.sees(connection, int(found)):
        raise access.unknown(connection, name)
    return int(found)
