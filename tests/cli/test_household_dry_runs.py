"""A dry run says yes to nothing that the purchase itself refuses: of households, and of rows beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.test_household_release import HOUSEHOLDS, REGISTER, SPEND, N
from cli.test_household_release import run as run
from support.commands import Run
from support.households import schema_text

WEIGHT = {"name": "w", "kind": "weight", "cap": "3", "unit": "1"}
FLAT = tuple("flat.json" if one == "schema.json" else one for one in SPEND)


@pytest.mark.parametrize(
    "command",
    [("misfits",), ("misfits", "--column", "age"), ("weight-total", "--epsilon", "1")],
    ids=" ".join,
)
def test_what_is_sold_of_rows_has_no_price_for_households(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    run(*REGISTER, *HOUSEHOLDS)
    flat = json.loads((tmp_path / "flat.json").read_text())
    (tmp_path / "flat.json").write_text(json.dumps(flat | {"columns": [*flat["columns"], WEIGHT]}))
    said = run(*command, "--population", "homes", "--schema", "flat.json", "--dry-run", status=2)
    assert "only at H² times the ρ" in said


@pytest.mark.parametrize("rows", [HOUSEHOLDS, ("--unit", "one person")], ids=["households", "rows"])
@pytest.mark.parametrize(
    ("drawn", "words"),
    [
        (("--rows", "0"), "between 1 and 10,000,000 rows"),
        (("--rows", "999999999999"), "between 1 and 10,000,000 rows"),
        (("--row-seed", "-1"), "between 0 and 2,147,483,647"),
        (("--row-seed", "1" * 26), "between 0 and 2,147,483,647"),
    ],
)
def test_a_dry_run_refuses_rows_and_seeds_that_no_file_is_drawn_by(
    run: Run, tmp_path: Path, rows: tuple[str, ...], drawn: tuple[str, ...], words: str
) -> None:
    run(*REGISTER, *rows)
    spend = SPEND
    if rows != HOUSEHOLDS:
        spend = FLAT
        lines = (tmp_path / "p.csv").read_text().splitlines()
        (tmp_path / "p.csv").write_text("\n".join(lines[: N + 1]) + "\n")
    assert words in run(*spend, "--epsilon", "1", *drawn, "--dry-run", status=2)


def test_a_dry_run_refuses_a_draw_that_is_not_the_next(run: Run) -> None:
    run(*REGISTER, *HOUSEHOLDS)
    run(*SPEND, "--epsilon", "1", "-o", "out")
    price = {draw: run(*SPEND, "--epsilon", "1", "--dry-run", "--repeat", draw)["price"]["rho"] for draw in "01"}
    assert price["0"] == 0 < price["1"]
    for draw in ("2", "3"):
        assert "--repeat 1 is the next" in run(*SPEND, "--epsilon", "1", "--dry-run", "--repeat", draw, status=2)


def test_a_dry_run_of_one_household_says_that_a_run_needs_two(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("\n".join((tmp_path / "p.csv").read_text().splitlines()[:2]) + "\n")
    (tmp_path / "schema.json").write_text(schema_text(1))
    alone = ("--n", "1", "--delta", "1e-6", "--unit", "household", "--largest-household", "1")
    run(*REGISTER, *alone)
    assert "at least 2 households" in run(*SPEND, "--epsilon", "1", "--dry-run", status=2)
