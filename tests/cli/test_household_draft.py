"""`schema draft --household-id`: from public files to a schema of households, which `release` takes as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import Run, commands
from support.households import csv_of, homes

from pmwpub.tabular.households.household_schema import HouseholdSchema

N = 60
DRAFT = ("schema", "draft", "b.csv", "-o", "schema.json")
HOMES = ("--household-id", "home", "--largest-household", "3", "--any-person", "has a child=age:child")
PUBLIC = homes(50, 2, owning=0.3)
SIZES = [len(home) for home in PUBLIC]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    (tmp_path / "p.csv").write_text(csv_of(homes(N, 1, owning=0.8)))
    (tmp_path / "b.csv").write_text(csv_of(PUBLIC, 1_000))
    return commands(tmp_path, monkeypatch, capsys)


def test_a_draft_has_the_rule_and_says_what_the_public_households_are(run: Run, tmp_path: Path) -> None:
    said = run(*DRAFT, *HOMES)["household"]
    found = HouseholdSchema.from_json((tmp_path / "schema.json").read_text())
    assert found.persons.domain.names == ("tenure", "age", "sex")
    assert (found.rule.id, found.rule.largest, found.rule.columns) == ("home", 3, ("tenure",))
    assert [(one.name, one.column, one.levels) for one in found.rule.any] == [("has a child", "age", ("child",))]
    assert said["sizes"] == {str(size): SIZES.count(size) for size in sorted(set(SIZES))}
    assert "tenure" not in said["differing"]
    small = [home for home in PUBLIC if len(home) <= 3]
    assert said["public"]["b.csv"] == {
        "households": len(small),
        "persons": sum(map(len, small)),
        "incomplete": 0,
        "oversized": 50 - len(small),
        "rows_without_id": 0,
    }


def test_a_private_file_is_expected_to_have_the_household_ids_which_are_not_ignored(
    run: Run,
) -> None:
    found = run(*DRAFT, *HOMES)
    header = "A header with the columns home, tenure, age, sex, in any order; others are ignored."
    assert found["private_file"][:2] == [header, "The column home names the household of each row."]
    assert (found["ignored"], found["left_out"]) == ([], [])


def test_a_release_takes_the_draft_and_says_what_is_left_out_before_it_charges(run: Run, tmp_path: Path) -> None:
    run(*DRAFT, *HOMES)
    register = ("ledger", "register", "homes", "--n", str(N), "--epsilon", "3", "--unit", "household")
    run(*register, "--largest-household", "3")
    release = ("release", "--population", "homes", "--schema", "schema.json", "--private", "p.csv", "-k", "2")
    priced = run(*release, "--public", "b.csv", "--epsilon", "1", "--dry-run")
    left_out = SIZES.count(4)
    assert priced["public"]["oversized"] == left_out > 0
    assert run("ledger", "show", "homes")["charges"] == []
    stated = run(*release, "--public", "b.csv", "--epsilon", "1", "-o", "out")
    assert stated["public"] == priced["public"]


def test_the_steward_s_own_columns_stand_in_the_place_of_those_proposed(run: Run, tmp_path: Path) -> None:
    said = run(*DRAFT, *HOMES, "--household-column", "sex", "--household-column", "tenure")["household"]
    assert said["columns"] == ["sex", "tenure"]
    assert said["differing"]["sex"] > 0
    assert said["public"]["b.csv"]["incomplete"] > 0, "homes whose persons differ in sex are left out"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--household-id", "home"), "--largest-household H"),
        (("--largest-household", "3"), "--household-id COLUMN"),
        (("--household-column", "tenure"), "--household-id COLUMN"),
        (("--any-person", "a=age:child"), "--household-id COLUMN"),
        (("--household-id", "home", "--largest-household", "65"), "1 to 64"),
        (("--household-id", "house", "--largest-household", "3"), "house"),
        ((*HOMES, "--any-person", "tenure=age:old"), "different names"),
        ((*HOMES, "--household-column", "home"), "different names"),
        ((*HOMES, "--rule", 'age = "child" implies sex = "f"'), "takes no rules"),
        ((*HOMES, "--any-person", "young=age:baby"), "does not have"),
    ],
)
def test_half_a_household_schema_is_refused_and_no_file_written(
    run: Run, tmp_path: Path, flags: tuple[str, ...], words: str
) -> None:
    assert words in run(*DRAFT, *flags, status=2)
    assert not (tmp_path / "schema.json").exists()


def test_a_draft_without_the_flags_is_what_it_was(run: Run, tmp_path: Path) -> None:
    assert "household" not in run(*DRAFT)
    assert "household" not in json.loads((tmp_path / "schema.json").read_text())
