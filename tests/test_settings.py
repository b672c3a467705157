"""What the environment sets is one of the program's own settings, or it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pmwpub.cli import main
from pmwpub.errors import SettingRefused
from pmwpub.service import Policy
from pmwpub.settings import NAMES, Settings, switch, witness

ROOT = Path(__file__).resolve().parents[1]


def test_without_a_word_everything_has_its_default() -> None:
    assert Settings.declared({"LANG": "C"}) == Settings()
    assert Settings.declared(dict.fromkeys(NAMES, "")) == Settings()


def test_each_setting_is_read() -> None:
    given = {
        "PMWPUB_WORKERS": "4",
        "PMWPUB_QUEUE": "30",
        "PMWPUB_QUEUE_PAID": "7",
        "PMWPUB_QUEUE_SESSION": "2",
        "PMWPUB_WORKER_MEMORY": "2048",
        "PMWPUB_SIMULATED_ROWS": "1000",
        "PMWPUB_DASK": "tcp://cluster.example:8786",
    }
    assert Settings.declared(given) == Settings(4, 30, 7, 2, 2048, 1000, "tcp://cluster.example:8786")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PMWPUB_WORKERS", "two"),
        ("PMWPUB_WORKERS", "0"),
        ("PMWPUB_WORKERS", "-1"),
        ("PMWPUB_WORKERS", "1e2"),
        ("PMWPUB_WORKERS", "٤"),
        ("PMWPUB_WORKERS", " 2"),
        ("PMWPUB_QUEUE", "1001"),
        ("PMWPUB_QUEUE_PAID", "20"),
        ("PMWPUB_QUEUE_SESSION", "none"),
        ("PMWPUB_WORKER_MEMORY", "1"),
        ("PMWPUB_SIMULATED_ROWS", "99999999999"),
        ("PMWPUB_DASK", "here"),
        ("PMWPUB_DASK", "http://cluster:8786"),
        ("PMWPUB_WITNESS", "witness.txt"),
        ("PMWPUB_VIEWERS_ONLY", "true"),
        ("PMWPUB_VIEWERS_ONLY", "01"),
        ("PMWPUB_MODE", "Shared"),
        ("PMWPUB_VIEWER_ONLY", "1"),
        ("PMWPUB_WORKER", ""),
        ("pmwpub_viewers_only", "1"),
    ],
)
def test_a_value_or_a_name_that_is_none_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingRefused, match=name):
        Policy.declared("localhost", {name: value})


def test_a_switch_and_a_witness_are_read() -> None:
    assert [switch({"A": value}, "A") for value in ("", "0", "1")] == [False, False, True]
    assert witness({}) is None
    assert witness({"PMWPUB_WITNESS": "/elsewhere/witness"}) == Path("/elsewhere/witness")


def test_the_command_line_refuses_a_misspelt_setting_before_it_does_anything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PMWPUB_STOR", "sqlite:////elsewhere")
    assert (
        main(["--store", f"sqlite:///{tmp_path}/new.sqlite3", "ledger", "register", "a", "--n", "9", "--epsilon", "1"])
        == 2
    )
    assert "PMWPUB_STOR" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_page_for_operators_says_what_each_setting_is() -> None:
    page = (ROOT / "docs" / "operating.md").read_text()
    assert [name for name in NAMES if f"| `{name}` |" not in page] == []
