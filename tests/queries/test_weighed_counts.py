"""Sums of weights against brute force, and how far one person moves whatever is made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tables

from pmwpub.errors import DomainError
from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.mechanisms.noisy_error.assessment import start_steps
from pmwpub.mechanisms.noisy_error.release_error import error_steps
from pmwpub.queries.counts import WEIGHED, PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem, quantise, rounded_answers
from pmwpub.queries.weighed_counts import total_weight, weighed_count, weighed_sums
from pmwpub.queries.workload import Workload
from pmwpub.records import Codes, Dataset, Distribution, Ints
from pmwpub.tabular.weights.row_weights import WeighedTable

PEOPLE = st.integers(1, 3)
CAPS = st.sampled_from([1, 2, 7, 1_000])
SEEDS = st.integers(0, 100_000)


@dataclass(frozen=True)
class Town:
    """A weighed table with prefixes, its public table, and one person of k rows who becomes somebody else."""

    seed: int
    k: int
    cap: int
    total: int

    @property
    def workload(self) -> Workload:
        shape = tables.ordered(tables.domain(3, 4, 2), 3, 4, 0)
        return Workload.all_kway(shape, 2, prefixes=("a0", "a1"))

    def both(self) -> tuple[WeighedTable, WeighedTable]:
        """Weights are often 0 or the cap, and the person's go from any to any; cells may have no level."""
        rng = np.random.default_rng(self.seed)
        shape, rows = self.workload.domain, int(rng.integers(self.k, 12))
        one = tables.table(shape, rows, self.seed, no_level=True)
        weights = self.weights(rng, rows)
        codes, others = np.array(one.codes), weights.copy()
        theirs = rng.choice(rows, size=self.k, replace=False)
        codes[theirs] = tables.table(shape, self.k, self.seed + 1, no_level=True).codes
        others[theirs] = self.weights(rng, self.k)
        return WeighedTable(one, weights), WeighedTable(Dataset(shape, codes), others)

    def weights(self, rng: np.random.Generator, rows: int) -> Ints:
        kinds = rng.integers(3, size=rows)
        return np.where(kinds == 0, 0, np.where(kinds == 1, self.cap, rng.integers(self.cap + 1, size=rows)))

    def counts(self, rows: WeighedTable) -> PrivateCounts:
        return weighed_count(self.workload, rows, cap=self.cap, total=self.total)


towns = st.builds(Town, SEEDS, PEOPLE, CAPS, st.sampled_from([1, 5, 4_000]))


@settings(max_examples=60)
@given(towns)
def test_sums_of_weights_equal_brute_force_also_where_cells_have_no_level(town: Town) -> None:
    rows, workload = town.both()[0], town.workload
    codes = rows.rows.codes  # type: ignore[attr-defined]
    expected = [
        sum(int(w) for row, w in zip(codes, rows.own, strict=True) if tables.satisfied(workload, q, row))
        for q in range(workload.queries)
    ]
    assert weighed_sums(workload, rows, town.cap).tolist() == expected
    assert town.counts(rows).counts.tolist() == [min(one, town.total) for one in expected]
    assert total_weight(rows, town.cap) == int(rows.own.sum())


@settings(max_examples=150)
@given(towns)
def test_one_person_moves_each_count_by_k_w_a_table_by_root_two_of_it_and_the_total_by_k_w(town: Town) -> None:
    ours, theirs = town.both()
    reach, workload = town.k * town.cap, town.workload
    for moved in (
        weighed_sums(workload, ours, town.cap) - weighed_sums(workload, theirs, town.cap),
        town.counts(ours).counts - town.counts(theirs).counts,
    ):
        assert np.abs(moved).max() <= reach  # prefixes, which stand behind the cells, too
        for begin, end in zip(workload.offsets, workload.offsets[1:], strict=False):
            table = moved[begin:end]
            if not workload.is_prefix(int(begin)):
                assert int(table @ table) <= 2 * reach**2
    assert abs(total_weight(ours, town.cap) - total_weight(theirs, town.cap)) <= reach


