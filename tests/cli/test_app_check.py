"""`app --check`: what a server would stand on is tried once, and what it cannot stand on is said in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pmwpub.cli import main
from pmwpub.jobs import Engine
from pmwpub.service import server_parts


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "ledger.sqlite"
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{place}")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[1]))  # workers find the tests' tasks
    return place


def _workers(task: str) -> Callable[[], Engine]:
    return lambda: Engine(1, tasks={"warm": f"jobs.ready_tasks:{task}"})


def _said(capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = main(["app", "--check"])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_it_says_what_it_found_and_starts_no_server(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(server_parts, "worker_processes", _workers("good"))
    monkeypatch.setenv("PMWPUB_MODE", "shared")
    status, out, err = _said(capsys)
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert {name: found[name] for name in ("ready", "store", "witness", "workers", "warm")} == dict.fromkeys(
        ("ready", "store", "witness", "workers", "warm"), True
    )
    assert found["mode"] == "shared"
    assert found["versions"]["pmwpub"]


def test_work_that_breaks_off_on_made_up_rows_is_said_in_words(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(server_parts, "worker_processes", _workers("no_memory"))
    status, out, err = _said(capsys)
    assert (status, out) == (2, "")
    assert "the same on made-up rows broke off" in err


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("PMWPUB_STORE", "sqlite:////nowhere/ledger.sqlite", "cannot be made"),
        ("PMWPUB_WITNESS", "/nowhere/witness", "witness"),
        ("PMWPUB_WORKER", "2", "is no setting"),
    ],
)
def test_what_cannot_be_opened_or_is_no_setting_is_refused_before_a_worker_starts(
    name: str, value: str, words: str, store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(server_parts, "worker_processes", lambda: pytest.fail("a worker was started"))
    monkeypatch.setenv(name, value)
    status, out, err = _said(capsys)
    assert (status, out) == (2, "")
    assert words in err
