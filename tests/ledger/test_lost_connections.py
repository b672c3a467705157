"""PostgreSQL ends connections: purchases go on, and no plan that a living program works on is said to have ended."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator

import pytest
from ledger.conftest import POSTGRES
from ledger.terms import charge, key, people
from sqlalchemy import create_engine, make_url, text

from pmwpub.errors import LedgerError, StoreUnavailable
from pmwpub.ledger import Ledger
from pmwpub.ledger.live import advisory_locks

pytestmark = pytest.mark.skipif(not POSTGRES, reason="PMWPUB_TEST_POSTGRES names no database")


@pytest.fixture
def url(postgres_url: str) -> str:
    """A store whose connections can be told from all others'; SQLite has no connection to lose."""
    named = make_url(postgres_url).update_query_dict({"application_name": f"pmwpub {uuid.uuid4().hex}"})
    return named.render_as_string(hide_password=False)


@pytest.fixture
def others(url: str, ledger: Ledger) -> Iterator[Ledger]:
    """A second program's view of the store, over connections of its own."""
    ledger.register(people())
    with Ledger.open(make_url(url).difference_update_query(["application_name"]).render_as_string(False)) as opened:
        yield opened


def end_connections(url: str) -> int:
    """Have PostgreSQL end every connection of the program that opened the store at `url`; how many there were."""
    address = make_url(url)
    engine = create_engine(address.difference_update_query(["application_name"]))
    query = text("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = :name")
    with engine.begin() as connection:
        ended: int = connection.execute(query, {"name": address.query["application_name"]}).scalar_one()
    engine.dispose()
    return ended


def test_purchases_go_on_after_every_connection_was_lost(url: str, ledger: Ledger, others: Ledger) -> None:
    for label in range(5):
        booking = ledger.book("A", key(label), "{}", [charge(1)])
        assert booking.fresh
        assert end_connections(url) >= 1
        ledger.finish(booking.id, b"x")
    assert others.balance("A").spent.units == 5
    assert {one.status for one in others.bookings("A")} == {"done"}


def test_what_was_at_work_when_connections_were_lost_is_never_said_to_have_ended(
    url: str, ledger: Ledger, others: Ledger
) -> None:
    first, second = (ledger.book("A", key(label), "{}", [charge(1)]).id for label in (1, 2))
    for _ in range(3):
        end_connections(url)
        assert ledger.at_work(first)
        assert others.at_work(second) or not others.close_unattended(second)
    assert others.at_work(first)
    assert others.at_work(second)
    ledger.finish(first, b"x")
    ledger.finish(second, b"y")
    assert [others.result(one) for one in (first, second)] == [b"x", b"y"]


def test_locks_are_taken_again_when_another_plan_begins(
    url: str, ledger: Ledger, others: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advisory_locks, "BEAT_SECONDS", 3600.0)
    first = ledger.book("A", key(1), "{}", [charge(1)])
    end_connections(url)
    ledger.book("A", key(2), "{}", [charge(1)])
    assert others.at_work(first.id)


def test_no_result_is_final_once_it_is_said(
    ledger: Ledger, others: Ledger, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that cannot reach the store for long; what it makes meanwhile comes too late."""
    monkeypatch.setattr(advisory_locks, "GONE_SECONDS", 0.0)
    monkeypatch.setattr(advisory_locks, "BEAT_SECONDS", 3600.0)
    booking = ledger.book("A", key(), "{}", [charge(1)])
    end_connections(url)
    while not others.close_unattended(booking.id):  # PostgreSQL lets the locks of an ended connection go soon
        pass
    with pytest.raises(LedgerError, match="no result"):
        ledger.finish(booking.id, b"late")
    stored = others.booking("A", key())
    assert stored is not None
    assert stored.status == "no result"
    assert others.balance("A").spent.units == 1


def test_a_plan_that_is_done_meanwhile_is_not_closed(ledger: Ledger, others: Ledger) -> None:
    booking = ledger.book("A", key(), "{}", [charge(1)])
    ledger.finish(booking.id, b"x")
    assert not others.close_unattended(booking.id)
    assert others.result(booking.id) == b"x"


def test_a_session_that_cannot_be_made_charges_nothing(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger.register(people())

    def away() -> None:
        raise StoreUnavailable("away")

    with monkeypatch.context() as patch:
        patch.setattr(ledger._database, "session", away)
        with pytest.raises(StoreUnavailable):
            ledger.book("A", key(), "{}", [charge(1)])
    assert ledger.balance("A").spent.units == 0
    assert ledger.book("A", key(), "{}", [charge(1)]).fresh


def test_connections_that_end_at_random_during_purchases_overspend_nothing(
    url: str, ledger: Ledger, others: Ledger
) -> None:
    over = threading.Event()

    def ending() -> None:
        while not over.wait(0.05):
            end_connections(url)

    thread = threading.Thread(target=ending)
    thread.start()
    said: dict[int, bytes] = {}
    try:
        for label in range(20):
            try:
                booking = ledger.book("A", key(label), "{}", [charge(1)])
                ledger.finish(booking.id, str(label).encode())
            except StoreUnavailable:
                continue
            said[booking.id] = str(label).encode()
    finally:
        over.set()
        thread.join()
    assert all(others.result(one) == body for one, body in said.items())
    assert others.balance("A").spent.units == len(others.bookings("A")) <= 20
    assert ledger.book("A", key("after"), "{}", [charge(1)]).fresh
