"""A pool with learnt weights in a sweep: one run for all candidates, near the truth that lies between them."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from support import tables

from pmwpub.evaluation import TABLE_FIT, TABLE_FIT_POOL, Simulation, Stage, Sweep, expected_pools, simulate
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.ui.wording.simulation_verdicts import expected_pool_words

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


def test_what_each_candidate_contributes_is_kept_and_said() -> None:
    """Half and half by the way the truth was made."""
    found = simulate(between(1, 2), Sweep((1.0,), runs=2, methods=(TABLE_FIT, TABLE_FIT_POOL), floors=False))
    again = Simulation.from_bytes(found.to_bytes())
    assert again == found
    assert b"contributions" not in Simulation([one for one in found.errors if one.candidate]).to_bytes()
    (expected,) = expected_pools(found.errors)
    assert dict(expected.contributions) == {"t0": pytest.approx(0.5, abs=0.1), "t1": pytest.approx(0.5, abs=0.1)}
    assert expected.mean < 0.05 < expected.best
    words = expected_pool_words(expected, "t0, Table fit")
    assert "expected to be best" in words
    assert re.search(r"t[01] 5\d %, t[01] [45]\d %", words)


def test_one_candidate_is_no_pool_and_the_sweep_says_so() -> None:
    stage = between(1)
    found = simulate(stage, Sweep((1.0,), runs=1, methods=(TABLE_FIT_POOL,), floors=False))
    assert not found.errors
    assert [one.method for one in found.refused] == [TABLE_FIT_POOL]
    assert "two to 8 public tables" in found.refused[0].reason
