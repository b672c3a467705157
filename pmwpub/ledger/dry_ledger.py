"""A ledger that a dry run leaves as it is: what would be stored is kept in memory, and nothing can be booked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from pmwpub.errors import LedgerError
from pmwpub.ledger.database import Database, now
from pmwpub.ledger.live.live_work import LiveWork
from pmwpub.ledger.model import DocumentKey
from pmwpub.ledger.recovery.store_guard import Guard
from pmwpub.ledger.store import Ledger

_NOTHING = "A dry run changes nothing in the ledger."


class DryLedger(Ledger):
    """As the ledger at an address, with the public documents of this run before those that are stored.

    A shared service's record that a private table was loaded is made all the same: it is made before anything is asked
    of that table, whatever the run is for.
    """

    def __init__(self, database: Database, guard: Guard, working: LiveWork) -> None:
        super().__init__(database, guard, working)
        self._kept: dict[tuple[str, str, str], tuple[str, bytes]] = {}

    def put_document(self, name: str, kind: str, key: str, body: bytes, *, once: bool = False) -> None:
        """Keep public bytes for this run, as `Ledger.put_document` stores them."""
        if once and key in {entry.key for entry in self.documents(name, kind)}:
            return
        self.put_documents(name, [(kind, key, body)])

    def put_documents(self, name: str, stored: Sequence[tuple[str, str, bytes]]) -> None:
        """Keep several documents for this run."""
        self.population(name)
        for kind, key, body in stored:
            self._kept.pop((name, kind, key), None)
            self._kept[name, kind, key] = (now(), body)

    def document(self, name: str, kind: str, key: str) -> bytes:
        """The bytes of this run under a key, else the stored ones; LedgerError if there are none."""
        kept = self._kept.get((name, kind, key))
        return super().document(name, kind, key) if kept is None else kept[1]

    def documents(self, name: str, kind: str) -> list[DocumentKey]:
        """(key, time) of every document of a kind, those of this run last."""
        own = {key: time for (who, what, key), (time, _) in self._kept.items() if (who, what) == (name, kind)}
        stored = [entry for entry in super().documents(name, kind) if entry.key not in own]
        return stored + [DocumentKey(key, time) for key, time in own.items()]

    def document_versions(self, name: str, kind: str, key: str) -> list[tuple[str, bytes]]:
        """(time, bytes) of all that is stored under a key, then of this run."""
        kept = self._kept.get((name, kind, key))
        return super().document_versions(name, kind, key) + ([] if kept is None else [kept])

    def book_all(self, *_: object, **__: object) -> NoReturn:
        """Nothing is booked: LedgerError."""
        raise LedgerError(_NOTHING)

    def delete_documents(self, *_: object, **__: object) -> NoReturn:
        """Nothing is deleted: LedgerError."""
        raise LedgerError(_NOTHING)

    def mark(self, *_: object, **__: object) -> NoReturn:
        """No decision is recorded: LedgerError."""
        raise LedgerError(_NOTHING)
