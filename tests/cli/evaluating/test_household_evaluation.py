"""`evaluate` under a schema of households: a line a run and level, words for the rest, and pages."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from support.households import csv_of, homes, schema_text

from pmwpub.cli import main
from pmwpub.service.simulations.households.household_truths import LEVEL_WHOLES


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    Path(tmp_path, "schema.json").write_text(schema_text())
    Path(tmp_path, "t.csv").write_text(csv_of(homes(60, 1)))
    Path(tmp_path, "b.csv").write_text(csv_of(homes(50, 2, owning=0.2)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluate(capsys: pytest.CaptureFixture[str], *more: str, status: int = 0) -> Any:
    given = ("--schema", "schema.json", "--truth", "t.csv", "--public", "b.csv", "-k", "2", "--epsilons", "2,1")
    capsys.readouterr()
    assert main(["evaluate", *given, "--runs", "2", "-o", "errors.csv", *more]) == status
    said = capsys.readouterr()
    return said.err if status else json.loads(said.out) | {"stderr": said.err}


def lines(folder: Path) -> list[dict[str, str]]:
    with (folder / "errors.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_errors_of_persons_and_of_households_stand_beside_the_table_unchanged(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = evaluate(capsys, "--html", "page.html", "--floors")
    (floor,) = said["floors"]
    assert floor["candidate"] == "b.csv"
    assert 0 <= floor["lower"] <= floor["upper"] <= 1
    assert said["not_private"]
    assert (said["n"], said["unit"], said["runs"]) == (60, "household of at most 4 persons", 2 * (1 + 2))
    found = [(one["level"], one["method"], float(one["epsilon"])) for one in lines(folder)]
    runs = [(method, epsilon) for epsilon in (1.0, 2.0) for method in ("unchanged", "table-fit", "table-fit")]
    assert found == [(level, *run) for level in ("persons", "households", "combined") for run in runs]
    page = (folder / "page.html").read_text()
    assert page.count("<svg") == 3
    assert "A simulation, not private: t.csv played the private households (n = 60 of at most 4 persons)" in page
    assert "Tables of households: shares of all households" in page
    for whole in LEVEL_WHOLES.values():
        assert f"Errors in % of {whole[:20]}" in page
    assert "% of the rows" not in page


def test_what_no_release_may_be_is_not_simulated(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = evaluate(capsys, "--methods", "pmw-pub", "--rounds", "1001", status=2)
    assert "PMW^Pub of households has at most 1,000 rounds, in a simulation as in a release; 1,001 came." in said
    (folder / "t.csv").write_text(csv_of(homes(1, 1)))
    assert "a truth of at least 2 households, as a release does; it has 1." in evaluate(capsys, status=2)
    assert not (folder / "errors.csv").exists()


def test_what_takes_no_households_has_a_line_and_a_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = evaluate(capsys, "--methods", "unchanged,hdmm", "--html", "page.html")
    assert "pmwpub: hdmm at epsilon 1 did not run: HDMM (no rows) does not take households" in said["stderr"]
    left = [one for one in lines(folder) if one["did_not_run"]]
    assert [(one["level"], one["method"], one["max_error"]) for one in left] == [("", "hdmm", "")] * 2
    assert "HDMM (no rows) did not run: HDMM (no rows) does not take households" in (folder / "page.html").read_text()


@pytest.mark.parametrize("more", [["--floors", "--html", "p.html", "--theory"], ["--prefixes", "age"]])
def test_what_a_simulation_of_households_does_not_have_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    assert "households" in evaluate(capsys, *more, status=2)
    assert not (folder / "errors.csv").exists()
