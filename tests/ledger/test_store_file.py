"""A store or a witness that is taken away under a running program charges nothing, and goes on once it is back."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from ledger.terms import charge, key, people

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger import Ledger
from pmwpub.ledger.live import patience
from pmwpub.ledger.recovery import witness as witnessing
from pmwpub.ledger.recovery.witness import Witness
from pmwpub.ledger.store_health import check_store, check_witness
from pmwpub.privacy.budget import ZCDP

GONE = "no longer the one that is open"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite3"


@pytest.fixture
def used(path: Path) -> Ledger:
    """An open ledger with 5 units charged, whose connections stay open."""
    ledger = Ledger.open(f"sqlite:///{path}")
    ledger.register(people())
    ledger.book("A", key("first"), "{}", [charge(5)])
    return ledger


def moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def replaced(path: Path) -> None:
    """By a copy with the very same content."""
    with closing(sqlite3.connect(path)) as there:
        there.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").rename(path)


def deleted(path: Path) -> None:
    path.unlink()


def folder_in_its_place(path: Path) -> None:
    path.unlink()
    path.mkdir()


HARMS = [moved, replaced, deleted, folder_in_its_place]


@pytest.mark.parametrize("harm", HARMS)
def test_a_store_that_is_taken_away_is_charged_nothing_in_words(
    used: Ledger, path: Path, harm: Callable[[Path], None]
) -> None:
    before = witness(path).read_bytes()
    harm(path)
    with pytest.raises(StoreUnavailable, match=GONE):
        used.book("A", key("second"), "{}", [charge(1)])
    for other in (lambda: used.amend("A", epsilon="0.5"), lambda: used.balance("A"), lambda: check_store(used)):
        with pytest.raises(StoreUnavailable, match=GONE):
            other()
    assert not used.healthy()
    assert witness(path).read_bytes() == before
    assert harm is replaced or not path.is_file(), "no new file is begun in its place"


def witness(path: Path) -> Path:
    return path.with_name(f"{path.name}.witness")


def test_what_is_put_back_goes_on_with_every_charge(used: Ledger, path: Path) -> None:
    moved(path)
    with pytest.raises(StoreUnavailable, match=GONE):
        used.book("A", key("second"), "{}", [charge(1)])
    path.with_name("elsewhere").rename(path)
    check_store(used)
    assert used.book("A", key("second"), "{}", [charge(1)]).fresh
    used.close()
    with Ledger.open(f"sqlite:///{path}") as again:
        assert again.balance("A").spent == ZCDP(6)


def test_a_program_that_starts_on_the_file_that_is_there_is_not_held_to_the_old_one(used: Ledger, path: Path) -> None:
    replaced(path)
    used.close()
    with Ledger.open(f"sqlite:///{path}") as again:
        assert again.book("A", key("second"), "{}", [charge(1)]).fresh
        assert again.balance("A").spent == ZCDP(6)


def test_a_store_that_is_moved_during_the_transaction_keeps_no_charge(
    used: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = used._guard.ready

    def then_moved() -> None:
        ready()
        moved(path)

    monkeypatch.setattr(used._guard, "ready", then_moved)
    with pytest.raises(StoreUnavailable, match=GONE):
        used.book("A", key("second"), "{}", [charge(1)])
    path.with_name("elsewhere").rename(path)
    assert used.balance("A").spent == ZCDP(5)
    assert used.booking("A", key("second")) is None


def test_a_symbolic_link_that_leads_elsewhere_now_is_another_file(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "one")
    with Ledger.open(f"sqlite:///{tmp_path}/link/ledger.sqlite3") as ledger:
        ledger.register(people())
        shutil.copy(tmp_path / "one" / "ledger.sqlite3", tmp_path / "other" / "ledger.sqlite3")
        (tmp_path / "link").unlink()
        (tmp_path / "link").symlink_to(tmp_path / "other")
        with pytest.raises(StoreUnavailable, match=GONE):
            ledger.book("A", key("first"), "{}", [charge(5)])


def test_a_store_that_is_named_by_a_uri_is_asked_for_too(tmp_path: Path) -> None:
    path = tmp_path / "a ledger.sqlite3"
    with Ledger.open(f"sqlite:///file:{tmp_path}/a%20ledger.sqlite3?uri=true") as ledger:
        ledger.register(people())
        check_store(ledger)
        moved(path)
        with pytest.raises(StoreUnavailable, match=GONE):
            ledger.book("A", key("first"), "{}", [charge(5)])


def test_a_result_waits_for_a_file_that_is_put_back(used: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its charge was made: only the draw would be lost."""
    booking = used.book("A", key("second"), "{}", [charge(1)])
    moved(path)
    pauses = iter([lambda: None, lambda: path.with_name("elsewhere").rename(path)])
    monkeypatch.setattr(patience.time, "sleep", lambda seconds: next(pauses)())
    used.finish(booking.id, b"result")
    assert used.result(booking.id) == b"result"


