"""Of a pool only the noise sees private counts: with its answers forced, neighbours give the same output and calls."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.table_fit.test_table_fit_replay import Forced, Trace
from mechanisms.table_fit.toy_tables import PUBLIC, SHAPE, cost_between, planned
from support import tables
from support.planting import plant

from pmwpub.mechanisms.table_fit import pool_fit as engine
from pmwpub.mechanisms.table_fit import table_fit
from pmwpub.queries.counts import count
from pmwpub.records import Dataset

SUPPORTS = [PUBLIC, tables.support(SHAPE, 45, 12), tables.support(SHAPE, 30, 13)]


def traced(private: Dataset, k: int, seed: int) -> Trace:
    """All that a run gives, bit by bit, all that it asked its noise for, and all that its progress said."""
    plan, noise, steps = planned(support=engine.equal_mixture(SUPPORTS), k=k), Forced(seed=seed), []
    found = engine.pool_fit(
        count(plan.tables, private), SUPPORTS, plan, noise=noise, progress=lambda *step: steps.append(step)
    )
    released = found.release
    return (
        found.parts, released.distribution.weights.tobytes(), released.noisy.tobytes(), released.choices, released.rho,
        *noise.asked, *steps,
    )  # fmt: skip


def assert_alike(k: int, rows: int, seed: int) -> None:
    private = tables.table(SHAPE, rows, seed, no_level=True)
    assert traced(private, k, seed) == traced(tables.neighbour(private, k, seed + 1), k, seed), "a neighbour shows"


@settings(max_examples=25)
@given(k=st.integers(1, 3), rows=st.integers(3, 9), seed=st.integers(0, 10_000))
def test_neighbours_give_the_same_parts_output_and_calls_where_the_noisy_counts_are_forced(
    k: int, rows: int, seed: int
) -> None:
    assert_alike(k, rows, seed)


@settings(max_examples=50)
@given(k=st.integers(1, 3), rows=st.integers(3, 12), seed=st.integers(0, 10_000))
def test_neighbours_differ_by_no_more_than_the_schedule_of_a_pool_charges(k: int, rows: int, seed: int) -> None:
    """sum over tables of |a - b|^2/(2 sigma^2) of the very vectors that noise is added to, exact."""
    plan = planned(support=engine.equal_mixture(SUPPORTS), k=k)
    private = tables.table(SHAPE, rows, seed, no_level=True)
    assert cost_between(plan, private, tables.neighbour(private, k, seed + 1)) <= plan.rho.rho


def assert_none_shows(rows: int) -> None:
    """Twenty pairs of neighbours; a fault shows on some of them."""
    for seed in range(20):
        assert_alike(1, rows, seed)


@pytest.mark.fault("a pool's weights learnt from exact counts")
def test_weights_that_are_learnt_from_exact_counts_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = "return _after_noise(supports, schedule, noisy, counts.n, constants, progress)"
    wrong = (
        "parts = _after_noise(supports, schedule, counts.counts, counts.n, constants).parts; "
        "return PoolRelease(after_noise(mixed(supports, parts), 100, schedule, noisy, counts.n, progress), parts)"
    )
    plant(monkeypatch, engine, "pool_fit", right, wrong)
    with pytest.raises(AssertionError, match="a neighbour shows"):
        assert_none_shows(9)


@pytest.mark.fault("a pool's shares from private counts")
def test_a_pool_whose_noise_goes_by_private_counts_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = "noisy[cells] = law.measure("
    wrong = (
        "spread = 1 + int(counts.counts[cells].max()); "
        "noisy[cells] = type(law)(law.scale * spread, law.squared_sensitivity).measure("
    )
    plant(monkeypatch, table_fit, "measure", right, wrong)
    monkeypatch.setattr(engine, "measure", table_fit.measure)
    with pytest.raises(AssertionError, match="a neighbour shows"):
        assert_none_shows(5)
