"""Where a store is, and whether it could take a charge now, asked without one."""

from __future__ import annotations

from pmwpub.ledger.store import Ledger


def store_name(ledger: Ledger) -> str:
    """Where the store is, without a password, and without parameters, of which one could be a password too."""
    return ledger._database.name.partition("?")[0]


def check_store(ledger: Ledger) -> None:
    """Raise StoreUnavailable unless the store can be read, and its file is the one that is open."""
    ledger.populations()


def check_witness(ledger: Ledger) -> None:
    """Raise StoreUnavailable unless the witness, where there is one, is this store's and could take a booking."""
    with ledger._database.reading() as connection:
        ledger._guard.vouched(connection)
