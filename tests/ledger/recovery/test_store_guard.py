"""A store that lost charges is found out and never refunds; a copy put back spends what the witness knows."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from ledger.terms import charge, key, people
from sqlalchemy import Connection, event

from pmwpub.errors import NoResult, StoreUnavailable
from pmwpub.ledger import Ledger, backup, reconcile, restore
from pmwpub.ledger.recovery import store_guard
from pmwpub.ledger.recovery.restored_charges import RECONCILED
from pmwpub.ledger.recovery.vouching import UNWITNESSED
from pmwpub.ledger.recovery.witness import Witness
from pmwpub.ledger.recovery.witness_lines import BookingLine
from pmwpub.privacy.budget import ZCDP


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A SQLite store with one finished plan of 5 units."""
    path = tmp_path / "ledger.sqlite3"
    with Ledger.open(address(path)) as ledger:
        ledger.register(people())
        ledger.finish(ledger.book("A", key("first"), '{"kind":"x"}', [charge(5)]).id, b"first result")
    return path


def address(path: Path) -> str:
    return f"sqlite:///{path}"


def witness_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.witness")


def spend_more(path: Path) -> None:
    """A second plan of 3 + 4 units, drawn and shown, a lower total, a decision, and a new population with 2 units."""
    with Ledger.open(address(path)) as ledger:
        ledger.finish(ledger.book("A", key("second"), '{"kind":"y"}', [charge(3), charge(4)]).id, b"shown")
        ledger.amend("A", epsilon="0.5")
        ledger.mark("A", "private numbers seen", "errors of release 1")
        ledger.register(people("B", epsilon="2"))
        ledger.book("B", key("third"), "{}", [charge(2)])


def is_all_there(path: Path) -> None:
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(12)
        assert ledger.balance("B").spent == ZCDP(2)
        assert ledger.population("A") == people(epsilon="0.5")
        assert ledger.population("B") == people("B", epsilon="2")
        assert ledger.marks("A")[0].note == "errors of release 1"
        second = ledger.booking("A", key("second"))
        assert second is not None
        assert second.plan_json == '{"kind":"y"}'
        assert [line.purpose for line in ledger.history("A")] == ["release"] * 3
        assert not ledger.book("A", key("second"), "{}", [charge(7)]).fresh


def recorded(path: Path, name: str = "A") -> list[str]:
    with Ledger.open(address(path)) as ledger:
        return [mark.kind for mark in ledger.marks(name)]


@pytest.mark.fault("an old copy of the ledger put back")
def test_an_old_copy_put_back_by_hand_fails_closed(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "old")
    spend_more(path)
    shutil.copy(tmp_path / "old", path)
    with pytest.raises(StoreUnavailable, match="lacks 2 charged plans, 2 terms of populations, 1 recorded decisions"):
        Ledger.open(address(path))


def test_reconciling_adds_what_is_missing_as_spent_and_records_it(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "old")
    spend_more(path)
    shutil.copy(tmp_path / "old", path)
    found = reconcile(address(path))
    assert [(one.population, one.bookings, one.units) for one in found.added] == [("A", 1, 7), ("B", 1, 2)]
    is_all_there(path)
    assert recorded(path) == ["private numbers seen", RECONCILED]
    with Ledger.open(address(path)) as ledger:
        second = ledger.booking("A", key("second"))
        assert second is not None
        assert second.status == "no result"
        with pytest.raises(NoResult):
            ledger.result(second.id)
        first = ledger.booking("A", key("first"))
        assert first is not None
        assert ledger.result(first.id) == b"first result"


def test_reconciling_again_adds_nothing(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "old")
    spend_more(path)
    shutil.copy(tmp_path / "old", path)
    reconcile(address(path))
    assert reconcile(address(path)).added == ()
    is_all_there(path)
    assert recorded(path).count(RECONCILED) == 1


