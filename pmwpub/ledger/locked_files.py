"""Files that one program at a time holds; the system lets go of them when their holder ends, however it ends.

Where the system has flock the lock is on the file itself, as in every version of this program, so that programs of two
versions keep each other out too. Where it has none, as on Windows, `filelock` holds another file beside it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

_BYTES_AS_THEY_ARE = getattr(os, "O_BINARY", 0)


@dataclass
class HeldFile:
    """An open file that this program holds until it lets go."""

    path: Path
    descriptor: int
    _beside: BaseFileLock | None

    def let_go(self, *, remove: bool = False) -> None:
        """Close the file; with `remove` its name goes first, or with it where an open file keeps its name."""
        if remove and self._beside is None:
            self._remove()
        os.close(self.descriptor)
        if self._beside is not None:
            if remove:
                self._remove()
            self._beside.release()

    def _remove(self) -> None:
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def hold(path: Path, flags: int = 0, *, make: bool = True) -> HeldFile:
    """Open a file, made for its owner alone where there is none, and wait until nobody else holds it.

    flags  of `os.open`, beside reading and writing
    make   whether a file that is not there is made

    Raises OSError where it cannot be opened.
    """
    descriptor = os.open(path, (os.O_CREAT if make else 0) | os.O_RDWR | _BYTES_AS_THEY_ARE | flags, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            return HeldFile(path, descriptor, None)
        beside = _beside(path)
        beside.acquire()
    except BaseException:
        os.close(descriptor)
        raise
    return HeldFile(path, descriptor, beside)


def is_held(path: Path) -> bool:
    """Whether any program holds the file, this one included; nobody holds what cannot be opened. It makes no file."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _free(descriptor, path)
    finally:
        os.close(descriptor)


def _free(descriptor: int, path: Path) -> bool:
    if fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
    from filelock import Timeout

    beside = _beside(path)
    try:
        beside.acquire(timeout=0)
    except Timeout:
        return False
    beside.release()
    return True


def _beside(path: Path) -> BaseFileLock:
    """The lock that stands for a file; whoever has the object lets go of it, in whichever thread."""
    from filelock import FileLock

    return FileLock(path.with_name(f"{path.name}.lock"), thread_local=False)
