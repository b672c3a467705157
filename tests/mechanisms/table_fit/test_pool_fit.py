"""Pools with learnt weights: against table fit, hand-made mixtures, and a dense normal law."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.table_fit.toy_tables import BUDGET, PUBLIC, SHAPE, WORKLOAD, planned, released
from scipy import stats
from support import tables
from support.fakes import SeededNoise

from pmwpub.errors import DomainError, PlanError
from pmwpub.mechanisms.table_fit import pool_weights
from pmwpub.mechanisms.table_fit.one_way_estimates import OneWayEstimates
from pmwpub.mechanisms.table_fit.pool_fit import PoolRelease, equal_mixture, pool_fit
from pmwpub.mechanisms.table_fit.pool_weights import PARTS, POOL_DEFAULTS, PoolConstants, learnt_parts, mixed
from pmwpub.mechanisms.table_fit.table_fit import refit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Distribution, Support

OTHER = tables.support(SHAPE, 45, 12)
THIRD = tables.support(SHAPE, 80, 13)
PRIVATE = tables.table(SHAPE, 200, 4, no_level=True)
COIN = tables.domain(2)


def pooled(supports: list[Support], private: Dataset = PRIVATE, seed: int = 1, budget: ZCDP = BUDGET) -> PoolRelease:
    plan = planned(support=equal_mixture(supports), budget=budget)
    return pool_fit(count(plan.tables, private), supports, plan, noise=SeededNoise(seed))


def coins(heads: int, tails: int) -> Support:
    """A public table of one attribute."""
    return Support(COIN, np.array([[0], [1]]), np.array([heads, tails]))


# ---- mixtures


def test_a_mixture_by_hand() -> None:
    """A quarter of {x x x y}, three quarters of {y z}: x 3/16, y 1/16 + 3/8, z 3/8."""
    shape = tables.domain(3)
    one = Support(shape, np.array([[0], [1]]), np.array([3, 1]))
    two = Support(shape, np.array([[1], [2]]), np.array([1, 1]))
    found = mixed([one, two], [250, 750])
    assert found.codes.ravel().tolist() == [0, 1, 2]
    assert Distribution.empirical(found).weights == pytest.approx([3 / 16, 7 / 16, 6 / 16], abs=1e-12)


def test_a_mixture_with_one_part_is_that_table() -> None:
    assert mixed([PUBLIC, OTHER], [0, PARTS]) is OTHER


def test_mixtures_of_many_rows_keep_their_proportions_in_whole_numbers_that_floats_hold() -> None:
    huge, tiny = coins(9_999_999, 1), coins(1, 1)
    found = mixed([huge, tiny], [999, 1])
    assert found.rows < 2**53
    assert found.multiplicity[1] / found.rows == pytest.approx(0.999e-7 + 0.0005, rel=1e-5)


def test_parts_belong_to_tables_of_one_schema() -> None:
    for parts in ([1], [1, -1], [0, 0]):
        with pytest.raises(PlanError, match="part"):
            mixed([PUBLIC, OTHER], parts)
    with pytest.raises(DomainError, match="one schema"):
        mixed([PUBLIC, coins(1, 1)], [1, 1])


# ---- what a pool is beside table fit


def test_a_pool_of_one_table_is_table_fit_to_the_bit() -> None:
    alone = released(PRIVATE, planned(), noise=SeededNoise(1))
    found = pooled([PUBLIC])
    assert found.parts == (PARTS,)
    assert found.release.choices == alone.choices
    assert found.release.noisy.tobytes() == alone.noisy.tobytes()
    assert found.release.distribution.weights.tobytes() == alone.distribution.weights.tobytes()


def test_a_pool_of_the_same_table_twice_is_table_fit_to_the_bit() -> None:
    alone = released(PRIVATE, planned(), noise=SeededNoise(1))
    found = pooled([PUBLIC, Support(SHAPE, PUBLIC.codes, 3 * PUBLIC.multiplicity)])
    assert found.parts == (PARTS, 0)
    assert found.release.noisy.tobytes() == alone.noisy.tobytes()
    assert found.release.distribution.weights.tobytes() == alone.distribution.weights.tobytes()


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_the_tables_changes_nothing_but_the_order_of_their_parts(seed: int) -> None:
    private = drawn_from([PUBLIC, OTHER, THIRD], [0.6, 0.3, 0.1], 4_000)
    large = ZCDP.at_most(1)
    found = pooled([PUBLIC, OTHER, THIRD], private, seed, large)
    for order in itertools.permutations(range(3)):
        turned = pooled([(PUBLIC, OTHER, THIRD)[c] for c in order], private, seed, large)
        assert turned.parts == tuple(found.parts[c] for c in order)
        assert turned.release.distribution.weights == pytest.approx(found.release.distribution.weights, abs=1e-9)
        assert turned.release.noisy.tobytes() == found.release.noisy.tobytes()


def test_a_rebuild_from_the_parts_and_choices_has_the_same_bits() -> None:
    supports = [PUBLIC, OTHER, THIRD]
    found = pooled(supports, drawn_from(supports, [0.5, 0.5, 0.0], 3_000), 3, ZCDP.at_most(1))
    assert max(found.parts) < PARTS
    again = refit(
        mixed(supports, found.parts), planned(support=equal_mixture(supports), budget=ZCDP.at_most(1)),
        found.release.noisy, found.release.choices, 3_000,
    )  # fmt: skip
    assert again.weights.tobytes() == found.release.distribution.weights.tobytes()


def test_a_pool_is_worth_no_more_against_all_tables_than_it_has_public_rows() -> None:
    """60 and 45 rows: whatever whole numbers their mixture is written in."""
    found = pooled([PUBLIC, OTHER], drawn_from([PUBLIC, OTHER], [0.5, 0.5], 20_000), 2, ZCDP.at_most(100))
    rows = sum(support.rows for support, part in zip((PUBLIC, OTHER), found.parts, strict=True) if part)
    assert found.release.choices.pair_strength <= rows


# ---- the weights


def drawn_from(supports: list[Support], weights: list[float], rows: int) -> Dataset:
    rng = np.random.default_rng(6)
    which = rng.choice(len(supports), rows, p=weights)
    codes = [
        supports[c].codes[rng.choice(len(supports[c]), p=Distribution.empirical(supports[c]).weights)] for c in which
    ]
    return Dataset(supports[0].domain, np.array(codes))


def test_the_weights_of_a_true_mixture_are_found() -> None:
    supports = [PUBLIC, OTHER, THIRD]
    found = pooled(supports, drawn_from(supports, [0.3, 0.7, 0.0], 50_000), 5, ZCDP.at_most(10))
    assert np.abs(np.array(found.parts) - [300, 700, 0]).max() <= 50


def coin_plan(*supports: Support) -> TableSchedule:
    return planned(Workload.all_kway(COIN, 1), equal_mixture(list(supports)), complete=True)


def test_weights_are_the_posterior_mean_under_the_dense_normal_law() -> None:
    """One attribute of two levels: K = p(1 - p) (1, -1)(1, -1)^T, so that each likelihood is a plain normal density."""
    one, two, deviation = coins(90, 10), coins(20, 80), 0.004
    estimates = OneWayEstimates(np.array([0.56, 0.44]), np.array([deviation] * 2))
    strengths = np.geomspace(20, 200_000, 20)

    def density(weight: float) -> float:
        p = 0.9 * weight + 0.2 * (1 - weight)
        spread = p * (1 - p) * np.array([[1, -1], [-1, 1]])
        laws = (stats.multivariate_normal([p, 1 - p], spread / n + deviation**2 * np.eye(2)) for n in strengths)
        return math.fsum(float(law.pdf(estimates.shares)) for law in laws)

    grid = np.arange(11) / 10
    chances = np.array([density(weight) for weight in grid])
    assert math.log(chances.max() / max(chances[0], chances[-1])) > 3
    expected = 1_000 * float(chances @ grid / chances.sum())
    found = learnt_parts(coin_plan(one, two), [one, two], estimates, POOL_DEFAULTS)
    assert abs(found[0] - expected) <= 1
    assert sum(found) == PARTS


def test_the_best_single_table_is_taken_where_no_mixture_is_so_much_likelier() -> None:
    """The estimates are the first table's own: what a mixture gains is less than the stated 3, more than nothing."""
    one, two = coins(60, 40), coins(40, 60)
    estimates = OneWayEstimates(np.array([0.58, 0.42]), np.array([0.02, 0.02]))
    plan = coin_plan(one, two)
    assert learnt_parts(plan, [one, two], estimates, POOL_DEFAULTS) == (PARTS, 0)
    assert learnt_parts(plan, [two, one], estimates, POOL_DEFAULTS) == (0, PARTS)
    assert 0 < learnt_parts(plan, [one, two], estimates, replace(POOL_DEFAULTS, least_gain=0.0))[0] < PARTS