def test_a_backup_of_a_store_in_use_is_whole_and_restoring_it_refunds_nothing(path: Path, tmp_path: Path) -> None:
    with Ledger.open(address(path)) as ledger:
        ledger.book("A", key("running"), "{}", [charge(1)])
        backup(address(path), tmp_path / "copy")
        ledger.void(2)
    assert sorted(one.name for one in tmp_path.iterdir() if one.name.startswith("copy")) == ["copy"]
    spend_more(path)
    found = restore(address(path), tmp_path / "copy")
    assert [(one.population, one.bookings) for one in found.added] == [("A", 1), ("B", 1)]
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(13)
        running = ledger.booking("A", key("running"))
        assert running is not None
        assert running.status == "charged"
    assert found.replaced is not None
    assert found.replaced.exists()


def test_a_restored_store_goes_on_as_before(path: Path, tmp_path: Path) -> None:
    backup(address(path), tmp_path / "copy")
    spend_more(path)
    restore(address(path), tmp_path / "copy")
    is_all_there(path)
    with Ledger.open(address(path)) as ledger:
        assert ledger.book("A", key("next"), "{}", [charge(1)]).fresh
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(13)


@pytest.mark.parametrize("harm", [lambda path: path.unlink(), lambda path: path.write_bytes(b"\xa5" * 50_000)])
def test_a_lost_or_damaged_store_is_restored_with_all_its_charges(
    path: Path, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    backup(address(path), tmp_path / "copy")
    spend_more(path)
    harm(path)
    restore(address(path), tmp_path / "copy")
    is_all_there(path)


def test_without_a_backup_a_new_store_takes_over_the_charges_of_the_lost_one(path: Path) -> None:
    spend_more(path)
    path.unlink()
    with pytest.raises(StoreUnavailable, match="belongs to another ledger"):
        Ledger.open(address(path))
    reconcile(address(path))
    is_all_there(path)
    assert recorded(path)[-1] == RECONCILED


def test_a_store_with_charges_and_no_witness_needs_a_recorded_decision(path: Path) -> None:
    witness_of(path).unlink()
    with pytest.raises(StoreUnavailable, match=r"witness .* is missing"):
        Ledger.open(address(path))
    with pytest.raises(StoreUnavailable, match="accept-missing-witness"):
        reconcile(address(path))
    assert reconcile(address(path), accept_missing_witness=True).added == ()
    assert recorded(path) == [UNWITNESSED]


def test_a_damaged_witness_needs_a_recorded_decision_and_is_kept(path: Path) -> None:
    body = witness_of(path).read_bytes()
    witness_of(path).write_bytes(body.replace(b"one resident", b"two resident"))
    with pytest.raises(StoreUnavailable, match="damaged"):
        Ledger.open(address(path))
    with pytest.raises(StoreUnavailable, match="damaged"):
        reconcile(address(path))
    reconcile(address(path), accept_missing_witness=True)
    assert recorded(path) == [UNWITNESSED]
    assert list(path.parent.glob("*.witness.set-aside-*"))


@pytest.mark.fault("a ledger copied to spend its budget twice")
def test_a_copy_of_a_store_elsewhere_has_no_budget_until_a_decision_is_recorded(path: Path, tmp_path: Path) -> None:
    """A cloned ledger could spend the same budget twice."""
    (tmp_path / "clone").mkdir()
    shutil.copy(path, tmp_path / "clone" / path.name)
    with pytest.raises(StoreUnavailable, match="witness"):
        Ledger.open(address(tmp_path / "clone" / path.name))


def test_a_backup_put_on_another_machine_needs_its_witness_or_a_decision(path: Path, tmp_path: Path) -> None:
    backup(address(path), tmp_path / "copy")
    (tmp_path / "there").mkdir()
    there = tmp_path / "there" / "ledger.sqlite3"
    with pytest.raises(StoreUnavailable, match="accept-missing-witness"):
        restore(address(there), tmp_path / "copy")
    assert not there.exists()
    restore(address(there), tmp_path / "copy", accept_missing_witness=True)
    assert recorded(there) == [UNWITNESSED]
    another = tmp_path / "there" / "with.sqlite3"
    shutil.copy(witness_of(path), witness_of(another))
    restore(address(another), tmp_path / "copy")
    assert recorded(another) == []


def test_another_ledgers_backup_is_not_put_in_its_place_unseen(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite3"
    with Ledger.open(address(other)) as ledger:
        ledger.register(people("C"))
        ledger.book("C", key(), "{}", [charge(1)])
    backup(address(other), tmp_path / "copy")
    with pytest.raises(StoreUnavailable, match="another ledger's"):
        restore(address(path), tmp_path / "copy")
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(5)
    restore(address(path), tmp_path / "copy", accept_missing_witness=True)
    with Ledger.open(address(path)) as ledger:
        assert [ledger.balance(name).spent.units for name in ("A", "C")] == [5, 1]


def test_a_store_in_use_is_not_replaced(path: Path, tmp_path: Path) -> None:
    backup(address(path), tmp_path / "copy")
    with Ledger.open(address(path)) as ledger:
        ledger.balance("A")
        with pytest.raises(StoreUnavailable, match="stop it first"):
            restore(address(path), tmp_path / "copy")
        assert ledger.book("A", key("next"), "{}", [charge(1)]).fresh


def test_a_backup_never_overwrites_and_a_file_that_is_no_ledger_is_not_restored(path: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").write_text("mine")
    with pytest.raises(StoreUnavailable, match="exists already"):
        backup(address(path), tmp_path / "copy")
    assert (tmp_path / "copy").read_text() == "mine"
    empty = sqlite3.connect(tmp_path / "empty")
    empty.execute("CREATE TABLE t (x)")
    empty.close()
    for source in ("copy", "empty", "missing"):
        with pytest.raises(StoreUnavailable):
            restore(address(path), tmp_path / source)
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(5)
    assert not list(tmp_path.glob("*.restoring*"))


def test_a_backup_can_be_read_by_its_owner_only(path: Path, tmp_path: Path) -> None:
    backup(address(path), tmp_path / "copy")
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600


def test_a_store_swapped_under_an_open_ledger_is_noticed_before_the_next_charge(path: Path, tmp_path: Path) -> None:
    backup(address(path), tmp_path / "copy")
    with Ledger.open(address(path)) as ledger:
        ledger.book("A", key("second"), "{}", [charge(7)])
        ledger.close()
        shutil.copy(tmp_path / "copy", path)
        for end in ("-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        with pytest.raises(StoreUnavailable, match="lacks 1 charged plans"):
            ledger.book("A", key("third"), "{}", [charge(1)])
        with pytest.raises(StoreUnavailable, match="lacks"):
            ledger.amend("A", epsilon="0.9")


def test_a_witness_removed_under_an_open_ledger_is_noticed_before_the_next_charge(path: Path) -> None:
    with Ledger.open(address(path)) as ledger:
        witness_of(path).unlink()
        with pytest.raises(StoreUnavailable, match="missing"):
            ledger.book("A", key("second"), "{}", [charge(1)])
        assert ledger.balance("A").spent == ZCDP(5)


def test_a_charge_that_cannot_be_witnessed_is_not_drawn_for_and_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreUnavailable("the disk is full")

    with Ledger.open(address(path)) as ledger:
        with monkeypatch.context() as patch:
            patch.setattr(Witness, "append", full)
            with pytest.raises(StoreUnavailable):
                ledger.book("A", key("second"), "{}", [charge(7)])
        assert ledger.balance("A").spent == ZCDP(12)
        again = ledger.book("A", key("second"), "{}", [charge(7)])
        assert (again.fresh, again.status) == (False, "no result")
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(12)


def test_terms_that_both_sides_amended_end_at_the_lower_total(path: Path, tmp_path: Path) -> None:
    backup(address(path), tmp_path / "copy")
    with Ledger.open(address(path)) as ledger:
        ledger.amend("A", epsilon="0.8")
    kept = witness_of(path).read_bytes()
    shutil.copy(tmp_path / "copy", path)
    witness_of(path).unlink()
    reconcile(address(path), accept_missing_witness=True)
    with Ledger.open(address(path)) as ledger:
        ledger.amend("A", epsilon="0.3")
    witness_of(path).write_bytes(kept)
    with pytest.raises(StoreUnavailable):
        Ledger.open(address(path))
    reconcile(address(path))
    with Ledger.open(address(path)) as ledger:
        assert ledger.population("A").epsilon == people(epsilon="0.3").epsilon


def test_charges_added_again_beyond_the_total_leave_nothing_and_no_error(path: Path, tmp_path: Path) -> None:
    total = people().total.units
    backup(address(path), tmp_path / "copy")
    with Ledger.open(address(path)) as ledger:
        ledger.book("A", key("one side"), "{}", [charge(total - 5)])
    kept = witness_of(path).read_bytes()
    shutil.copy(tmp_path / "copy", path)
    witness_of(path).unlink()
    reconcile(address(path), accept_missing_witness=True)
    with Ledger.open(address(path)) as ledger:
        ledger.book("A", key("other side"), "{}", [charge(total - 5)])
    witness_of(path).write_bytes(kept)
    reconcile(address(path))
    with Ledger.open(address(path)) as ledger:
        balance = ledger.balance("A")
        assert balance.spent.units == 2 * total - 5
        assert (balance.remaining, balance.epsilon_remaining) == (ZCDP(0), 0.0)


def test_the_witness_holds_no_result_and_no_fingerprint(path: Path) -> None:
    with Ledger.open(address(path)) as ledger:
        table = ledger.recognise("A", b"private rows").table
        booking = ledger.book("A", key("second"), "{}", [charge(1)], table=table)
        ledger.finish(booking.id, b"the stored result")
        ledger.put_document("A", "schema", "current", b"a public document")
    written = witness_of(path).read_bytes()
    for kept_out in (b"result", b"public document", table.digest, table.digest.hex().encode(), b"private rows"):
        assert kept_out not in written


def test_a_witness_may_be_kept_elsewhere_for_either_database(url: str, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    with Ledger.open(url, witness=place) as ledger:
        ledger.register(people())
        ledger.book("A", key(), "{}", [charge(1)])
    place.rename(tmp_path / "moved")
    with pytest.raises(StoreUnavailable, match="missing"):
        Ledger.open(url, witness=place)
    with Ledger.open(url, witness=tmp_path / "moved") as ledger:
        assert ledger.balance("A").spent == ZCDP(1)
    assert not (tmp_path / "ledger.sqlite3.witness").exists()


def test_postgres_is_backed_up_by_its_own_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PMWPUB_WITNESS", raising=False)
    for call in (
        lambda url: backup(url, Path("x")),
        lambda url: restore(url, Path("x")),
        lambda url: reconcile(url),
    ):
        with pytest.raises(StoreUnavailable, match="pg_dump"):
            call("postgresql://nobody@127.0.0.1:1/nowhere")


def test_charges_that_only_an_unfinished_append_knew_are_copied_to_the_witness(path: Path) -> None:
    """A program that died between commit and append: nothing was drawn, and the next program completes the witness."""
    before = witness_of(path).read_bytes()
    with Ledger.open(address(path)) as ledger:
        ledger.book("A", key("second"), "{}", [charge(7)])
    witness_of(path).write_bytes(before)
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(12)
    assert key("second").plan_sha256.encode() in witness_of(path).read_bytes()


def altered(path: Path, statement: str) -> None:
    """The store after somebody with the file at hand has changed it past its triggers."""
    with closing(sqlite3.connect(path)) as store:
        store.execute("PRAGMA ignore_check_constraints = ON")
        for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            store.execute(f'DROP TRIGGER "{name}"')
        assert store.execute(statement).rowcount == 1
        store.commit()


ALTERED = {
    "a charge lowered": "UPDATE charges SET units = 1 WHERE units = 4",
    "a charge removed": "DELETE FROM charges WHERE units = 4",
    "a charge moved": "UPDATE charges SET population_id = 2 WHERE units = 4",
    "a total raised": "UPDATE terms SET total_units = total_units * 9 WHERE epsilon = '1/2'",
    "terms raised": "UPDATE terms SET epsilon = '5' WHERE epsilon = '1/2'",
    "terms lowered in words": "UPDATE terms SET epsilon = '1/4', total_units = total_units * 9 WHERE epsilon = '1/2'",
    "a decision reworded": "UPDATE marks SET note = 'none'",
}


@pytest.mark.fault("amounts of the ledger edited by hand")
@pytest.mark.parametrize("statement", ALTERED.values(), ids=ALTERED)
def test_a_store_altered_by_hand_fails_closed_and_never_ends_below_what_was_charged(path: Path, statement: str) -> None:
    spend_more(path)
    altered(path, statement)
    with pytest.raises(StoreUnavailable, match="or it was altered"):
        Ledger.open(address(path))
    reconcile(address(path))
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent >= ZCDP(12)
        assert ledger.balance("B").spent >= ZCDP(2)
        assert ledger.balance("A").total <= people(epsilon="0.5").total
        assert ledger.result(1) == b"first result"
        assert ledger.result(2) == b"shown"
        assert [mark.kind for mark in ledger.marks("A") + ledger.marks("B")].count(RECONCILED) == 1
    assert reconcile(address(path)).added == ()


@pytest.mark.parametrize("statement", ALTERED.values(), ids=ALTERED)
@pytest.mark.parametrize("late", [True, False], ids=["newer backup", "older backup"])
def test_a_backup_in_place_of_an_altered_store_has_what_was_charged(
    path: Path, tmp_path: Path, statement: str, late: bool
) -> None:
    if not late:
        backup(address(path), tmp_path / "copy")
    spend_more(path)
    if late:
        backup(address(path), tmp_path / "copy")
    altered(path, statement)
    assert bool(restore(address(path), tmp_path / "copy").added) is not late
    is_all_there(path)


@contextmanager
def only_a_backup_helps(path: Path, tmp_path: Path, *, opening: str, reconciling: str) -> Iterator[None]:
    """What the block does to a store is refused, in these words, until a backup that was made before is put back."""
    spend_more(path)
    backup(address(path), tmp_path / "copy")
    yield
    with pytest.raises(StoreUnavailable, match=opening):
        Ledger.open(address(path))
    with pytest.raises(StoreUnavailable, match=reconciling):
        reconcile(address(path))
    assert restore(address(path), tmp_path / "copy").added == ()
    is_all_there(path)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE terms SET n = n - 1 WHERE epsilon = '2'",
        "UPDATE terms SET rows_per_person = 2 WHERE epsilon = '2'",
        "UPDATE terms SET unit = 'a household' WHERE epsilon = '2'",
        "UPDATE terms SET delta = '1/7' WHERE epsilon = '2'",
    ],
)
def test_other_terms_of_charged_people_are_not_reconciled_but_a_backup_is_put_back(
    path: Path, tmp_path: Path, statement: str
) -> None:
    with only_a_backup_helps(path, tmp_path, opening="or it was altered", reconciling="one of them was altered"):
        altered(path, statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE charges SET units = 'abc' WHERE units = 4",
        "UPDATE charges SET units = -4 WHERE units = 4",
        "UPDATE terms SET total_units = 'x' WHERE epsilon = '2'",
        "UPDATE terms SET epsilon = '1/0' WHERE epsilon = '2'",
        "UPDATE terms SET delta = '' WHERE epsilon = '2'",
        "UPDATE marks SET note = x'00'",
        "DELETE FROM populations WHERE name = 'B'",
    ],
)
def test_rows_that_cannot_be_read_fail_closed_until_a_backup_is_put_back(
    path: Path, tmp_path: Path, statement: str
) -> None:
    unread = "cannot be read|damaged"
    with only_a_backup_helps(path, tmp_path, opening=unread, reconciling=unread):
        altered(path, statement)


def test_a_store_altered_upwards_keeps_the_more_it_says_and_a_backup_the_truth(path: Path, tmp_path: Path) -> None:
    backup(address(path), tmp_path / "copy")
    altered(path, "UPDATE charges SET units = 9 WHERE units = 5")
    shutil.copy(path, tmp_path / "altered")
    with pytest.raises(StoreUnavailable, match="or it was altered"):
        Ledger.open(address(path))
    assert restore(address(path), tmp_path / "copy").added == ()
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(5)
    shutil.copy(tmp_path / "altered", path)
    assert reconcile(address(path)).added == ()
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(9)


def test_a_server_on_an_altered_store_and_then_an_older_copy_ends_with_all_charges(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "old")
    with Ledger.open(address(path)) as ledger:
        ledger.book("A", key("second"), "{}", [charge(3), charge(4)])
        altered(path, "UPDATE charges SET units = 1 WHERE units = 4")
        with pytest.raises(StoreUnavailable):
            Ledger.open(address(path))
    shutil.copy(tmp_path / "old", path)
    reconcile(address(path))
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(12)


@pytest.mark.parametrize("read", ["terms", "marks", "bookings", "charges"])
def test_a_store_that_is_written_while_it_is_read_is_read_whole(url: str, tmp_path: Path, read: str) -> None:
    """On PostgreSQL each query of a transaction may see more than the one before."""
    witness = tmp_path / "elsewhere"
    with Ledger.open(url, witness=witness) as ledger, Ledger.open(url, witness=witness) as other:
        ledger.register(people())
        ledger.book("A", key("first"), "{}", [charge(1)])
        written: list[bool] = []

        def write(connection: Connection, cursor: object, statement: str, *_: object) -> None:
            if f"FROM {read} ORDER BY" in statement and not written:
                written.append(True)
                other.book("A", key("second"), "{}", [charge(3), charge(4)])
                other.register(people("B"))
                other.book("B", key("third"), "{}", [charge(2)])
                other.mark("A", "seen", "meanwhile")

        with ledger._database.reading() as connection:
            event.listen(connection, "after_cursor_execute", write)
            for line in store_guard.recorded(connection):
                assert not isinstance(line, BookingLine) or line.charges
        assert written
        ledger.mark("A", "seen", "afterwards")
        assert ledger.book("A", key("fourth"), "{}", [charge(1)]).fresh
    with Ledger.open(url, witness=witness) as ledger:
        assert ledger.balance("A").spent == ZCDP(9)


def test_an_empty_ledgers_witness_vouches_for_no_copy_of_another(path: Path, tmp_path: Path) -> None:
    """A new machine: the server was started once before the old ledger's backup was copied there."""
    backup(address(path), tmp_path / "copy")
    spend_more(path)
    (tmp_path / "there").mkdir()
    there = tmp_path / "there" / "ledger.sqlite3"
    Ledger.open(address(there)).close()
    shutil.copy(tmp_path / "copy", there)
    with pytest.raises(StoreUnavailable, match="another ledger's"):
        Ledger.open(address(there))
    shutil.copy(witness_of(path), witness_of(there))
    reconcile(address(there))
    is_all_there(there)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO terms VALUES (NULL, 1, 1000, 1, 'one resident', '7', '1/1000000', 1000000000000000000, '2026')",
        "INSERT INTO terms VALUES (NULL, 1, 999, 1, 'one resident', '1/2', '1/1000000', 10, '2026')",
    ],
)
def test_terms_that_were_slipped_in_under_charges_fail_closed(path: Path, tmp_path: Path, statement: str) -> None:
    opening, reconciling = "as such terms never change", "one of them was altered"
    with only_a_backup_helps(path, tmp_path, opening=opening, reconciling=reconciling):
        altered(path, statement)


