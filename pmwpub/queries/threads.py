"""A few threads that share the compiled loops of one run; the loops hold no lock of the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from itertools import pairwise
from types import TracebackType
from typing import Self

import numpy as np

from pmwpub.records import Ints


class Threads(AbstractContextManager["Threads"]):
    """`threads` threads, to be used in a `with` block; one thread works in the caller's own.

    What the threads compute does not depend on how many there are: each writes a part of its own.
    """

    def __init__(self, threads: int = 1) -> None:
        self._threads = max(1, threads)
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def spread(self, work: Callable[[int, int], None], length: int, *, least: int = 1) -> None:
        """Call work(begin, end) on contiguous parts of 0 .. length, one a thread; none shorter than `least`."""
        parts = max(1, min(self._threads, length // max(1, least)))
        edges = [length * part // parts for part in range(parts + 1)]
        if self._pool is None or parts == 1:
            work(0, length)
            return
        for done in [self._pool.submit(work, begin, end) for begin, end in pairwise(edges)]:
            done.result()


def starts_of(sizes: Ints) -> Ints:
    """int64 (len + 1,): where pieces of these sizes begin when they lie end to end."""
    starts: Ints = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    return starts
