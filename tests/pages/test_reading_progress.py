"""Of Stop and what is kept one comes first, in whatever threads they come."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from pmwpub.ui.widgets import reading_progress
from pmwpub.ui.widgets.reading_progress import Decision


def test_after_a_stop_nothing_is_kept() -> None:
    decision = Decision()
    assert decision.stop()
    assert decision.stop(), "a second press says the same"
    assert decision.stopped
    assert not decision.keep()


def test_a_stop_that_comes_too_late_waits_for_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    decision = Decision()
    assert decision.keep()
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(decision.stop)
        assert not late.done()
        decision.end()
        assert late.result() is False
    assert decision.keep()
    assert not decision.stopped
    monkeypatch.setattr(reading_progress, "KEEPING_SECONDS", 0.0)
    endless = Decision()
    endless.keep()
    assert not endless.stop(), "nor is it kept from an answer by work that never ends"


def test_of_a_stop_and_what_is_kept_at_the_same_moment_exactly_one_comes_first() -> None:
    for _ in range(200):
        decision, both = Decision(), threading.Barrier(2)
        decision.end()

        def begin(one: threading.Barrier, act: Callable[[], bool]) -> bool:
            one.wait()
            return act()

        with ThreadPoolExecutor(2) as pool:
            stopped = pool.submit(begin, both, decision.stop)
            kept = pool.submit(begin, both, decision.keep)
            assert stopped.result() != kept.result()
