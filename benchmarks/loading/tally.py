"""What the visitors of one run saw, counted by all of them together."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Pace:
    """How long a visitor goes on: for `seconds`, with `think` seconds between two steps, or for `steps` without.

    think  the least and the most of a draw
    """

    seconds: float = 0.0
    steps: int | None = None
    think: tuple[float, float] = (3.0, 7.0)

    def turns(self, draw: random.Random, idle: Callable[[float], None] = time.sleep) -> Iterator[int]:
        """The steps, counted from 0; `idle` passes the time between two."""
        end, turn = time.monotonic() + self.seconds, 0
        while turn < self.steps if self.steps is not None else time.monotonic() < end:
            yield turn
            turn += 1
            if self.steps is None:
                idle(draw.uniform(*self.think))


@dataclass
class Tally:
    """Counts and seconds; safe to share between threads.

    reruns     seconds from a visitor's step to the end of the page's run, by page
    fragments  the same of the parts of pages that run by the clock
    browser    seconds from a click in a browser to a page at rest
    cancels    seconds from a press on Cancel to a page that shows the job's end
    jobs       how many were begun, cancelled, and came to their own end
    refused    error boxes that pages showed
    failed     why a session broke off, by its name
    """

    reruns: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    fragments: list[float] = field(default_factory=list)
    browser: list[float] = field(default_factory=list)
    cancels: list[float] = field(default_factory=list)
    jobs: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    failed: dict[str, str] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def all_reruns(self) -> list[float]:
        return [seconds for page in self.reruns.values() for seconds in page]

    @contextmanager
    def timed(self, seconds: list[float]) -> Iterator[None]:
        """Append how long the block took, if it ends well."""
        began = time.perf_counter()
        yield
        with self.lock:
            seconds.append(time.perf_counter() - began)

    def count(self, counter: Counter[str], what: str) -> None:
        with self.lock:
            counter[what] += 1


def share(seconds: list[float], part: float) -> float:
    """The smallest of these that `part` of them do not exceed; 0 of none."""
    return sorted(seconds)[min(len(seconds) - 1, int(part * len(seconds)))] if seconds else 0.0
