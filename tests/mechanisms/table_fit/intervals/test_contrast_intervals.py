"""Intervals for what is made of cells: the closed form against dense normal laws, coverage, and wrong rules caught."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.table_fit.intervals.drifting_world import (
    SHAPE,
    WRONG_RULES,
    N,
    Rule,
    released,
    the_fits_own,
    without_drift,
)

from pmwpub.errors import WorkloadError
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift
from pmwpub.mechanisms.table_fit.intervals.cell_errors import Beliefs, errors_of_functionals
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import Basis
from pmwpub.mechanisms.table_fit.intervals.contrast_intervals import Contrast, ContrastIntervals
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables, marginal_of
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.records import Dataset, Distribution, Floats, Support

SEEDS = 16
NUMBERS = (3.0, None, 10.0, 20.0)
"""Of the levels of the third column, the second of which stands for no number."""

keep = cache(released)


# ---- the closed form


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_the_error_of_a_sum_is_its_conditional_variance_where_the_fit_believes_what_is_so(seed: int, many: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, 5, 5))
    covariance, chosen = root @ root.transpose(0, 2, 1) / 100, list(range(many))
    noise, target = rng.uniform(0.01, 0.1, (3, many)), rng.normal(size=(3, 5))
    found = errors_of_functionals(Beliefs(covariance, covariance), target, chosen, noise, np.zeros_like(noise))
    for cell in range(3):
        among = covariance[cell][np.ix_(chosen, chosen)] + np.diag(noise[cell])
        across = covariance[cell][chosen] @ target[cell]
        own = target[cell] @ covariance[cell] @ target[cell]
        assert found[cell] == pytest.approx(own - across @ np.linalg.inv(among) @ across, abs=1e-9)


def test_a_difference_of_two_levels_of_one_column_has_the_error_that_two_indicators_have() -> None:
    _, release, drift = keep(0)
    release = replace(release, choices=replace(release.choices, moved=()))
    found = ContrastIntervals(release, drift).difference((2,), (0,), (3,))
    shares, cells = marginal_of(release.released, (2,))[[0, 3]], release.cells_of((2,))
    assert cells is not None
    own, noise = np.diag(shares) - np.outer(shares, shares), np.diag(release.variances[cells][[0, 3]])
    least = np.diag([release.constants.least_variance / release.choices.strength] * 2)
    drifted, fitted = own / drift.ones[2], own / release.choices.strength
    t = np.array([1.0, -1.0])
    g = np.linalg.inv(fitted + np.maximum(noise, least)) @ fitted @ t
    error = t @ drifted @ t - 2 * g @ drifted @ t + g @ (drifted + noise) @ g
    intervals = ContrastIntervals(release, drift)
    error += 2 * intervals._cells.misfit.excess[0]
    direct = float(release.variances[cells][[0, 3]].sum())
    assert found.low is not None
    assert found.high is not None
    assert (found.high - found.low) / 2 == pytest.approx(1.959963984540054 * math.sqrt(min(error, direct)), rel=1e-6)


# ---- coverage


def numbers(
    kind: str, private: Dataset, intervals: ContrastIntervals, release: ReleasedTables
) -> Iterator[tuple[float, Contrast]]:
    """The private table's own number beside what is answered, for cells of at least 1 %."""
    for order in (1, 2, 3):
        for attributes in itertools.combinations(range(4), order):
            truth, table = shares_of(private, attributes), marginal_of(release.released, attributes)
            large = [tuple(map(int, cell)) for cell in np.argwhere(table >= 0.01)]
            if kind == "difference":
                for first, second in itertools.pairwise(large[::3]):
                    yield float(truth[first] - truth[second]), intervals.difference(attributes, first, second)
            elif kind == "within" and order > 1:
                found = intervals.within(attributes, attributes[:1])
                total = truth.sum(axis=tuple(range(1, order)), keepdims=True)
                for cell in large:
                    low, high = float(found.low[cell]), float(found.high[cell])
                    ends = (None, None) if math.isnan(low) else (low, high)
                    yield float((truth / total)[cell]), Contrast(0, 0, *ends, Basis.MODEL)


def shares_of(private: Dataset, attributes: tuple[int, ...]) -> Floats:
    shares: Floats = count(Workload(SHAPE, (Marginal(attributes),)), private).counts / N
    return shares.reshape([SHAPE.shape[a] for a in attributes])


def coverage(kind: str, change: Rule | None = None, seeds: int = SEEDS) -> float:
    held = []
    for seed in range(seeds):
        private, release, drift = keep(seed)
        release, drift = change(release, drift) if change else (release, drift)
        for truth, found in numbers(kind, private, ContrastIntervals(release, drift), release):
            if found.low is not None and found.high is not None:
                held.append(found.low <= truth <= found.high)
    return float(np.mean(held))


@pytest.mark.parametrize("kind", ["difference", "within"])
def test_what_is_made_of_cells_is_covered(kind: str) -> None:
    assert coverage(kind) >= 0.93


@pytest.mark.parametrize("fault", WRONG_RULES)
def test_a_wrong_rule_does_not_cover_differences(fault: Rule) -> None:
    assert coverage("difference", fault, 4) < 0.9


