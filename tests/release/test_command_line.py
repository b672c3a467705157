"""The command line around a finished release: its files, their check, and its charged error."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.small_tables import write_table

from pmwpub.cli import main
from pmwpub.release import rebuild

Command = Callable[..., Any]


@pytest.fixture
def pmwpub(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in a folder with a schema, a private and a public table; JSON, or words where it is refused."""

    def run(*arguments: str, status: int = 0) -> Any:
        found = main(["--store", f"sqlite:///{tmp_path}/ledger.sqlite3", *arguments])
        output = capsys.readouterr()
        assert found == status, output.err
        return output.err if status else json.loads(output.out)

    write_table(tmp_path / "p.csv", 250, 0)
    write_table(tmp_path / "b.csv", 120, 1)
    run("schema", "draft", str(tmp_path / "b.csv"), "-o", str(tmp_path / "schema.json"))
    run("ledger", "register", "P", "--n", "250", "--epsilon", "3")
    return run


@pytest.fixture
def steward(tmp_path: Path) -> list[str]:
    """What every command that touches the private table begins with."""
    return ["--population", "P", "--schema", str(tmp_path / "schema.json"), "--private", str(tmp_path / "p.csv")]


@pytest.fixture
def released(pmwpub: Command, steward: list[str], tmp_path: Path) -> Any:
    return pmwpub(
        "release", *steward, "--public", str(tmp_path / "b.csv"), "-k", "2", "--epsilon", "1", "--rounds", "4",
        "--cells", "numbers", "-o", str(tmp_path / "out"),
    )  # fmt: skip


