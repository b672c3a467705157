"""A pool with learnt weights before it is bought: what is expected of it, and of each of its tables."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from pmwpub.evaluation import TABLE_FIT, TABLE_FIT_POOL, UNCHANGED, summarise
from pmwpub.service.choosing import expected_pool
from pmwpub.service.choosing.expected_error import ExpectedError
from pmwpub.service.choosing.expected_pool import can_be_pooled, is_pool_sweep, played_pool, pool_terms
from pmwpub.service.choosing.preselection import preselected
from pmwpub.service.choosing.simulated_pairs import simulate_pairs
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.study import Study
from pmwpub.service.simulations.explorations import explorations
from tests.service.conftest import Bench


def today(bench: Bench) -> Study:
    return study_store.study(bench.service, bench.name)


def offered(bench: Bench) -> list[tuple[str, ...]]:
    return [(sha256,) for sha256 in bench.candidates]


@pytest.fixture
def played(bench: Bench) -> Study:
    """The bench once each table played the truth to a pool of the two others, one run each at epsilon 1."""
    current = today(bench)
    simulate_pairs(bench.service, current, replace(pool_terms(offered(bench), 1.0), runs=1))
    return current


def test_before_a_pool_was_played_nothing_is_known_of_one(bench: Bench) -> None:
    assert played_pool(bench.service, today(bench), bench.candidates, 1.0) is None


def test_its_ratio_is_to_the_best_single_table_on_the_same_truth(bench: Bench, played: Study) -> None:
    found = played_pool(bench.service, played, bench.candidates, 1.0)
    assert found is not None
    ratios = []
    for one in explorations(bench.service, played):
        assert one.simulation is not None
        means = {(line.method, line.candidate): line.mean for line in summarise(one.simulation.errors)}
        pool = means.pop((TABLE_FIT_POOL, ""))
        assert {method for method, _ in means} == {TABLE_FIT, UNCHANGED}
        ratios.append(pool / min(means.values()))
    assert sorted(found.ratios) == pytest.approx(sorted(ratios))
    assert found.ratio == pytest.approx(math.prod(ratios) ** (1 / 3))
    assert set(found.truths) == {"b.csv", "c.csv", "d.csv"}


def test_what_the_tables_are_expected_to_contribute_adds_up_to_one_the_largest_first(
    bench: Bench, played: Study
) -> None:
    found = played_pool(bench.service, played, bench.candidates, 1.0)
    assert found is not None
    assert {name for name, _ in found.contributions} == {"b.csv", "c.csv", "d.csv"}
    parts = [part for _, part in found.contributions]
    assert parts == sorted(parts, reverse=True)
    assert sum(parts) == pytest.approx(1)


def test_a_pool_of_two_was_played_by_the_third_alone_and_a_far_epsilon_says_nothing(
    bench: Bench, played: Study
) -> None:
    two = played_pool(bench.service, played, bench.candidates[:2], 1.0)
    assert two is not None
    assert two.truths == ("d.csv",)
    assert played_pool(bench.service, played, bench.candidates, 20.0) is None
    assert played_pool(bench.service, played, bench.candidates, 2.0) is not None


def test_its_error_is_the_best_tables_times_the_ratio() -> None:
    pool = expected_pool.PlayedPool(("a", "b"), (0.5, 2.0), (("a", 0.6), ("b", 0.4)), ("c", "d"))
    single = ExpectedError("a", 0.02, 0.01, 0.04, 0.001, 0.1, 2)
    found = pool.error(single)
    assert (found.error, found.low, found.high, found.start) == pytest.approx((0.02, 0.005, 0.08, 0.1))


@pytest.mark.parametrize("better", [True, False])
def test_it_is_chosen_beforehand_where_it_is_expected_to_do_as_well_as_the_best_table(
    bench: Bench, played: Study, monkeypatch: pytest.MonkeyPatch, better: bool
) -> None:
    monkeypatch.setattr(expected_pool, "CHOSEN_BELOW", 100.0 if better else 0.001)
    found = preselected(bench.service, played, [], offered(bench), epsilon=1.0)
    assert found.engine == TABLE_FIT
    assert found.pool in offered(bench), "one table is named beside it in any case"
    assert (found.pooled is not None) == better
    assert found.reason.startswith("A pool with learnt weights is expected to be best") == better


def test_three_tables_make_a_pool_for_each_truth_and_two_do_not(bench: Bench) -> None:
    current = today(bench)
    assert can_be_pooled(current, offered(bench))
    assert not can_be_pooled(current, offered(bench)[:2])
    assert is_pool_sweep(pool_terms(offered(bench), 1.0))
