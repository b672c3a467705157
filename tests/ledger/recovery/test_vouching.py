"""A ledger that nothing vouches for is never a silent refund: it is recorded, for every population, and shown."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from ledger.terms import charge, key, people

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger import Ledger, backup, reconcile, restore
from pmwpub.ledger.recovery.store_guard import Guard
from pmwpub.ledger.recovery.vouching import UNVOUCHED, UNWITNESSED, unvouched
from pmwpub.privacy.budget import ZCDP


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with two populations and no charge yet, and a backup of it."""
    path = tmp_path / "store" / "ledger.sqlite3"
    path.parent.mkdir()
    with Ledger.open(address(path)) as ledger:
        ledger.register(people("A"))
        ledger.register(people("B"))
    backup(address(path), copy_of(path))
    return path


def address(path: Path) -> str:
    return f"sqlite:///{path}"


def copy_of(path: Path) -> Path:
    return path.parent.parent / "copy"


def witness_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.witness")


def spend(path: Path) -> None:
    with Ledger.open(address(path)) as ledger:
        ledger.book("A", key("first"), "{}", [charge(5)])


def lose_the_folder(path: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.mkdir()


def recorded(path: Path, name: str = "A") -> list[str]:
    with Ledger.open(address(path)) as ledger:
        return [mark.kind for mark in ledger.marks(name)]


def by_restoring(path: Path) -> None:
    restore(address(path), copy_of(path))


def by_copying(path: Path) -> None:
    shutil.copy(copy_of(path), path)


def by_copying_over_a_new_ledger(path: Path) -> None:
    Ledger.open(address(path)).close()
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    shutil.copy(copy_of(path), path)


def by_restoring_over_a_new_ledger(path: Path) -> None:
    Ledger.open(address(path)).close()
    restore(address(path), copy_of(path))


def by_copying_and_reconciling(path: Path) -> None:
    shutil.copy(copy_of(path), path)
    reconcile(address(path))


def by_copying_and_restoring(path: Path) -> None:
    shutil.copy(copy_of(path), path)
    restore(address(path), copy_of(path))


PUT_BACK = [
    by_restoring,
    by_copying,
    by_copying_over_a_new_ledger,
    by_restoring_over_a_new_ledger,
    by_copying_and_reconciling,
    by_copying_and_restoring,
]


@pytest.mark.fault("a backup without charges put back after store and witness were lost")
@pytest.mark.parametrize("put_back", PUT_BACK)
def test_a_backup_without_charges_put_back_without_a_witness_is_marked(
    path: Path, put_back: Callable[[Path], None]
) -> None:
    spend(path)
    lose_the_folder(path)
    put_back(path)
    assert recorded(path, "A") == recorded(path, "B") == [UNVOUCHED]
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(0)
        (mark,) = unvouched(ledger.marks("A"))
        assert "charges made since it was copied may be missing" in mark.note
        assert ledger.book("A", key("first"), "{}", [charge(5)]).fresh
    assert '"mark":"unvouched restore"' in witness_of(path).read_text()


def test_a_backup_with_charges_is_accepted_and_marked_for_every_population(path: Path) -> None:
    spend(path)
    copy_of(path).unlink()
    backup(address(path), copy_of(path))
    spend(path)
    lose_the_folder(path)
    with pytest.raises(StoreUnavailable, match="accept-missing-witness"):
        by_restoring(path)
    restore(address(path), copy_of(path), accept_missing_witness=True)
    assert (recorded(path, "A"), recorded(path, "B")) == ([UNWITNESSED], [UNVOUCHED])
    with Ledger.open(address(path)) as ledger:
        assert unvouched(ledger.marks("A"))


def test_what_its_witness_vouches_for_is_not_marked(path: Path) -> None:
    spend(path)
    path.unlink()
    by_restoring(path)
    assert UNVOUCHED not in recorded(path)
    with Ledger.open(address(path)) as ledger:
        assert ledger.balance("A").spent == ZCDP(5)
    by_restoring(path)
    reconcile(address(path))
    assert UNVOUCHED not in recorded(path)


def test_a_new_ledger_is_not_marked_whenever_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite3"
    Ledger.open(address(path)).close()
    witness_of(path).unlink()
    Ledger.open(address(path)).close()
    with Ledger.open(address(path)) as ledger:
        ledger.register(people("A"))
        assert ledger.marks("A") == []
    assert recorded(path) == recorded(path) == []


def test_a_lost_witness_is_marked_once_however_often_the_ledger_is_opened(path: Path) -> None:
    witness_of(path).unlink()
    assert recorded(path) == recorded(path) == [UNVOUCHED]
    witness_of(path).unlink()
    assert recorded(path) == [UNVOUCHED]
    with Ledger.open(address(path)) as ledger:
        ledger.mark("A", "decision", "something else")
    witness_of(path).unlink()
    assert recorded(path) == [UNVOUCHED, "decision", UNVOUCHED]


def test_a_witness_removed_under_an_open_ledger_without_charges_is_no_new_beginning(path: Path) -> None:
    with Ledger.open(address(path)) as ledger:
        witness_of(path).unlink()
        for call in (
            lambda: ledger.book("A", key("first"), "{}", [charge(5)]),
            lambda: ledger.mark("A", "decision"),
            lambda: ledger.register(people("C")),
        ):
            with pytest.raises(StoreUnavailable, match="was removed"):
                call()
        assert ledger.balance("A").spent == ZCDP(0)
        assert ledger.marks("A") == []
    assert recorded(path) == [UNVOUCHED]


def test_a_crash_between_the_mark_and_the_new_witness_leaves_the_mark(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness_of(path).unlink()

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("pmwpub.ledger.recovery.witness.Witness.append", killed)
        with pytest.raises(KeyboardInterrupt):
            Ledger.open(address(path))
    assert not witness_of(path).exists()
    assert recorded(path) == [UNVOUCHED]


def test_a_database_for_which_no_witness_is_named_is_not_marked(url: str) -> None:
    """PostgreSQL without PMWPUB_WITNESS: nothing vouches for it at all, and the documentation says so."""
    with Ledger.open(url) as ledger:
        ledger.register(people("A"))
        with ledger._database.writing() as connection:
            Guard(None).vouch(connection)
            Guard(None).check(connection)
        assert ledger.marks("A") == []


def test_a_witness_that_is_named_for_the_first_time_beside_terms_is_recorded(url: str, tmp_path: Path) -> None:
    with Ledger.open(url) as ledger:
        ledger.register(people("A"))
    for _ in range(2):
        with Ledger.open(url, witness=tmp_path / "elsewhere") as ledger:
            assert [mark.kind for mark in ledger.marks("A")] == [UNVOUCHED]


def test_a_population_that_is_registered_in_a_ledger_nothing_vouches_for_is_marked_too(path: Path) -> None:
    """It may have been there, with charges, when the copy was made."""
    lose_the_folder(path)
    by_restoring(path)
    with Ledger.open(address(path)) as ledger:
        ledger.register(people("lost and found"))
        (mark,) = ledger.marks("lost and found")
        assert mark.kind == UNVOUCHED
        assert "may be missing" in mark.note


def test_terms_amended_before_the_first_charge_stand_in_the_witness(path: Path) -> None:
    with Ledger.open(address(path)) as ledger:
        ledger.amend("A", n=900, rows_per_person=2, unit="one visit", epsilon="2", delta="1e-7")
        ledger.amend("A", epsilon="3")
        amended = ledger.population("A")
        assert (amended.n, amended.rows_per_person, amended.unit) == (900, 2, "one visit")
    with Ledger.open(address(path)) as ledger:
        assert ledger.population("A") == amended
        assert ledger.book("A", key("first"), "{}", [charge(5)], terms=amended).fresh
    path.unlink()
    by_restoring(path)
    with Ledger.open(address(path)) as ledger:
        assert ledger.population("A") == amended
        assert ledger.balance("A").spent == ZCDP(5)
        assert UNVOUCHED not in [mark.kind for mark in ledger.marks("A")]