@pytest.mark.parametrize("harm", [moved, deleted, folder_in_its_place])
def test_a_witness_that_is_taken_away_is_not_ready_charges_nothing_and_is_not_begun_anew(
    used: Ledger, path: Path, harm: Callable[[Path], None]
) -> None:
    harm(witness(path))
    with pytest.raises(StoreUnavailable, match=f"witness {witness(path)}"):
        check_witness(used)
    with pytest.raises(StoreUnavailable, match=f"witness {witness(path)}"):
        used.book("A", key("second"), "{}", [charge(1)])
    assert used.balance("A").spent == ZCDP(5)
    assert not witness(path).is_file()


def test_another_ledgers_witness_in_its_place_is_not_ready(used: Ledger, path: Path, tmp_path: Path) -> None:
    Ledger.open(f"sqlite:///{tmp_path}/other.sqlite3").close()
    (tmp_path / "other.sqlite3.witness").rename(witness(path))
    with pytest.raises(StoreUnavailable, match="removed, or replaced by another ledger's"):
        check_witness(used)
    with pytest.raises(StoreUnavailable, match="missing or another ledger's"):
        used.book("A", key("second"), "{}", [charge(1)])
    assert used.balance("A").spent == ZCDP(5)


def test_a_witness_that_is_put_back_or_copied_goes_on_with_every_line(used: Ledger, path: Path) -> None:
    """It is opened by its path each time: a copy of all its lines vouches for as much."""
    moved(witness(path))
    with pytest.raises(StoreUnavailable):
        check_witness(used)
    shutil.copy(path.with_name("elsewhere"), witness(path))
    check_witness(used)
    used.book("A", key("second"), "{}", [charge(1)])
    assert len(plans(witness(path))) == 2
    path.with_name("elsewhere").rename(witness(path))
    used.book("A", key("third"), "{}", [charge(1)])
    assert len(plans(witness(path))) == 3, "what was booked meanwhile is copied from the store"


def plans(file: Path) -> list[str]:
    lines = map(json.loads, file.read_text().splitlines())
    return [line["plan_sha256"] for line in lines if line["kind"] == "booking"]


@pytest.mark.parametrize("harm", [moved, deleted])
def test_a_witness_that_is_taken_away_after_the_commit_leaves_a_charge_without_a_result(
    used: Ledger, path: Path, harm: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = used._guard.record

    def too_late(booked: object) -> None:
        harm(witness(path))
        record(booked)  # type: ignore[arg-type]

    monkeypatch.setattr(used._guard, "record", too_late)
    with pytest.raises(StoreUnavailable, match="witness"):
        used.book("A", key("second"), "{}", [charge(1)])
    assert not witness(path).is_file(), "one that is begun now would vouch for nothing before it"
    booking = used.booking("A", key("second"))
    assert booking is not None
    assert booking.status == "no result"


def test_a_writer_whose_witness_is_replaced_while_it_waits_for_the_lock_is_told(
    used: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock that it gets is on a file that nobody finds any more."""
    lock = witnessing.fcntl.flock

    def replaced_meanwhile(descriptor: int, how: int) -> None:
        lock(descriptor, how)
        shutil.copy(witness(path), path.with_name("copy"))
        path.with_name("copy").rename(witness(path))

    own = Witness(witness(path))
    own.refresh()
    monkeypatch.setattr(witnessing.fcntl, "flock", replaced_meanwhile)
    with pytest.raises(StoreUnavailable, match="was moved, deleted or replaced just now"):
        own.append([])
