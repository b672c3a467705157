from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import pytest
from ledger.terms import charge, key, people
from sqlalchemy import event

from pmwpub.errors import NoResult, StoreUnavailable
from pmwpub.ledger import Ledger, database
from pmwpub.privacy.budget import ZCDP


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with one population and one charge."""
    path = tmp_path / "ledger.sqlite3"
    with Ledger.open(f"sqlite:///{path}") as ledger:
        ledger.register(people())
        ledger.book("A", key("before"), "{}", [charge(5)])
    return path


def test_every_connection_is_durable(path: Path) -> None:
    with Ledger.open(f"sqlite:///{path}") as ledger, ledger._database.reading() as connection:
        setting = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "recursive_triggers")
        }
    full = 2
    assert setting == {"journal_mode": "wal", "synchronous": full, "foreign_keys": 1, "recursive_triggers": 1}


def test_a_writer_holds_the_lock_from_its_first_moment(path: Path) -> None:
    other = sqlite3.connect(path, timeout=0, isolation_level=None)
    with Ledger.open(f"sqlite:///{path}") as ledger, ledger._database.writing():
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        assert other.execute("SELECT count(*) FROM charges").fetchone() == (1,)
    other.close()


def test_the_store_can_be_read_by_its_owner_only(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_without_an_address_the_store_is_the_environments(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{path}")
    with Ledger.open() as ledger:
        assert ledger.populations() == [people()]


def test_the_default_store_is_a_file_in_the_users_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PMWPUB_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    with Ledger.open() as ledger:
        ledger.register(people())
    assert list(tmp_path.rglob("ledger.sqlite3"))


@pytest.mark.parametrize(
    "url", ["sqlite://", "sqlite:///:memory:", "mysql://u@h/d", "nonsense", "sqlite:///file:x?mode=memory&uri=true"]
)
def test_a_store_that_would_not_last_is_refused(url: str) -> None:
    with pytest.raises(StoreUnavailable):
        Ledger.open(url)


def test_a_password_is_not_repeated() -> None:
    with pytest.raises(StoreUnavailable) as refusal:
        Ledger.open("postgresql://someone:hunter2@127.0.0.1:1/nowhere")
    assert "hunter2" not in str(refusal.value)


def _missing_folder(path: Path) -> str:
    return f"sqlite:///{path.parent}/missing/ledger.sqlite3"


def _not_a_database(path: Path) -> str:
    path.write_bytes(b"name,budget\n" * 1000)
    return f"sqlite:///{path}"


def _damaged(path: Path) -> str:
    body = bytearray(path.read_bytes())
    body[4096:20480] = b"\xa5" * (20480 - 4096)
    path.write_bytes(bytes(body))
    return f"sqlite:///{path}"


def _cut_short(path: Path) -> str:
    body = path.read_bytes()
    path.write_bytes(body[: len(body) // 2])
    return f"sqlite:///{path}"


def _read_only(path: Path) -> str:
    return f"sqlite:///file:{path}?mode=ro&uri=true"


def _a_folder(path: Path) -> str:
    return f"sqlite:///{path.parent}"


def _another_version(path: Path) -> str:
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER store_no_update")
    connection.execute("UPDATE store SET version = 99")
    connection.commit()
    connection.close()
    return f"sqlite:///{path}"


@pytest.mark.parametrize(
    "harm", [_missing_folder, _not_a_database, _damaged, _cut_short, _read_only, _a_folder, _another_version]
)
def test_a_store_that_cannot_be_trusted_is_not_opened(path: Path, harm: Callable[[Path], str]) -> None:
    with pytest.raises(StoreUnavailable) as refusal:
        Ledger.open(harm(path))
    assert len(str(refusal.value)) > 40
    assert "Traceback" not in str(refusal.value)


def test_a_store_damaged_while_open_refuses_to_charge(path: Path) -> None:
    with Ledger.open(f"sqlite:///{path}") as ledger:
        ledger.close()
        _damaged(path)
        for call in (
            lambda: ledger.balance("A"),
            lambda: ledger.book("A", key("after"), "{}", [charge(1)]),
        ):
            with pytest.raises(StoreUnavailable):
                call()


def test_a_store_that_turns_read_only_refuses_to_charge(path: Path) -> None:
    with Ledger.open(f"sqlite:///{path}") as ledger:
        ledger.close()
        event.listen(ledger._database._engine, "connect", lambda raw, _: raw.execute("PRAGMA query_only = ON"))
        with pytest.raises(StoreUnavailable, match="read-only"):
            ledger.book("A", key("after"), "{}", [charge(1)])
        assert ledger.balance("A").spent == ZCDP(5)


def test_a_full_disk_charges_nothing_or_keeps_the_charge(path: Path) -> None:
    with Ledger.open(f"sqlite:///{path}") as ledger:
        booking = ledger.book("A", key("drawn"), "{}", [charge(7)])
        ledger.close()

        def fill(raw: sqlite3.Connection, _: object) -> None:
            pages = raw.execute("PRAGMA page_count").fetchone()[0]
            raw.execute(f"PRAGMA max_page_count = {pages}")

        event.listen(ledger._database._engine, "connect", fill)
        with pytest.raises(StoreUnavailable, match="disk is full"):
            ledger.finish(booking.id, bytes(100_000))
        with pytest.raises(StoreUnavailable, match="disk is full"):
            ledger.book("A", key("after"), "x" * 100_000, [charge(1)])
        ledger.close()
        event.remove(ledger._database._engine, "connect", fill)
        assert ledger.balance("A").spent == ZCDP(12)
        assert ledger.booking("A", key("after")) is None
        assert not ledger.book("A", key("drawn"), "{}", [charge(7)]).fresh
        with pytest.raises(NoResult):
            ledger.result(booking.id)


def test_a_store_kept_busy_refuses_to_charge(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    with Ledger.open(f"sqlite:///{path}") as ledger:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="busy"):
            ledger.book("A", key("after"), "{}", [charge(1)])
        other.execute("ROLLBACK")
        assert ledger.book("A", key("after"), "{}", [charge(1)]).fresh
    other.close()


def test_a_damaged_result_is_not_shown(path: Path) -> None:
    with Ledger.open(f"sqlite:///{path}") as ledger:
        booking = ledger.book("A", key("drawn"), "{}", [charge(1)])
        ledger.finish(booking.id, b"the stored bytes")
        raw = sqlite3.connect(path)
        raw.execute("DROP TRIGGER results_no_update")
        raw.execute("UPDATE results SET body = ?", (b"The stored bytes",))
        raw.commit()
        raw.close()
        with pytest.raises(StoreUnavailable, match="damaged"):
            ledger.result(booking.id)


@pytest.mark.parametrize("days", [-366, 366])
def test_no_rule_depends_on_the_clock(path: Path, days: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + timedelta(days=days)

    with Ledger.open(f"sqlite:///{path}") as ledger:
        with monkeypatch.context() as patch:
            patch.setattr(database, "datetime", Wrong)
            booking = ledger.book("A", key("later"), "{}", [charge(2)])
            ledger.amend("A", epsilon="0.9")
            ledger.finish(booking.id, b"x")
        ledger.amend("A", epsilon="0.8")
        assert ledger.population("A").epsilon == people(epsilon="0.8").epsilon
        assert [line.rho for line in ledger.history("A")] == [ZCDP(5), ZCDP(2)]
        assert not ledger.book("A", key("later"), "{}", [charge(2)]).fresh
        assert ledger.history("A")[1].time[:4] != ledger.history("A")[0].time[:4]


def test_a_refusal_quotes_no_stored_value(path: Path) -> None:
    with Ledger.open(f"sqlite:///{path}") as ledger:
        raw = sqlite3.connect(path)
        raw.execute("CREATE TRIGGER harm BEFORE INSERT ON bookings BEGIN SELECT RAISE(ABORT, 'canary-in-error'); END")
        raw.commit()
        raw.close()
        with pytest.raises(StoreUnavailable) as refusal:
            ledger.book("A", key("after"), "canary-in-plan", [charge(1)])
        assert "canary" not in repr(refusal.value)
        assert refusal.value.__suppress_context__


def test_a_store_is_opened_by_its_relative_name_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Ledger.open("sqlite:///here.sqlite3") as ledger:
        ledger.register(people())
    assert "here.sqlite3" in os.listdir(tmp_path)


def test_a_store_that_answers_is_healthy(ledger: Ledger) -> None:
    assert ledger.healthy()


def test_a_store_whose_witness_cannot_be_written_is_not_healthy(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    with Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3", witness=tmp_path / "w" / "witness") as ledger:
        shutil.rmtree(tmp_path / "w")
        (tmp_path / "w").write_text("in the way")
        assert not ledger.healthy()
        with pytest.raises(StoreUnavailable):
            ledger.check()