def test_an_open_server_does_not_witness_what_was_altered(path: Path, tmp_path: Path) -> None:
    spend_more(path)
    backup(address(path), tmp_path / "copy")
    with Ledger.open(address(path)) as ledger:
        altered(path, "UPDATE terms SET n = 999 WHERE epsilon = '2'")
        with pytest.raises(StoreUnavailable, match="or it was altered"):
            ledger.mark("A", "seen", "afterwards")
    restore(address(path), tmp_path / "copy")
    with Ledger.open(address(path)) as ledger:
        assert ledger.population("B") == people("B", epsilon="2")
        assert "afterwards" in [mark.note for mark in ledger.marks("A")]


@pytest.mark.parametrize("units", [5, 9])
def test_a_plan_that_was_drawn_on_both_sides_of_a_split_is_charged_twice(
    path: Path, tmp_path: Path, units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup(address(path), tmp_path / "copy")
    with Ledger.open(address(path)) as ledger, monkeypatch.context() as patch:
        patch.setattr("pmwpub.ledger.bookings.now", lambda: "2026-01-01T00:00:00+00:00")
        ledger.book("A", key("both"), "{}", [charge(5)])
    kept = witness_of(path).read_bytes()
    shutil.copy(tmp_path / "copy", path)
    witness_of(path).unlink()
    reconcile(address(path), accept_missing_witness=True)
    with Ledger.open(address(path)) as ledger:
        assert ledger.book("A", key("both"), "{}", [charge(units)]).fresh
    witness_of(path).write_bytes(kept)
    with pytest.raises(StoreUnavailable, match="lacks"):
        Ledger.open(address(path))
    reconcile(address(path))
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(5 + 5 + units)


def test_a_total_that_was_raised_before_the_first_charge_comes_back_with_an_older_backup(
    path: Path, tmp_path: Path
) -> None:
    with Ledger.open(address(path)) as ledger:
        ledger.register(people("B"))
        backup(address(path), tmp_path / "copy")
        ledger.amend("B", epsilon="2", n=500)
        ledger.book("B", key("third"), "{}", [charge(2)])
    restore(address(path), tmp_path / "copy")
    with Ledger.open(address(path)) as ledger:
        assert ledger.population("B") == people("B", epsilon="2", n=500)
        assert ledger.balance("B").spent == ZCDP(2)


def test_decisions_of_many_writers_stand_in_the_witness_in_their_order(url: str, tmp_path: Path) -> None:
    """Ids are given out before a commit: without a lock a later id could be seen first."""
    witness = tmp_path / "elsewhere"
    with Ledger.open(url, witness=witness) as ledger:
        ledger.register(people())
        ledger.book("A", key(), "{}", [charge(1)])
    ledgers = [Ledger.open(url, witness=witness) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        jobs = [threads.submit(ledgers[i % 4].mark, "A", "seen", str(i)) for i in range(40)]
        for job in jobs:
            job.result()
    for one in ledgers:
        one.close()
    with Ledger.open(url, witness=witness) as ledger:
        assert sorted(int(mark.note) for mark in ledger.marks("A")) == list(range(40))


@pytest.mark.parametrize("harm", ["UPDATE secrets SET secret = 'abc'", "nested witness"])
def test_what_cannot_be_read_at_all_fails_closed_and_lets_go_of_the_file(path: Path, tmp_path: Path, harm: str) -> None:
    backup(address(path), tmp_path / "copy")
    if harm == "nested witness":
        witness_of(path).write_bytes(b"[" * 100_000 + b"\n")
    else:
        altered(path, harm)
    for call in (Ledger.open, reconcile):
        with pytest.raises(StoreUnavailable):
            call(address(path))
    accepted = harm == "nested witness"
    restore(address(path), tmp_path / "copy", accept_missing_witness=accepted)
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(5)
