"""Several plans are booked together or not at all, and draws of one plan in their order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ledger.terms import charge, key, people

from pmwpub.errors import LedgerError, Overspent, PlanError, StoreUnavailable, TableBlocked, UnknownPopulation
from pmwpub.ledger import Agreement, Ledger, Order
from pmwpub.ledger.recovery.witness import Witness
from pmwpub.privacy.budget import ZCDP


@pytest.fixture
def registered(ledger: Ledger) -> Ledger:
    ledger.register(people())
    return ledger


def order(label: object, *units: int, repeat: int = 0) -> Order:
    return Order(key(label, repeat), f'"{label}"', tuple(charge(one) for one in units))


def test_several_plans_are_booked_together(registered: Ledger) -> None:
    first, second = registered.book_all("A", [order("one", 3, 4), order("two", 5)])
    assert (first.fresh, second.fresh) == (True, True)
    assert [one.plan_json for one in registered.bookings("A")] == ['"one"', '"two"']
    assert [one.charges for one in (first, second)] == [(1, 2), (3,)]
    assert registered.balance("A").spent == ZCDP(12)
    assert registered.at_work(first.id)
    assert registered.at_work(second.id)


def test_plans_that_are_too_dear_together_are_not_booked_at_all(registered: Ledger) -> None:
    """1.5 times the total: each of three plans could be afforded alone."""
    half = people().total.units // 2
    with pytest.raises(Overspent, match=r"^These 3 plans together cost rho = .* nothing was charged\.$"):
        registered.book_all("A", [order(label, half) for label in ("one", "two", "three")])
    assert registered.bookings("A") == []
    assert registered.balance("A").spent == ZCDP(0)
    assert not registered.at_work(1)
    assert registered.book("A", key("one"), "{}", [charge(half)]).charges == (1,)


def test_what_is_booked_already_costs_nothing_and_is_not_fresh(registered: Ledger) -> None:
    total = people().total.units
    old = registered.book("A", key("old"), '"old"', [charge(total - 5)])
    again, new = registered.book_all("A", [order("old", total - 5), order("new", 5)])
    assert (again.id, again.fresh, new.fresh) == (old.id, False, True)
    assert registered.balance("A").remaining == ZCDP(0)
    with pytest.raises(Overspent, match=r"^This costs"):
        registered.book_all("A", [order("old", total - 5), order("third", 1)])
    assert [one.fresh for one in registered.book_all("A", [order("new", 5), order("old", total - 5)])] == [False, False]


def test_one_key_sent_twice_is_booked_and_fresh_once(registered: Ledger) -> None:
    first, second = registered.book_all("A", [order("one", 7), order("one", 7)])
    assert first.id == second.id
    assert (first.fresh, second.fresh) == (True, False)
    assert registered.balance("A").spent == ZCDP(7)


def test_nothing_ordered_books_nothing(registered: Ledger) -> None:
    assert registered.book_all("A", []) == []
    with pytest.raises(UnknownPopulation):
        registered.book_all("nobody", [])


def test_one_plan_without_a_charge_refuses_all(registered: Ledger) -> None:
    with pytest.raises(LedgerError, match="at least one charge"):
        registered.book_all("A", [order("one", 7), order("free")])
    assert registered.bookings("A") == []


def test_a_draw_before_which_others_were_never_made_is_refused(registered: Ledger) -> None:
    words = r"this plan was drawn 0 times, so --repeat 0 is the next\. --repeat 7 came\. Nothing was charged"
    with pytest.raises(PlanError, match=words):
        registered.book("A", key("one", 7), "{}", [charge(1)])
    registered.book("A", key("one"), "{}", [charge(1)])
    with pytest.raises(PlanError, match="--repeat 1 is the next"):
        registered.book_all("A", [order("other", 1), order("one", 1, repeat=2)])
    assert registered.balance("A").spent == ZCDP(1)
    assert registered.book("A", key("one", 1), "{}", [charge(1)]).fresh
    with pytest.raises(PlanError, match="--repeat 0 is the next"):
        registered.book("A", key("other", 1), "{}", [charge(1)])


def test_draws_of_one_plan_may_be_ordered_together_in_their_order(registered: Ledger) -> None:
    found = registered.book_all("A", [order("one", 2), order("one", 2, repeat=1), order("one", 2, repeat=2)])
    assert [one.fresh for one in found] == [True, True, True]
    with pytest.raises(PlanError):
        registered.book_all("A", [order("one", 2, repeat=4), order("one", 2, repeat=3)])
    assert registered.next_repeat("A", key("one").plan_sha256) == 3


@pytest.mark.parametrize(
    ("field", "value"),
    [("n", 999), ("rows_per_person", 2), ("unit", "one visit"), ("epsilon", "0.5"), ("delta", "1e-7")],
)
def test_other_terms_refuse_all(registered: Ledger, field: str, value: object) -> None:
    terms = registered.population("A")
    with pytest.raises(LedgerError, match="changed meanwhile"):
        registered.book_all("A", [order("one", 1), order("two", 1)], terms=replace(terms, **{field: value}))
    assert registered.bookings("A") == []
    assert len(registered.book_all("A", [order("one", 1), order("two", 1)], terms=terms)) == 2


def test_every_plan_is_remembered_as_its_tables(registered: Ledger) -> None:
    registered.register(people("B"))
    table = registered.handle("A", b"rows", [b"view"])
    found = registered.book_all("A", [order("one", 1), order("two", 1)], table=table)
    assert [registered.booked_for(one.id, table) for one in found] == [True, True]
    with pytest.raises(TableBlocked):
        registered.book_all("B", [order("one", 1), order("two", 1)], table=table)
    assert registered.bookings("B") == []


def test_where_nothing_is_refused_the_table_is_remembered_all_the_same(registered: Ledger) -> None:
    registered.register(people("B"))
    table = registered.handle("A", b"rows", [b"view"])
    registered.book("A", key(), "{}", [charge(1)], table=table)
    booked = registered.book("B", key(), "{}", [charge(1)], table=table, refuse_elsewhere=False)
    assert booked.fresh
    assert registered.booked_for(booked.id, table) is True
    assert registered.shared_tables() == [("A", "B")]


def test_the_witness_has_all_of_them_or_none_has_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as ledger:
        ledger.register(people())
        ledger.book_all("A", [order("one", 1), order("two", 2)])
        written = (tmp_path / "ledger.sqlite3.witness").read_text()
        assert written.count('"kind":"booking"') == 2

        def full(*_arguments: object) -> None:
            raise StoreUnavailable("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(Witness, "append", full)
            with pytest.raises(StoreUnavailable):
                ledger.book_all("A", [order("one", 1), order("three", 3), order("four", 4)])
        found = {one.plan_json: one.status for one in ledger.bookings("A")}
        assert found == {'"one"': "charged", '"two"': "charged", '"three"': "no result", '"four"': "no result"}
        assert ledger.balance("A").spent == ZCDP(10)
        assert not any(ledger.at_work(booking) for booking in (3, 4))


def test_a_rule_is_asked_about_plans_of_before_and_new_ones_and_leaves_nothing_where_it_refuses(
    registered: Ledger,
) -> None:
    asked: list[str] = []
    noting = Agreement(asked.append)
    registered.book_all("A", [order("one", 1)], agree=[noting])
    registered.book_all("A", [order("one", 1)], agree=[noting])
    spent = registered.balance("A").spent

    def refuse(plan: str) -> None:
        if plan == '"one"':
            raise PlanError("They do not agree.")

    with pytest.raises(PlanError, match="do not agree"):
        registered.book_all("A", [order("two", 1), order("three", 1)], agree=[noting, Agreement(refuse)])
    texts = [order(label, 1).plan_json for label in ("one", "two", "three")]
    assert asked == [*texts[:1], *texts], "a plan that was sent before asks nothing"
    assert registered.balance("A").spent == spent
    assert len(registered.bookings("A")) == 1


def test_a_rule_reads_only_plans_that_may_disagree(registered: Ledger) -> None:
    """A hundred thousand plans must not be read and parsed because one more is bought."""
    registered.book_all("A", [order(label, 1) for label in ("x a", "x b", "x A", "a", "y a")])
    asked: list[str] = []
    rule = Agreement(asked.append, about=("x ",), settled=" a")
    registered.book_all("A", [order("x new", 1), order("x a new", 1)], agree=[rule])
    assert asked == ['"x b"', '"x A"', '"x new"'], "by the very letters, large and small ones apart"
