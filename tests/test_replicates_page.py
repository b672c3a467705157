"""docs/intervals.md: its table of replicate weights is that of the runs, and its claims hold of them."""

from __future__ import annotations

import csv
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def lines() -> list[dict[str, str]]:
    with (ROOT / "docs" / "results" / "replicates.csv").open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_the_table_is_that_of_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    replicates = importlib.import_module("replicates")
    assert replicates.table(lines()) in (ROOT / "docs" / "intervals.md").read_text(encoding="utf-8")


def test_nineteen_of_twenty_standard_errors_are_reproduced_where_the_public_rows_can_answer_the_tables() -> None:
    assert len({(line["private"], line["public"]) for line in lines()}) == 11
    assert {line["epsilon"] for line in lines()} == {"0.25", "1.0"}
    assert {line["replicates"] for line in lines()} == {"40"}
    low = [line for line in lines() if float(line["near"]) < 0.97]
    assert {(one["private"], one["public"], one["epsilon"]) for one in low} == {("state_a", "state_d", "1.0")}
    assert min(float(line["near"]) for line in low) >= 0.905
    assert max(float(line["seconds"]) for line in lines()) < 60
