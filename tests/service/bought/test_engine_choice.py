"""The plan where no engine need be named: settings, what is stored, what public tables advise; never charged twice."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import buying
import pytest

from pmwpub.errors import PlanError
from pmwpub.plans import ReleasePlan, TableFitPlan, UnchangedPlan, WorkloadChoice
from pmwpub.service.bought import releases
from pmwpub.service.bought.engine_choice import ChosenPlan, chosen_plan
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations import engine_advice, engine_trials
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.weight_column import WeightColumn
from pmwpub.tasks.engine_work import Way

if TYPE_CHECKING:
    from conftest import Bench


OTHER = b"sex,age,job\n" + b"F,31,cook\nM,52,clerk\nF,77,smith\n" * 20


def choose(
    bench: Bench, pool: int = 1, *, engine: str | None = None, epsilon: str = "1", **settings: Any
) -> ChosenPlan:
    current = study_store.study(bench.service, bench.name)
    given: releases.PmwPubSettings = settings  # type: ignore[assignment]
    return chosen_plan(bench.service, current, bench.candidates[:pool], given, engine=engine, epsilon=epsilon)


def found_by_trial(bench: Bench, **errors: float) -> None:
    """A stored trial of the first candidate at epsilon 1 with these errors; PMW^Pub at 40 rounds."""
    current = study_store.study(bench.service, bench.name)
    key = engine_trials.trial(bench.service, current, bench.candidates[:1], 1.0).key
    names = {"unchanged": 0, "table_fit": 0, "table_fit_three_way": 0, "pmw_pub": 40}
    ways = [Way(name.replace("_", "-"), names[name], error, 0.001) for name, error in errors.items()]
    body = json.dumps([asdict(way) for way in ways]).encode()
    bench.service.ledger.put_document(bench.name, engine_trials.TRIAL, key, body)


@pytest.mark.parametrize("setting", [{"rounds": 5}, {"selection": "permute-and-flip"}, {"replay": "off"}])
def test_a_setting_of_pmw_pub_means_pmw_pub_and_nothing_is_tried(bench: Bench, setting: dict[str, Any]) -> None:
    chosen = choose(bench, **setting)
    assert isinstance(chosen.plan, ReleasePlan)
    assert chosen.why == ""
    assert bench.service.ledger.documents(bench.name, engine_trials.TRIAL) == []


def test_the_way_of_the_least_expected_error_is_taken_and_said_with_what_each_would_reach(bench: Bench) -> None:
    found_by_trial(bench, unchanged=0.12, table_fit=0.016, pmw_pub=0.023)
    chosen = choose(bench)
    assert isinstance(chosen.plan, TableFitPlan)
    assert "table fit 1.6 ± 0.1 %, PMW^Pub with T = 40 2.3 ± 0.1 %, the public table unchanged 12" in chosen.why
    assert "c.csv and d.csv played the private table" in chosen.why


def test_pmw_pub_is_advised_with_its_best_rounds(bench: Bench) -> None:
    found_by_trial(bench, unchanged=0.12, table_fit=0.03, pmw_pub=0.023)
    plan = choose(bench).plan
    assert isinstance(plan, ReleasePlan)
    assert plan.rounds == 40


def test_where_nothing_beats_the_public_table_it_is_advised_as_it_is(bench: Bench) -> None:
    found_by_trial(bench, unchanged=0.016, table_fit=0.016, pmw_pub=0.02)
    chosen = choose(bench)
    assert isinstance(chosen.plan, UnchangedPlan)
    assert chosen.why.startswith("Advised: the public table unchanged.")


def test_a_release_bought_with_options_that_nobody_asks_for_now_is_named_before_the_next_charge(
    bench: Bench,
) -> None:
    found_by_trial(bench, unchanged=0.12, table_fit=0.016, pmw_pub=0.023)
    current = study_store.study(bench.service, bench.name)
    grown = releases.table_fit_plan(bench.service, current, bench.candidates[:1], epsilon="1", grow=True)
    assert "charged anew" not in choose(bench).why
    buying.buy(bench.service, bench.private, grown)
    chosen = choose(bench)
    assert isinstance(chosen.plan, TableFitPlan)
    assert chosen.plan.growth is None
    assert "was bought before, with --grow: ask for the same again" in chosen.why
    assert "charged anew" not in choose(bench, epsilon="0.5").why
    assert "charged anew" not in choose(bench, 3).why


def test_without_another_public_table_the_default_is_fixed_and_says_so(bench: Bench) -> None:
    chosen = choose(bench, 3)
    assert isinstance(chosen.plan, TableFitPlan)
    assert "a fixed default. No other public table" in chosen.why


def weighed(bench: Bench) -> None:
    """Have the schema weigh rows, by a declared total."""
    schema = study_store.study(bench.service, bench.name).schema
    assert schema is not None
    column = WeightColumn(name="w", kind="weight", cap="2", unit="1", total="500")
    columns = [one.changed(same=("trim",), strip=False, casefold=False) for one in schema.columns]
    study_store.save_schema(bench.service, bench.name, Schema.of([*columns, column], schema.missing_tokens, 2))


def test_why_nothing_was_tried_is_the_reason_that_holds(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "is there that could play" in choose(bench, 3).why
    monkeypatch.setattr(engine_trials, "MOST_CELLS", 1)
    assert "default. This public table and workload are too large to be tried in seconds; table" in choose(bench).why
    bench.service.policy = replace(bench.service.policy, simulated_rows=299)
    for pool in (1, 3):  # a table more would not help
        assert (
            "default. The population has 300 rows, and trials here draw at most 299; table" in choose(bench, pool).why
        )


def test_of_weighed_rows_engines_are_tried_where_others_have_weights_too(bench: Bench) -> None:
    weighed(bench)
    assert "by simulations in which c.csv and d.csv played the private table" in choose(bench, 1).why
    why = choose(bench, 3).why
    assert "is there that could play" in why
    assert "too large" not in why


def test_tables_too_many_for_table_fit_leave_pmw_pub(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_advice, "MOST_CELLS", 1)
    found_by_trial(bench, unchanged=0.12, table_fit=0.01, pmw_pub=0.023)
    plan = choose(bench).plan
    assert isinstance(plan, ReleasePlan)
    chosen = choose(bench, 3)
    assert isinstance(chosen.plan, ReleasePlan)
    assert chosen.plan.rounds == 25
    assert "too many for table fit" in chosen.why


def test_what_was_bought_under_the_old_default_is_returned_and_said_so(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    old = releases.release_plan(bench.service, current, bench.candidates[:1], epsilon="1")
    buying.buy(bench.service, bench.private, old)
    found_by_trial(bench, unchanged=0.12, table_fit=0.01, pmw_pub=0.02)
    chosen = choose(bench)
    assert chosen.plan == old
    assert "bought before, by PMW^Pub with T = 25" in chosen.why
    assert isinstance(choose(bench, engine="table-fit").plan, TableFitPlan)
    assert isinstance(choose(bench, epsilon="0.5").plan, TableFitPlan | ReleasePlan | UnchangedPlan)


@pytest.mark.parametrize("least", ["table_fit", "pmw_pub"])
def test_the_same_request_after_other_public_tables_came_buys_nothing_new(bench: Bench, least: str) -> None:
    """Advice may change with the public tables; a request that is sent twice is charged once."""
    errors = {"unchanged": 0.12, "table_fit": 0.05, "pmw_pub": 0.05} | {least: 0.01}
    found_by_trial(bench, **errors)
    first = choose(bench).plan
    assert not isinstance(first, UnchangedPlan)
    if isinstance(first, ReleasePlan):
        assert first.rounds == 40
    buying.buy(bench.service, bench.private, first)
    study_store.add_candidate(bench.service, bench.name, "a.csv", OTHER, attested=True)
    chosen = choose(bench)
    assert chosen.plan == first
    assert "was bought before" in chosen.why


@pytest.mark.parametrize("advised", [True, False])
def test_tables_of_three_columns_are_taken_where_they_pay_and_the_same_request_buys_nothing_new(
    bench: Bench, advised: bool
) -> None:
    study_store.choose_workload(bench.service, bench.name, WorkloadChoice(k=3))
    found_by_trial(
        bench, unchanged=0.12, table_fit=0.016, table_fit_three_way=0.012 if advised else 0.0155, pmw_pub=0.02
    )
    chosen = choose(bench)
    assert isinstance(chosen.plan, TableFitPlan)
    assert (chosen.plan.three_way_share is not None) is advised
    assert chosen.why.startswith(f"Advised: table fit{' with tables of three columns' * advised}. ")
    assert "table fit with tables of three columns 1." in chosen.why
    assert "advised where they cut the error of table fit by more than 5 %" in chosen.why
    buying.buy(bench.service, bench.private, chosen.plan)
    study_store.add_candidate(bench.service, bench.name, "a.csv", OTHER, attested=True)
    again = choose(bench)
    assert again.plan == chosen.plan
    assert f"was bought before, by table fit{' with tables of three columns' * advised}:" in again.why


def test_an_engine_that_is_none_and_settings_that_it_has_not_are_refused(bench: Bench) -> None:
    for engine, settings in (("magic", {}), ("unchanged", {"rounds": 5}), ("table-fit", {"rounds": 5})):
        with pytest.raises(PlanError, match="Nothing was charged"):
            choose(bench, engine=engine, **settings)
    assert isinstance(choose(bench, engine="unchanged").plan, UnchangedPlan)
    assert bench.service.ledger.history(bench.name) == []
