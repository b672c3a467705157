from __future__ import annotations

from jobs.conftest import Record

from pmwpub.jobs import Engine
from pmwpub.tasks.public_cache import PublicCache


def test_a_public_object_is_built_once() -> None:
    cache, built = PublicCache(), []
    for _ in range(3):
        assert cache.public("a", lambda: built.append(1) or "object") == "object"
    assert built == [1]


def test_the_least_recently_used_object_goes_first() -> None:
    cache, built = PublicCache(2), []
    for key in "abacab":
        cache.public(key, lambda at=key: built.append(at))  # type: ignore[misc]
    assert "".join(built) == "abcb"


def test_a_worker_keeps_public_objects_between_jobs(engine: Engine, record: Record) -> None:
    record.run(engine, "build", ["a", "b"], key="first")
    record.run(engine, "build", ["a", "c"], key="second")
    assert record.results == [["a", "b"], ["c"]]
