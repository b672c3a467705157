"""Prefix queries: which there are, what rows satisfy them, and how far one person moves each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tables

from pmwpub.domain import Attribute, Domain
from pmwpub.errors import DomainError, WorkloadError
from pmwpub.queries import cell_space
from pmwpub.queries.cell_space import answered, spread_back
from pmwpub.queries.counts import count, sum_blocks
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.prefix_tables import PrefixTable
from pmwpub.queries.workload import Condition, Marginal, Workload
from pmwpub.records import Dataset, Support

SEX = Attribute("sex", ("F", "M"))
AGE = Attribute("age", ("[0, 20)", "[20, 40)", "[40, 60]", "(missing)"), 3)
TOWN = Domain((AGE, SEX))
ROWS = Dataset(TOWN, [[0, 0], [0, 1], [1, 1], [2, 0], [2, 0], [3, 0], [4, 1], [1, 2]])
"""Two of 0 to 20, two of 20 to 40, two of 40 to 60, one missing, one without a level; the last has no sex."""


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    """Two to four attributes, some ordered, with or without levels behind the order; 1- to 3-way marginals."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=2, max_size=4))
    levels = [draw(st.integers(0, size)) for size in sizes]
    shape = tables.ordered(tables.domain(*sizes), *levels)
    names = [one.name for one in shape.attributes if one.ordered > 1]
    chosen = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    return Workload.all_kway(shape, draw(st.integers(1, min(3, len(sizes)))), prefixes=chosen)


def test_the_prefixes_of_a_small_town_by_hand() -> None:
    """Of age: 2 and 4 (the full one, 6, is left out; missing is in none). Of age and F: 1, 1; and M: 1, 2."""
    workload = Workload.all_kway(TOWN, 2, prefixes=["age"])
    assert workload.prefixes == (PrefixTable(0), PrefixTable(0, (1,)))
    counts = count(workload, ROWS).counts.tolist()
    assert workload.offsets.tolist() == [0, 8, 10, 14]
    assert counts[8:] == [2, 4, 1, 1, 1, 2]
    assert workload.labels(9) == {"age": "at most [20, 40)"}
    assert workload.labels(13) == {"sex": "M", "age": "at most [20, 40)"}
    assert workload.labels(3) == {"age": "[20, 40)", "sex": "M"}
    assert workload.conditions(13) == (Condition(1, 1, 1), Condition(0, 0, 1))
    assert [workload.is_prefix(query) for query in (7, 8)] == [False, True]
    with pytest.raises(WorkloadError, match="no cell"):
        workload.query(8)


def test_each_named_column_has_its_prefixes_alone_and_beside_each_column_of_its_marginals() -> None:
    shape = tables.ordered(tables.domain(3, 4, 2, 2), 3, 4, 0, 0)
    both = Workload.all_kway(shape, 3, prefixes=["a1", "a0"])
    beside = [(0,), (1, 0), (2, 0), (3, 0), (1,), (0, 1), (2, 1), (3, 1)]
    assert [table.attributes for table in both.prefixes] == beside
    assert Workload.all_kway(shape, 1, prefixes=["a1"]).prefixes == (PrefixTable(1),)
    picked = Workload.of(shape, [["a0", "a2"], ["a1", "a3"]], prefixes=["a0"])
    assert picked.prefixes == (PrefixTable(0), PrefixTable(0, (2,)))
    assert Workload.of(shape, [["a2"]], prefixes=["a0"]).prefixes == (PrefixTable(0),)
    sampled = Workload.sampled(shape, 2, 2, 1, prefixes=["a0"])
    held = {a for marginal in sampled.marginals if 0 in marginal.attributes for a in marginal.attributes} - {0}
    assert {table.beside for table in sampled.prefixes} == {()} | {(a,) for a in held}


