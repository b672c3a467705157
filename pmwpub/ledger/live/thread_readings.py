"""What one thread reads of the store: one state of it for a while, and nothing twice in one run of a page."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TypeVar, cast

from sqlalchemy import Connection

Found = TypeVar("Found")
MOST_RECALLED = 1 << 20
"""Bytes of a document that is recalled at most; public tables are kept parsed, elsewhere."""


class _View:
    """One state of the store, in a transaction that begins with the first reading."""

    def __init__(self, begun: Callable[[], AbstractContextManager[Connection]], end: ExitStack) -> None:
        self._begun, self._end = begun, end
        self._connection: Connection | None = None

    def connection(self) -> Connection:
        if self._connection is None:
            self._connection = self._end.enter_context(self._begun())
        return self._connection


class ThreadReadings(threading.local):
    """The view that a thread has open, and what it read before in a run that recalls."""

    def __init__(self) -> None:
        self.view: _View | None = None
        self._recalled: dict[object, object] | None = None

    @contextmanager
    def viewing(self, begun: Callable[[], AbstractContextManager[Connection]]) -> Iterator[None]:
        """Have the thread read one state of the store until the block ends; `begun` lends a transaction."""
        if self.view is not None:
            yield
            return
        with ExitStack() as end:
            self.view = _View(begun, end)
            try:
                yield
            finally:
                self.view = None

    @contextmanager
    def recalling(self) -> Iterator[None]:
        """Have the thread keep what it reads until the block ends, or `forget` is called."""
        before, self._recalled = self._recalled, {}
        try:
            yield
        finally:
            self._recalled = before

    def forget(self) -> None:
        """Read everything anew from now on."""
        if self._recalled is not None:
            self._recalled = {}

    def recalled(self, key: object, read: Callable[[], Found]) -> Found:
        """What was read before under a key in this run, else what `read` reads now."""
        kept = self._recalled
        if kept is None:
            return read()
        if key in kept:
            return cast(Found, kept[key])
        found = read()
        if not isinstance(found, bytes) or len(found) <= MOST_RECALLED:
            kept[key] = found
        return found

    def before(self, key: object) -> object | None:
        """What was read before under a key in this run; None where nothing was, or nothing is recalled."""
        return None if self._recalled is None else self._recalled.get(key)
