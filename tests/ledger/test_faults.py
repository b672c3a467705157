"""Each check passes on the true order and fails on the fault it is named for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ledger.flow import NO_RESULT, ROUND, ROUNDS, Draw, Flow, Meter, release
from ledger.terms import charge, key, people

from pmwpub.errors import NoResult, StoreUnavailable
from pmwpub.ledger import Ledger, PlanKey, bookings
from pmwpub.privacy.budget import ZCDP


@pytest.fixture
def registered(ledger: Ledger) -> Ledger:
    ledger.register(people())
    return ledger


def no_draw_before_its_charge(ledger: Ledger, flow: Flow) -> bool:
    meter = Meter(ledger)
    flow(ledger, key(), meter.draw)
    return not meter.uncharged


def charges_equal_draws(ledger: Ledger, flow: Flow) -> bool:
    meter = Meter(ledger)
    for label in (1, 1, 2):
        flow(ledger, key(label), meter.draw)
    return ledger.balance("A").spent == ZCDP(ROUND * meter.drawn)


def reopening_draws_nothing(ledger: Ledger, flow: Flow) -> bool:
    meter = Meter(ledger)
    first = flow(ledger, key(), meter.draw)
    drawn = meter.drawn
    return flow(ledger, key(), meter.draw) == first and meter.drawn == drawn


def a_crash_is_never_redrawn(ledger: Ledger, flow: Flow) -> bool:
    class Crash(Exception):
        pass

    def crash() -> bytes:
        raise Crash

    with pytest.raises(Crash):
        flow(ledger, key(), crash)
    meter = Meter(ledger)
    return flow(ledger, key(), meter.draw) == NO_RESULT and not meter.drawn


CHECKS = (no_draw_before_its_charge, charges_equal_draws, reopening_draws_nothing, a_crash_is_never_redrawn)


def charged_after_the_draw(ledger: Ledger, plan: PlanKey, draw: Draw) -> bytes:
    drawn = b"".join(draw() for _ in range(ROUNDS))
    booking = ledger.book("A", plan, "{}", [charge(ROUND * ROUNDS)])
    if booking.fresh:
        ledger.finish(booking.id, drawn)
    return ledger.result(booking.id)


def a_round_not_charged(ledger: Ledger, plan: PlanKey, draw: Draw) -> bytes:
    booking = ledger.book("A", plan, "{}", [charge(ROUND * (ROUNDS - 1))])
    if booking.fresh:
        ledger.finish(booking.id, b"".join(draw() for _ in range(ROUNDS)))
    return ledger.result(booking.id)


def redrawn_on_a_repeated_key(ledger: Ledger, plan: PlanKey, draw: Draw) -> bytes:
    booking = ledger.book("A", plan, "{}", [charge(ROUND * ROUNDS)])
    drawn = b"".join(draw() for _ in range(ROUNDS))
    if booking.fresh:
        ledger.finish(booking.id, drawn)
    return drawn


def charged_twice_for_one_key(ledger: Ledger, plan: PlanKey, draw: Draw) -> bytes:
    fresh = ledger.booking("A", plan) is None
    repeat = ledger.next_repeat("A", plan.plan_sha256)
    booking = ledger.book("A", PlanKey(plan.plan_sha256, repeat), "{}", [charge(ROUND * ROUNDS)])
    if fresh:
        ledger.finish(booking.id, b"".join(draw() for _ in range(ROUNDS)))
    return ledger.result(ledger.bookings("A")[0].id)


def retried_when_no_result_is_stored(ledger: Ledger, plan: PlanKey, draw: Draw) -> bytes:
    booking = ledger.book("A", plan, "{}", [charge(ROUND * ROUNDS)])
    try:
        return ledger.result(booking.id)
    except NoResult:
        ledger.finish(booking.id, b"".join(draw() for _ in range(ROUNDS)))
        return ledger.result(booking.id)


def planted(name: str, *values: object) -> object:
    """The check that catches a fault, and the fault, for the table of planted faults."""
    return pytest.param(*values, marks=pytest.mark.fault(name))


@pytest.mark.parametrize("check", CHECKS)
def test_the_true_order_passes(registered: Ledger, check: Callable[[Ledger, Flow], bool]) -> None:
    assert check(registered, release)


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        planted("charge after noise", no_draw_before_its_charge, charged_after_the_draw),
        planted("a round not charged", no_draw_before_its_charge, a_round_not_charged),
        planted("a round not charged", charges_equal_draws, a_round_not_charged),
        planted("double charge", charges_equal_draws, charged_twice_for_one_key),
        planted("redraw on refresh", charges_equal_draws, redrawn_on_a_repeated_key),
        planted("redraw on refresh", reopening_draws_nothing, redrawn_on_a_repeated_key),
        planted("a crashed draw tried again", a_crash_is_never_redrawn, retried_when_no_result_is_stored),
    ],
)
def test_a_planted_fault_is_caught(registered: Ledger, check: Callable[[Ledger, Flow], bool], fault: Flow) -> None:
    assert not check(registered, fault)


@pytest.mark.fault("double charge")
def test_a_ledger_that_forgets_its_keys_still_charges_once(registered: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    registered.book("A", key(), "{}", [charge(5)])
    monkeypatch.setattr(bookings, "find", lambda *_: None)
    with pytest.raises(StoreUnavailable):
        registered.book("A", key(), "{}", [charge(5)])
    assert registered.balance("A").spent == ZCDP(5)


@pytest.mark.fault("a second result for one plan")
def test_a_ledger_that_forgets_outcomes_still_stores_one_result(
    registered: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    booking = registered.book("A", key(), "{}", [charge(5)])
    registered.finish(booking.id, b"one")
    monkeypatch.setattr(bookings, "_locked_status", lambda *_: "charged")
    with pytest.raises(StoreUnavailable):
        registered.finish(booking.id, b"two")
    with pytest.raises(StoreUnavailable):
        registered.void(booking.id)
    assert registered.result(booking.id) == b"one"
