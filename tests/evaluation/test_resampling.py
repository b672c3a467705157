from __future__ import annotations

import tracemalloc

import numpy as np
from scipy.stats import chi2
from support import tables

from pmwpub.evaluation import halves, resampled
from pmwpub.mechanisms.baselines.discrimination import OneHotRows as DiscriminationRows
from pmwpub.mechanisms.baselines.mwem import projected
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset

SHAPE = tables.domain(3, 2, 2)


def test_resampling_and_halving_keep_to_the_table() -> None:
    dataset = tables.table(SHAPE, 41, 5)
    rows = {tuple(row) for row in dataset.codes.tolist()}
    drawn = resampled(dataset, 1000, 0)
    assert len(drawn) == 1000
    assert {tuple(row) for row in drawn.codes.tolist()} <= rows
    first, second = halves(dataset, 0)
    assert (len(first), len(second)) == (20, 21)
    together = sorted(map(tuple, [*first.codes.tolist(), *second.codes.tolist()]))
    assert together == sorted(map(tuple, Dataset(SHAPE, dataset.codes).codes.tolist()))


def test_rows_are_drawn_with_replacement_each_alike() -> None:
    """Counts of distinct rows are multinomial: chi-square over 400 draws of 1,000 rows, and each count's variance."""
    dataset = Dataset(SHAPE, [[0, 0, 0]] * 5 + [[1, 1, 0]] * 3 + [[2, 0, 1]] * 2)
    shares = np.array([0.5, 0.3, 0.2])
    counts = np.zeros((400, 3))
    for seed in range(400):
        drawn = resampled(dataset, 1000, seed)
        places = {row: place for place, row in enumerate([(0, 0, 0), (1, 1, 0), (2, 0, 1)])}
        for row, often in zip(map(tuple, drawn.codes.tolist()), drawn.repeats, strict=True):
            counts[seed, places[row]] = often
    assert np.all(counts.sum(axis=1) == 1000)
    expected = 1000 * shares
    statistic = float((((counts - expected) ** 2) / expected).sum())
    low, high = chi2.ppf([5e-7, 1 - 5e-7], df=2 * 400)
    assert low < statistic < high
    assert not low < 1.4 * statistic < high, "the check itself tells a law of more spread"
    assert not low < 0.7 * statistic < high, "and one of less"
    assert np.cov(counts[:, 0], counts[:, 1])[0, 1] < 0


def test_repeated_rows_count_as_the_rows_written_out() -> None:
    drawn = resampled(tables.table(SHAPE, 41, 5), 700, 3)
    written = Dataset(SHAPE, np.concatenate([block.T for block in drawn.blocks()]))
    workload = Workload.all_kway(SHAPE, 2)
    assert len(written) == len(drawn) == 700
    assert np.array_equal(count(workload, drawn).counts, count(workload, written).counts)
    names = [SHAPE.names[0], SHAPE.names[2]]
    smaller, same = projected(drawn, names), projected(written, names)
    ways = Workload.all_kway(smaller.domain, 1)
    assert np.array_equal(count(ways, smaller).counts, count(ways, same).counts)
    ours, theirs = DiscriminationRows.of_private(drawn), DiscriminationRows.of_private(written)
    assert np.array_equal(ours.places, theirs.places)
    assert np.array_equal(ours.shares, theirs.shares)


def test_a_billion_simulated_rows_take_no_memory_of_their_own() -> None:
    dataset, workload = tables.table(SHAPE, 500, 5), Workload.all_kway(SHAPE, 2)
    tracemalloc.start()
    try:
        counts = count(workload, resampled(dataset, 10**9, 0))
        assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    finally:
        tracemalloc.stop()
    assert counts.n == 10**9
    assert counts.counts[: 3 * 2].sum() == 10**9
