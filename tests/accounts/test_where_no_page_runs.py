"""Where no page runs: a thread is nobody unless it declares who acts, and what was paid for is stored all the same."""

from __future__ import annotations

import ast
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from jobs.conftest import engines, importable
from jobs.waiting import PATIENCE
from ledger.terms import charge, key, people
from streamlit.runtime.secrets import AttrDict

from pmwpub.accounts.account_rules import AccountRules
from pmwpub.accounts.acting import acting_as
from pmwpub.accounts.people import SignIn, Standing, Visitor
from pmwpub.errors import UnknownPopulation
from pmwpub.jobs import Engine, InlineEngine
from pmwpub.ledger import Ledger
from pmwpub.service import Policy, Service
from pmwpub.ui.app import deferring, signing_in
from pmwpub.ui.app.deferring import at_download
from pmwpub.ui.app.signing_in import sign_in_of, visitor
from pmwpub.ui.server import serving

__all__ = ["engines", "importable"]
ROOT = Path(__file__).resolve().parents[2]
RULES = AccountRules.declared({"PMWPUB_ACCOUNTS_CLAIM": "roles"})


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A store of a server with accounts that holds population "A"."""
    with Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as opened:
        opened.register(people("A"))
        opened.visited_by(partial(visitor, RULES))
        yield opened


def in_a_thread(call: Callable[[], object]) -> object:
    """What a call returns in a thread of its own."""
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(call()))
    thread.start()
    thread.join()
    return found[0]


def test_a_thread_that_declares_nothing_is_nobody(ledger: Ledger) -> None:
    assert in_a_thread(lambda: visitor(RULES)) == Visitor()
    assert in_a_thread(lambda: ([one.name for one in ledger.populations()], ledger.works("A"))) == ([], False)
    with acting_as(None):
        assert [one.name for one in ledger.populations()] == ["A"]
        assert in_a_thread(ledger.populations) == [], "a declaration is its own thread's"
    assert ledger.populations() == []


def test_without_accounts_every_thread_is_the_program() -> None:
    assert in_a_thread(lambda: visitor(None)) is None


def test_what_was_paid_for_is_stored_and_what_was_stopped_recorded_though_nobody_is_here_any_more(
    ledger: Ledger, engines: Callable[..., Engine]
) -> None:
    engine = engines()
    with acting_as(None):
        made, stopped = (ledger.book("A", key(one), "{}", [charge(1)]) for one in ("made", "stopped"))

    def store(result: object) -> None:
        ledger.put_document("A", "beside", "k", b"public")
        ledger.finish(made.id, b"%d" % result)  # type: ignore[str-bytes-safe]

    seen: list[list[str]] = []

    def void(reason: object) -> None:
        seen.append([one.name for one in ledger.populations()])
        ledger.void(stopped.id)

    job = engine.submit("total", [20, 22], key="made", on_done=store, on_failed=lambda reason: None)
    assert job.wait(PATIENCE)
    waits = engine.submit("endless", None, key="stopped", on_done=lambda result: None, on_failed=void)
    assert engine.cancel("stopped")
    assert waits.wait(PATIENCE)
    with acting_as(None):
        assert ledger.result(made.id) == b"42"
        assert ledger.document("A", "beside", "k") == b"public"
        assert [one.status for one in ledger.bookings("A")] == ["done", "no result"]
    assert seen == [["A"]]


def test_the_server_s_own_threads_ask_as_the_program(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Visitor | None] = []

    def found(own: Service) -> dict[str, bool]:
        asked.append(visitor(RULES))
        return {"store": True}

    monkeypatch.setattr(serving, "service", lambda: Service(ledger, InlineEngine()))
    monkeypatch.setattr(serving.server_parts, "readiness", found)
    assert in_a_thread(serving.readiness) == {"store": True}
    assert asked == [None]


class Here:
    """The person of a run of a page, on a server with accounts."""

    def __init__(self, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
        now = int(time.time())
        said = {"iss": "https://x", "sub": "sub-Vic", "aud": "c", "email": "Vic", "roles": ["viewer"], "iat": now - 60}
        self.claims: dict[str, object] = said | {"exp": now + 600, "is_logged_in": True, "provider": "default"}
        monkeypatch.setattr(signing_in, "get_secrets_auth_section", lambda: AttrDict({"client_id": "c"}))
        monkeypatch.setattr(deferring, "policy", lambda: Policy(accounts=RULES))
        monkeypatch.setattr(deferring, "service", lambda: Service(ledger, InlineEngine()))
        monkeypatch.setattr(deferring.st, "user", SimpleNamespace(to_dict=lambda: dict(self.claims)))

    @property
    def sign_in(self) -> SignIn:
        assert RULES is not None
        found = sign_in_of(RULES, self.claims)
        assert found is not None
        return found


@pytest.fixture
def here(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> Here:
    """Vic, who looks on at "A"."""
    made = Here(ledger, monkeypatch)
    with acting_as(Visitor(made.sign_in)):
        ledger.admit()
    with acting_as(None):
        ledger.put_document("A", "leaflet", "k", b"public")
        ledger.enter_member("A", made.sign_in.account, Standing.VIEWER)
    return made


def leaflet(ledger: Ledger) -> Callable[[], bytes]:
    """The file of a page that stands open: what makes it reads the store."""
    return at_download("A", lambda: ledger.document("A", "leaflet", "k"))


def test_a_file_made_at_a_download_is_made_for_the_person_of_the_page(ledger: Ledger, here: Here) -> None:
    assert in_a_thread(leaflet(ledger)) == b"public"


@pytest.mark.parametrize("ends", ["put out", "signed out"])
def test_an_open_page_makes_no_file_for_somebody_who_is_put_out_or_signed_out(
    ledger: Ledger, here: Here, ends: str
) -> None:
    reads, computes = leaflet(ledger), at_download("A", lambda: b"of what the page holds")
    with acting_as(None):
        if ends == "put out":
            ledger.enter_member("A", here.sign_in.account, Standing.NONE)
        else:
            ledger.sign_out(here.sign_in)
    for make in (reads, computes):
        with pytest.raises(UnknownPopulation):
            make()


def test_an_open_page_makes_no_file_once_the_sign_in_has_ended(
    ledger: Ledger, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, later = leaflet(ledger), time.time() + 10_000
    monkeypatch.setattr(signing_in.time, "time", lambda: later)
    with pytest.raises(UnknownPopulation):
        make()


def test_every_file_that_a_page_makes_at_a_download_is_made_so() -> None:
    """Bytes may stand in a page; what is called later is handed over by `at_download` alone."""
    loose = []
    for path in (*(ROOT / "pmwpub" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "download_button":
                given = [*node.args, *(one.value for one in node.keywords if one.arg == "data")]
                loose += [(path.name, one.lineno) for one in given if _is_called(one)]
    assert loose == []


def _is_called(given: ast.expr) -> bool:
    """Whether an argument is a lambda, a method such as `schema.to_json`, or what `partial` makes."""
    if isinstance(given, ast.Call):
        return getattr(given.func, "id", "") == "partial"
    return isinstance(given, ast.Lambda) or (isinstance(given, ast.Attribute) and given.attr.startswith("to_"))
