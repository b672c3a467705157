"""q(A) in exact integers: against fractions, in any order, and where floats would fail."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tables

from pmwpub.errors import DomainError
from pmwpub.queries.incidence import PublicProblem, quantise, rounded_answers
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution, Support


@settings(max_examples=40)
@given(st.lists(st.integers(1, 4), min_size=3, max_size=4), st.integers(1, 4), st.integers(1, 40), st.integers(0, 999))
def test_answers_equal_brute_force_fractions(sizes: list[int], k: int, rows: int, seed: int) -> None:
    shape = tables.domain(*sizes)
    workload = Workload.all_kway(shape, min(k, len(sizes)))
    support = tables.support(shape, rows, seed)
    problem = PublicProblem(workload, support)
    quantised = quantise(np.random.default_rng(seed).dirichlet(np.ones(len(support))), 1000)
    sums = problem.sums(quantised.values)
    for query in range(0, workload.queries, 3):
        exact = tables.brute_answer(workload, support, quantised.values.tolist(), query)
        assert Fraction(int(sums[query]), quantised.total) == exact


@settings(max_examples=40)
@given(st.integers(0, 999))
def test_members_are_the_atoms_that_satisfy_the_query(seed: int) -> None:
    shape = tables.domain(3, 2, 4)
    workload = Workload.all_kway(shape, 2)
    support = tables.support(shape, 15, seed)
    for query in range(workload.queries):
        expected = [x for x, row in enumerate(support.codes) if tables.satisfied(workload, query, row)]
        assert PublicProblem(workload, support).members(query).tolist() == expected


def test_the_sum_does_not_depend_on_the_order_of_the_atoms() -> None:
    shape = tables.domain(3, 3, 3)
    workload = Workload.all_kway(shape, 2)
    support = tables.support(shape, 60, 1)
    values = quantise(Distribution.empirical(support).weights, 44_000).values
    order = np.random.default_rng(0).permutation(len(support))
    shuffled = Support(shape, support.codes[order], support.multiplicity[order])
    there = PublicProblem(workload, support).sums(values)
    assert there.tolist() == PublicProblem(workload, shuffled).sums(values[order]).tolist()


def test_halves_are_rounded_up_and_never_to_even() -> None:
    sums = np.array([0, 1, 2, 3, 4])
    assert rounded_answers(sums, 4, 2).tolist() == [0, 1, 1, 2, 2]
    assert np.rint(sums * 2 / 4).tolist() == [0, 0, 1, 2, 2]


@settings(max_examples=200)
@given(st.integers(1, 10**7), st.integers(1, 2**40), st.data())
def test_rounding_equals_the_exact_fraction(n: int, total: int, data: st.DataObject) -> None:
    total = min(total, (1 << 62) // (2 * n + 1))
    part = data.draw(st.integers(0, total))
    exact = (Fraction(n * part, total) + Fraction(1, 2)).__floor__()
    assert rounded_answers(np.array([part]), total, n).tolist() == [exact]


def test_quantised_weights_fit_an_int64_for_ten_million_rows() -> None:
    for n in (1, 100, 44_000, 10_000_000):
        quantised = quantise(np.array([0.25, 0.75]), n)
        assert quantised.total == int(quantised.values.sum())
        assert (2 * n + 1) * quantised.total < 2**63
        assert quantised.total < 2**53
        assert quantised.values[0] * 3 == quantised.values[1]


def assert_order_free(rounded: Callable[[Support, list[int], int], int]) -> None:
    """r_q of the query {a0 = 0} is one number, whatever the order of its atoms; here n q(A) is a half exactly.

    rounded  takes a support, whole weights by atom, and n
    """
    shape = tables.domain(2, 4)
    atoms = {(0, 0): 1, (0, 1): 2, (0, 2): 4, (1, 0): 3}
    found = set()
    for order in itertools.permutations(atoms):
        support = Support(shape, np.array(order), np.ones(4, dtype=np.int64))
        found.add(rounded(support, [atoms[row] for row in order], 45))
    assert found == {32}, f"45 * 7/10 = 31.5 rounds up to 32, in any order; {found} came"


def test_a_rounded_answer_does_not_depend_on_the_order() -> None:
    def rounded(support: Support, values: list[int], n: int) -> int:
        workload = Workload.of(support.domain, [["a0"]])
        sums = PublicProblem(workload, support).sums(np.array(values))
        return int(rounded_answers(sums, sum(values), n)[0])

    assert_order_free(rounded)


@pytest.mark.fault("q(A) summed in floats")
def test_answers_summed_in_floats_are_caught() -> None:
    def faulty(support: Support, values: list[int], n: int) -> int:
        hit = [value / sum(values) for row, value in zip(support.codes, values, strict=True) if row[0] == 0]
        total = 0.0
        for share in hit:
            total += share
        return math.floor(n * total + 0.5)

    with pytest.raises(AssertionError, match="in any order"):
        assert_order_free(faulty)


def test_other_domains_are_refused() -> None:
    with pytest.raises(DomainError, match="different schemas"):
        PublicProblem(Workload.all_kway(tables.domain(2, 2), 2), tables.support(tables.domain(2, 3), 4, 0))


def test_the_public_table_unchanged_is_answered_by_its_multiplicities() -> None:
    shape = tables.domain(2, 3)
    dataset = tables.table(shape, 50, 3)
    workload = Workload.all_kway(shape, 2)
    problem = PublicProblem(workload, Support.of(dataset))
    assert problem.start_sums.tolist() == tables.brute_counts(workload, dataset)
