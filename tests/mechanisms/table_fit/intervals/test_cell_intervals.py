"""Intervals of table fit: the closed form against dense normal laws, coverage by simulation, and wrong rules caught."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.table_fit.intervals.drifting_world import SHAPE, WRONG_RULES, N, Rule, released, world
from mechanisms.table_fit.toy_tables import planned
from support.fakes import SeededNoise

from pmwpub.errors import PlanError, WorkloadError
from pmwpub.mechanisms.table_fit.intervals import believed_drift
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift, released_tables
from pmwpub.mechanisms.table_fit.intervals.cell_errors import Beliefs, mean_squared_errors, parts_of, subsets
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import Basis, CellIntervals
from pmwpub.mechanisms.table_fit.intervals.likely_drift import ALLOWED, RATIOS, SURE, LikelyDrift
from pmwpub.mechanisms.table_fit.intervals.released_tables import answers_of, marginal_of
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.records import Distribution, Floats, Support

# ---- the closed form


@settings(max_examples=60)
@given(st.integers(1, 3), st.randoms(use_true_random=False))
def test_parts_of_cells_are_what_loops_sum_up(order: int, random: object) -> None:
    sizes = (2, 3, 4)[:order]
    table = np.random.default_rng(random.getrandbits(32)).dirichlet(np.ones(math.prod(sizes))).reshape(sizes)  # type: ignore[attr-defined]
    found = parts_of(table)
    for place, cell in enumerate(itertools.product(*map(range, sizes))):
        for i, part in enumerate(subsets(order)):
            inside = [other for other in np.ndindex(*sizes) if all(other[a] == cell[a] for a in part)]
            assert found[place, i] == pytest.approx(sum(table[one] for one in inside))


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_where_the_fit_believes_what_is_so_the_error_is_the_conditional_variance(seed: int, measured: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(5, 4, 4))
    covariance = root @ root.transpose(0, 2, 1) / 100
    noise = rng.uniform(0.01, 0.1, (5, measured))
    chosen = list(range(measured))
    found = mean_squared_errors(Beliefs(covariance, covariance), chosen, noise, np.zeros_like(noise))
    for cell in range(5):
        among = covariance[cell][np.ix_(chosen, chosen)] + np.diag(noise[cell])
        across = covariance[cell][chosen, -1]
        assert found[cell] == pytest.approx(covariance[cell][-1, -1] - across @ np.linalg.inv(among) @ across, abs=1e-9)


def test_where_the_fit_believes_otherwise_the_error_is_that_of_its_answers_by_simulation() -> None:
    rng = np.random.default_rng(3)
    drift, fit = (lambda root: root @ root.T / 100)(rng.normal(size=(3, 3))), np.diag([0.02, 0.03, 0.01]) + 0.005
    noise, least = np.array([0.02, 0.05]), np.array([0.03, 0.01])
    found = mean_squared_errors(Beliefs(drift[None], fit[None]), [0, 1], noise[None], least[None])[0]
    weights = np.linalg.inv(fit[:2, :2] + np.diag(np.maximum(noise, least))) @ fit[:2, 2]
    moved = rng.multivariate_normal(np.zeros(3), drift, 400_000)
    errors = moved[:, 2] - (moved[:, :2] + rng.normal(size=(400_000, 2)) * np.sqrt(noise)) @ weights
    assert found == pytest.approx(float(np.mean(errors**2)), rel=0.02)


def test_strengths_are_means_over_what_is_likely() -> None:
    grid, rng = np.geomspace(20, 2_000, 7), np.random.default_rng(4)
    ones, pairs, cap = rng.normal(size=7), rng.normal(size=7), 900.0
    total = first = second = 0.0
    for one, log in zip(grid, ones, strict=True):
        for ratio in RATIOS:
            other = min(ratio * one, cap)
            weight = math.exp(log + np.interp(math.log(other), np.log(grid), pairs))
            total, first, second = total + weight, first + weight / min(one, cap), second + weight / other
    assert LikelyDrift.of(grid, ones, pairs, cap).means == pytest.approx((total / first, total / second))


def test_drift_is_widened_to_what_a_single_release_needs() -> None:
    """By hand: of ten drifts that are alike likely, the largest is the one that must be held; of one, the mean is."""
    grid = np.geomspace(20, 2_000, 10)
    found = LikelyDrift(1 / grid, np.full(10, 0.01), np.full(10, 0.1))
    most = np.interp(SURE, np.arange(1, 11) / 10, np.sort(1 / grid))
    assert found.wider == (pytest.approx(most / (ALLOWED * np.mean(1 / grid))), 1.0)
    assert found.wider[0] > 1
    believed = BelievedDrift((100.0, 50.0), 200.0, (3.0, 2.0))
    assert (believed.of_ones([0, 1]), believed.of_pairs) == (pytest.approx(3 * 0.015), 0.01)
    normal = NormalDist()
    covered = 1 - 2 * normal.cdf(-1.959963984540054 / math.sqrt(ALLOWED))
    assert covered == pytest.approx(0.85), "so much of a release whose drift has this variance is covered"


# ---- coverage


def coverage(change: object = None, seeds: int = 24) -> dict[int, float]:
    """order -> the share of cells, of a released share of at least 1 %, whose interval holds the private share."""
    held: dict[int, list[bool]] = {1: [], 2: [], 3: []}
    for seed in range(seeds):
        private, release, drift = released(seed)
        intervals = CellIntervals(*(change(release, drift) if callable(change) else (release, drift)))
        for order, found in held.items():
            for attributes in itertools.combinations(range(4), order):
                one = intervals.of(attributes)
                truth = count(Workload(SHAPE, (Marginal(attributes),)), private).counts.reshape(one.low.shape) / N
                large = one.released >= 0.01
                found.extend(((truth >= one.low) & (truth <= one.high))[large])
    return {order: float(np.mean(found)) for order, found in held.items()}


def test_intervals_cover_at_each_order() -> None:
    found = coverage()
    assert min(found.values()) >= 0.93, found


@pytest.mark.parametrize("fault", WRONG_RULES)
def test_a_wrong_rule_does_not_cover(fault: Rule) -> None:
    assert min(coverage(fault, seeds=8).values()) < 0.9


# ---- what is answered, and what is not


def test_a_noisy_cell_that_is_sharper_is_answered_itself_about_the_nearest_share() -> None:
    _, release, _ = released(0)
    far = BelievedDrift((1.0,) * 4, 1.0)
    intervals = CellIntervals(release, far).of((0, 1))
    cells = release.cells_of((0, 1))
    assert set(intervals.basis.ravel()) == {Basis.NOISY}
    nearest = np.clip(release.measured[cells], 0, 1)
    half = 1.959963984540054 * np.sqrt(release.variances[cells])
    assert intervals.shares.ravel() == pytest.approx(nearest)
    assert intervals.low.ravel() == pytest.approx(np.maximum(nearest - half, 0))
    assert intervals.high.ravel() == pytest.approx(np.minimum(nearest + half, 1))


def test_three_columns_of_which_no_public_row_has_a_cell_have_an_upper_end_alone() -> None:
    _, release, drift = released(1)
    support = release.released.support
    kept = (support.codes[:, 0] != 0) | (support.codes[:, 1] != 0) | (support.codes[:, 2] != 0)
    weights = release.released.weights[kept]
    thinner = Support(SHAPE, support.codes[kept], support.multiplicity[kept])
    release = replace(release, released=Distribution(thinner, weights / weights.sum()))
    found = CellIntervals(release, drift).of((0, 1, 2))
    assert (found.basis[0, 0, 0], found.low[0, 0, 0], found.released[0, 0, 0]) == (Basis.UPPER, 0.0, 0.0)
    quantile = 2.128045234184984  # of the normal law at 1 - 0.05/3
    ends = []
    for pair in ((0, 1), (0, 2), (1, 2)):
        cells = release.cells_of(pair)
        share, sigma = max(release.measured[cells][0], 0.0), math.sqrt(release.variances[cells][0])
        ends.append(min(share + quantile * sigma, 1.0))
    assert found.high[0, 0, 0] == pytest.approx(min(ends))
    assert found.basis[1, 0, 0] == Basis.MODEL


def test_columns_on_which_rows_lack_levels_are_answered_by_what_was_measured() -> None:
    _, release, drift = released(2)
    release = replace(release, choices=replace(release.choices, lacking=(2,)))
    intervals = CellIntervals(release, drift)
    assert set(intervals.of((2,)).basis.ravel()) == set(intervals.of((0, 2)).basis.ravel()) == {Basis.NOISY}
    assert set(intervals.of((0, 1, 2)).basis.ravel()) == {Basis.UPPER}
    assert Basis.MODEL in set(intervals.of((0, 1, 3)).basis.ravel())


def test_columns_that_were_not_measured_are_not_covered() -> None:
    private, support = world(3)
    workload = Workload.of(SHAPE, [["a0", "a1"]])
    plan = planned(workload, support, ZCDP.at_most(Fraction(1, 20)))
    found = table_fit(count(plan.tables, private), support, plan, noise=SeededNoise(3))
    intervals = CellIntervals(released_tables(found, plan, N), BelievedDrift.of(found, plan, N))
    outside = intervals.of((0, 2))
    assert set(outside.basis.ravel()) == {Basis.NONE}
    assert np.isnan(outside.low).all()
    assert np.isnan(outside.high).all()
    assert outside.released == pytest.approx(marginal_of(found.distribution, (0, 2)))
    assert not np.isnan(intervals.of((0, 1)).low).any()


def test_marginals_of_two_measured_columns_that_were_not_measured_together_lean_on_each_alone() -> None:
    private, support = world(4)
    plan = planned(Workload.of(SHAPE, [["a0", "a1"], ["a2", "a3"]]), support, ZCDP.at_most(Fraction(1, 20)))
    found = table_fit(count(plan.tables, private), support, plan, noise=SeededNoise(4))
    answered = CellIntervals(released_tables(found, plan, N), BelievedDrift.of(found, plan, N)).of((0, 2))
    truth = count(Workload(SHAPE, (Marginal((0, 2)),)), private).counts.reshape(3, 4) / N
    assert set(answered.basis.ravel()) == {Basis.MODEL}
    assert np.mean((truth >= answered.low) & (truth <= answered.high)) > 0.8


@pytest.mark.parametrize("attributes", [(), (0, 0), (1, 0), (0, 1, 2, 3), (4,)])
def test_other_marginals_are_refused(attributes: tuple[int, ...]) -> None:
    _, release, drift = released(0)
    with pytest.raises(WorkloadError):
        CellIntervals(release, drift).of(attributes)


def test_a_release_that_misses_its_own_tables_says_so_and_widens() -> None:
    _, release, drift = released(5)
    tilted = release.released.weights * np.where(release.released.support.codes[:, 0] == 0, 3.0, 1.0)
    missing = replace(release, released=Distribution(release.released.support, tilted / tilted.sum()))
    sound, off = CellIntervals(release, drift), CellIntervals(missing, drift)
    assert max(sound.misfit.ratios) < 1.2
    assert min(off.misfit.ratios) > 2
    large = answers_of(missing.released, missing.tables)[: missing.one_way_cells] >= 0.01
    squared = ((missing.measured - missing.answers)[: missing.one_way_cells] ** 2)[large]
    noise = missing.variances[: missing.one_way_cells][large]
    beyond = np.mean(squared - noise) - 2 * math.sqrt(2 * np.sum(noise**2)) / len(noise)
    assert off.misfit.excess[0] == pytest.approx(beyond)


def test_tables_of_three_columns_hide_no_misfit_of_pairs() -> None:
    """They are noisier: in one mean over both, what the pairs show would be lost in its standard error."""
    private, support = world(5)
    plan = planned(Workload.all_kway(SHAPE, 3), support, ZCDP.at_most(Fraction(1, 20)), three_way=Fraction(1, 50))
    found = table_fit(count(plan.tables, private), support, plan, noise=SeededNoise(5))
    release = released_tables(found, plan, N)
    tilted = release.released.weights * np.where(release.released.support.codes[:, 0] == 0, 3.0, 1.0)
    off = replace(release, released=Distribution(release.released.support, tilted / tilted.sum()))
    orders = np.repeat(off.tables.arity, np.diff(off.tables.offsets))

    def beyond(among: np.ndarray) -> float:
        cells = among & (off.answers >= 0.01)
        squared, noise = (off.measured - off.answers)[cells] ** 2, off.variances[cells]
        return max(0.0, float(np.mean(squared - noise) - 2 * math.sqrt(2 * np.sum(noise**2)) / len(noise)))

    misfit = CellIntervals(off, BelievedDrift.of(found, plan, N)).misfit
    expected = [beyond(orders == order) for order in (1, 2, 3)]
    assert misfit.excess == pytest.approx((expected[0], expected[1], max(expected[1:])))
    assert misfit.excess[1] > 2 * beyond(orders > 1)
    assert len(misfit.ratios) == 3
    assert misfit.ratios[1] > 2


def test_tables_that_do_not_belong_together_are_refused() -> None:
    _, release, drift = released(0)
    with pytest.raises(PlanError):
        replace(release, noisy=release.noisy[:-1])
    with pytest.raises(PlanError):
        CellIntervals(release, BelievedDrift(drift.ones[:-1], drift.pairs))


def test_where_a_likelihood_cannot_be_computed_the_widest_intervals_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def singular(*_: object) -> Floats:
        raise np.linalg.LinAlgError

    monkeypatch.setattr(believed_drift, "_own", singular)
    assert released(0)[2] == BelievedDrift((20.0,) * 4, 20.0, believed=False)
