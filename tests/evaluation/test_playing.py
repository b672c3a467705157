from __future__ import annotations

import tables

from pmwpub.evaluation import halves, resampled
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
