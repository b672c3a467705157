"""How far one person moves what is held against a bar: by hand, on every small table, and by neighbours at random."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.planting import plant

from pmwpub.domain import Attribute, Domain
from pmwpub.errors import PlanError
from pmwpub.mechanisms.acceptance import acceptance_steps
from pmwpub.mechanisms.acceptance.acceptance_steps import STEPS_PER_ROW, cell_steps, released_steps
from pmwpub.mechanisms.acceptance.mean_sums import MeanSums
from pmwpub.mechanisms.noisy_error.release_error import error_steps
from pmwpub.plans import criteria
from pmwpub.plans.acceptance_plans import sold_numbers
from pmwpub.plans.criteria import CellWithin, LargestWithin, MarginalOfRelease, MeanOfRelease
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Distribution, Support

DOMAIN = Domain((Attribute("a", ("0", "1")), Attribute("b", ("0", "1", "2"))))
PAIR = Workload.of(DOMAIN, [["a", "b"]])
ONES = Workload.all_kway(DOMAIN, 1)
RELEASED = Distribution(
    Support.of(Dataset(DOMAIN, np.array([[0, 0], [0, 1], [1, 2], [1, 0]]))), np.array([0.1, 0.25, 0.05, 0.6])
)
ROWS = [*itertools.product((0, 1, 2), (0, 1, 2, 3))]
"""Every row; 2 of a and 3 of b are no level."""

Table = Sequence[tuple[int, ...]]


def dataset(rows: Table) -> Dataset:
    return Dataset(DOMAIN, np.array(rows, dtype=np.uint8))


def numbers(rows: Table) -> tuple[int, ...]:
    """Cell, marginal and largest error of a table."""
    data = dataset(rows)
    counts = count(PAIR, data)
    steps = released_steps(PAIR, RELEASED, len(rows))
    largest = error_steps(count(ONES, data), ONES, RELEASED, STEPS_PER_ROW)
    return cell_steps(int(counts.counts[3]), int(steps[3])), acceptance_steps.variation_steps(counts, steps), largest


def by_hand(rows: Table) -> tuple[float, ...]:
    """The same in floats and in rows, atom by atom."""
    n = len(rows)
    released = dict.fromkeys(ROWS, 0.0)
    for row, weight in zip(RELEASED.support.codes.tolist(), RELEASED.weights.tolist(), strict=True):
        released[tuple(row)] += n * weight
    cells = {row: rows.count(row) - released[row] for row in ROWS if row[0] < 2 and row[1] < 3}
    outside = -sum(cells.values())
    variation = (sum(map(abs, cells.values())) + abs(outside)) / 2
    worst = 0.0
    for place, size in ((0, 2), (1, 3)):
        for level in range(size):
            own = sum(row[place] == level for row in rows)
            worst = max(worst, abs(own - sum(w for row, w in released.items() if row[place] == level)))
    return abs(cells[1, 0]), variation, worst


tables = st.lists(st.sampled_from(ROWS), min_size=1, max_size=12)


@given(tables)
def test_numbers_are_those_of_the_hand_calculation_within_their_rounding(rows: Table) -> None:
    for found, exact, rounding in zip(numbers(rows), by_hand(rows), (1, PAIR.queries, 1), strict=True):
        assert abs(found - STEPS_PER_ROW * exact) <= rounding


def test_a_variation_is_half_the_sum_of_all_differences_with_rows_outside_as_a_cell() -> None:
    """Of 10 rows 4 in the first cell, 3 in the second, 3 without a level; released 2, 6, 0: (2 + 3 + 1)/2 = 3 rows."""
    assert acceptance_steps.variation_steps(PrivateCounts(np.array([4, 3]), 10), np.array([128, 384])) == 3 * 64
    with pytest.raises(PlanError, match="another marginal"):
        acceptance_steps.variation_steps(PrivateCounts(np.array([4, 3]), 10), np.array([1]))


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[Table, Table, int]:
    """Tables of n rows that differ in at most k of them, and k."""
    k = draw(st.sampled_from([1, 2, 3]))
    rows = draw(st.lists(st.sampled_from(ROWS), min_size=k, max_size=10))
    others = draw(st.lists(st.sampled_from(ROWS), min_size=k, max_size=k))
    return rows, [*others, *rows[k:]], k


@settings(max_examples=120)
@given(neighbours())
def test_k_rows_move_each_share_by_at_most_64_k_steps(pair: tuple[Table, Table, int]) -> None:
    ours, theirs, k = pair
    assert all(abs(a - b) <= 64 * k for a, b in zip(numbers(ours), numbers(theirs), strict=True))


def furthest() -> list[int]:
    """The most that one replaced row moves each number, over all rows beside a few others."""
    others = [(0, 0), (1, 0), (2, 3)]
    found = [numbers([row, *others]) for row in ROWS]
    return [max(column) - min(column) for column in zip(*found, strict=True)]


def test_one_row_moves_each_share_by_a_whole_row_and_by_no_more() -> None:
    assert furthest() == [64, 64, 64]


@pytest.mark.fault("the halving of a variation forgotten")
def test_a_variation_that_is_not_halved_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, acceptance_steps, "variation_steps", "np.maximum(differences, 0)", "abs(differences)")
    assert furthest()[1] > 64


@pytest.mark.fault("rows without a level left out of a variation")
def test_a_variation_without_the_rows_outside_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would say that a release is near that has none of the rows without a level."""
    plant(monkeypatch, acceptance_steps, "variation_steps", "max(0, -int(differences.sum()))", "0")
    rows = [(2, 3)] * 5
    assert abs(numbers(rows)[1] - 64 * by_hand(rows)[1]) > PAIR.queries


