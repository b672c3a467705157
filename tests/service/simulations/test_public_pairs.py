"""What is known of candidates for free, and what a plan is forecast to buy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import buying
import numpy as np
import pytest

from pmwpub.privacy.budget import ZCDP
from pmwpub.service.bought import assessments
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations import public_pairs

if TYPE_CHECKING:
    from conftest import Bench


def test_each_candidate_is_played_against_each_other_one_and_nothing_is_charged(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    pairs = public_pairs.compare(bench.service, current).pairs
    assert {(pair.truth, pair.candidate) for pair in pairs} == {
        (a, b) for a in ("b.csv", "c.csv", "d.csv") for b in ("b.csv", "c.csv", "d.csv") if a != b
    }
    assert bench.service.ledger.balance(bench.name).spent == ZCDP(0)
    assert public_pairs.comparison(bench.service, current).pairs == pairs


def test_the_table_that_lacks_a_job_is_seen_to_lack_it(bench: Bench) -> None:
    """d.csv has two of three jobs: a third of any other table's rows, and their cells, are out of its reach."""
    current = study_store.study(bench.service, bench.name)
    pairs = {(pair.truth, pair.candidate): pair for pair in public_pairs.compare(bench.service, current).pairs}
    lacking = pairs["b.csv", "d.csv"]
    truth = current.usable[0].dataset
    assert truth is not None
    share = np.mean(truth.codes[:, truth.domain.index("job")] == truth.domain.attributes[2].levels.index("smith"))
    assert lacking.covered < 1 - share + 0.08
    assert lacking.empty > 0
    assert lacking.lower > pairs["b.csv", "c.csv"].upper
    assert lacking.lower <= lacking.upper <= lacking.start + 1e-9


def test_a_forecast_knows_the_bar_before_and_the_rest_after_the_comparison(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    plan = assessments.assessment_plan(current, bench.candidates[:1], epsilon="0.5")
    before = public_pairs.forecast(bench.service, current, plan)
    assert before.floor_bar is not None
    assert (before.spread, before.resolves) == (None, None)
    public_pairs.compare(bench.service, current)
    after = public_pairs.forecast(bench.service, current, plan)
    assert after.floor_bar == before.floor_bar
    assert after.resolves == pytest.approx(1.0, abs=0.05)
    # Laplace noise of 1/0.4 rows: 95 % within 2.5 ln 20 = 7.49 rows, and half a cell of 2.5 rows.
    assert after.floor_bar == pytest.approx((2.5 * np.log(20) + 1.25) / 300, rel=0.03)
    assert after.tells_apart is (after.spread > 2 * after.floor_bar)


def test_the_bar_that_was_forecast_is_the_bar_that_is_bought(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    plan = assessments.assessment_plan(current, bench.candidates[2:], epsilon="0.5")
    bar = public_pairs.forecast(bench.service, current, plan).floor_bar
    buying.buy(bench.service, bench.private, plan)
    (found,) = assessments.assessments(bench.service, current)
    assert found.floor is not None
    assert bar is not None
    assert found.floor.high - found.floor.value == pytest.approx(bar, abs=1e-9)


def test_a_full_assessment_is_another_plan_than_a_fast_one(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    fast, full = (
        assessments.assessment_plan(current, bench.candidates[:1], epsilon="0.5", setting=setting)
        for setting in ("fast", "full")
    )
    assert fast.sha256 != full.sha256
    assert buying.buy(bench.service, bench.private, full).status == "done"
