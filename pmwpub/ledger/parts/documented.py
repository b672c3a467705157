"""Public documents of a ledger: schemas, candidate tables, workloads. They may be deleted; charges never."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from pmwpub.ledger import documents, populations
from pmwpub.ledger.database import Database, lock_store
from pmwpub.ledger.model import DocumentKey
from pmwpub.ledger.moving.closings import require_settled


class Keeping:
    """The part of a `Ledger` that holds public documents."""

    _database: Database

    def put_document(self, name: str, kind: str, key: str, body: bytes, *, once: bool = False) -> None:
        """Store public bytes by kind and key; the same bytes again change nothing, others become the latest.

        once  whether bytes that stand there stay, whatever they are
        """
        with self._database.writing() as connection:
            documents.put(connection, populations.identify(connection, name), kind, key, body, once=once)

    def put_documents(self, name: str, stored: Sequence[tuple[str, str, bytes]]) -> None:
        """Store several documents, each (kind, key, bytes), all or none: nobody ever sees one without the others."""
        with self._database.writing() as connection:
            population_id = populations.identify(connection, name)
            for kind, key, body in stored:
                documents.put(connection, population_id, kind, key, body)

    def document(self, name: str, kind: str, key: str) -> bytes:
        """The latest bytes under a key; LedgerError if there are none."""

        def read(connection: Connection) -> bytes:
            return documents.read(connection, populations.identify(connection, name), kind, key)

        return self._database.read(("document", name, kind, key), read)

    def documents(self, name: str, kind: str) -> list[DocumentKey]:
        """(key, time) of every document of a kind, the latest last."""

        def listed(connection: Connection) -> list[DocumentKey]:
            return documents.listed(connection, populations.identify(connection, name), kind)

        return self._database.read(("documents", name, kind), listed)

    def document_versions(self, name: str, kind: str, key: str) -> list[tuple[str, bytes]]:
        """(time, bytes) of all that was stored under a key since it was last deleted, the oldest first."""
        with self._database.reading() as connection:
            return documents.versions(connection, populations.identify(connection, name), kind, key)

    def times_in_order(self, name: str) -> bool:
        """Whether no public document has an earlier time than one stored before it, so that times tell their order."""
        with self._database.reading() as connection:
            return documents.in_order(connection, populations.identify(connection, name))

    def delete_documents(self, name: str, kind: str | Sequence[str] | None = None, key: str | None = None) -> int:
        """Delete public documents now, all or none; returns how many versions went. Charges and results stay.

        kind  one kind or several; None for all. key  None for every key

        Raises PopulationClosed for a population whose move to another store is not confirmed yet.
        """
        kinds = [kind] if isinstance(kind, str) else kind
        with self._database.writing() as connection:
            lock_store(connection)
            population_id = populations.identify(connection, name)
            require_settled(connection, population_id)
            return documents.remove(connection, population_id, kinds, key)
