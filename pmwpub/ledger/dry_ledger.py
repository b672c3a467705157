"""A ledger that a dry run leaves as it is: what would be stored is kept in memory, and nothing can be booked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import platformdirs
from sqlalchemy import URL

from pmwpub import settings
from pmwpub.errors import LedgerError, UnknownPopulation
from pmwpub.ledger.database import Database, now, version_at
from pmwpub.ledger.live.live_work import LiveWork
from pmwpub.ledger.model import DocumentKey
from pmwpub.ledger.recovery.store_guard import Guard
from pmwpub.ledger.store import Ledger
from pmwpub.ledger.store_files.store_address import store_url, witness_path

_NO_STORE = (
    "There is no ledger at this address, so no population is registered in it; register it first (ledger register), or "
    "name another one (--store). Nothing was stored."
)
_NOTHING = "A dry run changes nothing in the ledger."


def store_exists(url: str | None) -> bool:
    """Whether there is a store at an address as `Ledger.open` takes it; none is made, and no folder for it."""
    address = _address(url)
    return address is not None and version_at(address) is not None


def _address(url: str | None) -> URL | None:
    """Where the store is to be; None for the user's own one where there is no folder for it."""
    if not url and not os.environ.get(settings.STORE) and not platformdirs.user_data_path("pmwpub").is_dir():
        return None
    return store_url(url)


class DryLedger(Ledger):
    """As the ledger at an address, with the public documents of this run before those that are stored.

    A shared service's record that a private table was loaded is made all the same: it is made before anything is asked
    of that table, whatever the run is for.
    """

    def __init__(self, database: Database, guard: Guard, working: LiveWork) -> None:
        super().__init__(database, guard, working)
        self._kept: dict[tuple[str, str, str], tuple[str, bytes]] = {}

    @classmethod
    def open(cls, url: str | None = None, *, witness: Path | None = None) -> Ledger:
        """As `Ledger.open`, of a store that is there; UnknownPopulation where none is, and none is made."""
        if not store_exists(url):
            address = _address(url)
            path = witness or (settings.witness() if address is None else witness_path(address))
            if path is None or not path.exists():  # a store that its witness has outlived is said to be lost
                raise UnknownPopulation(_NO_STORE)
        return super().open(url, witness=witness)

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
