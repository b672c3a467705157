"""Weights in `schema draft` and `schema weights`: offered, declared, and their caps compared before there is one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pmwpub.cli import main

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    lines = ["sex,weight", *(f"{'FM'[place % 2]},{10 + place % 40}" for place in range(80))]
    Path(tmp_path, "b.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str, status: int = 0) -> Any:
        found = main(["--store", f"sqlite:///{tmp_path}/ledger.sqlite3", *arguments])
        output = capsys.readouterr()
        assert found == status, output.err
        return output.err if status else json.loads(output.out)

    return command


def column(path: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(Path(path).read_text())["columns"][1]
    return found


def test_a_draft_offers_the_flag_that_weighs_rows_and_follows_it(run: Run) -> None:
    (left,) = run("schema", "draft", "b.csv", "-o", "d.json")["left_out"]
    assert left["remedies"][0] == "--weight weight=45:1:all"
    run("schema", "draft", "b.csv", *left["remedies"][0].split(), "-o", "d.json")
    assert column("d.json") == {"name": "weight", "kind": "weight", "cap": "45", "unit": "1", "weighs": "all"}
    run("schema", "draft", "b.csv", "--weight", "weight=40:2:2000", "-o", "d.json")
    assert column("d.json") == {"name": "weight", "kind": "weight", "cap": "40", "unit": "2", "total": "2000"}
    assert "whole units" in run("schema", "draft", "b.csv", "--weight", "weight=40:3", "-o", "d.json", status=2)


def test_caps_are_compared_before_the_schema_has_one(run: Run) -> None:
    run("schema", "draft", "b.csv", "--kind", "weight=weight", "-o", "d.json")
    found = run("schema", "weights", "b.csv", "--schema", "d.json")
    assert found["column"] == "weight"
    assert found["proposed"] == {"cap": "45", "unit": "1", "flag": "--weight weight=45:1:all"}
    caps = found["files"][0]["caps"]
    assert [one["cap"] for one in caps] == [29, 39, 45, 47, 49]
    assert [one["weight_clipped"] for one in caps] == sorted((one["weight_clipped"] for one in caps), reverse=True)
    assert caps[-1]["rows_above"] == 0
    assert caps[2]["rows_above"] == pytest.approx(4 / 40)
    total = 2 * (sum(range(10, 46)) + 4 * 45)
    assert caps[2]["average_rows"] == pytest.approx(45 * 80 / total)
    run("schema", "draft", "b.csv", "--weight", "weight=45:1", "-o", "d.json")
    weighed = run("schema", "weights", "b.csv", "--schema", "d.json")
    assert [one["cap"] for one in weighed["files"][0]["caps"]] == [22.5, 45, 90]


@pytest.mark.parametrize("written", [["1e308"], ["1e-300", "1e300"]])
def test_weights_that_propose_no_cap_are_told_why(run: Run, tmp_path: Path, written: list[str]) -> None:
    run("schema", "draft", "b.csv", "--kind", "weight=weight", "-o", "d.json")
    assert "why" not in run("schema", "weights", "b.csv", "--schema", "d.json")
    lines = ["sex,weight", *(f"{'FM'[place % 2]},{written[place % len(written)]}" for place in range(80))]
    Path(tmp_path, "b.csv").write_text("\n".join(lines) + "\n")
    found = run("schema", "weights", "b.csv", "--schema", "d.json")
    assert (found["files"], found["proposed"]) == ([{"file": "b.csv", "caps": []}], None)
    assert "a schema takes caps and units from 10^-12 to 10^15" in found["why"]


def test_a_column_that_the_schema_does_not_know_is_named(run: Run) -> None:
    run("schema", "draft", "b.csv", "-o", "d.json")
    assert "--column NAME" in run("schema", "weights", "b.csv", "--schema", "d.json", status=2)
    found = run("schema", "weights", "b.csv", "--schema", "d.json", "--column", "weight", "--cap", "45")
    assert found["files"][0]["caps"][0]["cap"] == 45
    assert "no column 'v'" in run("schema", "weights", "b.csv", "--schema", "d.json", "--column", "v", status=2)
