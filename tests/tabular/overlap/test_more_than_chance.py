"""Rows in common: exact, found where a copy is shuffled or edited, and no alarm for what chance explains."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.tabular.overlap.more_than_chance import _EXACT, SharedRowTest, _mean_distance, surplus_of, telling

ROWS = st.lists(st.integers(0, 5), max_size=20)


def numbers(rows: list[int] | np.ndarray) -> np.ndarray:
    return np.asarray(rows, dtype=np.uint64)


def likeness(private: np.ndarray, public: np.ndarray) -> SharedRowTest:
    found = SharedRowTest(numbers(public))
    found.add(numbers(private))
    return found


def alarm(private: np.ndarray, public: np.ndarray) -> int:
    return likeness(private, public).unlikely(surplus_of(numbers(private)))


@given(ROWS, ROWS, st.integers(0, 20))
def test_shared_rows_are_counted_with_their_multiplicity(private: list[int], public: list[int], cut: int) -> None:
    found = SharedRowTest(numbers(public))
    found.add(numbers(private[:cut]))
    found.add(numbers(private[cut:]))
    assert found.shared == sum(min(private.count(x), public.count(x)) for x in set(public))
    assert found.equal == (sorted(private) == sorted(public))


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 8])
def test_the_mean_distance_is_that_of_fair_coins(rows: int) -> None:
    by_hand = Fraction(sum(abs(sum(signs)) for signs in product((-1, 1), repeat=rows)), 2**rows)
    assert _mean_distance(np.array([rows]))[0] == pytest.approx(float(by_hand), rel=1e-14)


def test_the_mean_distance_of_very_many_rows_is_bounded_from_below() -> None:
    half = _EXACT + 1
    exact = 2 * half * Fraction(comb(2 * half, half), 4**half)
    assert 0 <= float(exact) / _mean_distance(np.array([2 * half]))[0] - 1 < 1e-4


def people(rows: int, seed: int, kinds: int = 3_000) -> np.ndarray:
    """Skewed kinds of row: some stand hundreds of times, most once or never."""
    weights = 1 / np.arange(1, kinds + 1)
    return np.random.default_rng(seed).choice(kinds, rows, p=weights / weights.sum())


def test_independent_tables_of_one_law_raise_no_alarm_although_most_rows_coincide() -> None:
    for seed in range(50):
        private, public = people(2_000, seed), people(2_000, 100 + seed)
        assert likeness(private, public).shared > 1_000
        assert alarm(private, public) == 0


def test_disjoint_halves_of_one_table_raise_no_alarm() -> None:
    whole = people(4_000, 1)
    for seed in range(50):
        mixed = np.random.default_rng(seed).permutation(whole)
        assert alarm(mixed[:2_000], mixed[2_000:]) == alarm(mixed[:1_000], mixed[1_000:]) == 0


def test_tables_of_other_laws_and_sizes_raise_no_alarm() -> None:
    for rows in (100, 1_000, 20_000):
        assert alarm(people(2_000, 1), people(rows, 2)) == 0
        assert alarm(people(2_000, 1), people(rows, 2, kinds=50)) == 0
        assert alarm(people(2_000, 1, kinds=2), people(rows, 2, kinds=2)) == 0


@pytest.mark.parametrize("edited", [0, 1, 20, 200])
def test_a_shuffled_copy_is_found_also_with_some_rows_changed(edited: int) -> None:
    private = people(2_000, 1)
    public = np.random.default_rng(3).permutation(private)
    public[:edited] = people(edited, 9)
    found = likeness(private, public)
    assert 2_000 - edited <= alarm(private, public) <= 2_000
    assert found.unlikely() == alarm(private, public), "what the private table has alone is not needed here"
    assert found.same == (edited == 0)


def test_a_shuffled_half_of_rows_that_mostly_stand_once_is_found() -> None:
    private = np.arange(1_000)
    half = np.random.default_rng(3).permutation(private)[:500]
    assert alarm(private, half) == 500


def test_equal_tables_that_chance_explains_are_shown_but_not_the_same_beyond_doubt() -> None:
    few = np.array([0] * 500 + [1] * 500)
    assert (alarm(few, few), likeness(few, few).same) == (1_000, False)
    alone = np.arange(19)
    assert (telling(np.ones(19, dtype=np.int64)), telling(np.ones(20, dtype=np.int64))) == (False, True)
    assert 2.0**-20 < 1e-6 < 2.0**-19
    assert not likeness(alone, alone).same


def test_the_bound_on_false_alarms_is_that_of_the_docstring() -> None:
    """n rows that stand once here and once there: D = 0, sum E_s = n, sum s = 2n, so exp(-n/4) must be below 1e-6."""
    edge = next(n for n in range(1, 1_000) if exp(-n / 4) < 1e-6)
    lone = np.array([10**6])
    for n in (edge - 1, edge, edge + 2):
        private = np.concatenate([np.arange(n), lone])
        excess, total = n, 2 * n + 1
        assert (alarm(private, np.arange(n)) > 0) == (excess > sqrt(-2 * total * log(1e-6)))


def test_empty_tables_share_nothing() -> None:
    assert alarm(np.arange(3), np.arange(0)) == 0
    assert alarm(np.arange(3), np.arange(5, 9)) == 0
