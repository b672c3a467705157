"""Whether the file at a SQLite store's path still is the one that is open.

On POSIX a file that is moved, deleted or replaced stays open: what is written goes on into the old one, which the next
program never sees, so that its charges would be lost. So every transaction asks for device and inode first.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from pmwpub.errors import StoreUnavailable

ELSEWHERE = (
    "The ledger's file {path} is no longer the one that is open: it was moved, deleted or replaced while the program "
    "ran. Put that file back in its place, or start the program again on the one that is there. Nothing was released."
)


class StoreFile:
    """The file of one store; safe to share between threads.

    path  None for a database that is no file, of which nothing is asked
    """

    def __init__(self, path: Path | None) -> None:
        self._path = None if path is None else path.absolute()
        self._lock = threading.Lock()
        self._open: tuple[int, int] | None = None

    @property
    def in_place(self) -> bool:
        """Whether it is there, and the one that was there when it was first asked for."""
        if self._path is None:
            return True
        try:
            found = os.stat(self._path)
        except OSError:
            return False
        with self._lock:
            self._open = self._open or (found.st_dev, found.st_ino)
            return self._open == (found.st_dev, found.st_ino)

    def require(self) -> None:
        """Raise StoreUnavailable unless it is in place."""
        if not self.in_place:
            raise StoreUnavailable(ELSEWHERE.format(path=self._path))

    def closed(self) -> None:
        """No connection is open any more: the next one opens whatever is there then."""
        with self._lock:
            self._open = None
