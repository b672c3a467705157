from __future__ import annotations

import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ledger.terms import charge, key, people

from pmwpub.errors import LedgerError, NoResult, Overspent, UnknownPopulation
from pmwpub.ledger import Ledger
from pmwpub.privacy.budget import ZCDP

NO_RESULT = "no result is stored; the charge stays; nothing is drawn again"


@pytest.fixture
def registered(ledger: Ledger) -> Ledger:
    ledger.register(people())
    return ledger


def test_a_booking_makes_all_its_charges(registered: Ledger) -> None:
    booking = registered.book("A", key(), '{"rounds": 2}', [charge(3, "floor"), charge(4, "start")])
    assert booking.fresh
    assert booking.status == "charged"
    assert booking.plan_json == '{"rounds": 2}'
    assert registered.balance("A").spent == ZCDP(7)
    lines = registered.history("A")
    assert tuple(line.id for line in lines) == booking.charges
    assert [(line.purpose, line.rho, line.status) for line in lines] == [
        ("floor", ZCDP(3), "charged"),
        ("start", ZCDP(4), "charged"),
    ]


def test_the_same_key_adds_nothing_and_is_not_fresh(registered: Ledger) -> None:
    first = registered.book("A", key(), "{}", [charge(5)])
    again = registered.book("A", key(), "{}", [charge(5)])
    assert first.fresh
    assert not again.fresh
    assert (again.id, again.charges) == (first.id, first.charges)
    assert registered.balance("A").spent == ZCDP(5)


def test_the_same_key_is_found_though_nothing_is_left(registered: Ledger) -> None:
    total = people().total.units
    booking = registered.book("A", key(), "{}", [charge(total)])
    registered.finish(booking.id, b"stored")
    again = registered.book("A", key(), "{}", [charge(total)])
    assert not again.fresh
    assert again.status == "done"
    assert registered.result(again.id) == b"stored"


def test_a_repeat_is_a_booking_of_its_own(registered: Ledger) -> None:
    registered.book("A", key(), "{}", [charge(5)])
    assert registered.next_repeat("A", key().plan_sha256) == 1
    assert registered.book("A", key(repeat=1), "{}", [charge(5)]).fresh
    assert registered.balance("A").spent == ZCDP(10)
    assert registered.next_repeat("A", key().plan_sha256) == 2
    assert registered.next_repeat("A", key("other").plan_sha256) == 0


def test_the_last_unit_can_be_spent_and_not_one_more(registered: Ledger) -> None:
    total = people().total.units
    registered.book("A", key(1), "{}", [charge(total - 1)])
    with pytest.raises(Overspent, match="nothing was charged"):
        registered.book("A", key(2), "{}", [charge(2)])
    assert registered.booking("A", key(2)) is None
    registered.book("A", key(3), "{}", [charge(1)])
    assert registered.balance("A").remaining == ZCDP(0)


def test_charges_are_made_all_or_none(registered: Ledger) -> None:
    with pytest.raises(Overspent):
        registered.book("A", key(), "{}", [charge(1), charge(people().total.units)])
    assert registered.history("A") == []
    assert registered.bookings("A") == []


def test_a_plan_without_a_charge_is_refused(registered: Ledger) -> None:
    with pytest.raises(LedgerError):
        registered.book("A", key(), "{}", [])


def test_populations_do_not_share_a_budget(registered: Ledger) -> None:
    registered.register(people("B"))
    registered.book("A", key(), "{}", [charge(people().total.units)])
    assert registered.balance("B").spent == ZCDP(0)
    assert registered.book("B", key(), "{}", [charge(1)]).fresh


def test_an_unregistered_population_cannot_spend(registered: Ledger) -> None:
    with pytest.raises(UnknownPopulation):
        registered.book("nobody", key(), "{}", [charge(1)])


