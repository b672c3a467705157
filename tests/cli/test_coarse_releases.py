"""`release --ranges`: bought, checked, answered and made again; and certificates of it that were changed."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from pmwpub.cli import main
from pmwpub.release import checking, rebuild
from pmwpub.release.bundle import Bundle
from pmwpub.service.bought.noisy_answers import noisy_answers

Run = Callable[..., Any]
ROWS = 2_000
TOP = 40


def _table(rows: int, seed: int) -> str:
    rng = np.random.default_rng(seed)
    ages = np.minimum(rng.gamma(4.0, 3.0, rows).astype(int), TOP - 1)
    lines = [f"{'FM'[sex]},{age}" for sex, age in zip(rng.integers(2, size=rows), ages, strict=True)]
    return "\n".join(["sex,age", *lines]) + "\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    Path(tmp_path, "p.csv").write_text(_table(ROWS, 1))
    Path(tmp_path, "b.csv").write_text(_table(800, 2))
    schema = {
        "version": 2,
        "missing_tokens": [],
        "columns": [
            {"name": "sex", "kind": "categorical", "levels": ["F", "M"], "other": True},
            {"name": "age", "kind": "numeric", "edges": list(range(TOP + 1)), "outside": "clip", "other": True},
        ],
    }
    Path(tmp_path, "schema.json").write_text(json.dumps(schema))
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str, status: int = 0) -> Any:
        found = main(["--store", f"sqlite:///{tmp_path}/ledger.sqlite3", *arguments])
        output = capsys.readouterr()
        assert found == status, output.err
        return output.err if status else json.loads(output.out)

    command("ledger", "register", "P", "--n", str(ROWS), "--epsilon", "4")
    return command


def release(run: Run, *flags: str, out: str = "out", status: int = 0) -> Any:
    given = ("--population", "P", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv", "-k", "2")
    return run("release", *given, "--epsilon", "1", "-o", out, *flags, status=status)


def test_a_release_with_coarse_tables_is_checked_answered_and_made_again(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    found = release(run, "--ranges", "age")
    assert found["plan"]["ranges"] == {"columns": ["age"], "share": "1/4", "factor": 2}
    coarse = [table for table in found["tables"] if "merged" in table]
    assert [(table["columns"], table["merged"]) for table in coarse] == [(["age"], 2**power) for power in range(1, 6)]
    assert "coarse tables of ordered columns" in found["mechanism"]
    assert run("certificate", "check", "out")["holds"]
    assert rebuild.main(["b.csv", "--from", "out"]) == 0
    assert "DIFFERS" not in capsys.readouterr().out
    with Path("out", "tables.csv").open(newline="") as stream:
        lines = [line for line in csv.DictReader(stream) if int(line["table"]) > len(found["tables"]) - 2]
    assert [line["levels"] for line in lines] == [
        "[0, 1) to [15, 16)", "[16, 17) to [31, 32)", "[32, 33) to [39, 40]", "(other)",
        "[0, 1) to [31, 32)", "[32, 33) to [39, 40]", "(other)",
    ]  # fmt: skip
    listed = noisy_answers(Bundle(checking.read_folder(Path("out"))))
    assert [row[1:3] for row in listed.rows][-2:] == [
        ("age, each 16 levels merged", 4), ("age, each 32 levels merged", 3)
    ]  # fmt: skip
    private = pandas.read_csv("p.csv").age
    number = run("answer", "--release", "out", "--range", "age=8..24")["number"]
    assert 0 < number["high"] - number["low"] < 0.2
    assert abs(number["value"] - ((private >= 8) & (private < 24)).mean()) <= 1.5 * (number["high"] - number["low"])
    shares = run("answer", "--release", "out", "--marginal", "age")["cells"]
    assert all(cell["low"] <= cell["share"] <= cell["high"] for cell in shares)


def test_its_ranges_are_sharper_than_those_of_a_release_of_the_same_budget(run: Run) -> None:
    """Widths follow from public facts alone, so they are compared and not measured."""
    release(run, "--engine", "table-fit", out="plain")
    release(run, "--ranges", "age")
    widths = {}
    for out in ("plain", "out"):
        number = run("answer", "--release", out, "--range", "age=8..24")["number"]
        widths[out] = number["high"] - number["low"]
    assert widths["out"] < 0.85 * widths["plain"]


@pytest.mark.parametrize(
    "edit",
    [
        lambda body: body["tables"].pop(),
        lambda body: body["tables"][-1].update(merged=4),
        lambda body: body["tables"][-1].pop("merged"),
        lambda body: body["tables"][-1].update(scale="1/2"),
        lambda body: body.update(mechanism=body["mechanism"].replace(" and on coarse tables of ordered columns", "")),
        lambda body: body["plan"].pop("ranges"),
        lambda body: body["plan"]["ranges"].update(share="1/2"),
    ],
    ids=["a table less", "other cells", "no coarse table", "less noise", "other words", "no such plan", "other share"],
)
def test_a_changed_certificate_is_found(run: Run, edit: Callable[[dict[str, Any]], object]) -> None:
    release(run, "--ranges", "age")
    path = Path("out", "certificate.json")
    body = json.loads(path.read_text())
    edit(body)
    path.write_text(json.dumps(body, indent=1) + "\n")
    run("certificate", "check", "out", status=2)


def test_changed_coarse_cells_are_found(run: Run) -> None:
    release(run, "--ranges", "age")
    path = Path("out", "tables.csv")
    lines = path.read_text().splitlines()
    cells = lines[-1].split(",")
    path.write_text("\n".join([*lines[:-1], ",".join([*cells[:3], str(int(cells[3]) + 1), cells[4]])]) + "\n")
    run("certificate", "check", "out", status=2)
    assert "tables.csv" in run("answer", "--release", "out", "--range", "age=8..24", status=2)


def test_what_cannot_be_merged_is_refused_before_anything_is_charged(run: Run) -> None:
    for flags, words in (
        (["--ranges", "sex"], "ordered columns with more than 2 levels"),
        (["--ranges", "town"], "no attribute 'town'"),
        (["--ranges", "age", "--engine", "pmw-pub"], "table-fit alone"),
        (["--ranges", "age", "--grow"], "without added rows"),
        (["--ranges", "age", "--three-way"], "without added rows"),
    ):
        assert words in release(run, *flags, status=2), flags
    assert run("ledger", "show", "P")["charges"] == []


def test_what_it_would_cost_is_said_before(run: Run) -> None:
    given = ("--population", "P", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv", "-k", "2")
    planned = run("release", *given, "--epsilon", "1", "--ranges", "age", "--dry-run")
    plain = run("release", *given, "--epsilon", "1", "--engine", "table-fit", "--dry-run")
    assert planned["price"] == plain["price"]
    assert planned["noise"]["rows"] > plain["noise"]["rows"]
    assert planned["plan"] == release(run, "--ranges", "age")["plan_sha256"]


def test_a_plan_without_coarse_tables_says_nothing_of_them(run: Run) -> None:
    found = release(run, "--engine", "table-fit")
    assert "ranges" not in found["plan"]
    assert all("merged" not in table for table in found["tables"])
