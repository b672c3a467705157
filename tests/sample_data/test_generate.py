"""The sample tables are what their generator writes, and play the parts that the demo needs."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Floats
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.private_pass import encode_private
from pmwpub.tabular.schema.table_schema import Schema

FOLDER = Path(__file__).resolve().parents[2] / "sample_data"
FILES = ("state_a.csv", "state_b.csv", "state_c.csv", "state_d.csv", "schema.json")
FILES += ("homes_a.csv", "homes_b.csv", "homes_c.csv", "homes_d.csv", "survey.json", "homes.json")
ROWS = {"a": 20_000, "b": 12_000, "c": 12_000, "d": 6_000}


@cache
def schema() -> Schema:
    return Schema.from_json((FOLDER / "schema.json").read_bytes())


@cache
def dataset(state: str) -> Dataset:
    return encode_public(read_table(FOLDER / f"state_{state}.csv"), schema()).dataset


@cache
def answers(state: str) -> Floats:
    """Every 3-way marginal, as shares of the table."""
    workload = Workload.all_kway(schema().domain, 3)
    return count(workload, dataset(state)).counts / len(dataset(state))


def test_the_generator_writes_the_committed_bytes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, FOLDER / "generate.py", tmp_path], check=True, timeout=60)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), name


def test_the_tables_are_small_enough_to_ship() -> None:
    assert sum((FOLDER / name).stat().st_size for name in FILES) < 6_000_000


@pytest.mark.parametrize("state", "abcd")
def test_every_cell_has_a_level_and_every_level_occurs(state: str) -> None:
    table = read_table(FOLDER / f"state_{state}.csv")
    encoded = encode_private(table, schema(), n=ROWS[state])
    assert not encoded.unplaced
    assert not encoded.ignored
    for position, attribute in enumerate(schema().domain.attributes):
        assert len(np.unique(encoded.dataset.codes[:, position])) == attribute.size


def test_the_domain_is_census_like() -> None:
    assert len(schema().domain.attributes) == 20
    assert schema().domain.dimension == 96
    assert sum(column.kind == "numeric" for column in schema().encoded) == 3


@pytest.mark.parametrize(("state", "low", "high"), [("b", 0.05, 0.12), ("c", 0.03, 0.1)])
def test_similar_states_start_near_and_lack_no_common_cell(state: str, low: float, high: float) -> None:
    start = float(np.abs(answers("a") - answers(state)).max())
    assert low <= start <= high
    assert float(answers("a")[answers(state) == 0].max()) <= 0.005


def test_the_dissimilar_state_can_never_come_near() -> None:
    lacking = float(answers("a")[answers("d") == 0].max())
    assert lacking == pytest.approx(0.1686, abs=5e-5)
    assert lacking >= 0.08
    assert float(np.abs(answers("a") - answers("d")).max()) > 0.3
