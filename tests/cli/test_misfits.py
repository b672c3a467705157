"""`misfits`: the price for nothing, the look at its price, refusals in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import Run, commands
from support.small_tables import write_table

COMMON = ("misfits", "--population", "P", "--schema", "schema.json")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs commands in a folder with a private table of 2,000 rows, 1,000 of which spell a sex in words."""
    write_table(tmp_path / "b.csv", 300, 1)
    write_table(tmp_path / "p.csv", 2_000, 2)
    lines = (tmp_path / "p.csv").read_text().splitlines()
    lines[1:1001] = ["woman" + line[1:] for line in lines[1:1001]]
    (tmp_path / "p.csv").write_text("\n".join(lines) + "\n")
    command = commands(tmp_path, monkeypatch, capsys)
    command("schema", "draft", "b.csv", "-o", "schema.json")
    command("ledger", "register", "P", "--n", "2000", "--epsilon", "3")
    return command


def test_the_price_is_free_and_needs_no_private_table(run: Run) -> None:
    found = run(*COMMON, "--dry-run")
    assert [one["column"] for one in found["columns"]] == ["sex", "job", "age"]
    assert found["half_width"] == 0.01
    # h = 20 rows: rho = 4 (49/25)^2/(2 * 20^2)
    assert found["price"]["rho"] == pytest.approx(4 * 1.96**2 / 800, rel=1e-9)
    assert run("ledger", "show", "P")["charges"] == []


def test_rows_that_break_a_rule_are_looked_at_where_they_are_asked_for(run: Run) -> None:
    assert "no rules" in run(*COMMON, "--rules", "--dry-run", status=2)
    run("schema", "draft", "b.csv", "--rule", 'sex = "F" implies job = "x"', "-o", "schema.json")
    found = run(*COMMON, "--column", "job", "--rules", "--dry-run")
    assert found["price"]["rho"] == pytest.approx(3 * 1.96**2 / 800, rel=1e-9)
    found = run(*COMMON, "--column", "job", "--rules", "--private", "p.csv", "--half-width", "0.05")
    assert [one["column"] for one in found["columns"]] == ["job"]
    assert set(found["rules"]) == {"share", "low", "high"}


def test_a_look_finds_the_column_that_is_spelt_otherwise(run: Run) -> None:
    found = run(*COMMON, "--private", "p.csv", "--half-width", "0.05")
    assert found["columns"][0]["column"] == "sex"
    assert 0.3 < found["columns"][0]["share"] < 0.7
    assert found["words"][0].startswith("About ")
    assert "a value in sex that the schema does not fit" in found["words"][0]
    assert (found["half_width"], found["confidence"], found["stored_earlier"]) == (0.05, 0.95, False)
    again = run(*COMMON, "--private", "p.csv", "--half-width", "0.050")
    assert (again["columns"], again["stored_earlier"], again["spent"]["rho"]) == (found["columns"], True, 0)
    (charge,) = run("ledger", "show", "P")["charges"]
    assert charge["purpose"] == "look at the fit of 3 columns, ±5 points"


def test_what_is_not_sold_is_refused_with_what_is(run: Run) -> None:
    priced = run(*COMMON, "--dry-run", "--half-width", "0.002")
    assert priced["sold"] is False
    assert 0.002 < priced["narrowest_half_width"] < 0.5
    said = run(*COMMON, "--private", "p.csv", "--half-width", "0.002", status=2)
    assert "More than 5 % is not sold" in said
    assert said.strip().endswith("Nothing was charged.")
    sold = run(*COMMON, "--dry-run", "--half-width", str(priced["narrowest_half_width"]))
    assert sold["sold"] is True
    assert sold["price"]["percent"] <= 5


def test_columns_are_named_by_the_steward(run: Run) -> None:
    found = run(*COMMON, "--private", "p.csv", "--column", "job", "--column", "age", "--half-width", "0.05")
    assert {one["column"] for one in found["columns"]} == {"job", "age"}
    assert "attributes" in run(*COMMON, "--private", "p.csv", "--column", "name", status=2)


def test_without_a_private_table_or_with_a_width_that_is_none_it_is_refused(run: Run) -> None:
    assert "--dry-run" in run(*COMMON, status=2)
    assert "half-width" in run(*COMMON, "--dry-run", "--half-width", "0.9", status=2)
    run(*COMMON, "--dry-run", "--half-width", "wide", status=2)


def test_what_a_closed_population_cannot_buy_has_no_price(run: Run) -> None:
    """What was bought before it was retired costs nothing still."""
    look = (*COMMON, "--half-width", "0.05")
    found = run(*look, "--private", "p.csv")
    run("ledger", "retire", "P", "--final")
    for flags in (("--dry-run",), ("--private", "p.csv")):
        assert "was retired on" in run(*COMMON, "--half-width", "0.07", *flags, status=2)
        assert "was retired on" in run(*look, "--repeat", "1", *flags, status=2)
    assert run(*look, "--dry-run")["columns"]
    assert run(*look, "--private", "p.csv")["columns"] == found["columns"]
