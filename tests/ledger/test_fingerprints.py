from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from ledger.terms import charge, key, people

from pmwpub.errors import TableBlocked
from pmwpub.ledger import Booking, Ledger, TableVerdict
from pmwpub.privacy.budget import ZCDP

TABLE = b"sex,age\nF,33\nM,41\n"


@pytest.fixture
def registered(ledger: Ledger) -> Ledger:
    for name in ("A", "B", "C"):
        ledger.register(people(name))
    return ledger


def spend(ledger: Ledger, name: str, private: bytes, label: object = 0) -> tuple[TableVerdict, Booking]:
    verdict = ledger.recognise(name, private)
    return verdict, ledger.book(name, key(label), "{}", [charge(1)], table=verdict.table)


def test_a_table_is_new_until_a_charge_is_made_for_it(registered: Ledger) -> None:
    assert registered.recognise("A", TABLE).kind == "new"
    assert registered.recognise("A", TABLE).kind == "new"
    spend(registered, "A", TABLE)
    assert registered.recognise("A", TABLE).kind == "same"


def test_an_edited_table_is_pointed_out(registered: Ledger) -> None:
    _, booking = spend(registered, "A", TABLE)
    edited = registered.recognise("A", TABLE + b"\n")
    assert edited.kind == "changed"
    assert registered.booked_for(booking.id, edited.table) is False
    assert registered.booked_for(booking.id, registered.recognise("A", TABLE).table) is True


def test_a_booking_without_a_table_matches_none(registered: Ledger) -> None:
    booking = registered.book("A", key(), "{}", [charge(1)])
    assert registered.booked_for(booking.id, registered.recognise("A", TABLE).table) is None


def test_an_edited_table_has_no_fresh_budget(registered: Ledger) -> None:
    spend(registered, "A", TABLE)
    _, again = spend(registered, "A", TABLE + b"\n")
    assert not again.fresh
    spend(registered, "A", TABLE + b"\n", "another plan")
    assert registered.balance("A").spent == ZCDP(2)


def test_one_table_under_two_populations_is_blocked(registered: Ledger) -> None:
    spend(registered, "A", TABLE)
    verdict = registered.recognise("B", TABLE)
    assert (verdict.kind, verdict.populations) == ("elsewhere", ("A",))
    with pytest.raises(TableBlocked):
        registered.book("B", key(), "{}", [charge(1)], table=verdict.table)
    assert registered.balance("B").spent == ZCDP(0)


def test_a_table_charged_elsewhere_meanwhile_is_blocked(registered: Ledger) -> None:
    before = registered.recognise("B", TABLE)
    assert before.kind == "new"
    spend(registered, "A", TABLE)
    with pytest.raises(TableBlocked):
        registered.book("B", key(), "{}", [charge(1)], table=before.table)


def test_an_acknowledged_table_may_serve_both(registered: Ledger) -> None:
    spend(registered, "A", TABLE)
    registered.acknowledge("B", TABLE)
    registered.acknowledge("B", TABLE)
    verdict, booking = spend(registered, "B", TABLE)
    assert booking.fresh
    assert (verdict.kind, verdict.populations) == ("new", ("A",))
    assert [other for other, _ in registered.acknowledgements("B")] == ["A"]
    assert registered.recognise("A", TABLE).kind == "same"
    assert spend(registered, "A", TABLE, "next")[1].fresh


def test_a_third_population_needs_a_decision_of_its_own(registered: Ledger) -> None:
    spend(registered, "A", TABLE)
    registered.acknowledge("B", TABLE)
    spend(registered, "B", TABLE)
    assert registered.recognise("C", TABLE).kind == "elsewhere"
    registered.acknowledge("C", TABLE)
    assert [other for other, _ in registered.acknowledgements("C")] == ["A", "B"]
    assert spend(registered, "C", TABLE)[1].fresh


def test_an_acknowledgement_covers_one_table_only(registered: Ledger) -> None:
    spend(registered, "A", TABLE)
    spend(registered, "A", TABLE * 2, "next")
    registered.acknowledge("B", TABLE)
    assert registered.recognise("B", TABLE * 2).kind == "elsewhere"


def test_a_stored_plan_is_shown_even_with_a_blocked_table(registered: Ledger) -> None:
    registered.book("B", key(), "{}", [charge(1)])
    spend(registered, "A", TABLE)
    again = registered.book("B", key(), "{}", [charge(1)], table=registered.recognise("B", TABLE).table)
    assert not again.fresh


def test_nothing_that_leaves_depends_on_the_private_table(tmp_path: Path) -> None:
    views = []
    for folder, private in (("one", TABLE), ("two", TABLE.replace(b"33", b"34"))):
        (tmp_path / folder).mkdir()
        with Ledger.open(f"sqlite:///{tmp_path}/{folder}/ledger.sqlite3") as ledger:
            for name in ("A", "B"):
                ledger.register(people(name))
            spend(ledger, "A", TABLE)
            ledger.acknowledge("B", private)
            spend(ledger, "B", private)
            lines = [{**line, "time": ""} for name in ("A", "B") for line in ledger.export(name)]
            marks = [ledger.marks(name) for name in ("A", "B")]
            stored = [vars(booking) | {"created": ""} for booking in ledger.bookings("B")]
            views.append((lines, marks, stored))
    assert views[0] == views[1]


def test_no_plain_hash_of_private_bytes_is_stored(tmp_path: Path) -> None:
    with Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as ledger:
        ledger.register(people("A"))
        spend(ledger, "A", TABLE)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for algorithm in ("sha256", "sha1", "md5", "sha512", "blake2b"):
        digest = hashlib.new(algorithm, TABLE)
        assert digest.digest() not in written
        assert digest.hexdigest().encode() not in written
    assert b"F,33" not in written


def test_two_stores_know_a_table_by_different_fingerprints(tmp_path: Path) -> None:
    digests = set()
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        with Ledger.open(f"sqlite:///{tmp_path}/{folder}/ledger.sqlite3") as ledger:
            ledger.register(people("A"))
            digests.add(ledger.recognise("A", TABLE).table.digest)
    assert len(digests) == 2