def test_columns_without_an_order_are_refused_in_words() -> None:
    shape = tables.ordered(tables.domain(3, 4), 1, 4)
    with pytest.raises(WorkloadError, match=r"two levels in order .*'a0' is none"):
        Workload.all_kway(shape, 2, prefixes=["a0"])
    with pytest.raises(DomainError, match="no attribute"):
        Workload.all_kway(shape, 2, prefixes=["nowhere"])
    with pytest.raises(WorkloadError, match="two levels in order"):
        Workload(shape, (), (PrefixTable(0),))
    with pytest.raises(WorkloadError, match="each marginal once"):
        Workload(shape, (), (PrefixTable(1), PrefixTable(1)))
    for ordered, beside in ((0, (0,)), (0, (2, 1)), (-1, ())):
        with pytest.raises(WorkloadError, match="prefix table needs"):
            PrefixTable(ordered, beside)
    with pytest.raises(DomainError, match="5 are ordered"):
        Attribute("x", ("a", "b"), 5)


def test_a_workload_without_prefixes_keeps_its_hash_and_one_with_them_has_its_own() -> None:
    """The first is the hash that versions without prefixes gave."""
    shape = tables.domain(2, 3, 2)
    plain = Workload.all_kway(shape, 2)
    assert plain.sha256 == "47aeeb8688b83189d7f3d4e287154e40bbe3d37214f00f9a7d66ab529144ccd6"
    assert Workload.all_kway(tables.ordered(shape, 2, 3, 0), 2).sha256 == plain.sha256
    of_three, of_two = (Workload.all_kway(tables.ordered(shape, 0, n, 0), 2, prefixes=["a1"]) for n in (3, 2))
    assert len({plain.sha256, of_three.sha256, of_two.sha256}) == 3


@settings(max_examples=60, deadline=None)
@given(workloads(), st.integers(1, 30), st.integers(0, 1000))
def test_counts_sums_and_members_equal_brute_force(workload: Workload, rows: int, seed: int) -> None:
    private = tables.table(workload.domain, rows, seed, no_level=True)
    assert count(workload, private).counts.tolist() == tables.brute_counts(workload, private)
    support = tables.support(workload.domain, 12, seed)
    problem = PublicProblem(workload, support)
    values = np.random.default_rng(seed).integers(0, 100, len(support))
    for query, found in enumerate(problem.sums(values).tolist()):
        members = [x for x, row in enumerate(support.codes) if tables.satisfied(workload, query, row)]
        assert problem.members(query).tolist() == members
        assert found == values[members].sum()


def check_cumulated(workload: Workload, private: Dataset) -> None:
    """Each prefix is the sum of the cells up to it, counted as a marginal of its own."""
    counts = count(workload, private).counts
    for table, begin, end in zip(workload.tables, workload.offsets, workload.offsets[1:], strict=False):
        if isinstance(table, Marginal):
            continue
        cells = count(Workload(workload.domain, (Marginal(tuple(sorted(table.attributes))),)), private).counts
        shape = [workload.domain.shape[a] for a in sorted(table.attributes)]
        place = sorted(table.attributes).index(table.ordered)
        by_axis = np.moveaxis(cells.reshape(shape), place, -1).reshape(-1, shape[place])
        last = workload.domain.attributes[table.ordered].ordered - 1
        expected = [[int(cell[: most + 1].sum()) for most in range(last)] for cell in by_axis]
        assert counts[begin:end].tolist() == np.ravel(expected).tolist(), "a prefix is not the sum of its cells"


@settings(max_examples=60, deadline=None)
@given(workloads(), st.integers(1, 40), st.integers(0, 1000))
def test_prefixes_are_cumulated_cells(workload: Workload, rows: int, seed: int) -> None:
    check_cumulated(workload, tables.table(workload.domain, rows, seed, no_level=True))