# ---- means

AGES = MeanSums(low=0, high=90, released=Fraction(41), within=Fraction(1, 10), rows=7)


def mean_numbers(values: Sequence[int | None], sums: MeanSums = AGES) -> tuple[int, int]:
    known = [min(max(value, sums.low), sums.high) for value in values if value is not None]
    return sums.values(sum(known), len(known))


def test_the_sums_of_a_mean_are_those_of_the_hand_calculation() -> None:
    """m = 41, x = 1/10: least = 36.9 and most = 45.1, exact in thousandths; both bars are 7 times 4.1."""
    assert (AGES.least, AGES.most, AGES.bars) == (36_900, 45_100, (28_700, 28_700))
    below, above = AGES.numbers(n=8, rows_per_person=2)
    # v - 36.9 lies between -36.9 and 53.1, 45.1 - v between -44.9 and 45.1.
    assert (below.sensitivity, above.sensitivity) == (2 * 90_000, 2 * 90_000)
    # The sum of v - 36.9 is 10.1 + 13.1 - 16.9 = 6.3, that of 45.1 - v is -1.9 - 4.9 + 25.1 = 18.3.
    assert mean_numbers([47, 50, 20, None]) == (28_700 - 6_300, 28_700 - 18_300)
    third = MeanSums(low=0, high=90, released=Fraction(1, 3), within=Fraction(1, 2), rows=7)
    # 166.67 and 500 thousandths: rounded inwards, bars down.
    assert (third.least, third.most, third.bars) == (167, 500, (1_164, 1_166))


@given(st.lists(st.one_of(st.none(), st.integers(0, 90)), min_size=1, max_size=9))
def test_both_numbers_are_within_their_bars_exactly_where_the_mean_is(values: list[int | None]) -> None:
    known = [value for value in values if value is not None]
    numbers_, bars = mean_numbers(values), AGES.bars
    within = all(number <= bar for number, bar in zip(numbers_, bars, strict=True))
    assert within == (not known or Fraction("36.9") <= Fraction(sum(known), len(known)) <= Fraction("45.1"))


sums_of = st.builds(
    lambda low, width, place, within, rows: MeanSums(
        low, low + width, low + Fraction(width * place, 100), Fraction(within, 100), rows
    ),
    low=st.integers(-50, 50),
    width=st.integers(1, 60),
    place=st.integers(0, 100),
    within=st.integers(1, 60),
    rows=st.integers(50, 90),
)


