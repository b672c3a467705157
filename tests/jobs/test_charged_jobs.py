"""Jobs whose results are paid for: charge, draw in a worker, store, show."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from jobs.waiting import PATIENCE, until
from ledger.terms import charge, key, people

from pmwpub.errors import NoResult, StoreUnavailable
from pmwpub.jobs import Engine, Job, Reason
from pmwpub.ledger import Booking, Ledger
from pmwpub.privacy.budget import ZCDP


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as opened:
        opened.register(people())
        yield opened


def release(engine: Engine, ledger: Ledger, task: str, payload: object) -> tuple[Booking, Job | None]:
    """Charge and start the plan; its job if this call charged it."""
    with engine.reserve("plan"):
        booking = ledger.book("A", key(), "{}", [charge(5)])
        if not booking.fresh:
            return booking, None

        def store(result: object) -> None:
            assert isinstance(result, bytes)
            ledger.finish(booking.id, result)

        def close(_reason: Reason) -> None:
            ledger.void(booking.id)

        return booking, engine.submit(task, payload, key="plan", on_done=store, on_failed=close)


def test_a_finished_job_has_its_result_stored(engine: Engine, ledger: Ledger) -> None:
    booking, job = release(engine, ledger, "count", (2, 0.0))
    assert job is not None
    assert job.wait(PATIENCE)
    assert ledger.result(booking.id) == b"counted"
    again, second = release(engine, ledger, "count", (2, 0.0))
    assert (again.status, again.fresh, second) == ("done", False, None)
    assert ledger.balance("A").spent == ZCDP(5)


@pytest.mark.parametrize("end", ["kill", "cancel", "shut down"])
def test_a_job_that_ends_without_a_result_stays_charged_and_is_not_redrawn(
    engine: Engine, ledger: Ledger, end: str
) -> None:
    booking, job = release(engine, ledger, "count", (10_000, 0.02))
    assert job is not None
    assert until(lambda: job.done > 0)
    if end == "kill":
        os.kill(engine.pids()[0], signal.SIGKILL)
    elif end == "cancel":
        engine.cancel("plan")
    else:
        engine.shutdown()
    assert job.wait(PATIENCE)
    assert ledger.balance("A").spent == ZCDP(5)
    assert [line.status for line in ledger.history("A")] == ["no result"]
    with pytest.raises(NoResult, match="nothing is drawn again"):
        ledger.result(booking.id)
    again, second = release(engine, ledger, "count", (10_000, 0.02))
    assert (again.status, again.fresh, second) == ("no result", False, None)
    assert ledger.balance("A").spent == ZCDP(5)


def test_a_result_that_the_store_refuses_is_not_shown(engine: Engine, ledger: Ledger) -> None:
    booking = ledger.book("A", key(), "{}", [charge(5)])

    def store(_result: object) -> None:
        raise StoreUnavailable("the disk is full")

    job = engine.submit("count", (1, 0.0), key="plan", on_done=store, on_failed=lambda _reason: ledger.void(booking.id))
    assert job.wait(PATIENCE)
    assert job.state == "failed"
    with pytest.raises(NoResult):
        ledger.result(booking.id)
    assert ledger.balance("A").spent == ZCDP(5)
