"""Public objects that a process keeps, such as a support with its workload: by content, and up to a number of bytes.

It is for public things only: what is built outlives the job or the session that asked, so nothing private may go into
`build`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, cast

from pmwpub.tasks.kept_bytes import kept_bytes

T = TypeVar("T")

ROOM = 256 * 2**20
"""Bytes that the objects of one cache hold together at most."""


@dataclass(eq=False)
class _Place:
    """A place in the cache; its lock is held while its own object is built, and others wait for that alone."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    found: list[object] = field(default_factory=list)
    bytes: int = 0


class PublicCache:
    """The most recently used objects that fit, by the hash of what they were built from; the latest one always stays.

    room  bytes, as `kept_bytes` counts them once an object is built
    """

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._places: OrderedDict[str, _Place] = OrderedDict()
        self._lock = threading.Lock()

    def public(self, key: str, build: Callable[[], T]) -> T:
        """The object kept under `key` (a content hash), else a newly built one.

        While it is built, whoever asks for the same waits, and nobody else does. What `build` raises is kept nowhere.
        """
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
        with place.lock:
            if not place.found:
                self._fill(key, place, build)
            return cast(T, place.found[0])

    def _fill(self, key: str, place: _Place, build: Callable[[], object]) -> None:
        try:
            built = build()
            place.bytes = kept_bytes(built)
            place.found.append(built)
        finally:
            with self._lock:
                if not place.found and self._places.get(key) is place:
                    del self._places[key]
        self._make_room()

    def _make_room(self) -> None:
        with self._lock:
            held = sum(place.bytes for place in self._places.values())
            for key in list(self._places)[:-1]:
                if held <= self._room:
                    break
                held -= self._places.pop(key).bytes


_KEPT = PublicCache()


def public(key: str, build: Callable[[], T]) -> T:
    """This process's kept object under `key`, built when missing."""
    return _KEPT.public(key, build)