@pytest.mark.parametrize("fault", [without_drift, the_fits_own])
def test_a_wrong_belief_of_drift_does_not_cover_shares_within_a_column(fault: Rule) -> None:
    """Wrong noise widens them: the release then misses its own tables by more than noise, which is added."""
    assert coverage("within", fault, 4) < 0.9


def test_means_are_covered_over_the_noise_and_not_with_half_of_it() -> None:
    """The law of a mean under the noise of the tables, 400 times: 0.95, within four deviations of that number."""
    private, release, drift = keep(1)
    truth = shares_of(private, (2,))
    known = np.array([value is not None for value in NUMBERS])
    own = float(truth[known] @ np.array([v for v in NUMBERS if v is not None]) / truth[known].sum())
    exact, rng = count(release.tables, private).counts, np.random.default_rng(8)
    sigma = np.repeat(release.deviations, np.diff(release.tables.offsets)) * N
    held, halved = [], []
    for _ in range(400):
        drawn = replace(release, noisy=exact + np.rint(rng.normal(size=len(sigma)) * sigma).astype(np.int64))
        for one, into in ((drawn, held), (replace(drawn, deviations=drawn.deviations / 2), halved)):
            found = ContrastIntervals(one, drift).mean(2, NUMBERS)
            assert found.low is not None
            assert found.high is not None
            into.append(found.low <= own <= found.high)
    assert 0.95 - 4 * math.sqrt(0.95 * 0.05 / 400) <= np.mean(held)
    assert np.mean(halved) < 0.85


def test_means_of_the_largest_and_smallest_numbers_are_those_of_smaller_ones() -> None:
    _, release, drift = keep(1)
    intervals = ContrastIntervals(release, drift)
    for unit in (2.0**1015, -(2.0**1015), 2.0**-1060):
        usual, found = intervals.mean(2, NUMBERS), intervals.mean(2, [v if v is None else v * unit for v in NUMBERS])
        assert usual.low is not None
        assert usual.high is not None
        ends = sorted(unit * end for end in (usual.low, usual.high))
        assert (found.value, found.released) == pytest.approx(
            (unit * usual.value, unit * usual.released), rel=1e-3, abs=0
        )
        assert (found.low, found.high) == pytest.approx(tuple(ends), rel=1e-3, abs=0)
    most = 1.7976931348623157e308
    same = intervals.mean(2, (most, None, most, most))
    assert (same.value, same.released, same.low, same.high) == (most,) * 4
    wide = intervals.mean(2, (-most, None, 0.0, most))
    assert all(math.isfinite(one) for one in (wide.value, wide.released, wide.low or 0.0, wide.high or 0.0))


# ---- what is not covered


def test_columns_on_which_rows_lack_levels_have_no_shares_within_and_no_mean() -> None:
    _, release, drift = keep(2)
    intervals = ContrastIntervals(replace(release, choices=replace(release.choices, lacking=(2,))), drift)
    assert np.isnan(intervals.within((1, 2), (1,)).low).all()
    assert intervals.mean(2, NUMBERS).low is None
    assert intervals.difference((2,), (0,), (1,)).basis == Basis.NOISY
    assert intervals.difference((0, 1, 2), (0, 0, 0), (1, 1, 1)).basis == Basis.NONE
    assert intervals.mean(3, (1.0, 2.0, 3.0)).basis == Basis.NOISY


def test_a_cell_without_public_rows_has_noisy_cells_or_nothing() -> None:
    _, release, drift = keep(1)
    support = release.released.support
    kept = ~(support.codes[:, :3] == 0).all(axis=1)
    weights = release.released.weights[kept]
    thinner = Support(SHAPE, support.codes[kept], support.multiplicity[kept])
    intervals = ContrastIntervals(replace(release, released=Distribution(thinner, weights / weights.sum())), drift)
    assert intervals.difference((0, 1, 2), (0, 0, 0), (1, 1, 1)).low is None
    assert np.isnan(intervals.within((0, 1, 2), (0, 1)).low[0, 0, 0])


def test_where_too_few_rows_have_a_columns_level_nothing_is_covered_within_it() -> None:
    _, release, drift = keep(3)
    unsure = ContrastIntervals(replace(release, deviations=release.deviations * 1e3), BelievedDrift((1.0,) * 4, 1.0))
    assert np.isnan(unsure.within((0, 1), (0,)).low).all()
    assert unsure.mean(2, (3.0, None, None, None)).low is None
    assert not np.isnan(ContrastIntervals(release, drift).within((0, 1), (1,)).low).all()


def test_other_questions_are_refused() -> None:
    _, release, drift = keep(0)
    intervals = ContrastIntervals(release, drift)
    for given_columns in ((), (0, 1), (3,)):
        with pytest.raises(WorkloadError):
            intervals.within((0, 1), given_columns)
    for first, second in (((0, 0), (0, 0)), ((0,), (1,)), ((0, 9), (0, 0))):
        with pytest.raises(WorkloadError):
            intervals.difference((0, 1), first, second)
