"""`--prefixes`: every command that takes a workload asks "at most" too, and a release can be made again."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from pmwpub.cli import main
from pmwpub.release import rebuild

SCHEMA = {
    "version": 1,
    "columns": [
        {"name": "sex", "kind": "categorical", "levels": ["F", "M"]},
        {"name": "age", "kind": "numeric", "edges": list(range(0, 101, 5)), "outside": "none", "missing": True},
    ],
}


class Town:
    """Old private people and young public ones, and commands about them."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capture = folder, capture
        rng = np.random.default_rng(1)
        self.write("p.csv", rng.integers(40, 100, 300))
        self.write("b.csv", rng.integers(0, 100, 200) ** 2 // 100)
        (folder / "schema.json").write_text(json.dumps(SCHEMA))
        self.run("ledger", "register", "P", "--n", "300", "--epsilon", "40")

    def write(self, name: str, ages: np.ndarray) -> None:
        lines = [f"{'FM'[place % 2]},{age}" for place, age in enumerate(ages.tolist())]
        (self.folder / name).write_text("\n".join(["sex,age", *lines]) + "\n")

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def run(self, *arguments: str, status: int = 0) -> str:
        found = main(["--store", f"sqlite:///{self.folder}/ledger.sqlite3", *arguments])
        shown = self.capture.readouterr()
        assert found == status, shown.err
        return shown.err if status else shown.out

    def spend(self, command: str, *arguments: str, status: int = 0) -> str:
        files = ("--schema", self.path("schema.json"), "--private", self.path("p.csv"), "--public", self.path("b.csv"))
        return self.run(command, "--population", "P", *files, *arguments, status=status)


@pytest.fixture
def town(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Town:
    return Town(tmp_path, capsys)


def test_a_release_by_rounds_measures_prefixes_names_them_and_is_made_again(town: Town) -> None:
    """At most 40 is some 63 % in public and nothing in private; no cell is off by nearly as much."""
    made = json.loads(
        town.spend(
            "release", "-k", "1", "--prefixes", "age", "--engine", "pmw-pub", "--rounds", "6", "--epsilon", "8",
            "--rows", "20", "-o", town.path("out"),
        )
    )  # fmt: skip
    assert made["workload"] == {"k": 1, "marginals": None, "seed": 0, "prefixes": ["age"]}
    assert made["queries"] == 2 + 21 + 19
    asked = [line["query"] for line in made["transcript"]]
    assert asked[0]["age"].startswith("at most [")
    checked = json.loads(town.run("certificate", "check", town.path("out")))
    assert "the schema, the workload and each query's name agree" in str(checked["holds"])
    assert rebuild.main([town.path("b.csv"), "--from", town.path("out")]) == 0
    town.capture.readouterr()
    answers = json.loads(town.run("answer", "--release", town.path("out"), "--marginal", "age"))
    assert len(answers["cells"]) == 21


def test_table_fit_answers_prefixes_from_its_tables_and_is_made_again(town: Town) -> None:
    made = json.loads(
        town.spend(
            "release", "-k", "2", "--prefixes", "age", "--engine", "table-fit", "--epsilon", "8", "-o", town.path("out")
        )
    )
    assert made["queries"] == 2 * 21 + 19 + 2 * 19
    assert [table["columns"] for table in made["tables"]] == [["sex"], ["age"], ["sex", "age"]]
    assert rebuild.main([town.path("b.csv"), "--from", town.path("out")]) == 0


def test_assess_counts_prefixes_and_says_more_than_cells_do(town: Town) -> None:
    """The start over cells of one column is .215, that over prefixes .62: the noise, of 1.25 rows of 300, reaches from
    there to what is claimed once in 10^9 times."""
    (cells,) = json.loads(town.spend("assess", "-k", "1", "--epsilon", "4"))["assessments"]
    (both,) = json.loads(town.spend("assess", "-k", "1", "--prefixes", "age", "--epsilon", "4"))["assessments"]
    assert cells["start"] < 0.3
    assert both["start"] > 0.5


def test_evaluate_compares_methods_on_prefixes_and_says_which_cannot(town: Town) -> None:
    town.write("truth.csv", np.random.default_rng(9).integers(40, 100, 300))
    town.run(
        "evaluate", "--schema", town.path("schema.json"), "--truth", town.path("truth.csv"), "--public",
        town.path("b.csv"), "-k", "2", "--prefixes", "age", "--epsilons", "5", "--runs", "1", "--rounds", "10",
        "--methods", "pmw-pub,unchanged,table-fit,hdmm", "-o", town.path("errors.csv"),
    )  # fmt: skip
    lines = list(csv.DictReader((town.folder / "errors.csv").read_text().splitlines()))
    found = {line["method"]: float(line["max_error"]) for line in lines}
    assert set(found) == {"pmw-pub", "unchanged", "table-fit"}
    assert found["unchanged"] > 0.5
    assert max(found["pmw-pub"], found["table-fit"]) < found["unchanged"] / 2


def test_columns_without_an_order_are_refused_before_any_charge(town: Town) -> None:
    said = town.spend("release", "-k", "1", "--prefixes", "sex", "--epsilon", "1", "-o", town.path("out"), status=2)
    assert "'sex' is none" in said
    said = town.spend("assess", "-k", "1", "--prefixes", "nowhere", "--epsilon", "1", status=2)
    assert "no attribute" in said
    assert json.loads(town.run("ledger", "show", "P"))["charges"] == []
