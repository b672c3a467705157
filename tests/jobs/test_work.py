"""What workers do: a sweep's floors hold, its pilot sets the rounds, an unresolved floor is no result."""

from __future__ import annotations

from fractions import Fraction

import pytest
import tables

from pmwpub.errors import NoResult
from pmwpub.jobs import work
from pmwpub.jobs.work import AssessmentWork, PublicInput, Simulation, SimulationWork
from pmwpub.mechanisms.assessment import Unresolved
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

SHAPE = tables.domain(2, 3)
WORKLOAD = Workload.all_kway(SHAPE, 2)


def sweep(**changes: object) -> SimulationWork:
    truth = tables.table(SHAPE, 400, 0)
    lacking = Dataset(SHAPE, truth.codes[(truth.codes[:, 0] == 0) | (truth.codes[:, 1] == 0)])
    candidates = {"full": Support.of(truth), "lacking": Support.of(lacking)}
    made = {
        "workload": WORKLOAD, "truth": truth, "candidates": candidates, "epsilons": (0.5, 4.0),
        "delta": Fraction(1, 160_000), "runs": 2,
    } | changes  # fmt: skip
    return SimulationWork(**made)  # type: ignore[arg-type]


def test_floors_are_certified_and_no_run_ends_below_them() -> None:
    found = work.simulation(sweep(), lambda done, total: None)
    floors = {floor.candidate: floor for floor in found.floors}
    counts = count(WORKLOAD, sweep().truth).counts
    # Without atoms (1, 1) and (1, 2) the larger of their masses is missing, whatever the weights.
    assert floors["lacking"].lower >= max(counts[4], counts[5]) / 400 - 1e-9
    assert floors["full"].upper < 1e-3
    for line in found.errors:
        assert line.max_error >= floors[line.candidate].lower - 1e-9


def test_rounds_come_from_the_rule_after_a_pilot_unless_they_are_given() -> None:
    found = work.simulation(sweep(), lambda done, total: None)
    assert all(5 <= line.rounds <= 300 for line in found.errors if line.method == "pmw-pub")
    fixed = work.simulation(sweep(rounds=(3, 4), floors=False), lambda done, total: None)
    assert {line.rounds for line in fixed.errors if line.method == "pmw-pub"} == {3, 4}
    assert fixed.floors == []


def test_each_pair_has_the_unchanged_table_once_and_each_run_once() -> None:
    found = work.simulation(sweep(), lambda done, total: None).errors
    keys = [(line.method, line.candidate, line.epsilon, line.seed) for line in found]
    assert len(keys) == len(set(keys)) == 2 * 2 * (1 + 2)


def test_progress_rises_to_its_total() -> None:
    seen: list[tuple[int, int]] = []
    work.simulation(sweep(), lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == seen[-1][1]


def test_a_simulation_survives_its_bytes() -> None:
    found = work.simulation(sweep(runs=1), lambda done, total: None)
    assert Simulation.from_bytes(found.to_bytes()) == found


def test_an_unresolved_floor_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "floor_release", lambda *_, **__: Unresolved(ZCDP(1)))
    source = PublicInput("k", WORKLOAD, tables.support(SHAPE, 9, 1))
    counts = count(WORKLOAD, tables.table(SHAPE, 50, 2))
    with pytest.raises(NoResult, match="charge stays"):
        work.assess(AssessmentWork(1, (source, counts, Fraction(1)), None), lambda done, total: None)
