"""`assess` with pools, a wanted precision, a single choice, and what is free."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Run, commands

from pmwpub.ledger import Ledger

ROWS = {"p.csv": 250, "b.csv": 120, "c.csv": 90, "d.csv": 60}


def _table(rows: int, seed: int, jobs: str) -> str:
    rng = np.random.default_rng(seed)
    lines = [f"{'FM'[rng.integers(2)]},{rng.integers(90)},{jobs[rng.integers(len(jobs))]}" for _ in range(rows)]
    return "\n".join(["sex,age,job", *lines]) + "\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs commands in a folder with a private table, three public ones (d lacks a job) and their schema."""
    for seed, (name, rows) in enumerate(ROWS.items()):
        Path(tmp_path, name).write_text(_table(rows, seed, "xy" if name == "d.csv" else "xyz"))
    command = commands(tmp_path, monkeypatch, capsys)
    command("schema", "draft", "b.csv", "c.csv", "-o", "schema.json")
    command("ledger", "register", "P", "--n", "250", "--epsilon", "3")
    return command


def assess(run: Run, *arguments: str, private: bool = True, status: int = 0) -> Any:
    given = ["--private", "p.csv"] if private else []
    return run("assess", "--population", "P", "--schema", "schema.json", *given, "-k", "2", *arguments, status=status)


def test_a_pool_is_assessed_as_a_candidate_of_its_own(run: Run) -> None:
    found = assess(run, "--public", "b.csv", "--pool", "c.csv+d.csv", "--epsilon", "0.5")["assessments"]
    assert found[0]["candidate"] == "b.csv"
    assert set(found[1]["candidate"].split(" + ")) == {"c.csv", "d.csv"}
    alone = assess(run, "--pool", "d.csv+c.csv", "--epsilon", "0.5")
    assert alone["assessments"] == [found[1] | {"too_close_to_call": None}]
    assert alone["spent"]["rho"] == 0


def test_an_assessed_pool_is_what_a_release_with_its_files_runs_on(run: Run) -> None:
    pooled = assess(run, "--pool", "c.csv+d.csv", "--epsilon", "0.5")["assessments"][0]
    released = run(
        "release", "--population", "P", "--schema", "schema.json", "--private", "p.csv", "-k", "2",
        "--public", "d.csv", "--public", "c.csv", "--epsilon", "1", "--rounds", "3", "--free-table-acknowledged",
        "-o", "out",
    )  # fmt: skip
    assert " + ".join(table["name"] for table in released["candidate"]) == pooled["candidate"]


@pytest.mark.parametrize("epsilon", ["0.01", "0.3"])
def test_floors_whose_intervals_meet_share_a_group(run: Run, epsilon: str) -> None:
    found = assess(run, "--public", "b.csv", "--public", "d.csv", "--epsilon", epsilon, "--no-start")["assessments"]
    meet = max(line["floor_low"] for line in found) <= min(line["floor_high"] for line in found)
    assert [line["too_close_to_call"] for line in found] == ([1, 1] if meet else [None, None])


def test_the_best_of_three_is_one_charge_and_stays_what_it_was(run: Run) -> None:
    arguments = ("--public", "b.csv", "--public", "d.csv", "--pool", "c.csv+d.csv", "--best", "--epsilon", "0.4")
    found = assess(run, *arguments)
    assert found["best"]["candidate"] in found["best"]["candidates"]
    assert (found["best"]["epsilon"], len(found["best"]["candidates"])) == (0.4, 3)
    assert found["spent"]["rho"] == pytest.approx(0.4**2 / 8, abs=1e-14)
    assert len(run("ledger", "show", "P")["charges"]) == 1
    again = assess(run, *arguments)
    assert (again["best"], again["stored_earlier"], again["spent"]["rho"]) == (found["best"], True, 0)


def test_a_wanted_precision_buys_the_bar_that_was_asked_for(run: Run) -> None:
    (line,) = assess(run, "--public", "b.csv", "--precision", "0.08", "--no-start")["assessments"]
    assert line["floor_high"] - max(line["floor"], 0) <= 0.08 + 1e-9
    # (ln 20 + 1/2) / 250 / 0.08.
    assert line["epsilon"] == pytest.approx(3.4957 / 20, rel=0.02)


def test_the_full_setting_is_a_plan_of_its_own_and_fast_is_the_default(run: Run) -> None:
    settings = []
    for given in ([], ["--fast"], ["--full"]):
        found = assess(run, "--public", "b.csv", "--epsilon", "0.5", *given)
        settings.append((found["assessments"][0]["setting"], found["spent"]["rho"] > 0))
    assert settings == [("fast", True), ("fast", False), ("full", True)]