def test_a_finished_booking_gives_the_same_bytes_for_ever(registered: Ledger) -> None:
    booking = registered.book("A", key(), "{}", [charge(1)])
    body = bytes(range(256)) * 100
    registered.finish(booking.id, body)
    assert registered.result(booking.id) == registered.result(booking.id) == body
    stored = registered.booking("A", key())
    assert stored is not None
    assert stored.status == "done"
    assert [line.status for line in registered.history("A")] == ["done"]


def test_a_result_is_stored_once(registered: Ledger) -> None:
    booking = registered.book("A", key(), "{}", [charge(1)])
    registered.finish(booking.id, b"one")
    registered.finish(booking.id, b"one")
    with pytest.raises(LedgerError):
        registered.finish(booking.id, b"two")
    with pytest.raises(LedgerError):
        registered.void(booking.id)
    assert registered.result(booking.id) == b"one"


def test_an_empty_result_is_a_result(registered: Ledger) -> None:
    booking = registered.book("A", key(), "{}", [charge(1)])
    registered.finish(booking.id, b"")
    assert registered.result(booking.id) == b""


def test_a_late_result_is_not_stored_after_no_result(registered: Ledger) -> None:
    booking = registered.book("A", key(), "{}", [charge(9)])
    registered.void(booking.id)
    registered.void(booking.id)
    with pytest.raises(LedgerError):
        registered.finish(booking.id, b"late")
    with pytest.raises(NoResult, match=NO_RESULT):
        registered.result(booking.id)
    again = registered.book("A", key(), "{}", [charge(9)])
    assert not again.fresh
    assert again.status == "no result"
    assert registered.balance("A").spent == ZCDP(9)


def test_a_charge_without_an_outcome_has_no_result(registered: Ledger) -> None:
    booking = registered.book("A", key(), "{}", [charge(1)])
    with pytest.raises(NoResult, match=NO_RESULT):
        registered.result(booking.id)


def test_no_result_is_stored_without_a_charge(registered: Ledger) -> None:
    for call in (lambda: registered.finish(1, b"uncharged"), lambda: registered.void(1)):
        with pytest.raises(LedgerError):
            call()
    with pytest.raises(NoResult):
        registered.result(1)


def test_bookings_are_listed_in_order(registered: Ledger) -> None:
    for label in range(3):
        registered.book("A", key(label), str(label), [charge(1), charge(1)])
    assert [booking.plan_json for booking in registered.bookings("A")] == ["0", "1", "2"]
    assert [booking.charges for booking in registered.bookings("A")] == [(1, 2), (3, 4), (5, 6)]
    assert not any(booking.fresh for booking in registered.bookings("A"))


def test_the_export_holds_the_history_and_nothing_else(registered: Ledger) -> None:
    registered.book("A", key(), "{}", [charge(10**13)])
    (line,) = registered.export("A")
    assert list(line) == ["id", "time", "purpose", "mechanism", "sensitivity", "scale", "rho", "status"]
    assert line["rho"] == 0.01


def test_a_reopened_ledger_remembers_everything(url: str) -> None:
    with Ledger.open(url) as first:
        first.register(people())
        booking = first.book("A", key(), "{}", [charge(5)])
        first.finish(booking.id, b"bytes")
        lines = first.history("A")
    with Ledger.open(url) as second:
        assert second.history("A") == lines
        assert second.result(booking.id) == b"bytes"
        assert second.population("A") == people()


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(1, 10**14), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_charges_does_not_matter(units: list[int], shuffle) -> None:  # type: ignore[no-untyped-def]
    other = list(units)
    shuffle.shuffle(other)
    with tempfile.TemporaryDirectory() as folder, Ledger.open(f"sqlite:///{folder}/ledger.sqlite3") as ledger:
        for name, order in (("A", units), ("B", other)):
            ledger.register(people(name, epsilon="20"))
            for at, price in enumerate(order):
                ledger.book(name, key(at), "{}", [charge(price)])
        assert ledger.balance("A") == ledger.balance("B")
        assert ledger.balance("A").spent == ZCDP(sum(units))
