"""`evaluate` under a schema that weighs rows: the truth's own weights, and words where a method takes none."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from pmwpub.cli import main

COLUMNS = [
    {"name": "sex", "kind": "categorical", "levels": ["F", "M"]},
    {"name": "age", "kind": "ordered", "levels": ["0", "1"]},
]
METHODS = "unchanged,pmw-pub,table-fit,hdmm,mwem"


def schema(**weight: object) -> str:
    column = {"name": "w", "kind": "weight"} | weight
    return json.dumps({"version": 2, "missing_tokens": [], "columns": [*COLUMNS, column]})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The truth: 60 women of age 0 of weight 1, 20 men of age 1 of weight 9, that is 4; public: half and half."""
    truth = ["F,0,1"] * 60 + ["M,1,9"] * 20
    Path(tmp_path, "t.csv").write_text("\n".join(["sex,age,w", *truth]) + "\n")
    Path(tmp_path, "b.csv").write_text("\n".join(["sex,age", *["F,0"] * 30, *["M,1"] * 30]) + "\n")
    Path(tmp_path, "schema.json").write_text(schema(cap=4, unit=0.5))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluate(capsys: pytest.CaptureFixture[str], *more: str, status: int = 0) -> Any:
    given = ("--schema", "schema.json", "--truth", "t.csv", "--public", "b.csv", "-k", "2", "--epsilons", "2")
    capsys.readouterr()
    assert main(["evaluate", *given, "--rounds", "3", "--runs", "2", "-o", "errors.csv", *more]) == status
    said = capsys.readouterr()
    return said.err if status else json.loads(said.out) | {"stderr": said.err}


def lines(folder: Path) -> list[dict[str, str]]:
    with (folder / "errors.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_errors_are_of_shares_of_weight_and_the_answer_says_how_rows_were_weighed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = evaluate(capsys, "--methods", "unchanged", "--floors")
    # 60 of weight 1 and 20 of weight 4 are 140: 280 units of a half, and men are 4/7 of them, where the public table
    # has a half.
    assert said["not_private"]
    assert (said["n"], said["weights"]) == (80, {"column": "w", "cap": 8, "unit": "0.5", "total": 280})
    assert "shares are of 140, the sum of the weights of the table that plays the private one" in said["weighed"]
    (line,) = lines(folder)
    assert float(line["max_error"]) == pytest.approx(4 / 7 - 1 / 2)
    (floor,) = said["floors"]
    assert floor["lower"] == 0


def test_a_method_that_takes_no_weights_says_so_in_file_page_and_command(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = evaluate(capsys, "--methods", METHODS, "--html", "page.html")
    found = {line["method"]: line for line in lines(folder)}
    assert set(found) == set(METHODS.split(","))
    page = (folder / "page.html").read_text()
    for method, label in (("hdmm", "HDMM (no rows)"), ("mwem", "MWEM")):
        assert f"{label} does not take weights" in found[method]["did_not_run"]
        assert (found[method]["max_error"], found[method]["candidate"]) == ("", "")
        assert f"{label} does not take weights" in page
        assert f"pmwpub: {method} at epsilon 2 did not run: {label} does not take weights" in said["stderr"]
    assert {one["method"] for one in said["refused"]} == {"hdmm", "mwem"}
    for method in ("unchanged", "pmw-pub", "table-fit"):
        assert (found[method]["did_not_run"], float(found[method]["max_error"]) > 0) == ("", True)
    assert "Rows count as their survey weight (w)" in page
    assert "(n = 80)" in page
    assert "% of the total weight" in page
    assert "% of the rows" not in page


def test_rows_of_weight_one_under_a_cap_of_one_give_the_very_file_of_rows_without_weights(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    methods = ("--methods", "unchanged,pmw-pub,table-fit,table-fit-grown")
    (folder / "schema.json").write_text(schema())
    evaluate(capsys, *methods)
    plain = lines(folder)
    for cap, unit in ((1, 1), (2, 2)):  # one unit each, whatever a unit is
        truth = [f"F,0,{cap}"] * 60 + [f"M,1,{cap}"] * 20
        (folder / "t.csv").write_text("\n".join(["sex,age,w", *truth]) + "\n")
        (folder / "schema.json").write_text(schema(cap=cap, unit=unit))
        evaluate(capsys, *methods)
        assert [{key: one[key] for key in plain[0]} for one in lines(folder)] == plain


def test_a_truth_without_weights_is_refused_and_a_stopped_command_of_other_weights_is_not_taken_up(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pmwpub.cli.evaluate_journal import Journal

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "close", lambda journal: None)
        evaluate(capsys, "--methods", "unchanged")
    assert evaluate(capsys, "--methods", "unchanged")["resumed"] == 1
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "close", lambda journal: None)
        evaluate(capsys, "--methods", "unchanged")
    (folder / "schema.json").write_text(schema(cap=8, unit=0.5))
    assert evaluate(capsys, "--methods", "unchanged")["resumed"] == 0
    bare = [line.rsplit(",", 1)[0] for line in (folder / "t.csv").read_text().splitlines()]
    (folder / "t.csv").write_text("\n".join(bare) + "\n")
    assert "t.csv, which plays the private table, has no such column" in evaluate(capsys, status=2)