def test_a_comparison_is_free_needs_no_private_table_and_knows_pools(run: Run) -> None:
    arguments = ("--public", "b.csv", "--public", "c.csv", "--pool", "c.csv+d.csv", "--compare")
    found = assess(run, *arguments, private=False)
    pairs = {(pair["truth"], pair["candidate"]) for pair in found["comparison"]}
    pool = found["candidates"][2]["candidate"]
    assert pairs >= {("b.csv", "c.csv"), ("c.csv", "b.csv"), ("b.csv", pool)}
    assert ("c.csv", pool) not in pairs
    assert all(pair["lower"] <= pair["upper"] for pair in found["comparison"])
    assert [line["rows"] for line in found["candidates"]] == [120, 90, 150]
    assert "forecast" not in found
    foreseen = assess(run, *arguments, "--precision", "0.1", private=False)["forecast"]
    assert foreseen["floor_bar"] == pytest.approx(0.1, rel=0.02)
    assert 0 <= foreseen["resolves"] <= 1
    shown = run("ledger", "show", "P")
    assert (shown["charges"], shown["spent"]["rho"]) == ([], 0)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--public", "b.csv"), "--epsilon"),
        (("--epsilon", "1"), "candidate"),
        (("--public", "b.csv", "--best", "--epsilon", "1"), "two different"),
        (("--public", "b.csv", "--public", "c.csv", "--best", "--precision", "0.1"), "--best"),
        (("--public", "b.csv", "--public", "c.csv", "--best", "--epsilon", "1", "--no-start"), "--best"),
        (("--pool", "b.csv", "--epsilon", "1"), "two or more"),
        (("--pool", "b.csv+", "--epsilon", "1"), "two or more"),
        (("--pool", "b.csv+none.csv", "--epsilon", "1"), "cannot be"),
        (("--public", "b.csv", "--precision", "2"), "between 0 and 1"),
        (("--public", "b.csv", "--precision", "little"), "number"),
        (("--public", "b.csv", "--compare"), "two candidates"),
    ],
)
def test_what_cannot_be_assessed_is_refused_uncharged(run: Run, arguments: tuple[str, ...], word: str) -> None:
    assert word in assess(run, *arguments, status=2)
    assert run("ledger", "show", "P")["charges"] == []


def test_without_a_private_table_nothing_can_be_bought(run: Run) -> None:
    assert "--private" in assess(run, "--public", "b.csv", "--epsilon", "1", private=False, status=2)


def test_what_to_expect_is_free_and_says_which_candidate_to_take(run: Run) -> None:
    arguments = ("--public", "b.csv", "--public", "c.csv", "--public", "d.csv")
    assert run("assess", "--population", "P", "--schema", "schema.json", "-k", "2", *arguments, status=2)
    found = assess(run, *arguments, "--expect", "1", private=False)
    errors = [line["error"] for line in found["expected"]]
    assert errors == sorted(errors)
    assert found["take"]["candidate"] == found["expected"][0]["candidate"]
    assert all(line["low"] <= line["error"] <= line["high"] for line in found["expected"])
    assert run("ledger", "show", "P")["charges"] == []
    bought = assess(run, *arguments, "--epsilon", "0.3")
    assert bought["take"]["candidate"] in {"b.csv", "c.csv", "d.csv"}
    assert "noisy floors and starts that were bought" in bought["take"]["reason"]


def test_a_dry_run_says_price_noise_and_error_and_charges_nothing(run: Run, tmp_path: Path) -> None:
    release = ("release", "--population", "P", "--schema", "schema.json", "--private", "p.csv", "-k", "2")
    chosen = (*release, "--public", "b.csv", "--epsilon", "0.5", "--rounds", "4")
    before = run(*chosen, "--dry-run")
    assert (before["expected_error"], before["expected_to_beat_unchanged"]) == (None, None)
    assert before["noise"]["share"] == pytest.approx(before["noise"]["rows"] / 250)
    # A release pays at most what (epsilon, delta) allows, and nearly all of it.
    assert 0.49 < before["price"]["epsilon"] <= 0.5
    assess(run, "--public", "b.csv", "--public", "c.csv", "--expect", "0.5", private=False)
    after = run(*chosen, "--dry-run")
    assert after["expected_error"]["error"] > 0
    assert after["expected_to_beat_unchanged"] in (True, False)
    assert run("ledger", "show", "P")["charges"] == []
    assert not (tmp_path / "out").exists()


def test_a_dry_run_leaves_schema_workload_and_candidates_as_they_are(run: Run, tmp_path: Path) -> None:
    """Others work on the population: what a steward only looks into must not move what they see and buy."""
    assess(run, "--public", "b.csv", "--epsilon", "0.1")
    store = f"sqlite:///{tmp_path}/ledger.sqlite3"

    def state() -> list[object]:
        with Ledger.open(store) as ledger:
            kinds = ("schema", "workload", "candidate", "candidate-note")
            return [
                [(key, ledger.document("P", kind, key)) for key, _ in ledger.documents("P", kind)] for kind in kinds
            ]

    before = state()
    assert [len(kind) for kind in before] == [1, 1, 1, 1]
    run("schema", "draft", "b.csv", "c.csv", "--bins", "3", "-o", "other.json")
    dry = ("release", "--population", "P", "--schema", "other.json", "--private", "p.csv", "-k", "1", "--dry-run")
    planned = run(*dry, "--public", "c.csv", "--epsilon", "0.5", "--rounds", "2")
    unchanged = run(*dry, "--public", "c.csv", "--epsilon", "0.5", "--engine", "unchanged")
    assert set(planned) == set(unchanged)
    assert unchanged["price"]["rho"] == 0
    assert (unchanged["noise"], unchanged["expected_to_beat_unchanged"]) == (None, False)
    run("misfits", "--population", "P", "--schema", "other.json", "--dry-run")
    assert state() == before


def test_the_dry_run_of_a_table_unchanged_says_the_error_that_was_bought(run: Run) -> None:
    run("ledger", "register", "Q", "--n", "250", "--epsilon", "20")
    common = ("--population", "Q", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv", "-k", "2")
    start = run("assess", *common, "--epsilon", "3")["assessments"][0]["start"]
    found = run("release", *common, "--epsilon", "0.5", "--engine", "unchanged", "--dry-run")
    assert found["unchanged"] == pytest.approx(max(0, start), abs=1e-4)
