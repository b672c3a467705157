"""Table fit on weighed rows, from two neighbouring files to noisy tables, against the exact law at the charged rho."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest
from privacy.laws import gaussian_masses
from support.audits import EventGate
from support.planting import plant_twice_the_rho
from support.statistical import ALPHA, AUDIT, BinnedLaw, assert_follows

from pmwpub.errors import PlanError
from pmwpub.mechanisms.table_fit.coarse_tables import RangeTables
from pmwpub.mechanisms.table_fit.fit_constants import DEFAULTS
from pmwpub.mechanisms.table_fit.table_fit import measure
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.plan_inputs import PublicInputs, WorkloadChoice
from pmwpub.plans import TableFitPlan, release_plans
from pmwpub.plans.weighing import Weighing, planned_counts
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.private_pass import survey
from pmwpub.tabular.schema.table_schema import Schema

K, CAP, RHO = 2, 5, Fraction(1, 2)
RUNS = 3_000 * AUDIT
SCHEMA = Schema.from_json(
    json.dumps(
        {
            "version": 2,
            "missing_tokens": [],
            "columns": [
                {"name": "a", "kind": "categorical", "levels": ["x", "y", "z"], "same": []},
                {"name": "w", "kind": "weight", "cap": 10, "unit": 2, "total": 60},
            ],
        }
    )
)
OURS = "x,1000", "x,10", "z,4"
"""A person of two rows of the cap, one of them clipped to it; and somebody of two units."""
THEIRS = "y,10", "y,99", "z,4"


@dataclass(frozen=True)
class Neighbours:
    """Noisy cells of one table: P(all within `near` units of ours' counts), by the stated scale alone."""

    near: int = 12

    @cached_property
    def plan(self) -> TableFitPlan:
        inputs = PublicInputs(
            schema_sha256=SCHEMA.sha256, workload_sha256="w", workload=WorkloadChoice(k=1), candidates=("b",)
        )
        return TableFitPlan(
            n=3,
            rows_per_person=K,
            weights=Weighing.of(SCHEMA.weight_column, 30),  # type: ignore[arg-type]
            inputs=inputs,
            rho_units=ZCDP.at_most(RHO).units,
            constants=DEFAULTS,
        )

    def schedule(self) -> TableSchedule:
        workload = Workload.all_kway(SCHEMA.domain, 1)
        return self.plan.schedule(workload, Support.of(Dataset(SCHEMA.domain, [[0], [1], [2]])), complete=True)

    def counts(self, ours: bool) -> PrivateCounts:
        content = "\n".join(["a,w", *(OURS if ours else THEIRS)]) + "\n"
        found = survey(open_table(content.encode()), SCHEMA, n=3, rows_per_person=K)
        rows = found.admitted(n=3, rows_per_person=K)
        return planned_counts(self.schedule().tables, rows, self.plan)

    def chance(self, ours: bool, spending: float = 1.0) -> float:
        """k W/sqrt(rho) units of noise; the person's 10 units stand in x or in y."""
        outcomes, masses = gaussian_masses(K * CAP / math.sqrt(float(RHO) * spending), span=20)
        moved = (0, 0, 0) if ours else (-K * CAP, K * CAP, 0)
        return math.prod(
            math.fsum(mass for z, mass in zip(outcomes, masses, strict=True) if abs(z + by) <= self.near)
            for by in moved
        )

    def hits(self, ours: bool) -> int:
        counts, schedule, found = self.counts(ours), self.schedule(), 0
        near = np.array([10, 0, 2])
        for _ in range(RUNS):
            found += int(np.abs(measure(counts, schedule) - near).max() <= self.near)
        return found


TOY = Neighbours()
both = pytest.mark.parametrize("ours", [True, False], ids=["ours", "theirs"])


def assert_passed(ours: bool) -> None:
    EventGate(TOY.chance(ours), RUNS).assert_passed(TOY.hits(ours))


def test_the_counts_of_both_files_are_those_of_a_hand_calculation() -> None:
    assert TOY.counts(True).counts.tolist() == [10, 0, 2]
    assert TOY.counts(False).counts.tolist() == [0, 10, 2]
    assert (TOY.counts(True).n, TOY.schedule().complete, TOY.schedule().cap) == (30, False, CAP)


def test_the_noise_costs_no_more_than_is_charged_at_sensitivity_two_k_w_squared() -> None:
    (noise,) = TOY.schedule().noises
    assert float(noise.scale) == pytest.approx(K * CAP / math.sqrt(float(RHO)), rel=1e-9)
    assert TOY.schedule().rho <= TOY.plan.budget


def test_coarse_tables_are_priced_at_k_w_too() -> None:
    levels = [{"name": "a", "kind": "ordered", "levels": ["0", "1", "2", "3"], "same": []}]
    schema = Schema.from_json(json.dumps({"version": 2, "missing_tokens": [], "columns": levels}))
    plan = TOY.plan.model_copy(update={"ranges": RangeTables(columns=("a",))})
    assert plan.coarse(schema.domain).sensitivity == K * CAP == 10
    support = Support.of(Dataset(schema.domain, [[0], [1], [2], [3]]))
    schedule = plan.schedule(Workload.all_kway(schema.domain, 1), support, complete=True)
    assert schedule.coarse is not None
    assert schedule.coarse.sensitivity == 10
    assert {law.squared_sensitivity for law in schedule.all_noises} == {200}, "2 (k W)^2 of each"


def test_noisy_cells_have_the_exact_law_of_the_stated_scale() -> None:
    law = BinnedLaw.of(*gaussian_masses(K * CAP / math.sqrt(float(RHO)), span=20))
    counts, schedule = TOY.counts(True), TOY.schedule()
    draws = [z for _ in range(RUNS) for z in (measure(counts, schedule) - counts.counts).tolist()]
    assert_follows(law, draws)


@both
def test_an_event_is_as_frequent_as_the_exact_law_at_the_charged_rho_has_it(ours: bool) -> None:
    assert_passed(ours)


@pytest.mark.fault("twice the charged rho in weighed tables")
def test_twice_the_charged_rho_fails_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    plant_twice_the_rho(monkeypatch, VectorGaussian)
    with pytest.raises(AssertionError, match="are expected"):
        assert_passed(True)


@pytest.mark.fault("k without W")
def test_noise_for_k_rows_where_k_w_units_move_fails_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_plans, "reach_of", lambda plan: plan.rows_per_person)
    with pytest.raises(PlanError):  # the schedule sees that one row alone moves more than that
        TOY.schedule()
    monkeypatch.setattr(release_plans, "cap_of", lambda weights: 1)
    with pytest.raises(AssertionError, match="are expected"):
        assert_passed(True)


def test_the_gate_catches_each_fault_almost_surely() -> None:
    gate = EventGate(TOY.chance(True), 3_000)
    assert gate.catching(gate.exact) <= ALPHA
    assert gate.catching(TOY.chance(True, spending=2.0)) > 0.999
    assert gate.catching(TOY.chance(True, spending=CAP**2)) > 0.999
