"""Definition 2.1: q(D) = (1/|D|) sum_x phi(x), and q(A) = sum_x phi(x) A(x) for a distribution."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support import tables

from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem, quantise
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution


@given(st.integers(1, 30), st.integers(0, 10**6))
def test_the_count_of_a_query_is_n_times_its_answer_on_the_rows(rows: int, seed: int) -> None:
    shape = tables.domain(2, 3, 2)
    workload, private = Workload.all_kway(shape, 2), tables.table(shape, rows, seed)
    assert count(workload, private).counts.tolist() == tables.brute_counts(workload, private)


@given(st.integers(1, 30), st.integers(0, 10**6))
def test_the_answer_of_a_distribution_is_the_mass_of_its_satisfying_atoms(rows: int, seed: int) -> None:
    shape = tables.domain(2, 3, 2)
    workload, support = Workload.all_kway(shape, 2), tables.support(shape, rows, seed)
    problem = PublicProblem(workload, support)
    weights = quantise(Distribution.empirical(support).weights, 1000)
    sums = problem.sums(weights.values)
    for q in range(workload.queries):
        exact = tables.brute_answer(workload, support, weights.values.tolist(), q)
        assert exact * weights.total == int(sums[q])
