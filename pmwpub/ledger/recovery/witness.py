"""The witness: what was charged, written a second time outside the database, so that an old copy cannot pass for it.

A text file that is only ever appended to, one JSON line for each set of terms, each booking with its charges, and each
recorded decision. Every line holds the SHA-256 of the line before it. It holds public things only: no result, no
document, no fingerprint of a private table, no secret. The order of a booking is

    commit to the database -> append here and sync -> `book` returns -> draw.

So whatever was drawn stands in both. Of the two orders this one counts exactly: a crash between commit and append
leaves a charge that the database holds and the next look copies here, and nothing was drawn; were the line written
first, a crash would leave a line without a charge that nobody could tell from a database put back to before it.
A line that a crash cut short has no line end; its `book` never returned, and the next append removes it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger.locked_files import hold
from pmwpub.ledger.recovery.copying import free_name, sync_folder
from pmwpub.ledger.recovery.witness_lines import Entry, Line, StoreLine, kind_of, parsed, spelt

START = "0" * 64
ROOM = 1 << 20
"""The bytes that must be free on the disk before a charge is made."""
DAMAGED = (
    "The ledger's witness {path} is damaged: line {line} does not follow from the one before. Put a copy of it back, "
    "or accept the ledger as it is with `pmwpub ledger reconcile --accept-missing-witness`, which is recorded. "
    "Nothing was released."
)


MOVED = "The ledger's witness {path} was moved, deleted or replaced just now. Put it back. Nothing was released."


class Witness:
    """One witness file; safe to share between threads, and between programs.

    Every method raises StoreUnavailable when the file cannot be read or written, or is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._forget()

    def _forget(self) -> None:
        self._inode = 0
        self._read = 0
        self._last = START
        self._lines = 0
        self._known: set[tuple[object, ...]] = set()
        self._counts: Counter[str] = Counter()
        self.store = ""

    @property
    def known(self) -> frozenset[tuple[object, ...]]:
        """The identities of the lines that were read since the last StoreLine."""
        with self._lock:
            return frozenset(self._known)

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many terms, bookings and marks were read since the last StoreLine."""
        return self._counts["terms"], self._counts["booking"], self._counts["mark"]

    @property
    def missing(self) -> bool:
        """Whether there is no file, or nothing in it."""
        return not self._lines

    def refresh(self) -> None:
        """Read what was appended since the last look, by whomever."""
        with self._lock, self._failing_closed():
            if not self.path.exists():
                self._forget()
                return
            with self.path.open("rb") as stream:
                self._take(stream.fileno())

    def ready(self) -> None:
        """Make sure, before anything is charged, that a line can be written: the file opens and the disk has room.

        A file that is not there is not made: what vouches for a store begins with `append`.
        """
        with self._lock, self._failing_closed(), self._locked_file() as descriptor:
            if _room(descriptor, self.path) < ROOM:
                raise StoreUnavailable(f"The disk of the ledger's witness {self.path} is full. Nothing was charged.")

    def lines(self) -> list[Entry]:
        """The lines since the last StoreLine, oldest first."""
        with self._lock, self._failing_closed():
            body = self.path.read_bytes() if self.path.exists() else b""
            found: list[Entry] = []
            for line, _ in self._parsed(body, START, 0):
                if isinstance(line, StoreLine):
                    found.clear()
                else:
                    found.append(line)
            return found

    def append(self, lines: Sequence[Line]) -> None:
        """Write what is not there yet, and have it on the disk, at its path, before this returns.

        Only one of which nothing was read yet is made where there is none.
        """
        before = None if self.missing else self.store
        with self._lock, self._failing_closed(), self._locked_file(make=self.missing) as descriptor:
            self._take(descriptor)
            if before not in (None, self.store) and not isinstance(next(iter(lines), None), StoreLine):
                raise StoreUnavailable(MOVED.format(path=self.path))
            os.ftruncate(descriptor, self._read)
            body = self._body(lines)
            if body and os.write(descriptor, body) != len(body):
                raise StoreUnavailable(f"The ledger's witness {self.path} was not written whole: the disk is full.")
            os.fsync(descriptor)
            self._take(descriptor)
            self._require_in_place(descriptor)

    def _body(self, lines: Sequence[Line]) -> bytes:
        written, last, known = [], self._last, set(self._known)
        for line in lines:
            if isinstance(line, StoreLine):
                known.clear()
            elif line.identity in known:
                continue
            else:
                known.add(line.identity)
            written.append(spelt(line, last))
            last = hashlib.sha256(written[-1]).hexdigest()
        return b"".join(written)

    def set_aside(self) -> Path | None:
        """Rename the file, so that a new one can begin; returns where it went, None where there was none."""
        with self._lock, self._failing_closed():
            self._forget()
            if not self.path.exists():
                return None
            aside = free_name(self.path, "set-aside")
            self.path.rename(aside)
            return aside

    @contextmanager
    def _locked_file(self, *, make: bool = False) -> Iterator[int]:
        made = not self.path.exists()
        own = hold(self.path, os.O_APPEND, make=make)
        try:
            self._require_in_place(own.descriptor)
            if made:
                sync_folder(self.path.parent)
            yield own.descriptor
        finally:
            own.let_go()

    def _require_in_place(self, descriptor: int) -> None:
        """Raise StoreUnavailable unless the open file is the one at the path: another's lines nobody would read."""
        there, opened = os.stat(self.path), os.fstat(descriptor)
        if (there.st_dev, there.st_ino) != (opened.st_dev, opened.st_ino):
            raise StoreUnavailable(MOVED.format(path=self.path))

    def _take(self, descriptor: int) -> None:
        status = os.fstat(descriptor)
        if status.st_ino != self._inode or status.st_size < self._read:
            self._forget()
            self._inode = status.st_ino
        os.lseek(descriptor, self._read, os.SEEK_SET)
        body = os.read(descriptor, status.st_size - self._read)
        for line, written in self._parsed(body, self._last, self._lines):
            self._read += len(written)
            self._lines += 1
            self._last = hashlib.sha256(written).hexdigest()
            if isinstance(line, StoreLine):
                self.store = line.store
                self._known.clear()
                self._counts.clear()
            elif line.identity not in self._known:
                self._known.add(line.identity)
                self._counts[kind_of(line)] += 1

    def _parsed(self, body: bytes, last: str, before: int) -> Iterator[tuple[Line, bytes]]:
        """The whole lines of `body`, each with its bytes; what comes after the last line end is left out."""
        for number, written in enumerate(body.splitlines(keepends=True), before + 1):
            if not written.endswith(b"\n"):
                return
            try:
                line = parsed(written, last)
            except (ValueError, KeyError, TypeError, RecursionError):
                raise StoreUnavailable(DAMAGED.format(path=self.path, line=number)) from None
            yield line, written
            last = hashlib.sha256(written).hexdigest()

    @contextmanager
    def _failing_closed(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreUnavailable(
                f"The ledger's witness {self.path} cannot be used: {error.strerror}. Nothing was released."
            ) from None


def _room(descriptor: int, path: Path) -> int:
    """Bytes that are free where an open file lies; ROOM for a kind of disk that does not count them."""
    if not hasattr(os, "fstatvfs"):
        return shutil.disk_usage(path).free
    disk = os.fstatvfs(descriptor)
    return disk.f_bavail * disk.f_frsize if disk.f_blocks else ROOM
