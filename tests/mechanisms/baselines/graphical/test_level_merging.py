"""Levels taken together: tables by hand, and how far a replaced row moves them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import tables

from pmwpub.mechanisms.baselines.graphical.level_merging import Merging
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload

MERGING = Merging.of_rare([np.array([False, True, False, True]), np.array([False, False])])


@pytest.mark.parametrize(
    ("rare", "groups"),
    [
        ([0, 0, 0], [0, 1, 2]),
        ([0, 1, 0], [0, 1, 2]),
        ([1, 0, 1], [1, 0, 1]),
        ([0, 1, 0, 1, 1], [0, 2, 1, 2, 2]),
        ([1, 1], [0, 0]),
    ],
)
def test_several_rare_levels_become_the_last_one(rare: list[int], groups: list[int]) -> None:
    assert Merging.of_rare([np.array(rare, dtype=bool)]).groups[0].tolist() == groups


def test_a_table_is_summed_and_shared_out_evenly_again() -> None:
    assert MERGING.shape == (3, 2)
    table = np.array([[1, 2], [3, 4], [5, 6], [7, 9]])
    merged = MERGING.gathered((0, 1), table)
    assert merged.tolist() == [[1, 2], [5, 6], [10, 13]]
    assert MERGING.cells((0, 1)).tolist() == [[1, 1], [1, 1], [2, 2]]
    assert MERGING.spread((0, 1), merged.astype(float)).tolist() == [[1, 2], [5, 6.5], [5, 6], [5, 6.5]]
    assert MERGING.gathered((1, 0), table.T).tolist() == [[1, 5, 10], [2, 6, 13]]
    assert MERGING.spread((0,), np.array([1.0, 2.0, 8.0])).tolist() == [1, 4, 2, 4]


@given(k=st.integers(1, 3), rows=st.integers(3, 9), seed=st.integers(0, 10_000), rare=st.integers(0, 2**9 - 1))
def test_k_replaced_rows_move_a_merged_table_by_2k_in_all_and_root_2_k_in_norm(
    k: int, rows: int, seed: int, rare: int
) -> None:
    domain = tables.domain(3, 2, 4)
    bits = np.array([rare >> place & 1 for place in range(9)], dtype=bool)
    merging = Merging.of_rare([bits[:3], bits[3:5], bits[5:]])
    private = tables.table(domain, rows, seed, no_level=True)
    workload = Workload.all_kway(domain, 2)
    ends = workload.offsets
    one, other = (count(workload, table) for table in (private, tables.neighbour(private, k, seed + 1)))
    for marginal, (first, last) in zip(workload.marginals, itertools.pairwise(ends), strict=True):
        shape = [domain.shape[a] for a in marginal.attributes]
        merged = [merging.gathered(marginal.attributes, c.counts[first:last].reshape(shape)) for c in (one, other)]
        moved = np.abs(merged[0] - merged[1])
        assert moved.sum() <= 2 * k
        assert (moved**2).sum() <= 2 * k**2