@settings(max_examples=60)
@given(towns)
def test_scores_starts_and_errors_move_by_k_w_and_the_best_mixture_error_by_k_w_in_t(town: Town) -> None:
    ours, theirs = map(town.counts, town.both())
    reach, workload = town.k * town.cap, town.workload
    public = tables.support(workload.domain, 9, town.seed + 2)
    problem, released = PublicProblem(workload, public), Distribution.empirical(public)
    whole = quantise(released.weights, town.total)
    answers = rounded_answers(problem.sums(whole.values), whole.total, town.total)
    assert np.abs(np.abs(ours.counts - answers) - np.abs(theirs.counts - answers)).max() <= reach
    for steps in (1, 64):
        assert abs(start_steps(ours, problem, steps) - start_steps(theirs, problem, steps)) <= steps * reach
        moved = error_steps(ours, workload, released, steps) - error_steps(theirs, workload, released, steps)
        assert abs(moved) <= steps * reach
    mine, other = (_exact(one, workload, public) for one in (ours, theirs))
    assert mine[0] - other[1] <= Fraction(reach, town.total)
    assert other[0] - mine[1] <= Fraction(reach, town.total)


def _exact(counts: PrivateCounts, workload: Workload, public: object) -> tuple[Fraction, Fraction]:
    """Proved ends of the best-mixture error, narrow."""
    state = BestMixture(counts, workload, public)  # type: ignore[arg-type]
    for _ in range(40):
        found = state.interval
        if found.width <= Fraction(1, 1_000):
            break
        state.refine()
    return state.interval.lower, state.interval.upper


def lone(level: int, weight: int) -> WeighedTable:
    """Two rows of an attribute of three levels: one that stays, and one person."""
    shape = tables.domain(3)
    return WeighedTable(Dataset(shape, [[2], [level]]), np.array([5, weight]))


@pytest.mark.parametrize(
    ("other", "squared", "total"),
    [
        (lone(1, 7), 98, 0),  # 7 down in one cell and 7 up in another: 2 W^2, the bound itself
        (lone(0, 0), 49, 7),  # from W to 0 and back
        (lone(3, 7), 49, 0),  # to no level: out of one cell, into none
        (lone(2, 7), 98, 0),
        (lone(1, 3), 58, 4),  # 7^2 + 3^2
    ],
)
def test_what_one_person_of_weight_7_moves_is_what_a_hand_calculation_gives(
    other: WeighedTable, squared: int, total: int
) -> None:
    workload, ours = Workload.all_kway(tables.domain(3), 1), lone(0, 7)
    moved = weighed_sums(workload, ours, 7) - weighed_sums(workload, other, 7)
    assert int(moved @ moved) == squared
    assert abs(total_weight(ours, 7) - total_weight(other, 7)) == total


def test_rows_that_carry_weights_are_never_counted_without_them() -> None:
    with pytest.raises(DomainError) as refused:
        count(Workload.all_kway(tables.domain(3), 1), lone(0, 7))
    assert str(refused.value) == WEIGHED


@pytest.mark.parametrize("weight", [8, -1])
def test_a_weight_beyond_the_cap_is_never_counted(weight: int) -> None:
    workload = Workload.all_kway(tables.domain(3), 1)
    with pytest.raises(DomainError, match="weighs more than the cap"):
        weighed_sums(workload, lone(0, weight), 7)
    with pytest.raises(DomainError, match="weighs more than the cap"):
        total_weight(lone(0, weight), 7)


def test_rows_that_come_in_blocks_are_summed_up_block_by_block() -> None:
    workload, whole = Workload.all_kway(tables.domain(3), 1), lone(0, 7)

    class Blocks:
        domain = whole.domain

        def __len__(self) -> int:
            return 2

        def blocks(self) -> Iterator[Codes]:
            return whole.blocks()

        def weighed_blocks(self) -> Iterator[tuple[Codes, Ints]]:
            for codes, weights in whole.weighed_blocks():
                yield codes[:, :1], weights[:1]
                yield codes[:, 1:], weights[1:]

    assert weighed_sums(workload, Blocks(), 7).tolist() == [7, 0, 5]