@settings(max_examples=120)
@given(sums_of, st.data())
def test_k_rows_move_the_sums_of_a_mean_by_at_most_their_sensitivity(sums: MeanSums, data: st.DataObject) -> None:
    k = data.draw(st.sampled_from([1, 2, 3]))
    cell = st.one_of(st.none(), st.integers(-120, 120))
    rows = data.draw(st.lists(cell, min_size=k, max_size=8))
    others = [*data.draw(st.lists(cell, min_size=k, max_size=k)), *rows[k:]]
    try:
        sold = sums.numbers(len(rows), k)
    except PlanError:
        return
    for number, ours, theirs in zip(sold, mean_numbers(rows, sums), mean_numbers(others, sums), strict=True):
        assert abs(ours - theirs) <= number.sensitivity
        assert max(abs(ours), abs(theirs)) <= number.reach


FAR = MeanSums(low=50, high=90, released=Fraction(80), within=Fraction(1, 2), rows=7)
"""Its least, 40, lies below every number: a row without one moves the first sum by 50, beyond the range of numbers."""


def assert_covers_rows_without_a_number() -> None:
    below, _ = FAR.numbers(n=3, rows_per_person=1)
    moved = abs(mean_numbers([90], FAR)[0] - mean_numbers([None], FAR)[0])
    assert moved == 50_000
    assert below.sensitivity >= moved, "a row moves it further"


def test_a_row_without_a_number_counts_in_the_range_of_a_term() -> None:
    assert_covers_rows_without_a_number()


@pytest.mark.fault("the range of a term without its zero")
def test_a_range_without_zero_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, MeanSums, "_number", "max(0, *term) - min(0, *term)", "max(term) - min(term)")
    with pytest.raises(AssertionError, match="further"):
        assert_covers_rows_without_a_number()


@pytest.mark.parametrize("released", [-1, 91])
def test_a_mean_beyond_its_ends_is_refused(released: int) -> None:
    with pytest.raises(PlanError, match="beyond the ends"):
        MeanSums(0, 90, Fraction(released), Fraction(1, 10), 5)


def test_numbers_too_large_to_be_summed_are_refused() -> None:
    large = MeanSums(0, 10**15, Fraction(10**14), Fraction(1, 10), 10_000)
    with pytest.raises(PlanError, match="larger unit"):
        large.numbers(n=10_000, rows_per_person=1)


# ---- the rows of one person


def assert_covers_k_rows(k: int = 3) -> None:
    """k rows of one person, beside five others, are replaced so that each number moves as far as it can."""
    others = [(1, 0)] + [(0, 0)] * 2 + [(0, 1)] * 2
    ours, theirs = numbers([(1, 0)] * k + others), numbers([(1, 2)] * k + others)
    n = k + len(others)
    sold = sold_numbers(
        (
            CellWithin(within="9/10", levels=(("a", "1"), ("b", "0"))),
            MarginalOfRelease(within="9/10", columns=("a", "b"), cells=6),
            LargestWithin(within="9/10"),
        ),
        n,
        k,
    )
    # The release has few rows in the cell that they leave and most in the one that they enter: all move by k rows.
    assert [abs(a - b) for a, b in zip(ours, theirs, strict=True)] == [64 * k] * 3
    assert all(one.sensitivity >= 64 * k for one in sold), "k rows move a share further"
    mean = MeanOfRelease(within="1/10", column="c", low="0", high="90", mean="41", rows=7)
    for number, old, young in zip(mean.numbers(n, k), mean_numbers([90] * k), mean_numbers([0] * k), strict=True):
        assert abs(old - young) == 90_000 * k
        assert number.sensitivity >= 90_000 * k, "k rows move a sum further"


def test_what_is_sold_covers_k_rows() -> None:
    assert_covers_k_rows()


@pytest.mark.fault("k missing in a number that is sold")
@pytest.mark.parametrize(
    ("owner", "name", "right", "noticed"),
    [
        (criteria._Bar, "_share", "STEPS_PER_ROW * rows_per_person", "a share further"),
        (MeanSums, "_number", "rows_per_person * spread", "a sum further"),
    ],
)
def test_a_number_without_k_is_noticed(
    monkeypatch: pytest.MonkeyPatch, owner: type, name: str, right: str, noticed: str
) -> None:
    plant(monkeypatch, owner, name, right, right.replace("rows_per_person", "1"))
    with pytest.raises(AssertionError, match=noticed):
        assert_covers_k_rows()
