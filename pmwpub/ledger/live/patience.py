"""Trying again where a store is away for a moment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from types import TracebackType

from pmwpub.errors import StoreUnavailable

PATIENCE_SECONDS = 60.0
"""Seconds within which a database that is started again is back."""

PAUSE_SECONDS = 0.5


class Trial(AbstractContextManager["Trial"]):
    """One try of several; as a context it swallows StoreUnavailable, unless it is the last try.

    failed  whether it swallowed one
    """

    def __init__(self, *, last: bool) -> None:
        self._last = last
        self.failed = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.failed = isinstance(error, StoreUnavailable)
        return self.failed and not self._last


def patiently(*, wait: bool) -> Iterator[Trial]:
    """Tries of something that may be done twice, until one succeeds; one alone unless `wait`."""
    deadline = time.monotonic() + (PATIENCE_SECONDS if wait else 0.0)
    while True:
        attempt = Trial(last=not wait or time.monotonic() > deadline)
        yield attempt
        if not attempt.failed:
            return
        time.sleep(PAUSE_SECONDS)
