"""A plan is at work while a living program holds it, whichever program asks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from ledger.terms import charge, key, people
from sqlalchemy import Connection

from pmwpub.errors import Overspent, StoreUnavailable
from pmwpub.ledger import Ledger, Order, bookings

PROGRAM = """
import sys; from pathlib import Path
sys.path.insert(0, sys.argv[2])
from ledger.terms import charge, key
from pmwpub.ledger import Ledger
ledger = Ledger.open(sys.argv[1])
print(ledger.book("A", key(), "{}", [charge(1)]).id, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def others(url: str, ledger: Ledger) -> Iterator[Ledger]:
    """A second program's view of the store."""
    ledger.register(people())
    with Ledger.open(url) as opened:
        yield opened


def test_a_plan_is_at_work_from_its_charge_to_its_outcome(ledger: Ledger, others: Ledger) -> None:
    first, second = (ledger.book("A", key(label), "{}", [charge(1)]).id for label in (1, 2))
    assert [one.at_work(first) and one.at_work(second) for one in (ledger, others)] == [True, True]
    ledger.finish(first, b"x")
    ledger.void(second)
    assert [one.at_work(first) or one.at_work(second) for one in (ledger, others)] == [False, False]


def test_a_plan_nobody_knows_is_not_at_work(ledger: Ledger) -> None:
    assert not ledger.at_work(7)


def test_the_same_plan_sent_by_another_program_is_not_taken_over(ledger: Ledger, others: Ledger) -> None:
    booking = ledger.book("A", key(), "{}", [charge(1)])
    assert not others.book("A", key(), "{}", [charge(1)]).fresh
    others.close()
    assert others.at_work(booking.id)


def test_a_program_that_closes_its_ledger_lets_its_plans_go(ledger: Ledger, others: Ledger) -> None:
    booking = ledger.book("A", key(), "{}", [charge(1)])
    ledger.close()
    assert not others.at_work(booking.id)


def test_a_killed_program_holds_nothing(url: str, others: Ledger) -> None:
    command = [sys.executable, "-c", PROGRAM, url, str(Path(__file__).resolve().parents[2])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        booking = int(program.stdout.readline())
        assert others.at_work(booking)
        os.kill(program.pid, signal.SIGKILL)
        program.wait(20)
    deadline = 200
    while others.at_work(booking) and deadline:
        deadline -= 1
        time.sleep(0.05)
    assert not others.at_work(booking)
    stored = others.booking("A", key())
    assert stored is not None
    assert stored.status == "charged"


def test_a_charge_that_is_not_committed_leaves_nothing_at_work(
    ledger: Ledger, others: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = bookings.book_all

    def refused(connection: Connection, name: str, orders: Sequence[Order], *more: object) -> object:
        with pytest.raises(Overspent):
            real(connection, name, [replace(orders[0], charges=(charge(people().total.units + 1),))], None)
        raise Overspent("too dear")

    with monkeypatch.context() as patch:
        patch.setattr(bookings, "book_all", refused)
        with pytest.raises(Overspent):
            ledger.book("A", key(), "{}", [charge(1)])
    assert not others.at_work(1)
    assert ledger.book("A", key(), "{}", [charge(1)]).fresh


def test_a_lock_that_cannot_be_taken_charges_nothing(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite3.working").write_text("in the way")
    with Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as ledger:
        ledger.register(people())
        with pytest.raises(StoreUnavailable, match="working"):
            ledger.book("A", key(), "{}", [charge(1)])
        assert ledger.balance("A").spent.units == 0
