"""The accuracy theorem beside a simulation: of its own floors, of the rows that played, and of nothing private."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from support import tables

from pmwpub.errors import PlanError
from pmwpub.evaluation import CertifiedFloor, SimulatedError, Simulation, Stage
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Support
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations import explorations
from pmwpub.service.simulations.error_figure import error_plot
from pmwpub.service.simulations.explorations import Exploration
from pmwpub.service.simulations.proved_bounds import bounds_of, bounds_on
from pmwpub.service.simulations.sweep_range import PRIVATE_TRUTH, SweepRange, played, rows_of, stage_of
from pmwpub.theory import HYPOTHESES, accuracy_line

if TYPE_CHECKING:
    from conftest import Bench

SMALL = SweepRange(epsilons=(2.0, 0.5), rounds=(3,), shares=(100.0, 10.0), runs=1)


def test_each_line_is_the_theorem_at_the_floor_and_the_rows_of_the_table_that_played(bench: Bench) -> None:
    current, truth = study_store.study(bench.service, bench.name), bench.candidates[0]
    found = explorations.explore(bench.service, current, truth, SMALL)
    simulation = found.simulation
    assert simulation is not None
    bounds = bounds_of(current, found, simulation)
    supports, people = stage_of(current, truth, SMALL).candidates, current.population
    assert [line.label for line in bounds.lines] == [floor.candidate for floor in simulation.floors]
    assert {line.label for line in bounds.lines} == set(played(current, truth, SMALL))
    for line, floor in zip(bounds.lines, simulation.floors, strict=True):
        expected = accuracy_line(
            (0.5, 2.0),
            delta=people.delta,
            n=people.n,
            m=supports[floor.candidate].rows,
            queries=current.workload().queries,
            rows_per_person=people.rows_per_person,
            beta=0.05,
            best_mixture=floor.upper,
        )
        assert (line.epsilons, line.errors, line.rounds) == (expected.epsilons, expected.errors, expected.rounds)
        assert line.confidence == 0.95
    assert set(HYPOTHESES) < set(bounds.words)
    assert "not what to expect" in bounds.words[0]


def test_the_rows_of_each_candidate_are_those_of_the_support_that_plays(bench: Bench) -> None:
    current, truth = study_store.study(bench.service, bench.name), bench.candidates[0]
    others = tuple(sha256 for sha256 in bench.candidates if sha256 != truth)
    pooled = SweepRange((others, others[:1]), shares=(100.0, 10.0, 1.0, 0.1))
    for terms in (SweepRange(), pooled, SweepRange(((truth,),))):
        supports = stage_of(current, truth, terms).candidates
        assert rows_of(current, truth, terms) == {name: support.rows for name, support in supports.items()}


def test_a_sweep_on_the_private_table_has_no_bound(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    known = Simulation(
        [SimulatedError("pmw-pub", "b.csv", 1.0, 5, 0, 0.1, 0.1, 0.1)], [CertifiedFloor("b.csv", 0.1, 0.1)]
    )
    with pytest.raises(PlanError, match="public tables only"):
        bounds_of(current, Exploration("key", PRIVATE_TRUTH), known)
    shape = tables.domain(3, 2)
    rows = tables.table(shape, 40, 1)
    workload = Workload.all_kway(shape, 2)
    stage = Stage(workload, count(workload, rows), {"b.csv": Support.of(rows)}, Fraction(1, 1600), private=True)
    with pytest.raises(PlanError, match="may be looked at"):
        bounds_on(stage, known)


def test_bounds_are_drawn_with_their_tables_and_for_the_maximum_error_alone(bench: Bench) -> None:
    current, truth = study_store.study(bench.service, bench.name), bench.candidates[0]
    found = explorations.explore(bench.service, current, truth, SMALL)
    assert found.simulation is not None
    lines = bounds_of(current, found, found.simulation).lines

    def drawn(**choices: object) -> list[str]:
        plot = error_plot(found.simulation, bounds=lines, **choices)  # type: ignore[arg-type]
        return [str(row[0]) for row in plot.table.rows if "theorem" in str(row[0])]

    assert len(drawn()) == 2 * len(lines)
    assert drawn(drawn=[lines[0].label]) == 2 * [f"{lines[0].label}, the theorem's bound"]
    assert drawn(measure="mean_error") == drawn(measure="rms_error") == []


def test_without_a_floor_or_a_run_there_is_no_line_and_nothing_is_said(bench: Bench) -> None:
    current, truth = study_store.study(bench.service, bench.name), bench.candidates[0]
    found = Exploration("key", truth)
    error = SimulatedError("pmw-pub", "c.csv", 1.0, 5, 0, 0.1, 0.1, 0.1)
    for known in (Simulation(), Simulation([error]), Simulation([], [CertifiedFloor("c.csv", 0.1, 0.1)])):
        bounds = bounds_of(current, found, known)
        assert (bounds.lines, bounds.words) == ((), ())
    assert np.isfinite(
        [*bounds_of(current, found, Simulation([error], [CertifiedFloor("c.csv", 0.1, 0.2)])).lines[0].errors]
    )