def test_a_release_writes_all_its_files_and_they_check_and_rebuild(
    pmwpub: Command, released: Any, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert {path.name for path in out.iterdir()} == {
        "synthetic.csv", "weights.csv", "schema.json", "measurements.csv", "report.html", "rebuild.py",
        "certificate.json", "analyst.ipynb",
    }  # fmt: skip
    for name, expected in released["files"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == expected
    found = pmwpub("certificate", "check", str(out))
    assert any("epsilon of this release" in statement for statement in found["holds"])
    assert any("rebuild.py" in words for words in found["not_checked"])
    assert rebuild.main([str(tmp_path / "b.csv"), "--from", str(out)]) == 0
    assert "," in (out / "synthetic.csv").read_text()
    assert "[" not in (out / "synthetic.csv").read_text()


def test_where_no_notebook_can_be_made_all_else_is_written_and_the_command_says_so(
    pmwpub: Command, released: Any, steward: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["--public", str(tmp_path / "b.csv"), "-k", "2", "--epsilon", "1", "--rounds", "4", "--cells", "numbers"]
    monkeypatch.setitem(sys.modules, "nbformat", None)
    found = pmwpub("release", *steward, *asked, "-o", str(tmp_path / "again"))
    assert "lacking" not in released
    assert found["lacking"] == "analyst.ipynb could not be made. Nothing else is missing for that."
    assert (found["files"], found["stored_earlier"]) == (released["files"], True)
    assert not (tmp_path / "again" / "analyst.ipynb").exists()


def test_a_signature_stays_beside_the_certificate_that_it_signs_and_beside_no_other(
    pmwpub: Command, released: Any, steward: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, key = tmp_path / "out", str(tmp_path / "key.pem")
    asked = ["--public", str(tmp_path / "b.csv"), "-k", "2", "--epsilon", "1", "--rounds", "4", "--cells", "numbers"]
    pmwpub("certificate", "keygen", "-o", key)
    pmwpub("certificate", "sign", str(out), "--key", key)
    signature = (out / "certificate.sig").read_bytes()
    pmwpub("release", *steward, *asked, "-o", str(out))
    assert (out / "certificate.sig").read_bytes() == signature
    assert (
        main(
            [
                "--store",
                f"sqlite:///{tmp_path}/ledger.sqlite3",
                "release",
                *steward,
                *asked,
                "--rows",
                "30",
                "-o",
                str(out),
            ]
        )
        == 0
    )
    assert "certificate.sig was taken away" in capsys.readouterr().err
    assert not (out / "certificate.sig").exists()
    pmwpub("certificate", "check", str(out))


def test_a_changed_folder_fails_the_check_in_words(pmwpub: Command, released: Any, tmp_path: Path) -> None:
    (tmp_path / "out" / "weights.csv").write_text("changed")
    words = pmwpub("certificate", "check", str(tmp_path / "out"), status=2)
    assert "weights.csv has the hash" in words
    assert "certificate.json" in pmwpub("certificate", "check", str(tmp_path), status=2)


def test_an_error_is_bought_by_folder_or_plan_once_and_says_what_it_cost(
    pmwpub: Command, steward: list[str], released: Any, tmp_path: Path
) -> None:
    by_folder = pmwpub("error", *steward, "--release", str(tmp_path / "out"), "--epsilon", "0.5")
    assert by_folder["error_low"] <= by_folder["error_high"]
    assert (by_folder["confidence"], by_folder["epsilon"], by_folder["stored_earlier"]) == (0.95, 0.5, False)
    assert by_folder["spent"]["rho"] == pytest.approx(0.125, rel=1e-9)
    by_plan = pmwpub("error", *steward, "--release", released["plan_sha256"], "--epsilon", "1/2")
    assert by_plan["error"] == by_folder["error"]
    assert (by_plan["spent"]["rho"], by_plan["stored_earlier"]) == (0, True)
    (_, charge) = pmwpub("ledger", "show", "P")["charges"]
    assert charge["purpose"] == f"error of release {released['plan_sha256'][:12]}, draw 1"
    assert charge["rho"] == pytest.approx(0.125, rel=1e-9)


def test_errors_of_what_is_no_release_or_too_dear_are_refused_uncharged(
    pmwpub: Command, steward: list[str], released: Any, tmp_path: Path
) -> None:
    known = ["error", *steward, "--release", str(tmp_path / "out")]
    before = pmwpub("ledger", "show", "P")["charges"]
    assert "left" in pmwpub(*known, "--epsilon", "9", status=2)
    for epsilon in ("0", "-1", "many"):
        assert pmwpub(*known, "--epsilon", epsilon, status=2)
    assert "release" in pmwpub("error", *steward, "--release", "0" * 64, "--epsilon", "1", status=2)
    assert pmwpub("error", *steward, "--release", "nonsense", "--epsilon", "1", status=2)
    assert pmwpub("error", *steward, "--release", released["plan_sha256"], "--draw", "1", "--epsilon", "1", status=2)
    (tmp_path / "out" / "weights.csv").write_text("changed")
    assert "weights.csv" in pmwpub(*known, "--epsilon", "0.1", status=2)
    assert pmwpub("ledger", "show", "P")["charges"] == before


def test_without_an_engine_the_advised_one_is_taken_and_said_and_a_second_time_what_is_stored(
    pmwpub: Command, steward: list[str], tmp_path: Path
) -> None:
    asked = ["release", *steward, "--public", str(tmp_path / "b.csv"), "-k", "2", "--epsilon", "1"]
    first = pmwpub(*asked, "-o", str(tmp_path / "out"))
    assert first["engine"] == "table-fit"
    assert "a fixed default. No other public table" in first["engine_chosen"]
    again = pmwpub(*asked, "-o", str(tmp_path / "again"))
    assert again["stored_earlier"] is True
    assert "was bought before, by table fit" in again["engine_chosen"]
    assert again["charge_id"] == first["charge_id"]
    rounds = pmwpub(*asked, "--rounds", "3", "-o", str(tmp_path / "rounds"))
    assert "engine_chosen" not in rounds
    assert rounds["rounds"] == 3


def test_other_public_tables_of_the_ledger_play_the_private_one_before_a_release(
    pmwpub: Command, steward: list[str], tmp_path: Path
) -> None:
    """The tables that an assessment named are known to the ledger, and the release is advised by what they would do."""
    write_table(tmp_path / "c.csv", 120, 2)
    public = ["--public", str(tmp_path / "b.csv"), "--public", str(tmp_path / "c.csv")]
    pmwpub("assess", *steward, *public, "-k", "2", "--epsilon", "0.05")
    asked = ["release", *steward, *public[:2], "-k", "2", "--epsilon", "1", "-o", str(tmp_path / "out")]
    found = pmwpub(*asked)
    assert "in which c.csv played the private table" in found["engine_chosen"]
    assert pmwpub(*asked)["files"] == found["files"]


def test_a_public_table_unchanged_is_released_without_a_charge(
    pmwpub: Command, steward: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    asked = [
        "release", *steward, "--public", str(tmp_path / "b.csv"), "-k", "2", "--epsilon", "1",
        "--engine", "unchanged", "-o", str(out),
    ]  # fmt: skip
    found = pmwpub(*asked)
    assert (found["engine"], found["epsilon"], found["spent"]["rho"]) == ("unchanged", 0, 0)
    assert "charge_id" not in found
    assert pmwpub("ledger", "show", "P")["charges"] == []
    assert {path.name for path in out.iterdir()} == {
        "synthetic.csv", "weights.csv", "schema.json", "report.html", "rebuild.py", "certificate.json", "analyst.ipynb",
    }  # fmt: skip
    assert any("rho" in statement for statement in pmwpub("certificate", "check", str(out))["holds"])
    assert pmwpub(*asked)["stored_earlier"] is True
    assert "no draws" in pmwpub(*asked, "--repeat", "1", status=2)
    assert "no release was bought" in pmwpub("error", *steward, "--release", str(out), "--epsilon", "1", status=2)
    assert rebuild.main([str(tmp_path / "b.csv"), "--from", str(out)]) == 0