@given(tables=st.integers(1, 8))
def test_the_grid_is_the_finest_that_has_few_enough_points(tables: int) -> None:
    steps = pool_weights._steps(tables, POOL_DEFAULTS)
    points = list(pool_weights._simplex(tables, steps))
    assert len(points) == len(set(points)) <= 100
    assert {sum(point) for point in points} == {steps}
    finer = math.comb(steps + tables, steps + 1)
    assert steps == 10 or finer > 100


@settings(max_examples=30)
@given(weights=st.lists(st.floats(0, 1), min_size=1, max_size=8).filter(lambda found: sum(found) > 1e-3))
def test_parts_are_whole_thousandths_within_one_of_the_weights(weights: list[float]) -> None:
    parts = pool_weights._thousandths(np.array(weights))
    assert sum(parts) == PARTS
    assert all(abs(part - 1_000 * w / sum(weights)) <= 1 for part, w in zip(parts, weights, strict=True))


def test_five_tables_learn_their_weights_too_and_nine_are_refused() -> None:
    supports = [tables.support(SHAPE, 40, seed) for seed in range(9)]
    found = pooled(supports[:5], drawn_from(supports[:5], [0.5, 0, 0.5, 0, 0], 20_000), 7, ZCDP.at_most(10))
    assert sum(found.parts) == PARTS
    assert found.parts[0] + found.parts[2] > 800
    with pytest.raises(PlanError, match="one to 8 public tables"):
        pooled(supports)


