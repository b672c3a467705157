"""`release --criteria` and `accept`: the price for nothing, the verdicts at their price, refusals in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import Run, commands
from support.small_tables import write_table

from pmwpub.ledger import Ledger

COMMON = ("--population", "P", "--schema", "schema.json")
RELEASE = ("release", *COMMON, "--private", "p.csv", "--public", "b.csv", "-k", "2", "--epsilon", "1")
CRITERIA = [
    {"kind": "largest", "within": "0.2"},
    {"kind": "mean", "column": "age", "low": "0", "high": "100", "within": "0.5"},
]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs commands in a folder with a private and a public table of one law, and criteria."""
    write_table(tmp_path / "b.csv", 300, 1)
    write_table(tmp_path / "p.csv", 2_000, 2)
    (tmp_path / "c.json").write_text(json.dumps(CRITERIA))
    command = commands(tmp_path, monkeypatch, capsys)
    command("schema", "draft", "b.csv", "-o", "schema.json")
    command("ledger", "register", "P", "--n", "2000", "--epsilon", "3")
    return command


def documents() -> dict[str, list[bytes]]:
    """What stands in the store of the population's schema, workload and candidates, every version of it."""
    with Ledger.open(f"sqlite:///{Path.cwd()}/ledger.sqlite3") as ledger:
        return {
            kind: [
                body for one in ledger.documents("P", kind) for _, body in ledger.document_versions("P", kind, one.key)
            ]
            for kind in ("schema", "workload", "candidate", "candidate-note")
        }


def test_criteria_stand_in_the_plan_and_verdicts_are_bought(run: Run) -> None:
    before = run(*RELEASE, "--criteria", "c.json", "--dry-run", "--engine", "table-fit")
    # The bar is 400 rows, half of it 1.96 sigma: rho = (1.96/200)^2/2, but for whole steps.
    assert before["acceptance"]["price"]["rho"] == pytest.approx((1.96 / 200) ** 2 / 2, rel=0.01)
    assert before["acceptance"]["price_known_later"] == ["the mean of age, clipped to 0 to 100, within 50 %"]
    released = run(*RELEASE, "--criteria", "c.json", "--engine", "table-fit", "-o", "out")
    assert [one["kind"] for one in released["plan"]["criteria"]] == ["largest", "mean"]
    assert released["attempts_with_criteria"] == 1
    again = run(*RELEASE, "--criteria", "c.json", "-o", "out")
    assert (again["stored_earlier"], again["plan_sha256"]) == (True, released["plan_sha256"])
    checked = run("certificate", "check", "out")
    assert any("1 release with criteria" in words for words in checked["not_checked"])
    # At a fifth of the bars a table like the public one misses none: eight deviations of the noise lie between.
    narrow = ("--half-widths", "0.2")
    priced = run("accept", *COMMON, "--release", "out", "--dry-run", *narrow)
    assert [one["bar"] for one in priced["criteria"]] == [0.2, 0.5]
    before = documents()
    run("schema", "draft", "b.csv", "--bins", "3", "-o", "other.json")
    looked = run("accept", "--population", "P", "--schema", "other.json", "--release", "out", "--dry-run", *narrow)
    assert (looked, documents()) == (priced, before), "a dry run stores nothing"
    found = run("accept", *COMMON, "--private", "p.csv", "--release", "out", *narrow)
    assert found["spent"]["rho"] == priced["price"]["rho"]
    assert [one["verdict"] for one in found["criteria"]] == ["passed", "passed"]
    assert found["passed"]
    assert (found["attempts"], found["confidence"]) == ({"releases": 1, "acceptances": 1}, 0.95)
    by_plan = run("accept", *COMMON, "--private", "p.csv", "--release", released["plan_sha256"], "--half-widths", "1/5")
    assert (by_plan["criteria"], by_plan["stored_earlier"]) == (found["criteria"], True)
    other = run("accept", *COMMON, "--private", "p.csv", "--release", "out", "--draw", "7", *narrow, status=2)
    assert "holds draw 0, not 7" in other
    run("ledger", "retire", "P", "--final")
    accept = ("accept", *COMMON, "--release", "out")
    assert run(*accept, "--dry-run", *narrow)["price"] == priced["price"], "of what was bought, its price is told"
    for flags in (("--dry-run",), ("--private", "p.csv")):
        assert "was retired on" in run(*accept, *flags, "--half-widths", "0.3", status=2)


def test_what_is_no_criterion_or_has_none_is_refused(run: Run, tmp_path: Path) -> None:
    assert "Give the private table" in run("accept", *COMMON, "--release", "0" * 64, status=2)
    for nonsense in ("{", "[]", "[1]", '[{"kind": "median"}]', '[{"kind": "largest", "within": "2"}]'):
        (tmp_path / "c.json").write_text(nonsense)
        assert run(*RELEASE, "--criteria", "c.json", "--engine", "table-fit", "-o", "out", status=2)
    (tmp_path / "out").mkdir(exist_ok=True)
    (tmp_path / "out" / "schema.json").write_text(json.dumps(CRITERIA[:1]))
    over = run(*RELEASE, "--criteria", "out/schema.json", "--engine", "table-fit", "-o", "out", status=2)
    assert "written over what is read" in over
    (tmp_path / "c.json").write_text(json.dumps(CRITERIA[:1]))
    said = run(*RELEASE, "--criteria", "c.json", "--engine", "unchanged", "-o", "out", status=2)
    assert "none" in said
    run(*RELEASE, "--engine", "table-fit", "-o", "out")
    assert "named before it is bought" in run("accept", *COMMON, "--release", "out", "--dry-run", status=2)
    assert run("ledger", "show", "P")["charges"][0]["purpose"].startswith("release with")
