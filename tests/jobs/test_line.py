"""Free work, of whomever, keeps nobody from what is paid for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from jobs.conftest import Record
from jobs.waiting import PATIENCE, until

from pmwpub.errors import QueueFull
from pmwpub.jobs import Claim, Ending, Engine, Job, Lane, Shares

PAID = Claim(Lane.PAID)
HELD = (100_000, 0.02)


def free(owner: str) -> Claim:
    return Claim(Lane.FREE, owner)


def begin(engine: Engine, key: str, claim: Claim, *, task: str = "count", payload: object = HELD) -> Job:
    return engine.submit(task, payload, key=key, on_done=lambda _: None, on_failed=lambda _: None, claim=claim)


def test_a_hundred_visitors_fill_their_places_and_a_purchase_still_begins(engines: Callable[..., Engine]) -> None:
    engine = engines(2, waiting=20, shares=Shares(kept=5, of_one_owner=3, at_work=1))
    taken = 0
    for visitor in range(100):
        with contextlib.suppress(QueueFull):
            begin(engine, f"simulation {visitor}", free(f"session {visitor}"))
            taken += 1
    with pytest.raises(QueueFull, match="15 free jobs wait"):
        begin(engine, "one more", free("one more"))
    assert taken in (15, 16), "fifteen places, and the one that is at work by then"
    with engine.reserve("plan", PAID):
        bought = begin(engine, "plan", PAID, task="total", payload=[1, 2])
    assert bought.wait(PATIENCE)
    assert bought.state == "done"


def test_paid_places_are_kept_and_end_too(engines: Callable[..., Engine]) -> None:
    engine = engines(1, waiting=4, shares=Shares(kept=2))
    begin(engine, "runs", free(""))
    assert until(lambda: engine.place("runs") == 0)
    for key in "ab":
        begin(engine, key, free(key))
    with pytest.raises(QueueFull, match="2 free jobs"):
        begin(engine, "c", free("c"))
    for key in ("first", "second"):
        begin(engine, key, PAID)
    with pytest.raises(QueueFull, match="4 jobs wait"), engine.reserve("third", PAID):
        pytest.fail("no place was left")
    assert [engine.place(key) for key in ("first", "second", "a", "b")] == [1, 2, 3, 4], "paid ones go first"


def test_one_session_has_its_share_at_work_and_in_line_and_gets_it_back(engines: Callable[..., Engine]) -> None:
    engine = engines(1, waiting=20, shares=Shares(of_one_owner=2))
    begin(engine, "a1", free("a"))
    assert until(lambda: engine.place("a1") == 0)
    begin(engine, "a2", free("a"))
    with pytest.raises(QueueFull, match="2 free jobs of this session"):
        begin(engine, "a3", free("a"))
    begin(engine, "b1", free("b"))
    begin(engine, "bought", PAID)
    for at in range(4):
        begin(engine, f"program {at}", free(""))
    engine.cancel("a2")
    assert until(lambda: not engine.expects("a2"))
    begin(engine, "a3", free("a"))


def test_a_held_place_counts_for_its_session(engines: Callable[..., Engine]) -> None:
    engine = engines(1, waiting=20, shares=Shares(of_one_owner=1))
    with engine.reserve("one", free("a")):
        with pytest.raises(QueueFull), engine.reserve("two", free("a")):
            pytest.fail("the share was taken")
        begin(engine, "one", free("a"), task="total", payload=[1])
    assert until(lambda: not engine.expects("one"))
    begin(engine, "two", free("a"))


def test_a_worker_is_kept_and_free_jobs_follow_each_other_on_the_others(engines: Callable[..., Engine]) -> None:
    engine = engines(2, shares=Shares(at_work=1))
    one, two = begin(engine, "one", free("a")), begin(engine, "two", free("b"))
    assert until(lambda: one.done > 0)
    bought = begin(engine, "bought", PAID)
    assert until(lambda: bought.done > 0)
    assert two.state == "queued"
    engine.cancel("bought")
    assert until(lambda: bought.over)
    again = begin(engine, "again", PAID, task="total", payload=[1])
    assert again.wait(PATIENCE)
    assert two.state == "queued"
    engine.cancel("one")
    assert until(lambda: two.state == "running")


def test_a_worker_that_wants_more_memory_than_it_may_hold_ends_its_task_and_goes_on(
    engines: Callable[..., Engine], record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMWPUB_WORKER_MEMORY", "1024")
    engine = engines(1)
    (worker,) = engine.pids() if until(lambda: bool(engine.pids())) else [0]
    job = record.run(engine, "hoard", 2 << 30)
    assert job.reason is not None
    assert job.reason.ending is Ending.CRASHED
    assert record.run(engine, "hoard", 1 << 20, key="small").state == "done"
    assert engine.pids() == [worker]


def test_the_jobs_in_line_are_those_at_work_then_those_that_wait_in_the_order_in_which_they_begin(
    engines: Callable[..., Engine],
) -> None:
    engine = engines(1, waiting=20)
    assert engine.in_line() == []
    runs = begin(engine, "runs", free("a session"))
    assert until(lambda: engine.place("runs") == 0)
    begin(engine, "free", free("another"))
    begin(engine, "paid", PAID)
    found = engine.in_line()
    assert [(one.job.key, one.lane, one.place) for one in found] == [
        ("runs", Lane.FREE, 0),
        ("paid", Lane.PAID, 1),
        ("free", Lane.FREE, 2),
    ]
    assert "a session" not in repr(found), "nor whose they are"
    for key in ("free", "paid", "runs"):
        engine.cancel(key)
    assert runs.wait(PATIENCE)
    assert until(lambda: engine.in_line() == [])