@pytest.mark.fault("a last prefix that ends one level too late")
def test_prefixes_that_are_off_by_one_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first level is skipped, so that each prefix is the next one and the last is the full one."""

    def late(workload: Workload, cells: np.ndarray) -> np.ndarray:
        if not workload.prefixes:
            return cells
        plain = len(workload.marginals)
        cell_space.cumulate(workload, cells, np.arange(len(workload.tables)), workload.cell_offsets)
        parts = [cells[: workload.cell_offsets[plain]]]
        for w in range(plain, len(workload.tables)):
            own = cells[workload.cell_offsets[w] : workload.cell_offsets[w + 1]].reshape(-1, workload.last_sizes[w])
            parts.append(own[:, 1 : 1 + workload.last_queries[w]].ravel())
        return np.concatenate(parts)

    monkeypatch.setattr("pmwpub.queries.counts.answered", late)
    with pytest.raises(AssertionError, match="not the sum"):
        check_cumulated(Workload.all_kway(TOWN, 2, prefixes=["age"]), ROWS)


@settings(max_examples=100, deadline=None)
@given(workloads(), st.integers(0, 1000))
def test_spreading_back_is_the_transpose(workload: Workload, seed: int) -> None:
    """<answers of cells, y> = <cells, y spread back>, in whole numbers."""
    rng = np.random.default_rng(seed)
    cells, y = rng.integers(0, 50, workload.cells), rng.integers(-50, 50, workload.queries)
    spread = spread_back(workload, y)
    assert len(spread) == workload.cells
    assert int(answered(workload, cells.copy()) @ y) == int(cells @ spread)


@settings(max_examples=150, deadline=None)
@given(workloads(), st.integers(1, 12), st.sampled_from([1, 3]), st.integers(0, 10_000))
def test_one_person_moves_each_query_by_at_most_k(workload: Workload, rows: int, k: int, seed: int) -> None:
    private = tables.table(workload.domain, rows, seed, no_level=True)
    changed = tables.neighbour(private, k, seed + 1)
    assert np.abs(count(workload, private).counts - count(workload, changed).counts).max() <= k


@pytest.mark.parametrize("k", [1, 3])
def test_one_person_may_move_every_prefix_by_k_at_once(k: int) -> None:
    """k rows of the first level become k of the last, or lose their level."""
    workload = Workload.all_kway(TOWN, 1, prefixes=["age"])
    first = count(workload, Dataset(TOWN, [[0, 0]] * 5)).counts[-2:]
    for level in (2, 3, 4):
        moved = count(workload, Dataset(TOWN, [[level, 0]] * k + [[0, 0]] * (5 - k))).counts[-2:]
        assert (first - moved).tolist() == [k, k]


def test_a_sub_workload_has_tables_of_both_kinds_in_order() -> None:
    full = Workload.all_kway(
        tables.ordered(tables.domain(3, 3, 3, 3), 3, 3, 3, 3), 2, prefixes=["a0", "a1", "a2", "a3"]
    )
    part = full.restricted(10, 0)
    assert len(part.tables) == 10
    assert part.marginals
    assert part.prefixes
    assert list(part.tables) == [table for table in full.tables if table in part.tables]
    assert full.restricted(len(full.tables), 0) is full


def test_blocks_and_threads_count_what_one_pass_does() -> None:
    workload = Workload.all_kway(TOWN, 2, prefixes=["age"])
    codes = np.ascontiguousarray(tables.table(TOWN, 500, 3, no_level=True).codes.T)
    blocks = [np.ascontiguousarray(codes[:, begin : begin + 70]) for begin in range(0, 500, 70)]
    whole = count(workload, Dataset(TOWN, codes.T)).counts
    for threads in (1, 3):
        assert sum_blocks(workload, iter(blocks), threads=threads).tolist() == whole.tolist()


def test_wide_tables_are_summed_like_narrow_ones() -> None:
    """More cells than rows, so that no lanes are used; and a column of two-byte codes."""
    workload = Workload.all_kway(tables.ordered(tables.domain(300, 7), 299, 0), 2, prefixes=["a0"])
    check_cumulated(workload, tables.table(workload.domain, 60, 4, no_level=True))
    public = tables.table(workload.domain, 60, 5)
    sums = PublicProblem(workload, Support.of(public)).start_sums
    assert sums.tolist() == count(workload, public).counts.tolist()
