from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from ledger.terms import charge, key, people
from sqlalchemy import text

from pmwpub.errors import TableBlocked
from pmwpub.ledger import Booking, Ledger, TableVerdict
from pmwpub.ledger.database import Database
from pmwpub.ledger.store_address import store_url
from pmwpub.privacy.budget import ZCDP

TABLE = b"sex,age\nF,33\nM,41\n"


@pytest.fixture
def registered(ledger: Ledger) -> Ledger:
    for name in ("A", "B", "C"):
        ledger.register(people(name))
    return ledger


def spend(
    ledger: Ledger, name: str, private: bytes, label: object = 0, seen: Sequence[bytes] = ()
) -> tuple[TableVerdict, Booking]:
    verdict = ledger.recognise(name, private, seen)
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


OTHERWISE = b"age,sex\r\n33.0,F\r\n41.0,M\r\n"
SEEN = (b"the rows as coded", b"the rows as spelt")


@pytest.mark.parametrize("seen", [SEEN, SEEN[:1], SEEN[1:], (*SEEN[1:], b"other codes")])
def test_a_table_with_one_view_in_common_is_the_same_table(registered: Ledger, seen: Sequence[bytes]) -> None:
    _, booking = spend(registered, "A", TABLE, seen=SEEN)
    here, there = (registered.recognise(name, OTHERWISE, seen) for name in "AB")
    assert (here.kind, there.kind, there.populations) == ("same", "elsewhere", ("A",))
    assert registered.booked_for(booking.id, here.table) is True
    with pytest.raises(TableBlocked):
        registered.book("B", key(), "{}", [charge(1)], table=there.table)


def test_a_table_without_a_view_in_common_is_another(registered: Ledger) -> None:
    spend(registered, "A", TABLE, seen=SEEN)
    assert registered.recognise("B", OTHERWISE, [b"other codes"]).kind == "new"
    assert registered.recognise("A", OTHERWISE, [b"other codes"]).kind == "changed"
    assert registered.recognise("B", SEEN[0]).kind == "new", "a view is no text"


def test_a_decision_covers_the_table_in_every_disguise_and_is_listed_once(registered: Ledger) -> None:
    spend(registered, "A", TABLE, seen=SEEN)
    registered.acknowledge("B", OTHERWISE, SEEN)
    assert len(registered.acknowledgements("B")) == 1
    for label, (private, seen) in enumerate([(OTHERWISE, ()), (TABLE, SEEN), (b"another", SEEN[:1])]):
        assert spend(registered, "B", private, label, seen)[1].fresh
    assert registered.recognise("C", b"another", SEEN[:1]).populations == ("A", "B")


def test_a_store_from_before_views_opens_and_compares_by_the_cells(url: str) -> None:
    """What was charged then has no views: the same cells are blocked, another spelling is unknown and not refused."""
    with Ledger.open(url) as ledger:
        ledger.register(people("A"))
        ledger.register(people("B"))
        spend(ledger, "A", TABLE)
    database = Database(store_url(url))
    with database._writer.begin() as connection:
        connection.execute(text("DROP TABLE views"))
    database.close()
    with Ledger.open(url) as ledger:
        assert ledger.recognise("A", TABLE, SEEN).kind == "same"
        assert ledger.recognise("A", OTHERWISE, SEEN).kind == "changed"
        assert ledger.recognise("B", TABLE, SEEN).kind == "elsewhere"
        assert spend(ledger, "B", OTHERWISE, seen=SEEN)[1].fresh
        assert ledger.recognise("A", TABLE, SEEN).kind == "elsewhere", "known as B's from now on"
        ledger.acknowledge("A", TABLE, SEEN)
        assert spend(ledger, "A", TABLE, "next", SEEN)[1].fresh
        assert spend(ledger, "B", OTHERWISE, "next", SEEN)[1].fresh


def test_nothing_that_leaves_depends_on_the_private_table(tmp_path: Path) -> None:
    views = []
    for folder, private in (("one", TABLE), ("two", TABLE.replace(b"33", b"34"))):
        (tmp_path / folder).mkdir()
        with Ledger.open(f"sqlite:///{tmp_path}/{folder}/ledger.sqlite3") as ledger:
            for name in ("A", "B"):
                ledger.register(people(name))
            spend(ledger, "A", TABLE, seen=[b"view " + TABLE])
            ledger.acknowledge("B", private, [b"view " + private])
            spend(ledger, "B", private, seen=[b"view " + private])
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
