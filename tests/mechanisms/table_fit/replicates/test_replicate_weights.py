"""Replicate weights: the law of their draws, the errors that they reproduce, and what they refuse."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.table_fit.toy_tables import planned
from support import tables
from support.fakes import SeededNoise

from pmwpub.errors import JobCancelled, PlanError
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift, released_tables
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import Basis, CellIntervals
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables
from pmwpub.mechanisms.table_fit.replicates import replicate_weights as made_by
from pmwpub.mechanisms.table_fit.replicates.error_draws import ErrorDraws
from pmwpub.mechanisms.table_fit.replicates.public_normals import PublicNormals
from pmwpub.mechanisms.table_fit.replicates.raked_replicates import TableSpread, deviations_of, raked, within_reach
from pmwpub.mechanisms.table_fit.replicates.replicate_weights import replicate_weights, reproduced
from pmwpub.mechanisms.table_fit.replicates.support_cells import ScaledValues, SupportCells
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

SHAPE = tables.domain(3, 2, 4, 3)
N = 4_000


@cache
def released(
    rho: Fraction = Fraction(1, 200), *pairs: tuple[str, str]
) -> tuple[ReleasedTables, BelievedDrift, CellIntervals]:
    """A release whose private table drifted from its public one; by default all pairs of columns are measured."""
    rng = np.random.default_rng(7)
    every = np.array(list(np.ndindex(*SHAPE.shape)))
    law = rng.dirichlet(np.full(len(every), 0.8))
    public, private = (
        every[rng.choice(len(every), rows, p=p)] for rows, p in ((6_000, law), (N, rng.dirichlet(law * 250)))
    )
    support = Support.of(Dataset(SHAPE, public))
    workload = Workload.of(SHAPE, pairs) if pairs else Workload.all_kway(SHAPE, 2)
    plan = planned(workload, support, ZCDP.at_most(rho), complete=True)
    found = table_fit(count(plan.tables, Dataset(SHAPE, private)), support, plan, noise=SeededNoise(7))
    release, drift = released_tables(found, plan, N), BelievedDrift.of(found, plan, N)
    return release, drift, CellIntervals(release, drift)


def standard_errors(
    weights: np.ndarray, made: np.ndarray, release: ReleasedTables
) -> dict[tuple[int, ...], np.ndarray]:
    """What survey software makes of replicates, cell by cell, by loops: the root of (1/R) sum over r of (q_r - q)^2."""
    codes, found = release.released.support.codes, {}
    for order in (1, 2):
        for attributes in itertools.combinations(release.attributes, order):
            shape = [SHAPE.shape[a] for a in attributes]
            errors = np.empty(shape)
            for cell in np.ndindex(*shape):
                inside = np.all(codes[:, attributes] == cell, axis=1)
                errors[cell] = np.sqrt(np.mean((made[inside].sum(axis=0) - weights[inside].sum()) ** 2))
            found[attributes] = errors
    return found


# ---- the sums


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 2), st.sampled_from([np.float32, np.float64]))
def test_sums_and_scaling_by_cells_are_what_loops_give(seed: int, order: int, kind: type) -> None:
    rng = np.random.default_rng(seed)
    shape = tables.domain(2, 300, 3)
    support = tables.support(shape, 30, seed % 1_000)
    values = rng.random((len(support), 4)).astype(kind)
    of = [SupportCells.of(support, attributes) for attributes in [(0,), (1,)][:1] + [(1, 2), (0, 2)]][: order + 1]
    scaled, expected = ScaledValues(values.astype(np.float32)), values.astype(np.float64)
    for cells in of:
        sums = np.zeros((cells.count, 4))
        np.add.at(sums, np.ravel_multi_index(support.codes[:, cells.attributes].T, cells.shape), values)
        assert cells.sums(values) == pytest.approx(sums)
        factors = rng.random((cells.count, 4)) + 0.5
        assert scaled.sums(cells) == pytest.approx(_summed(support, cells, expected), rel=1e-5)
        scaled.scale(cells, factors)
        expected = expected * factors[np.ravel_multi_index(support.codes[:, cells.attributes].T, cells.shape)]
    assert scaled.settled() == pytest.approx(expected, rel=1e-5)


def _summed(support: Support, cells: SupportCells, values: np.ndarray) -> np.ndarray:
    sums = np.zeros((cells.count, values.shape[1]))
    np.add.at(sums, np.ravel_multi_index(support.codes[:, cells.attributes].T, cells.shape), values)
    return sums


# ---- the draws


def variances_of_draws(drift: BelievedDrift) -> dict[tuple[int, ...], np.ndarray]:
    release, _, _ = released()
    draws = ErrorDraws(release, drift, replicates=4_000, seed="draws")
    return {
        attributes: draws.of(SupportCells.of(release.released.support, attributes)).var(axis=1)
        for order in (1, 2)
        for attributes in itertools.combinations(range(4), order)
    }


def off(drift: BelievedDrift) -> float:
    """The largest relative difference of the draws' variances from what intervals believe of the release."""
    _, _, intervals = released()
    found = []
    for attributes, variances in variances_of_draws(drift).items():
        one = intervals.of(attributes)
        squared = made_by.standard_errors(one).ravel() ** 2 - intervals.misfit.excess[len(attributes) - 1]
        found.append(np.abs(variances / squared - 1)[(one.basis == Basis.MODEL).ravel()])
    assert sum(map(len, found)) > 20
    return float(np.concatenate(found).max())


