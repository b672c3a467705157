"""Public objects that a worker keeps between jobs, such as a support with its workload.

It is for public things only: what is built outlives the job, so nothing private may go into `build`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar, cast

T = TypeVar("T")


class PublicCache:
    """The `size` most recently used objects, by the hash of what they were built from."""

    def __init__(self, size: int = 4) -> None:
        self._size = size
        self._kept: OrderedDict[str, object] = OrderedDict()
        self._lock = threading.RLock()

    def public(self, key: str, build: Callable[[], T]) -> T:
        """The object kept under `key` (a content hash), else a newly built one."""
        with self._lock:
            if key not in self._kept:
                self._kept[key] = build()
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
            return cast(T, self._kept[key])


_KEPT = PublicCache()


def public(key: str, build: Callable[[], T]) -> T:
    """This process's kept object under `key`, built when missing."""
    return _KEPT.public(key, build)
