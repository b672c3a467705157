"""Definition 2.2: a k-way marginal has one query for each target y of its attribute set S."""

from __future__ import annotations

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st
from support import tables

from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload

SIZES = (2, 3, 4, 2)


def test_all_k_way_marginals_are_the_sets_of_k_attributes_and_their_cells() -> None:
    shape = tables.domain(*SIZES)
    for k in (1, 2, 3, 4):
        workload = Workload.all_kway(shape, k)
        sets = list(itertools.combinations(range(len(SIZES)), k))
        assert [marginal.attributes for marginal in workload.marginals] == sets
        assert workload.queries == sum(math.prod(SIZES[a] for a in chosen) for chosen in sets)


def test_every_row_satisfies_exactly_one_query_of_each_marginal() -> None:
    shape = tables.domain(*SIZES)
    workload = Workload.all_kway(shape, 3)
    for row in tables.all_targets(shape)[::5]:
        hits = [workload.query(q)[0] for q in range(workload.queries) if tables.satisfied(workload, q, row)]
        assert hits == list(workload.marginals)


@given(st.integers(1, 40), st.integers(0, 10**6))
def test_each_marginal_sums_to_the_rows_that_have_a_level_on_all_its_attributes(rows: int, seed: int) -> None:
    shape = tables.domain(*SIZES)
    workload, private = Workload.all_kway(shape, 2), tables.table(shape, rows, seed, no_level=True)
    counts = count(workload, private).counts
    for w, marginal in enumerate(workload.marginals):
        placed = sum(all(row[a] < SIZES[a] for a in marginal.attributes) for row in private.codes)
        assert counts[workload.offsets[w] : workload.offsets[w + 1]].sum() == placed