def test_draws_of_each_cell_have_the_variance_of_its_interval() -> None:
    """A variance of 4,000 draws is off by 2.2 % (one deviation); of some tens of cells none by six of them."""
    assert off(released()[1]) < 0.14


def test_draws_without_drift_or_of_another_drift_do_not() -> None:
    _, drift, _ = released()
    assert off(BelievedDrift((1e12,) * 4, 1e12)) > 0.3
    assert off(BelievedDrift(tuple(one / 2 for one in drift.ones), drift.pairs / 2)) > 0.3


def test_public_normals_are_standard_normal_and_the_same_for_a_seed() -> None:
    drawn = PublicNormals("a").draw(40_000, 2)
    assert np.array_equal(drawn, PublicNormals("a").draw(40_000, 2))
    assert not np.array_equal(drawn, PublicNormals("b").draw(40_000, 2))
    assert abs(drawn.mean()) < 0.025
    assert drawn.var() == pytest.approx(1, abs=0.04)
    assert np.mean(np.abs(drawn) > 1.959963984540054) == pytest.approx(0.05, abs=0.006)


# ---- the weights


@pytest.mark.parametrize("rho", [Fraction(1, 2_000), Fraction(1, 200), Fraction(1, 20)])
@pytest.mark.parametrize("seed", [0, 1])
def test_their_variance_is_that_of_the_intervals(rho: Fraction, seed: int) -> None:
    release, _, intervals = released(rho)
    weights = release.released.weights
    found = replicate_weights(intervals, seed=seed)
    assert found.weights.shape == (len(weights), 40)
    assert found.weights.min() >= 0
    assert found.weights.sum(axis=0) == pytest.approx(np.ones(40))
    near = []
    for attributes, errors in standard_errors(weights, found.weights, release).items():
        one = intervals.of(attributes)
        large = one.released >= 0.01
        near.extend(np.abs(errors / made_by.standard_errors(one) - 1)[large] <= 0.15)
    assert len(near) > 60
    assert np.mean(near) >= 0.95
    assert (found.reproduced.cells, found.reproduced.near) == (len(near), pytest.approx(np.mean(near)))
    assert found.reproduced.median == pytest.approx(1, abs=0.05)


