"""What a ledger knows of populations: their terms, how they may change, their balance, and recorded decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TypeVar

from sqlalchemy import Connection

from pmwpub.errors import LedgerError
from pmwpub.ledger import populations
from pmwpub.ledger.database import Database
from pmwpub.ledger.model import Balance, Mark, Population
from pmwpub.ledger.moving.closings import require_here, require_open
from pmwpub.ledger.recovery.store_guard import Guard

Found = TypeVar("Found")


class Registered:
    """The part of a `Ledger` that holds populations."""

    _database: Database
    _guard: Guard

    def register(self, population: Population) -> Population:
        """Register a population; the same terms again change nothing, others raise PopulationExists."""
        if not isinstance(population, Population):
            raise LedgerError(f"A Population is registered; something of type {type(population).__name__} came.")
        with self._deciding() as connection:
            return populations.register(connection, population)

    def population(self, name: str) -> Population:
        """The terms of a population that are in force; UnknownPopulation if there is none of that name."""
        return self._of(name, "population", populations.current)

    def populations(self) -> list[Population]:
        """All populations, in the order of registration."""
        with self._database.reading() as connection:
            return populations.every(connection)

    def amend(
        self,
        name: str,
        *,
        n: int | None = None,
        rows_per_person: int | None = None,
        unit: str | None = None,
        epsilon: Fraction | str | float | None = None,
        delta: Fraction | str | float | None = None,
    ) -> Population:
        """Change terms: any before the first charge; afterwards only a lower epsilon, not below what is spent.

        Raises PopulationFrozen for the rest, PopulationClosed for a population that was retired or moved.
        """
        given = {"n": n, "rows_per_person": rows_per_person, "unit": unit, "epsilon": epsilon, "delta": delta}
        changes = {field: value for field, value in given.items() if value is not None}
        with self._deciding() as connection:
            require_open(connection, populations.identify(connection, name, lock=True))
            return populations.amend(connection, name, changes)

    def balance(self, name: str) -> Balance:
        """The total, spent and remaining rho of a population, read in one transaction."""
        return self._of(name, "balance", populations.balance)

    def mark(self, name: str, kind: str, note: str = "") -> None:
        """Record a decision or event for good, such as that private numbers were opened. Public text only.

        Raises PopulationClosed for a population that was moved to another store, where it would have to be recorded.
        """
        with self._deciding() as connection:
            population_id = populations.identify(connection, name, lock=True)
            require_here(connection, population_id)
            populations.mark(connection, population_id, kind, note)

    def marks(self, name: str) -> list[Mark]:
        """All recorded decisions and events, oldest first."""
        return self._of(name, "marks", populations.marked)

    def _of(self, name: str, what: str, query: Callable[[Connection, int], Found]) -> Found:
        """What a query finds about a population, by the word that tells it from other queries."""

        def read(connection: Connection) -> Found:
            return query(connection, populations.identify(connection, name))

        return self._database.read((what, name), read)

    @contextmanager
    def _deciding(self) -> Iterator[Connection]:
        """Lend a transaction on terms or decisions; when the block ends the witness has them too."""
        with self._database.writing() as connection:
            self._guard.check(connection)
            yield connection
            self._guard.readable(connection)
        with self._database.reading() as connection:
            self._guard.catch_up(connection)
