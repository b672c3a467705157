"""What a planned release is worth, and the tick that a doubtful one takes."""

from __future__ import annotations

import json
import re

import pytest

from pmwpub.errors import PlanError
from pmwpub.evaluation import PMW_PUB, TABLE_FIT, UNCHANGED
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans import ReleasePlan
from pmwpub.privacy.budget import epsilon_of
from pmwpub.rounding import in_percent
from pmwpub.service.bought.assessments import assessment_plan
from pmwpub.service.bought.releases import release_plan, table_fit_plan
from pmwpub.service.choosing import outlook as outlooks
from pmwpub.service.choosing.expected_error import BoughtNumbers
from pmwpub.service.choosing.outlook import noise_rows, outlook
from pmwpub.service.choosing.simulated_pairs import simulate_pairs
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.study import Study
from pmwpub.service.purchases import AssessmentPurchase, ReleasePurchase, TableFitPurchase, buy, doubts
from pmwpub.service.simulations.engine_advice import advise_engine
from pmwpub.service.simulations.engine_trials import try_engines
from pmwpub.service.simulations.sweep_range import SweepRange
from tests.service.conftest import Bench, N


def today(bench: Bench) -> Study:
    return study_store.study(bench.service, bench.name)


def planned(bench: Bench, epsilon: str = "1", rounds: int = 20) -> ReleasePlan:
    return release_plan(bench.service, today(bench), bench.candidates[:1], epsilon=epsilon, rounds=rounds)


def test_the_noise_of_a_round_is_that_of_the_charge_at_95_per_cent(bench: Bench) -> None:
    plan = planned(bench)
    (charge,) = ReleasePurchase(plan).charges(today(bench))
    sigma = float(re.fullmatch(r"sigma = ([\d.]+) rows", charge.scale)[1])  # type: ignore[index]
    found = outlook(bench.service, today(bench), plan)
    assert found.noise_rows == pytest.approx(1.959964 * sigma, rel=1e-4)
    assert found.noise_share == pytest.approx(found.noise_rows / N)
    assert f"{100 * found.noise_share:.3g} % of the rows" in found.noise_words


def test_noise_above_the_whole_is_warned_of_and_less_is_not(bench: Bench) -> None:
    drowned = outlook(bench.service, today(bench), planned(bench, "0.001"))
    assert drowned.noise_share > 1
    assert "exceeds the whole" in drowned.drowned_words
    assert outlook(bench.service, today(bench), planned(bench)).drowned_words == ""


def test_of_table_fit_it_is_that_of_the_median_table(bench: Bench) -> None:
    current = today(bench)
    plan = table_fit_plan(bench.service, current, bench.candidates[:1], epsilon="1")
    measured, rows = noise_rows(current, plan)
    support = current.support(bench.candidates[:1])
    sigmas = sorted(
        float(noise.scale)
        for noise in plan.schedule(
            current.workload(),
            support,
            complete=current.schema.complete,  # type: ignore[union-attr]
        ).noises
    )
    assert measured == outlooks.CELL
    assert 1.95 * sigmas[0] <= rows <= 1.97 * sigmas[-1]


def test_nothing_is_expected_until_pairs_were_simulated(bench: Bench) -> None:
    before = outlook(bench.service, today(bench), planned(bench))
    assert (before.expected, before.start, before.gains) == (None, None, None)
    assert "not known" in before.error_words
    simulate_pairs(bench.service, today(bench), SweepRange(epsilons=(1.0,), rounds=(20,), runs=1))
    after = outlook(bench.service, today(bench), planned(bench))
    assert after.expected is not None
    assert after.start == after.expected.start
    assert after.gains == (after.expected.error <= 0.9 * after.start)
    assert "which is free" in after.error_words


def test_a_release_that_is_hardly_better_than_the_free_table_wants_a_tick(bench: Bench) -> None:
    """At epsilon 0.01 on 300 rows a round's noise is thousands of rows: a bought start says that this is in vain."""
    current = today(bench)
    start = assessment_plan(current, bench.candidates[:1], epsilon="0.5", floor=False)
    buy(bench.service, bench.private, [AssessmentPurchase(start)], tick=True)
    wanted = [ReleasePurchase(planned(bench, "0.01"))]
    (reason,) = doubts(bench.service, today(bench), wanted)
    assert reason.startswith("It is not expected to be better than the public table unchanged")
    charges = len(bench.service.ledger.history(bench.name))
    with pytest.raises(PlanError, match="Nothing was charged"):
        buy(bench.service, bench.private, wanted, tick=True, free_tick=False)
    assert len(bench.service.ledger.history(bench.name)) == charges
    (outcome,) = buy(bench.service, bench.private, wanted, tick=True, free_tick=True)
    assert outcome.fresh
    assert doubts(bench.service, today(bench), wanted) == ()
    assert json.loads(outcome.booking.plan_json)["kind"] == "release"


def test_a_trial_says_what_to_expect_where_no_pairs_were_simulated(bench: Bench) -> None:
    current = today(bench)
    plan = table_fit_plan(bench.service, current, bench.candidates[:1], epsilon="1")
    assert outlook(bench.service, current, plan).expected is None
    tried = try_engines(bench.service, current, bench.candidates[:1], epsilon_of(plan.budget, current.population.delta))
    found = outlook(bench.service, current, plan)
    assert found.expected is not None
    assert found.expected.error == tried.of("table-fit").mean  # type: ignore[union-attr]
    assert found.start == tried.of("unchanged").mean  # type: ignore[union-attr]
    assert found.simulated.source == "c.csv and d.csv"


