"""How far one person moves a vector of prefixes or ranges: the stated number against every pair of rows."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tables

from pmwpub.errors import BudgetError
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.privacy.vector_sensitivity import crossed_reach, prefix_reach, range_reach
from pmwpub.queries.counts import count
from pmwpub.queries.prefix_tables import PrefixTable
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset

Ranges = Sequence[tuple[int, int]]


def held_by(ranges: Ranges, row: int | None) -> np.ndarray:
    """0 or 1 for each range; a row of None has no level in order."""
    return np.array([int(row is not None and first <= row <= last) for first, last in ranges])


def furthest(ranges: Ranges, levels: int, k: int, *, complete: bool) -> int:
    """The largest |a - b|^2 over all ways to replace k rows, by trying them all."""
    rows: list[int | None] = [*range(levels), *([] if complete else [None])]
    sums = [
        sum(held_by(ranges, row) for row in rows_of) for rows_of in itertools.combinations_with_replacement(rows, k)
    ]
    return max(int(((ours - theirs) ** 2).sum()) for ours in sums for theirs in sums)


def prefixes(levels: int, *, full: bool) -> list[tuple[int, int]]:
    return [(0, most) for most in range(levels - 1 + full)]


def check_prefixes(reach: Callable[..., int], levels: int, k: int, *, full: bool, complete: bool) -> None:
    found = furthest(prefixes(levels, full=full), levels, k, complete=complete)
    assert reach(levels, k, full=full, complete=complete) == found, "a vector of prefixes moves by another number"


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("levels", [2, 3, 5])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("complete", [False, True])
def test_the_stated_number_is_the_largest_over_all_replacements(
    levels: int, k: int, full: bool, complete: bool
) -> None:
    check_prefixes(prefix_reach, levels, k, full=full, complete=complete)


def test_by_hand() -> None:
    """Ages of 8 bins: 7 prefixes, so 7 for one row and 63 for three; 8 with "has an age at all", 14 beside a sex."""
    assert [prefix_reach(8), prefix_reach(8, 3), prefix_reach(8, full=True)] == [7, 63, 8]
    assert [prefix_reach(8, full=True, complete=True), crossed_reach(8), crossed_reach(8, 2, full=True)] == [7, 14, 64]
    thirds = [(0, 2), (3, 5), (6, 7)]
    assert [range_reach(thirds, 8), range_reach(thirds, 8, 3)] == [2, 18]
    assert [range_reach([(0, 7)], 8), range_reach([(0, 7)], 8, complete=True)] == [1, 0]


@settings(max_examples=150, deadline=None)
@given(
    st.integers(2, 6).flatmap(
        lambda levels: st.tuples(
            st.just(levels),
            st.lists(
                st.tuples(st.integers(0, levels - 1), st.integers(0, levels - 1)).map(lambda ends: tuple(sorted(ends))),
                min_size=1,
                max_size=6,
            ),
        )
    ),
    st.integers(1, 3),
    st.booleans(),
)
def test_ranges_move_by_their_own_largest_row_difference(case: tuple[int, Ranges], k: int, complete: bool) -> None:
    levels, ranges = case
    assert range_reach(ranges, levels, k, complete=complete) == furthest(ranges, levels, k, complete=complete)


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 5), st.integers(0, 2), st.booleans(), st.sampled_from([1, 3]), st.integers(0, 10_000))
def test_no_neighbour_moves_a_prefix_table_further(levels: int, behind: int, crossed: bool, k: int, seed: int) -> None:
    """Tables as a workload counts them, with levels behind the order and rows without a level."""
    shape = tables.ordered(tables.domain(levels + behind, 3), levels, 0)
    workload = Workload(shape, (), (PrefixTable(0, (1,) if crossed else ()),))
    rows = tables.table(shape, 8, seed, no_level=True)
    moved = count(workload, rows).counts - count(workload, tables.neighbour(rows, k, seed + 1)).counts
    assert int((moved**2).sum()) <= (crossed_reach if crossed else prefix_reach)(levels, k)


@pytest.mark.parametrize("k", [1, 3])
def test_a_crossed_table_attains_its_number(k: int) -> None:
    shape = tables.ordered(tables.domain(4, 2), 4, 0)
    workload = Workload(shape, (), (PrefixTable(0, (1,)),))
    ours, theirs = (Dataset(shape, [[0, sex]] * k + [[2, 0]]) for sex in (0, 1))
    moved = count(workload, ours).counts - count(workload, theirs).counts
    assert int((moved**2).sum()) == crossed_reach(4, k) == 6 * k * k


@pytest.mark.fault("a vector of prefixes charged as cells")
def test_prefixes_charged_as_cells_are_caught() -> None:
    def as_cells(levels: int, k: int, **_: bool) -> int:
        """A row is in one cell: 2 k^2 whatever the levels."""
        return 2 * k * k

    with pytest.raises(AssertionError, match="another number"):
        check_prefixes(as_cells, 5, 1, full=False, complete=False)


def test_a_measured_vector_costs_what_its_reach_says() -> None:
    """Seven prefixes at sigma 10 cost 7/200 where cells would cost 2/200."""
    assert VectorGaussian(Fraction(10), Fraction(prefix_reach(8))).rho == ZCDP.at_least(Fraction(7, 200))


def test_what_is_no_vector_is_refused() -> None:
    for levels, k in ((1, 1), (3, 0)):
        with pytest.raises(BudgetError):
            prefix_reach(levels, k)
    for ranges in ([], [(1, 0)], [(0, 3)], [(-1, 0)]):
        with pytest.raises(BudgetError):
            range_reach(ranges, 3)