def test_forty_draws_alone_do_not_reproduce_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variance of forty draws is off by 22 %, so its root by 11 %: one in six is beyond 15 %, but for 1-way cells."""
    _, _, intervals = released()
    monkeypatch.setattr(made_by, "raked", lambda *one, **two: raked(*one, **two | {"sweeps": 1, "more": 0}))
    assert replicate_weights(intervals).reproduced.near < 0.95


def spoiling() -> tuple[np.ndarray, list[TableSpread]]:
    """Tables of a release, where pairs are asked for 25 times as much beside single columns as they have."""
    release, drift, intervals = released()
    draws = ErrorDraws(release, drift, replicates=40, seed="spoiling")
    found = []
    for order in (2, 1):
        for attributes in itertools.combinations(range(4), order):
            cells, one = SupportCells.of(release.released.support, attributes), intervals.of(attributes)
            asked = made_by.standard_errors(one).ravel() * (5 if order == 2 else 0.2)
            found.append(TableSpread(cells, one.released.ravel(), asked, partial(draws.of, cells)))
    return release.released.weights, found


def test_pairs_that_ask_for_more_than_weights_can_give_do_not_spoil_single_columns() -> None:
    weights, spreads = spoiling()

    def near(made: np.ndarray) -> float:
        ones = [spread for spread in spreads if len(spread.cells.shape) == 1]
        ratios = [deviations_of(weights, made, one.cells) / one.deviations for one in ones]
        return float(np.mean(np.abs(np.concatenate(ratios) - 1) <= 0.15))

    assert near(raked(weights, spreads, replicates=40, more=0)) < 0.5
    assert near(raked(weights, spreads, replicates=40)) >= 0.95


def test_no_cell_is_asked_for_more_than_its_row_and_column_allow() -> None:
    """By hand: the large cell of the first row moves as the row and the small cell do, and this one by its share."""
    shape = tables.domain(2, 2)
    support = tables.support(shape, 40, 1)
    cells = {key: SupportCells.of(support, key) for key in ((0,), (1,), (0, 1))}
    shares = np.array([0.5, 0.01, 0.2, 0.29])
    asked = np.array([0.05, 0.05, 0.05, math.nan])
    spreads = [
        TableSpread(cells[0, 1], shares, asked, lambda: np.zeros((4, 2))),
        TableSpread(cells[0,], np.array([0.51, 0.49]), np.array([0.001, 0.002]), lambda: np.zeros((2, 2))),
        TableSpread(cells[1,], np.array([0.7, 0.3]), np.array([0.03, 0.04]), lambda: np.zeros((2, 2))),
    ]
    found = within_reach(spreads)[0].deviations
    assert found[:3] == pytest.approx([0.001 + 0.01, 0.001 + 0.011, 0.03 + 0.011])
    assert math.isnan(found[3])
    assert [one.deviations.tolist() for one in within_reach(spreads)[1:]] == [[0.001, 0.002], [0.03, 0.04]]


def test_the_same_seed_makes_the_same_weights_and_another_makes_others() -> None:
    _, _, intervals = released()
    one = replicate_weights(intervals, replicates=20, seed=3).weights
    assert np.array_equal(one, replicate_weights(intervals, replicates=20, seed=3).weights)
    assert not np.array_equal(one, replicate_weights(intervals, replicates=20, seed=4).weights)


def test_pairs_that_were_not_measured_together_have_theirs_too() -> None:
    release, _, intervals = released(Fraction(1, 200), ("a0", "a1"), ("a2", "a3"))
    found = replicate_weights(intervals)
    assert found.reproduced.near >= 0.95
    errors = standard_errors(release.released.weights, found.weights, release)
    assert set(errors) == {(0,), (1,), (2,), (3,), *itertools.combinations(range(4), 2)}


def test_they_are_stopped_where_whoever_watches_asks() -> None:
    steps: list[tuple[int, int]] = []

    def watched(done: int, total: int) -> None:
        steps.append((done, total))
        if len(steps) == 30:
            raise JobCancelled("Stopped.")

    with pytest.raises(JobCancelled):
        replicate_weights(released()[2], progress=watched)
    assert len(steps) == 30


def test_progress_comes_to_its_end() -> None:
    steps: list[tuple[int, int]] = []
    replicate_weights(released()[2], replicates=20, progress=lambda *step: steps.append(step))
    assert [done / total for done, total in steps] == sorted(done / total for done, total in steps)
    assert steps[-1][0] == steps[-1][1]


@pytest.mark.parametrize(("replicates", "seed"), [(19, 0), (401, 0), (40, -1), (40, 2**31)])
def test_other_numbers_are_refused(replicates: int, seed: int) -> None:
    with pytest.raises(PlanError):
        replicate_weights(released()[2], replicates=replicates, seed=seed)


def test_a_release_without_large_cells_reproduces_all_of_none() -> None:
    assert reproduced(np.ones(1), np.ones((1, 20)), []) == made_by.Reproduced(0, 1.0, 1.0)