def test_constants_that_mean_nothing_are_refused() -> None:
    for wrong in ({"steps": 0}, {"most_points": 3}, {"cells": 0}, {"least_gain": -1.0}):
        with pytest.raises(PlanError):
            PoolConstants(**wrong)  # type: ignore[arg-type]


def test_a_pool_costs_what_its_one_measurement_costs() -> None:
    supports = [PUBLIC, OTHER, THIRD]
    plan = planned(support=equal_mixture(supports), budget=ZCDP.at_most(Fraction(1, 20)))
    assert plan.rho <= ZCDP.at_most(Fraction(1, 20))
    assert pooled(supports).release.rho == plan.rho


def test_attributes_that_lack_levels_are_lacking_whatever_the_weights() -> None:
    private = Dataset(SHAPE, np.where(np.arange(6_000)[:, None] % 3, tables.table(SHAPE, 6_000, 2).codes, SHAPE.shape))
    assert pooled([PUBLIC, OTHER], private, 1, ZCDP.at_most(1)).release.choices.lacking == (0, 1, 2)


def test_a_workload_without_pairs_learns_weights_too() -> None:
    plan = planned(Workload.all_kway(SHAPE, 1), equal_mixture([PUBLIC, OTHER]))
    found = pool_fit(count(plan.tables, PRIVATE), [PUBLIC, OTHER], plan, noise=SeededNoise(2))
    assert sum(found.parts) == PARTS
    assert WORKLOAD.domain == found.release.distribution.support.domain
