"""Private counts against brute force, and how far one person moves them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import tables
from hypothesis import given, settings
from hypothesis import strategies as st

from pmwpub.errors import DomainError
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.workload import Workload

shapes = st.lists(st.integers(1, 4), min_size=2, max_size=4)


@settings(max_examples=60)
@given(shapes, st.integers(1, 4), st.integers(1, 30), st.integers(0, 1000))
def test_counts_equal_brute_force_also_where_cells_have_no_level(
    sizes: list[int], k: int, rows: int, seed: int
) -> None:
    shape = tables.domain(*sizes)
    workload = Workload.all_kway(shape, min(k, len(sizes)))
    dataset = tables.table(shape, rows, seed, no_level=True)
    assert count(workload, dataset).counts.tolist() == tables.brute_counts(workload, dataset)


@settings(max_examples=60)
@given(shapes, st.integers(1, 25), st.integers(0, 1000))
def test_each_marginal_sums_to_n_minus_its_unplaced_rows(sizes: list[int], rows: int, seed: int) -> None:
    shape = tables.domain(*sizes)
    workload = Workload.all_kway(shape, 2)
    dataset = tables.table(shape, rows, seed, no_level=True)
    counts = count(workload, dataset)
    for w, marginal in enumerate(workload.marginals):
        a, b = marginal.attributes
        placed = np.sum((dataset.codes[:, a] < sizes[a]) & (dataset.codes[:, b] < sizes[b]))
        assert counts.counts[workload.offsets[w] : workload.offsets[w + 1]].sum() == placed
    assert counts.n == rows


@settings(max_examples=100)
@given(shapes, st.integers(1, 12), st.integers(1, 3), st.integers(0, 10_000))
def test_one_person_moves_each_count_by_at_most_k(sizes: list[int], rows: int, k: int, seed: int) -> None:
    shape = tables.domain(*sizes)
    workload = Workload.all_kway(shape, 2)
    dataset = tables.table(shape, rows, seed, no_level=True)
    changed = tables.neighbour(dataset, k, seed + 1)
    assert np.abs(count(workload, dataset).counts - count(workload, changed).counts).max() <= k


def test_private_counts_show_nothing() -> None:
    counts = PrivateCounts(np.array([3, 1]), 4)
    assert repr(counts) == str(counts) == "PrivateCounts(hidden)"
    assert pickle.loads(pickle.dumps(counts)).counts.tolist() == [3, 1]  # noqa: S301 - our own bytes


def test_counts_outside_0_to_n_and_other_domains_are_refused() -> None:
    for counts, n in (([5], 4), ([-1], 4), ([0], 0)):
        with pytest.raises(DomainError):
            PrivateCounts(np.array(counts), n)
    with pytest.raises(DomainError, match="different schemas"):
        count(Workload.all_kway(tables.domain(2, 2), 2), tables.table(tables.domain(2, 3), 3, 0))
