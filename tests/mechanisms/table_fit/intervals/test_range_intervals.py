"""Intervals for ranges and quantiles of one column: the law of its noise, coverage with it, and wrong laws caught."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from mechanisms.table_fit.intervals.drifting_world import N, released

from pmwpub.mechanisms.table_fit.intervals.cell_intervals import Basis
from pmwpub.mechanisms.table_fit.intervals.noisy_columns import NoisyColumn, noisy_column
from pmwpub.mechanisms.table_fit.intervals.range_intervals import RangeIntervals, quantile_in
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables, marginal_of
from pmwpub.queries.counts import count
from pmwpub.records import Dataset, Floats

RUNS = 600
WITHIN = 4 * math.sqrt(0.95 * 0.05 / RUNS)
COLUMN = 2
"""The one of the world that has four levels."""

keep = cache(released)


def drawn(private: Dataset, release: ReleasedTables, run: int) -> ReleasedTables:
    """The same release with other noise of its law."""
    rng = np.random.default_rng([run, 17])
    exact = count(release.tables, private).counts
    sigma = np.repeat(release.deviations, np.diff(release.tables.offsets)) * N
    return replace(release, noisy=exact + np.rint(rng.normal(size=len(sigma)) * sigma).astype(np.int64))


def shares(private: Dataset) -> Floats:
    return np.bincount(private.codes[:, COLUMN], minlength=5)[:4] / N


@pytest.fixture(scope="module")
def world() -> tuple[Dataset, ReleasedTables]:
    private, release, _ = keep(1)
    return private, release


def truth_of(private: Dataset, levels: range) -> float:
    return float(shares(private)[list(levels)].sum())


@pytest.mark.parametrize("complete", [True, False])
def test_ranges_are_covered_over_the_noise_as_often_as_is_said(
    world: tuple[Dataset, ReleasedTables], complete: bool
) -> None:
    private, release = world
    held = coverage(private, replace(release, complete=complete))
    assert all(0.95 - WITHIN <= share <= 0.95 + WITHIN for share in held.values()), held


@pytest.mark.parametrize("complete", [True, False])
def test_with_half_the_noise_they_would_not_be(world: tuple[Dataset, ReleasedTables], complete: bool) -> None:
    private, release = world
    held = coverage(private, replace(release, complete=complete), times=0.5)
    assert max(held.values()) < 0.85


def coverage(private: Dataset, release: ReleasedTables, *, times: float = 1.0) -> dict[range, float]:
    """Of some ranges, how often their intervals hold the truth; deviations are taken as so many times what they are."""
    held = dict.fromkeys([range(1), range(2), range(1, 3), range(1, 4)], 0)
    for run in range(RUNS):
        one = drawn(private, release, run)
        found = RangeIntervals(one.released, replace(one, deviations=one.deviations * times))
        for levels in held:
            share = found.share(COLUMN, levels)
            assert share.low is not None
            assert share.high is not None
            held[levels] += share.low <= truth_of(private, levels) <= share.high
    return {levels: count_of / RUNS for levels, count_of in held.items()}


def test_where_rows_may_lack_levels_their_share_is_in_no_range(world: tuple[Dataset, ReleasedTables]) -> None:
    """A third of the rows lose their level: what is left sums to two thirds, and is not taken to sum to one."""
    private, release = world
    codes = private.codes.copy()
    codes[::3, COLUMN] = 4
    thinner = Dataset(private.domain, codes)
    held = coverage(thinner, replace(release, complete=False))
    assert min(held.values()) >= 0.95 - WITHIN
    assert max(coverage(thinner, replace(release, complete=True)).values()) < 0.5


def quantile_coverage(private: Dataset, release: ReleasedTables, times: float = 1.0) -> dict[float, float]:
    """How often the level of a quantile of the private rows is in the interval."""
    parts = (0.1, 0.25, 0.5, 0.75, 0.9)
    held = dict.fromkeys(parts, 0)
    for run in range(RUNS):
        one = drawn(private, release, run)
        found = RangeIntervals(one.released, replace(one, deviations=one.deviations * times))
        for part in parts:
            own, _ = quantile_in(shares(private), part)
            bins = found.quantile(COLUMN, range(4), part)
            assert bins.first is not None
            assert bins.last is not None
            held[part] += own is not None and bins.first <= own <= bins.last
    return {part: times_held / RUNS for part, times_held in held.items()}


def at_an_edge(private: Dataset) -> Dataset:
    """Rows of which a quarter, a half and three quarters lie below the edges: there, quantiles are easily missed."""
    codes = private.codes.copy()
    codes[:, COLUMN] = np.arange(len(codes)) * 4 // len(codes)
    return Dataset(private.domain, codes)


def test_the_level_of_a_quantile_is_held_and_with_a_hundredth_of_the_noise_it_is_not(
    world: tuple[Dataset, ReleasedTables],
) -> None:
    private, release = at_an_edge(world[0]), world[1]
    assert min(quantile_coverage(private, release).values()) >= 0.95 - WITHIN
    assert min(quantile_coverage(private, release, times=0.01).values()) < 0.7


def test_an_interval_of_a_quantile_is_no_wider_than_the_noise_makes_it(world: tuple[Dataset, ReleasedTables]) -> None:
    """With noise of a thousandth of its size the level of a quantile that is far from any edge stands alone."""
    private, release = world
    exact = replace(release, noisy=count(release.tables, private).counts, deviations=release.deviations * 1e-3)
    own, inside = quantile_in(shares(private), 0.5)
    assert 0.05 < inside < 0.95
    found = RangeIntervals(exact.released, exact).quantile(COLUMN, range(4), 0.5)
    assert (found.first, found.last) == (own, own)


def test_a_range_and_its_rest_have_one_width_where_the_total_is_known(world: tuple[Dataset, ReleasedTables]) -> None:
    _, release = world
    column = noisy_column(replace(release, complete=True), COLUMN)
    assert column is not None
    for levels in ([0], [0, 1], [1, 2, 3]):
        own = np.isin(np.arange(4), levels) * 1.0
        assert column.variance_of(own) == pytest.approx(column.variance_of(1.0 - own))
    assert column.variance_of(np.ones(4)) == 0.0
    # Two of four cells, each of variance v and moved by a quarter of the total's error: v (2 - 4/4) = v.
    assert column.variance_of(np.array([1.0, 1.0, 0.0, 0.0])) == pytest.approx(column.variance)


def test_a_release_without_noisy_tables_has_no_interval(world: tuple[Dataset, ReleasedTables]) -> None:
    _, release = world
    found = RangeIntervals(release.released, None)
    share = found.share(COLUMN, range(2))
    assert (share.low, share.basis) == (None, Basis.NONE)
    assert share.value == pytest.approx(marginal_of(release.released, (COLUMN,))[:2].sum())
    bins = found.quantile(COLUMN, range(4), 0.5)
    assert (bins.first, bins.last) == (None, None)
    assert bins.released is not None


def test_where_too_few_rows_have_a_number_no_quantile_is_covered(world: tuple[Dataset, ReleasedTables]) -> None:
    _, release = world
    unsure = replace(release, deviations=release.deviations * 1e3)
    assert RangeIntervals(unsure.released, unsure).quantile(COLUMN, [1], 0.5).first is None


def test_a_quantile_is_where_the_running_sum_reaches_it() -> None:
    assert quantile_in(np.array([0.1, 0.3, 0.4]), 0.25) == (1, pytest.approx(1 / 3))
    assert quantile_in(np.array([0.5, 0.5]), 0.5) == (0, pytest.approx(1.0))
    assert quantile_in(np.array([0.0, 0.0, 1.0, 0.0]), 0.5) == (2, pytest.approx(0.5))
    assert quantile_in(np.zeros(2), 0.5) == (None, 0.0)


def test_a_covariance_takes_the_place_of_one_variance() -> None:
    covariance = np.array([[2.0, -1.0], [-1.0, 3.0]])
    column = NoisyColumn(np.array([0.5, 0.5]), 7.0, True, covariance)
    assert column.variance_of(np.array([1.0, 2.0])) == pytest.approx(2.0 + 4 * 3.0 - 4 * 1.0)
