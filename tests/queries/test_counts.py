"""Private counts against brute force, and how far one person moves them."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tables

from pmwpub.errors import DomainError
from pmwpub.queries.counts import PrivateCounts, count, sum_blocks
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


@settings(max_examples=40)
@given(
    # Not three columns of 300 levels: their cells alone fill gigabytes, and four columns pass what a workload may have.
    st.lists(st.sampled_from([1, 2, 3, 7, 17, 300]), min_size=2, max_size=4).filter(lambda own: own.count(300) < 3),
    st.integers(1, 4),
    st.sampled_from([1, 63, 64, 65, 511, 512, 513]),
    st.booleans(),
    st.integers(0, 1000),
)
def test_few_and_many_cells_are_counted_alike_at_every_length_of_a_block(
    sizes: list[int], k: int, rows: int, no_level: bool, seed: int
) -> None:
    """Independent oracle: numpy's histogram of the placed rows' cells."""
    shape = tables.domain(*sizes)
    workload = Workload.all_kway(shape, min(k, len(sizes)))
    dataset = tables.table(shape, rows, seed, no_level=no_level)
    counts = count(workload, dataset).counts
    for w, marginal in enumerate(workload.marginals):
        own = [shape.shape[a] for a in marginal.attributes]
        codes = dataset.codes[:, list(marginal.attributes)].astype(np.int64)
        placed = codes[np.all(codes < own, axis=1)]
        cells = np.ravel_multi_index(tuple(placed.T), own)
        expected = np.bincount(cells, minlength=int(np.prod(own)))
        assert np.array_equal(counts[workload.offsets[w] : workload.offsets[w + 1]], expected)


def test_blocks_and_threads_change_no_count() -> None:
    shape = tables.domain(2, 3, 9, 40)
    workload = Workload.all_kway(shape, 3)
    dataset = tables.table(shape, 30_000, 5, no_level=True)
    whole = count(workload, dataset).counts
    cuts = [0, 1, 64, 8_192, 8_193, 20_000, 20_000, 30_000]
    blocks = [np.ascontiguousarray(dataset.columns[:, a:b]) for a, b in itertools.pairwise(cuts)]
    for threads in (1, 3):
        assert np.array_equal(sum_blocks(workload, blocks, threads=threads), whole)


def test_a_refusal_while_blocks_are_read_ends_the_count() -> None:
    shape = tables.domain(2, 2)

    def broken() -> Iterator[np.ndarray]:
        yield np.zeros((2, 5), dtype=np.uint8)
        raise DomainError("cut off")

    for threads in (1, 2):
        with pytest.raises(DomainError, match="cut off"):
            sum_blocks(Workload.all_kway(shape, 1), broken(), threads=threads)


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
