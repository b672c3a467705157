"""What a ledger knows of private tables: comparing them, for one steward, or only recording that they were loaded."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.ledger import attempts, fingerprints, populations
from pmwpub.ledger.attempts import Attempt
from pmwpub.ledger.database import Database
from pmwpub.ledger.table_handles import TableHandle, TableVerdict


class Recognition:
    """The part of a `Ledger` that holds private tables' fingerprints.

    private  equal for tables of the same cells
    seen     the table's rows in the views of a mechanism: tables with one of them in common are the same
    """

    _database: Database

    def handle(self, name: str, private: bytes, seen: Sequence[bytes] = ()) -> TableHandle:
        """A table's fingerprints, to be passed to `book`; nothing is compared or recorded."""
        with self._database.reading() as connection:
            populations.identify(connection, name)
            return fingerprints.handle(connection, private, seen)

    def recognise(self, name: str, private: bytes, seen: Sequence[bytes] = ()) -> TableVerdict:
        """Whether a private table is new, the same, changed, or another population's; nothing is stored.

        Privacy: the answer is an exact one about private rows, for a steward to whom all sessions belong.
        """
        with self._database.reading() as connection:
            return fingerprints.recognise(connection, populations.identify(connection, name), private, seen)

    def charged_under(self, private: bytes, seen: Sequence[bytes] = ()) -> tuple[str, ...]:
        """The populations under which charges were made for a table that nobody names; stores nothing.

        Privacy: the answer is an exact one about private rows, for a steward to whom all sessions belong.
        """
        with self._database.reading() as connection:
            return fingerprints.charged_under(connection, private, seen)

    def loaded(self, name: str, private: bytes, seen: Sequence[bytes] = ()) -> TableHandle:
        """Record that a table was loaded, and compare it with nothing: one row, whatever other rows there are.

        Privacy: neither what is returned, nor what is written, nor how long it takes, depends on any other table.
        """
        with self._database.writing() as connection:
            population_id = populations.identify(connection, name)
            table = fingerprints.handle(connection, private, seen)
            attempts.record(connection, population_id, table)
            return table

    def has_loads(self) -> bool:
        """Whether a shared service was ever run on this store: every load there leaves a record.

        Privacy: the answer says that a table was loaded, and nothing of any table.
        """
        with self._database.reading() as connection:
            return attempts.any_load(connection)

    def attempts(self) -> list[Attempt]:
        """Every load that `loaded` recorded, oldest first; for the operator, never for a session."""
        with self._database.reading() as connection:
            return attempts.every(connection)

    def shared_tables(self) -> list[tuple[str, ...]]:
        """The populations of each table that was charged under several; for the operator, never for a session."""
        with self._database.reading() as connection:
            return attempts.shared(connection)

    def acknowledge(self, name: str, private: bytes, seen: Sequence[bytes] = ()) -> None:
        """Record the steward's decision that this table serves several populations."""
        with self._database.writing() as connection:
            fingerprints.acknowledge(connection, populations.identify(connection, name), private, seen)

    def acknowledgements(self, name: str) -> list[tuple[str, str]]:
        """(Other population, time) of each decision that one table serves both; for the steward only."""
        with self._database.reading() as connection:
            found = fingerprints.acknowledged(connection, populations.identify(connection, name))
            known = {one.name for one in populations.every(connection)} if found else set()
            return [(other, time) for other, time in found if other in known]

    def booked_for(self, booking_id: int, table: TableHandle) -> bool | None:
        """Whether a booking was made for this very table; None if it was made without one."""
        with self._database.reading() as connection:
            return fingerprints.matches(connection, booking_id, table)
