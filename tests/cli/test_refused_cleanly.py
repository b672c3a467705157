"""Commands that are refused say why, buy nothing, and leave nothing behind."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.commands import Run, commands
from support.small_tables import write_table

from pmwpub.release.bundle import CERTIFICATE

GIVEN = ("--population", "P", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv", "-k", "2")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs commands in a folder with a private and a public table, their schema and a population."""
    write_table(tmp_path / "p.csv", 250, 0)
    write_table(tmp_path / "b.csv", 120, 1)
    command = commands(tmp_path, monkeypatch, capsys)
    command("schema", "draft", "b.csv", "-o", "schema.json")
    command("ledger", "register", "P", "--n", "250", "--epsilon", "3")
    return command


@pytest.mark.parametrize("engine", ["unchanged", "pmw-pub", "table-fit"])
@pytest.mark.parametrize("epsilon", ["nan", "garbage", "0", "-1", "1_0", "1e9"])
def test_what_is_no_epsilon_is_refused_whatever_the_engine(run: Run, engine: str, epsilon: str) -> None:
    for more in (("-o", "out"), ("--dry-run",)):
        run("release", *GIVEN, "--engine", engine, f"--epsilon={epsilon}", *more, status=2)
    assert not Path("out").exists()
    assert run("ledger", "show", "P")["charges"] == []


def test_what_is_no_number_is_refused_also_where_nothing_is_asked_of_it(run: Run) -> None:
    run("assess", *GIVEN, "--compare", "--epsilon", "garbage", status=2)
    run("assess", *GIVEN, "--expect", "1", "--epsilon", "garbage", status=2)


@pytest.mark.parametrize("place", ["out", "new/below/out"])
def test_a_refused_release_leaves_no_folder(run: Run, place: str) -> None:
    before = sorted(path.name for path in Path().iterdir())
    run("release", *GIVEN, "--epsilon", "99", "--engine", "table-fit", "-o", place, status=2)
    assert sorted(path.name for path in Path().iterdir()) == before


def test_a_folder_that_was_there_stays_with_what_lies_in_it(run: Run) -> None:
    Path("out").mkdir()
    Path("out/notes.txt").write_text("mine")
    run("release", *GIVEN, "--epsilon", "99", "--engine", "table-fit", "-o", "out/deeper", status=2)
    assert [path.name for path in Path("out").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    "command",
    [
        ("release", *GIVEN, "--epsilon", "1", "--engine", "table-fit", "--dry-run"),
        ("misfits", "--population", "P", "--schema", "schema.json", "--dry-run"),
        ("accept", "--population", "P", "--schema", "schema.json", "--release", "a" * 64, "--dry-run"),
    ],
    ids=lambda command: str(command[0]),
)
def test_a_dry_run_makes_no_ledger_where_there_is_none(run: Run, command: tuple[str, ...], tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    said = run("--store", f"sqlite:///{tmp_path}/other.sqlite3", *command, status=2)
    assert "no population is registered" in said
    assert sorted(tmp_path.iterdir()) == before


def test_a_dry_run_on_a_store_that_was_lost_says_so(run: Run, tmp_path: Path) -> None:
    """The witness knows of a population: to say that there is no ledger would be to say that nothing was spent."""
    run("release", *GIVEN, "--epsilon", "1", "--rounds", "2", "--free-table-acknowledged", "-o", "out")
    for name in tmp_path.glob("ledger.sqlite3*"):
        if name.is_file() and name.suffix != ".witness":
            name.unlink()
    said = run("release", *GIVEN, "--epsilon", "1", "--engine", "table-fit", "--dry-run", status=2)
    assert "no population is registered" not in said


@pytest.mark.parametrize(
    "argument",
    [
        "--population",
        "--schema",
        "--private",
        "--public",
        "--read",
        "--marginal",
        "--epsilon",
        "--criteria",
        "--count-on",
    ],
)
def test_an_argument_that_is_no_text_and_no_file_is_refused_in_words(run: Run, argument: str) -> None:
    half = os.fsdecode(b"caf\xe9")
    assert run("release", *GIVEN, "--epsilon", "1", "-o", "out", argument, half, status=2).startswith("pmwpub: ")
    assert run("ledger", "show", "P")["charges"] == []
    assert not Path("out").exists()


def test_what_is_asked_of_a_release_in_no_text_is_refused_in_words(run: Run) -> None:
    run("release", *GIVEN, "--epsilon", "1", "--engine", "table-fit", "--free-table-acknowledged", "-o", "out")
    half = os.fsdecode(b"caf\xe9")
    for asked in (("--marginal", half), ("--mean", half), ("--difference", f"sex={half}", "sex=F")):
        assert run("answer", "--release", "out", *asked, status=2).startswith("pmwpub: ")
    few = ("few-records", "--release", "out", "--public", "b.csv", "--columns", half)
    assert run(*few, status=2).startswith("pmwpub: ")


def edited(change: dict[str, Any]) -> None:
    """Change the certificate in the folder of a release."""
    place = Path("out", CERTIFICATE)
    place.write_text(json.dumps(json.loads(place.read_bytes()) | change))


@pytest.mark.parametrize("engine", [("--engine", "table-fit"), ("--rounds", "3")], ids=["table fit", "rounds"])
def test_a_folder_that_contradicts_itself_answers_nothing(run: Run, engine: tuple[str, ...]) -> None:
    run("release", *GIVEN, "--epsilon", "1", *engine, "--free-table-acknowledged", "-o", "out")
    few = ("few-records", "--release", "out", "--public", "b.csv", "--columns", "sex,job")
    asked = [("answer", "--release", "out", "--marginal", "sex"), few]
    asked += [("replicate-weights", "--release", "out", "-o", "w.csv")] if engine[1] == "table-fit" else []
    whole = Path("out", CERTIFICATE).read_bytes()
    for command in asked:
        run(*command)
    for change in ({"n": 2_500}, {"rows_per_person": 2}, {"rho": "0.500000000000000"}, {"epsilon": 0.5}):
        edited(change)
        for command in asked:
            assert "does not hold" in run(*command, status=2), (change, command)
        Path("out", CERTIFICATE).write_bytes(whole)
