"""Whether a store could take a charge now, asked without one."""

from __future__ import annotations

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger.store import Ledger
from pmwpub.ledger.store_address import sqlite_path


def check_store(ledger: Ledger) -> None:
    """Raise StoreUnavailable unless the store can be read, and its file, where it is one, is still there."""
    path = sqlite_path(ledger._database.url)
    if path is not None and not path.is_file():
        raise StoreUnavailable("The ledger's file is gone; put it back and start again.")
    ledger.populations()


def check_witness(ledger: Ledger) -> None:
    """Raise StoreUnavailable unless the witness, where there is one, could take a booking."""
    ledger._guard.ready()
