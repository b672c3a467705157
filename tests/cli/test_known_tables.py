"""A private table that the ledger knows is recognised where a command calls it public or plays it as the truth."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pmwpub.cli import main
from pmwpub.ledger import Ledger

EVALUATE = ["evaluate", "--schema", "schema.json", "-k", "2", "--epsilons", "1", "--runs", "1", "--rounds", "2"]


def table(rows: int, seed: int) -> str:
    draw = random.Random(seed)
    lines = [f"{draw.choice('FM')},{draw.randint(18, 80)},{draw.choice('xyz')}" for _ in range(rows)]
    return "\n".join(["sex,age,job", *lines, ""])


@pytest.fixture
def charged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A folder with a private table that was charged, the same rows in another order, and two public tables."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    for name, rows, seed in (("private", 300, 1), ("b", 200, 2), ("c", 150, 3)):
        (tmp_path / f"{name}.csv").write_text(table(rows, seed))
    header, *lines = (tmp_path / "private.csv").read_text().splitlines()
    (tmp_path / "turned.csv").write_text("\n".join([header, *reversed(lines), ""]))
    spelt = [f"{sex},{age}.0,{job}" for sex, age, job in (line.split(",") for line in lines)]
    (tmp_path / "spelt.csv").write_text("\n".join([header, *spelt, ""]))
    assert main(["schema", "draft", "b.csv", "c.csv", "-o", "schema.json"]) == 0
    assert main(["ledger", "register", "town", "--n", "300", "--epsilon", "2"]) == 0
    common = ["--population", "town", "--schema", "schema.json", "-k", "2", "--private", "private.csv"]
    assert main(["assess", *common, "--public", "b.csv", "--epsilon", "0.1"]) == 0
    capsys.readouterr()
    return tmp_path


@pytest.mark.parametrize("name", ["private.csv", "turned.csv", "spelt.csv"])
def test_no_schema_is_drafted_from_a_private_table_that_was_charged(
    charged: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schema", "draft", "b.csv", name, "-o", "other.json"]) == 2
    assert f"{name} has the rows of the private table that was charged under town" in capsys.readouterr().err
    assert not (charged / "other.json").exists()


@pytest.mark.parametrize(
    ("truth", "public"), [("private.csv", "b.csv"), ("spelt.csv", "b.csv"), ("c.csv", "turned.csv")]
)
def test_no_simulation_is_run_on_a_private_table_that_was_charged(
    charged: Path, truth: str, public: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*EVALUATE, "--truth", truth, "--public", public, "-o", "errors.csv"]) == 2
    assert "has the rows of the private table that was charged under town" in capsys.readouterr().err
    assert not (charged / "errors.csv").exists()


def test_public_tables_and_private_ones_of_which_the_ledger_knows_nothing_are_taken(charged: Path) -> None:
    (charged / "unknown.csv").write_text(table(300, 9))
    assert main(["schema", "draft", "b.csv", "unknown.csv", "-o", "other.json"]) == 0
    assert main([*EVALUATE, "--truth", "unknown.csv", "--public", "b.csv", "-o", "errors.csv"]) == 0


def test_a_shared_service_asks_its_fingerprints_nothing(charged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it answers, writes and records is the same for a private table as for any other."""
    monkeypatch.setenv("PMWPUB_MODE", "shared")

    def never(*arguments: object) -> tuple[str, ...]:
        raise AssertionError("The store's fingerprints were asked.")

    monkeypatch.setattr(Ledger, "charged_under", never)
    assert main(["schema", "draft", "private.csv", "-o", "other.json"]) == 0
    assert main([*EVALUATE, "--truth", "private.csv", "--public", "b.csv", "-o", "errors.csv"]) == 0
    with Ledger.open() as ledger:
        assert not ledger.attempts()


def test_a_store_that_served_a_shared_service_is_asked_nothing_by_a_program_beside_it(charged: Path) -> None:
    with Ledger.open() as ledger:
        ledger.loaded("town", b"a table", ())
    assert main(["schema", "draft", "private.csv", "-o", "other.json"]) == 0
