from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from jobs.conftest import Record

from pmwpub.jobs import Engine
from pmwpub.tasks.kept_bytes import kept_bytes
from pmwpub.tasks.public_cache import PublicCache


def test_a_public_object_is_built_once() -> None:
    cache, built = PublicCache(), []
    for _ in range(3):
        assert cache.public("a", lambda: built.append(1) or "object") == "object"
    assert built == [1]


KB = 1 << 10


def megabyte() -> np.ndarray:
    return np.zeros(1 << 20, dtype=np.uint8)


def test_the_least_recently_used_objects_go_first_until_the_others_fit() -> None:
    cache, built = PublicCache(2 * (1 << 20) + KB), []

    def build(key: str) -> Callable[[], np.ndarray]:
        return lambda: built.append(key) or megabyte()

    for key in "abacab":
        cache.public(key, build(key))
    assert "".join(built) == "abcb"


def test_many_small_objects_stay_and_one_that_is_too_large_stays_alone() -> None:
    cache, built = PublicCache(1 << 20), []

    def build(size: int) -> Callable[[], bytes]:
        return lambda: built.append(size) or bytes(size)

    for _ in range(2):
        for size in range(500):
            cache.public(f"small {size}", build(size))
    assert len(built) == 500
    for _ in range(2):
        cache.public("large", build(5 << 20))
    assert len(built) == 501
    cache.public("small 1", build(1))
    cache.public("large", build(5 << 20))
    assert len(built) == 503


def test_while_one_object_is_built_others_are_neither_waited_for_nor_built_twice() -> None:
    cache, begun, finish = PublicCache(), threading.Event(), threading.Event()
    built: list[str] = []

    def slowly() -> str:
        begun.set()
        assert finish.wait(30)
        built.append("slow")
        return "slow"

    found: list[str] = []
    asking = [threading.Thread(target=lambda: found.append(cache.public("slow", slowly))) for _ in range(2)]
    for thread in asking:
        thread.start()
    assert begun.wait(30)
    assert cache.public("quick", lambda: "quick") == "quick"
    assert found == []
    finish.set()
    for thread in asking:
        thread.join(30)
    assert (found, built) == (["slow", "slow"], ["slow"])


def test_what_could_not_be_built_is_tried_again() -> None:
    cache = PublicCache()
    with pytest.raises(ZeroDivisionError):
        cache.public("a", lambda: 1 // 0)
    assert cache.public("a", lambda: 1) == 1


def test_bytes_are_counted_once_and_with_all_that_is_referred_to() -> None:
    array = megabyte()
    for holding in (array, [array, array], {"a": (array, array[:10])}, [array[:10]]):
        assert kept_bytes(holding) == pytest.approx(1 << 20, abs=4 * KB)
    assert kept_bytes([bytes(KB) for _ in range(10_000)]) == pytest.approx(10_000 * KB, rel=0.1)


def test_a_worker_keeps_public_objects_between_jobs(engine: Engine, record: Record) -> None:
    record.run(engine, "build", ["a", "b"], key="first")
    record.run(engine, "build", ["a", "c"], key="second")
    assert record.results == [["a", "b"], ["c"]]