@pytest.mark.parametrize("trial_first", [False, True])
def test_the_price_form_and_the_advice_on_the_engine_say_one_number_for_one_thing(
    bench: Bench, trial_first: bool
) -> None:
    pool = bench.candidates[:1]
    if trial_first:
        try_engines(bench.service, today(bench), pool, 1.0)
    terms = SweepRange(epsilons=(0.5, 1.0), rounds=(4,), runs=1, methods=(PMW_PUB, TABLE_FIT, UNCHANGED))
    simulate_pairs(bench.service, today(bench), terms)
    advice = advise_engine(bench.service, today(bench), pool, "1")
    fit = table_fit_plan(bench.service, today(bench), pool, epsilon="1")
    for plan, name in ((fit, "table fit"), (planned(bench), r"PMW\^Pub with T = \d+")):
        found = outlook(bench.service, today(bench), plan)
        assert found.expected is not None
        assert re.search(rf"{name} {re.escape(in_percent(found.expected.error))}", advice.reason)
        assert found.start is not None
        free = in_percent(found.start).removesuffix(" %")
        assert re.search(rf"the public table unchanged {re.escape(free)}( ± [\d.]+)? %", advice.reason)


@pytest.mark.parametrize(("high", "doubted"), [(0.9, False), (0.01, True)])
def test_noise_alone_wants_a_tick_only_where_it_is_larger_than_the_start_can_be(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, high: float, doubted: bool
) -> None:
    """The noise of a round at epsilon 0.5 is tens of rows of 300; the estimate of the start is 0 both times."""
    numbers = {bench.candidates[0]: BoughtNumbers(start=NoisyInterval(0.0, 0.0, high, 0.95, "1/100"))}
    monkeypatch.setattr(outlooks, "bought_numbers", lambda *_: numbers)
    found = outlook(bench.service, today(bench), planned(bench, "0.5"))
    assert 0.01 < found.noise_share < 0.9
    assert bool(doubts(bench.service, today(bench), [ReleasePurchase(planned(bench, "0.5"))])) == doubted


def test_a_release_that_may_add_rows_is_doubted_like_one_that_may_not(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What adding rows gains is not known beforehand, so that the free table may be as good must be said."""
    current = today(bench)
    pool = bench.candidates[:1]
    try_engines(bench.service, current, pool, epsilon_of(planned(bench).budget, current.population.delta))
    plain, growing = (table_fit_plan(bench.service, current, pool, epsilon="1", grow=grow) for grow in (False, True))
    monkeypatch.setattr(outlooks, "_gains", lambda *_: False)
    (doubt,) = doubts(bench.service, current, [TableFitPurchase(plain)])
    (grown,) = doubts(bench.service, current, [TableFitPurchase(growing)])
    assert grown == f"{doubt} {outlooks.GROWN}"
    monkeypatch.setattr(outlooks, "_gains", lambda *_: True)
    assert doubts(bench.service, current, [TableFitPurchase(growing)]) == ()


def test_of_coarse_tables_the_error_expected_is_that_without_them_and_this_is_said(bench: Bench) -> None:
    current, pool = today(bench), bench.candidates[:1]
    plain, coarse = (
        table_fit_plan(bench.service, current, pool, epsilon="1", ranges=ranges) for ranges in ((), ("age",))
    )
    assert outlooks.WITHOUT_COARSE not in outlook(bench.service, current, coarse).error_words, "nothing is expected"
    try_engines(bench.service, current, pool, epsilon_of(plain.budget, current.population.delta))
    without, with_them = (outlook(bench.service, current, plan) for plan in (plain, coarse))
    assert without.expected == with_them.expected is not None
    assert with_them.error_words == f"{without.error_words} {outlooks.WITHOUT_COARSE}"
    assert with_them.noise_rows > without.noise_rows


def test_beside_an_expected_error_table_fit_says_that_one_noisy_cell_is_farther_off(bench: Bench) -> None:
    current, pool = today(bench), bench.candidates[:1]
    plan = table_fit_plan(bench.service, current, pool, epsilon="1")
    assert outlooks.AVERAGED not in outlook(bench.service, current, plan).noise_words, "no error stands beside it"
    try_engines(bench.service, current, pool, epsilon_of(plan.budget, current.population.delta))
    assert outlook(bench.service, current, plan).noise_words.endswith(f" % of the rows{outlooks.AVERAGED}.")
    assert outlooks.AVERAGED not in outlook(bench.service, current, planned(bench)).noise_words, "it measures queries"


def test_what_a_doubted_release_is_worth_is_worked_out_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    worked, worth = [], outlooks._worth
    monkeypatch.setattr(outlooks, "_worth", lambda *given: worked.append(1) or worth(*given))
    monkeypatch.setattr(outlooks, "_gains", lambda *_: False)
    assert doubts(bench.service, today(bench), [ReleasePurchase(planned(bench))]) != ()
    assert worked == [1]
