"""Workloads: which queries there are and in which order."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import tables

from pmwpub.errors import WorkloadError
from pmwpub.queries.workload import Marginal, Workload


def test_all_3_way_marginals_of_adult_shape_have_the_known_number_of_queries() -> None:
    shape = (2, 2, 5, 6, 7, 9, 15, 16, 42, 16, 6, 10, 10)
    workload = Workload.all_kway(tables.domain(*shape), 3)
    assert len(workload.marginals) == math.comb(13, 3) == 286
    assert workload.queries == sum(a * b * c for a, b, c in itertools.combinations(shape, 3))


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.integers(1, 5), st.integers(0, 10**6))
def test_each_query_is_one_cell_and_each_cell_one_query(sizes: list[int], k: int, pick: int) -> None:
    workload = Workload.all_kway(tables.domain(*sizes), min(k, len(sizes)))
    cells = [workload.query(q) for q in range(workload.queries)]
    assert len(set(cells)) == workload.queries
    marginal, target = cells[pick % len(cells)]
    assert all(0 <= code < sizes[a] for a, code in zip(marginal.attributes, target, strict=True))


def test_a_sample_is_distinct_ascending_and_fixed_by_its_seed() -> None:
    shape = tables.domain(*[2] * 12)
    first = Workload.sampled(shape, 3, 40, 7)
    assert first == Workload.sampled(shape, 3, 40, 7)
    assert first != Workload.sampled(shape, 3, 40, 8)
    assert list(first.marginals) == sorted(set(first.marginals))
    assert Workload.sampled(shape, 3, 220, 0) == Workload.all_kway(shape, 3)


def test_each_marginal_is_sampled_equally_often() -> None:
    shape = tables.domain(*[2] * 5)
    hits = dict.fromkeys(itertools.combinations(range(5), 2), 0)
    for seed in range(2000):
        for marginal in Workload.sampled(shape, 2, 2, seed).marginals:
            hits[marginal.attributes] += 1
    assert all(300 < count < 500 for count in hits.values()), hits


def test_labels_name_the_query() -> None:
    workload = Workload.of(tables.domain(2, 3), [["a1", "a0"]])
    assert workload.labels(5) == {"a0": "1", "a1": "2"}
    assert workload.labels(1) == {"a0": "0", "a1": "1"}


def test_the_hash_follows_the_content() -> None:
    shape = tables.domain(2, 3, 2)
    assert Workload.all_kway(shape, 2).sha256 == Workload.all_kway(shape, 2).sha256
    assert Workload.all_kway(shape, 2).sha256 != Workload.all_kway(shape, 3).sha256
    assert Workload.all_kway(shape, 2).sha256 != Workload.all_kway(tables.domain(2, 3, 3), 2).sha256


def test_what_makes_no_workload_is_refused() -> None:
    shape = tables.domain(2, 3)
    for k in (0, 3):
        with pytest.raises(WorkloadError):
            Workload.all_kway(shape, k)
    for marginals in (0, 2):
        with pytest.raises(WorkloadError):
            Workload.sampled(shape, 2, marginals, 0)
    with pytest.raises(WorkloadError):
        Workload(shape, ())
    with pytest.raises(WorkloadError):
        Workload(shape, (Marginal((0, 2)),))
    with pytest.raises(WorkloadError):
        Marginal((1, 0))
    with pytest.raises(WorkloadError):
        Workload.all_kway(shape, 2).query(6)
    with pytest.raises(WorkloadError, match="lower k"):
        Workload.all_kway(tables.domain(10_000, 10_000, 10_000), 3)


def test_a_sub_workload_keeps_order_and_content() -> None:
    full = Workload.all_kway(tables.domain(*[2] * 8), 3)
    part = full.restricted(10, 0)
    assert len(part.marginals) == 10
    assert set(part.marginals) <= set(full.marginals)
    assert list(part.marginals) == sorted(part.marginals)
    assert full.restricted(100, 0) is full
