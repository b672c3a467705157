"""Rows from weights: counts within one of rows * weight, unbiased, repeatable."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tables

from pmwpub.errors import PlanError
from pmwpub.queries.incidence import quantise
from pmwpub.records import Dataset, Distribution, Support
from pmwpub.release.certificates.certificate_parts import Cells
from pmwpub.release.synthesis import synthesise, synthetic_csv
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema


def distribution_of(weights: list[float]) -> Distribution:
    shape = tables.domain(len(weights))
    return Distribution(Support.of(Dataset(shape, [[x] for x in range(len(weights))])), np.array(weights))


def tally(dataset: Dataset, atoms: int) -> list[int]:
    return np.bincount(dataset.codes[:, 0], minlength=atoms).tolist()


@settings(max_examples=150)
@given(st.integers(1, 12), st.integers(1, 500), st.integers(0, 10**6), st.integers(0, 10**6))
def test_each_count_is_within_one_of_its_share_and_they_sum_to_the_rows(
    atoms: int, rows: int, seed: int, weight_seed: int
) -> None:
    weights = np.random.default_rng(weight_seed).dirichlet(np.full(atoms, 0.5))
    distribution = distribution_of(weights.tolist())
    counts = tally(synthesise(distribution, rows, seed=seed), atoms)
    quantised = quantise(distribution.weights, rows)
    assert sum(counts) == rows
    for count, value in zip(counts, quantised.values.tolist(), strict=True):
        assert abs(count - Fraction(rows * value, quantised.total)) < 1


def test_whole_shares_come_out_whole() -> None:
    assert tally(synthesise(distribution_of([0.5, 0.25, 0.25]), 8, seed=3), 3) == [4, 2, 2]


def test_the_mean_over_seeds_is_the_share() -> None:
    """One row from weights 0.2, 0.3, 0.5: 4,000 seeds; five standard errors are 0.04."""
    distribution = distribution_of([0.2, 0.3, 0.5])
    mean = np.mean([tally(synthesise(distribution, 1, seed=seed), 3) for seed in range(4000)], axis=0)
    assert mean == pytest.approx([0.2, 0.3, 0.5], abs=0.04)


def test_the_same_seed_gives_the_same_rows_and_another_one_another_order() -> None:
    distribution = distribution_of([0.4, 0.6])
    first = synthesise(distribution, 50, seed=1).codes.tolist()
    assert first == synthesise(distribution, 50, seed=1).codes.tolist()
    assert first != synthesise(distribution, 50, seed=2).codes.tolist()
    assert first != sorted(first)


@pytest.mark.parametrize("rows", [0, -1, 10_000_001])
def test_a_nonsense_number_of_rows_is_refused(rows: int) -> None:
    with pytest.raises(PlanError, match="10,000,000"):
        synthesise(distribution_of([1.0]), rows, seed=0)


COLUMNS = {
    "version": 1,
    "missing_tokens": ["NA"],
    "columns": [
        {"name": "whole", "kind": "numeric", "edges": [-5, 0, 1, 40], "outside": "clip", "missing": True},
        {"name": "part", "kind": "numeric", "edges": [0, 0.001, 2.5], "outside": "other", "other": True},
        {"name": "label", "kind": "categorical", "levels": ["a", "[0, 1)"]},
    ],
}


def numbers_of(rows: int, seed: int) -> tuple[list[list[str]], Schema, Distribution]:
    schema = Schema.from_json(json.dumps(COLUMNS))
    released = Distribution.empirical(tables.support(schema.domain, 80, 4))
    body = synthetic_csv(released, schema, rows, seed=seed, cells="numbers").decode()
    return list(csv.reader(io.StringIO(body))), schema, released


def test_numbers_drawn_inside_bins_encode_back_to_the_same_rows() -> None:
    _, schema, released = numbers_of(1, 1)
    body = synthetic_csv(released, schema, 500, seed=1, cells="numbers")
    again = encode_public(read_table(body), schema)
    expected = synthesise(released, 500, seed=1)
    assert again.dropped == 0
    assert again.dataset.codes.tolist() == expected.codes.tolist()


def test_numbers_are_whole_where_edges_are_and_fill_their_bins() -> None:
    (header, *rows), _, _ = numbers_of(3_000, 2)
    assert header == ["whole", "part", "label"]
    whole = {row[0] for row in rows}
    assert whole - {"NA"} == {str(value) for value in range(-5, 41)}
    parts = {float(row[1]) for row in rows if row[1] != "(other)"}
    assert len(parts) > 1_000
    assert 0 <= min(parts) < 0.0001
    assert 2.4 < max(parts) <= 2.5
    assert {row[2] for row in rows} == {"a", "[0, 1)"}


def test_numbers_come_from_the_seed() -> None:
    assert numbers_of(50, 3)[0] == numbers_of(50, 3)[0] != numbers_of(50, 4)[0]


def mixed(*, one: bool = False) -> tuple[Distribution, Schema]:
    """Cells that need quotes and apostrophes, whole and broken numbers, missing and other levels."""
    both = {"missing": True, "other": True}
    columns = [
        {"name": "=job", "kind": "categorical", "levels": ["=a", "b;=c", "", 'd,"e'], "other": True},
        {"name": "age", "kind": "numeric", "edges": [0, 18, 65, 99], "outside": "clip", "missing": True},
        {"name": "share", "kind": "numeric", "edges": [0, 0.25, 1.5], "outside": "clip"} | both,
    ]
    body = {"version": 1, "missing_tokens": ["NA"], "columns": columns[:1] if one else columns}
    schema = Schema.from_json(json.dumps(body))
    full = Support.full(schema.domain)
    return Distribution(full, np.random.default_rng(1).dirichlet(np.full(len(full), 0.5))), schema


@pytest.mark.parametrize(
    ("one", "rows", "cells", "sha256"),
    [
        (False, 1, "labels", "b5c8c8f737a60973"),
        (False, 1, "numbers", "0f443c767e4dba25"),
        (False, 7, "labels", "d1753227ddad82f0"),
        (False, 7, "numbers", "5aecea1afa90e4f2"),
        (False, 50_001, "labels", "8064856235e8b245"),
        (False, 50_001, "numbers", "50bdc43aaba5e5c0"),
        (True, 1, "labels", "4ab448886675e2f2"),
        (True, 7, "labels", "224c0c1638717c13"),
        (True, 50_001, "labels", "0f01c45c4245b92f"),
    ],
)
def test_the_bytes_are_those_of_the_versions_that_wrote_a_whole_table_at_once(
    one: bool, rows: int, cells: Cells, sha256: str
) -> None:
    distribution, schema = mixed(one=one)
    found = synthetic_csv(distribution, schema, rows, seed=5, cells=cells)
    assert hashlib.sha256(found).hexdigest()[:16] == sha256


@pytest.mark.parametrize("cells", ["labels", "numbers"])
def test_beside_its_bytes_a_table_takes_a_few_bytes_a_row(cells: Cells) -> None:
    """The order of the rows; cells are written some thousand rows at a time."""
    distribution, schema = mixed()
    synthetic_csv(distribution, schema, 10, seed=5, cells=cells)
    tracemalloc.start()
    try:
        found = synthetic_csv(distribution, schema, 300_000, seed=5, cells=cells)
        assert tracemalloc.get_traced_memory()[1] < len(found) + 16 * 300_000 + 2_000_000
    finally:
        tracemalloc.stop()
