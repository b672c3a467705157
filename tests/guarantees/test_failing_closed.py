"""A store that cannot be trusted or written stops everything, in words, on the page and at the command line."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import buying
import pytest
from guarantees.flows import NAME, prepared
from guarantees.people import neighbours
from pages.visits import PAGES, arrive, buy, press, words
from sqlalchemy import event

from pmwpub.cli import main
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger
from pmwpub.progress import Progress
from pmwpub.service import PrivateTable, Service
from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.tasks import mechanism_work
from pmwpub.ui import Session
from pmwpub.ui.app import services

PAIR = neighbours(1)
Harm = Callable[[Path], str]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[tuple[Service, PrivateTable]]:
    """A service with one finished release, on a store in `tmp_path`; a copy of the store from before it is kept."""
    service, private = prepared(tmp_path, PAIR, PAIR.ours)
    service.ledger._database.close()
    shutil.copy(tmp_path / "ledger.sqlite3", tmp_path / "old")
    assert release(service, private, "1").status == "done"
    yield service, private
    service.ledger.close()


def release(service: Service, private: PrivateTable, epsilon: str, **rest: int) -> releases.Outcome:
    current = study_store.study(service, NAME)
    plan = releases.release_plan(service, current, [current.usable[0].sha256], epsilon=epsilon, rounds=3)
    return buying.buy(service, private, plan, **rest)


def corrupt(path: Path) -> str:
    body = bytearray(path.read_bytes())
    body[4096 : len(body) - 4096] = b"\xa5" * (len(body) - 8192)
    path.write_bytes(bytes(body))
    return f"sqlite:///{path}"


def cut_short(path: Path) -> str:
    path.write_bytes(path.read_bytes()[:5000])
    return f"sqlite:///{path}"


def no_ledger(path: Path) -> str:
    path.write_bytes(b"sex,age\n" * 999)
    return f"sqlite:///{path}"


def read_only(path: Path) -> str:
    return f"sqlite:///file:{path}?mode=ro&uri=true"


def older(path: Path) -> str:
    shutil.copy(path.with_name("old"), path)
    return f"sqlite:///{path}"


def unwitnessed(path: Path) -> str:
    path.with_name(f"{path.name}.witness").unlink()
    return f"sqlite:///{path}"


HARMS: dict[Harm, str] = {
    corrupt: "restore a backup",
    cut_short: "restore a backup",
    no_ledger: "name another store",
    read_only: "read-only",
    older: "lacks 1 charged plans",
    unwitnessed: "accept-missing-witness",
}


@pytest.mark.parametrize("harm", HARMS)
def test_every_page_says_what_is_wrong_with_the_store_and_offers_nothing(
    bench: tuple[Service, PrivateTable], tmp_path: Path, harm: Harm, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench[0].ledger.close()
    monkeypatch.setenv("PMWPUB_STORE", harm(tmp_path / "ledger.sqlite3"))
    monkeypatch.setattr(services, "engine", InlineEngine)
    services.close()
    for page in PAGES if harm is corrupt else ("protect", "release"):
        app = arrive(page, Session(NAME, bench[1]), population=NAME)
        assert not app.exception
        assert HARMS[harm] in " ".join(error.value.replace("\\", "") for error in app.error)
        demos = {"Open the demo", "Open a survey with weights", "Open a survey of households"}
        assert {button.label for button in app.button} <= demos | {"Register", "Back", "Next"}
        assert not app.download_button
    demo = press(arrive("protect"), "Open the demo")
    assert not demo.exception
    assert HARMS[harm] in words(demo)
    services.close()


@pytest.mark.parametrize("harm", HARMS)
def test_every_command_says_what_is_wrong_with_the_store_and_ends_with_two(
    bench: tuple[Service, PrivateTable], tmp_path: Path, harm: Harm, capsys: pytest.CaptureFixture[str]
) -> None:
    bench[0].ledger.close()
    store = harm(tmp_path / "ledger.sqlite3")
    for command in (["show", NAME], ["register", "new", "--n", "5", "--epsilon", "1"]):
        assert main(["--store", store, "ledger", *command]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert HARMS[harm] in printed.err


def test_a_store_that_breaks_while_a_page_is_open_sells_nothing(
    bench: tuple[Service, PrivateTable], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger.sqlite3"
    bench[0].ledger.close()
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{path}")
    monkeypatch.setattr(services, "engine", InlineEngine)
    monkeypatch.setattr(mechanism_work, "release", lambda *_: pytest.fail("drawn from a broken store"))
    services.close()
    app = arrive("release", Session(NAME, bench[1]), population=NAME)
    assert any(button.label == "Buy this release" for button in app.button)
    services.service().ledger.close()
    kept = path.read_bytes()
    corrupt(path)
    buy(app, "Buy this release")
    assert not app.exception
    assert app.error
    assert "Nothing was released" in words(app)
    services.service().ledger.close()
    path.write_bytes(kept)
    with Ledger.open() as ledger:
        assert len(ledger.bookings(NAME)) == 1
    services.close()


def test_a_disk_that_fills_up_while_a_release_is_drawn_keeps_the_charge_and_shows_no_result(
    bench: tuple[Service, PrivateTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, private = bench
    engine = service.ledger._database._engine
    before = service.ledger.balance(NAME).spent
    real = mechanism_work.release

    def full(raw: sqlite3.Connection, _: object) -> None:
        raw.execute(f"PRAGMA max_page_count = {raw.execute('PRAGMA page_count').fetchone()[0]}")

    def drawn(payload: mechanism_work.ReleaseWork, progress: Progress) -> object:
        found = real(payload, progress)
        engine.dispose()
        event.listen(engine, "connect", full)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(mechanism_work, "release", drawn)
        outcome = release(service, private, "2")
    assert outcome.status == "no result"
    spent = service.ledger.balance(NAME).spent
    assert spent > before
    event.remove(engine, "connect", full)
    engine.dispose()
    monkeypatch.setattr(mechanism_work, "release", lambda *_: pytest.fail("drawn again"))
    again = release(service, private, "2")
    assert (again.status, again.fresh) == ("no result", False)
    assert service.ledger.balance(NAME).spent == spent
