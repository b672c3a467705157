"""Failing closed: what a database answers when it cannot be used, in words that hold no stored value."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from pmwpub.errors import LedgerError, StoreUnavailable

BUSY_SECONDS = 30
NO_TEXT = "A text that was given is no Unicode text, such as half of a surrogate pair. Nothing was stored or charged."
_REMEDIES = {
    "SQLITE_FULL": "the disk is full; free some space",
    "SQLITE_READONLY": "it is read-only; allow writing, or name another store",
    "SQLITE_CORRUPT": "its file is damaged; restore a backup (pmwpub ledger restore FILE)",
    "SQLITE_NOTADB": "its file is no ledger; name another store",
    "SQLITE_CANTOPEN": "its file cannot be opened; check that the folder exists and may be written",
    "SQLITE_BUSY": f"other programs kept it busy for {BUSY_SECONDS} s; try again",
    "SQLITE_LOCKED": f"other programs kept it busy for {BUSY_SECONDS} s; try again",
    "SQLITE_IOERR": "reading or writing its file failed; check the disk",
    "SQLITE_PERM": "access to its file is not allowed; check its permissions",
}


@contextmanager
def failing_closed(name: str) -> Iterator[None]:
    """Turn every failure of the database `name` into StoreUnavailable, in words that hold no stored value.

    LedgerError for a text that no store can hold.
    """
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise StoreUnavailable(f"The ledger {name} is unavailable: {_remedy(error)}. Nothing was released.") from None
    except UnicodeEncodeError:
        raise LedgerError(NO_TEXT) from None
    except (ModuleNotFoundError, NoSuchModuleError):
        raise StoreUnavailable("PostgreSQL needs its driver: pip install 'pmwpub[postgres]'.") from None


def _remedy(error: Exception) -> str:
    """Why a statement failed and what to do; the database's own words may quote values, so they are left out."""
    cause: Any = error.orig if isinstance(error, DBAPIError) else error
    code = str(getattr(cause, "sqlite_errorname", "") or getattr(cause, "sqlstate", "") or type(cause).__name__)
    known = [words for name, words in _REMEDIES.items() if code.startswith(name)]
    return known[0] if known else f"the database answered {code}; check that it runs and may be written"
