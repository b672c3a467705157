"""Table fit with tables of three columns in a trial of the engines: when it is tried, and when it is advised."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pmwpub.evaluation import PMW_PUB, TABLE_FIT, TABLE_FIT_THREE_WAY, UNCHANGED, Run, Stage, resampled
from pmwpub.evaluation.runs import play
from pmwpub.plans import WorkloadChoice
from pmwpub.queries.counts import count
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations import engine_trials, explorations
from pmwpub.service.simulations.engine_advice import PAYS, pays
from pmwpub.service.simulations.engine_trials import EngineTrial
from pmwpub.service.simulations.sweep_range import SweepRange
from pmwpub.tasks.engine_work import Way

if TYPE_CHECKING:
    from conftest import Bench


def of_columns(bench: Bench, k: int) -> Study:
    study_store.choose_workload(bench.service, bench.name, WorkloadChoice(k=k))
    return study_store.study(bench.service, bench.name)


def test_a_workload_of_three_columns_is_tried_with_and_without_their_tables(bench: Bench) -> None:
    current, pool = of_columns(bench, 3), bench.candidates[:1]
    found = engine_trials.try_engines(bench.service, current, pool, 1.0)
    assert [way.engine for way in found.ways] == [UNCHANGED, TABLE_FIT, TABLE_FIT_THREE_WAY, PMW_PUB]
    errors = []
    for truth in bench.candidates[1:]:
        dataset = current.candidate(truth).dataset
        assert dataset is not None
        rows = resampled(dataset, current.population.n, 0)
        workload, supports = current.workload(), {"b.csv": current.support(pool)}
        stage = Stage(workload, count(workload, rows), supports, current.population.delta, 1, rows=rows)
        errors.append(play(stage, Run("b.csv", TABLE_FIT_THREE_WAY, 1.0, 0, 0)).max_error)  # type: ignore[union-attr]
    assert found.of(TABLE_FIT_THREE_WAY).mean == pytest.approx(sum(errors) / 2)  # type: ignore[union-attr]


def test_they_are_tried_where_the_workload_has_three_columns_is_whole_and_its_tables_have_few_cells(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = of_columns(bench, 2)
    assert not engine_trials._three_way(pairs, pairs.workload())
    current = of_columns(bench, 3)
    whole = current.workload()
    assert engine_trials._three_way(current, whole)
    assert not engine_trials._three_way(current, None)
    more = replace(whole, marginals=(*whole.marginals, *pairs.workload().marginals))
    monkeypatch.setattr(Study, "workload", lambda _: more)
    assert not engine_trials._three_way(current, whole), "a part of the workload"
    monkeypatch.undo()
    monkeypatch.setattr(engine_trials, "MOST_THREE_WAY_CELLS", 1)
    assert not engine_trials._three_way(current, whole)


@pytest.mark.parametrize(("three", "advised"), [(0.0095 - 1e-6, True), (0.0095, False), (0.02, False)])
def test_they_pay_where_the_mean_error_is_below_nineteen_twentieths(three: float, advised: bool) -> None:
    ways = (Way(TABLE_FIT, 0, 0.01, 0.0), Way(TABLE_FIT_THREE_WAY, 0, three, 0.0))
    assert PAYS == 0.95
    assert pays(EngineTrial("key", 1.0, ("c.csv",), 1, ways=ways)) is advised
    assert not pays(EngineTrial("key", 1.0, ("c.csv",), 1, ways=ways[1:]))


def test_a_sweep_that_has_them_says_so_too(bench: Bench) -> None:
    current, pool = of_columns(bench, 3), bench.candidates[:1]
    methods = (PMW_PUB, TABLE_FIT, TABLE_FIT_THREE_WAY, UNCHANGED)
    terms = SweepRange(epsilons=(1.0,), rounds=(4,), runs=1, methods=methods)
    swept = [explorations.explore(bench.service, current, truth, terms).simulation for truth in bench.candidates[1:]]
    found = engine_trials.trial(bench.service, current, pool, 1.0)
    assert found.swept
    errors = [
        one.max_error
        for simulation in swept
        for one in simulation.errors  # type: ignore[union-attr]
        if (one.candidate, one.method) == ("b.csv", TABLE_FIT_THREE_WAY)
    ]
    assert found.of(TABLE_FIT_THREE_WAY).mean == pytest.approx(sum(errors) / 2)  # type: ignore[union-attr]
