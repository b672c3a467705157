"""A pool with learnt weights in a sweep: one run for all candidates, near the truth that lies between them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from support import tables

from pmwpub.evaluation import TABLE_FIT, TABLE_FIT_POOL, Stage, Sweep, simulate
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

SHAPE = tables.domain(3, 2, 4)
WORKLOAD = Workload.all_kway(SHAPE, 2)


def between(*seeds: int) -> Stage:
    """A truth half of whose rows are of either kind of public rows; each kind has one level of its own."""
    kinds = [tables.table(SHAPE, 3_000, seed).codes.copy() for seed in seeds]
    for level, codes in enumerate(kinds):
        codes[:, 0] = level
    rows = Dataset(SHAPE, np.concatenate([codes[:1_500] for codes in kinds]))
    candidates = {f"t{level}": Support.of(Dataset(SHAPE, codes[1_500:])) for level, codes in enumerate(kinds)}
    return Stage(WORKLOAD, count(WORKLOAD, rows), candidates, Fraction(1, 10**6), rows=rows)


def test_a_pool_runs_once_for_all_candidates_and_is_better_than_each_where_the_truth_lies_between() -> None:
    sweep = Sweep((1.0,), runs=3, methods=(TABLE_FIT, TABLE_FIT_POOL), floors=False)
    stage = between(1, 2)
    found = simulate(stage, sweep).errors
    assert sweep.parts(2) == len(found) == 9
    of_pool = [one.max_error for one in found if one.method == TABLE_FIT_POOL]
    assert {one.candidate for one in found if one.method == TABLE_FIT_POOL} == {""}
    # Half the rows have a level that a table lacks; of the two levels beside it, one has a quarter of all rows or more.
    assert max(of_pool) < 0.05 < 0.25 <= min(one.max_error for one in found if one.method == TABLE_FIT)
    assert simulate(stage, sweep).errors == found


def test_one_candidate_is_no_pool_and_the_sweep_says_so() -> None:
    stage = between(1)
    found = simulate(stage, Sweep((1.0,), runs=1, methods=(TABLE_FIT_POOL,), floors=False))
    assert not found.errors
    assert [one.method for one in found.refused] == [TABLE_FIT_POOL]
    assert "two to 8 public tables" in found.refused[0].reason
