"""Plans: what changes their hash, and what cannot be planned."""

from __future__ import annotations

from fractions import Fraction

import pytest
import tables
from pydantic import ValidationError

from pmwpub.errors import BudgetError, PlanError
from pmwpub.mechanisms.pmw_pub import Output
from pmwpub.plans import AssessmentPlan, PublicInputs, ReleasePlan, WorkloadChoice
from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip

CHOICE = WorkloadChoice(k=2)


def inputs(*candidates: str) -> PublicInputs:
    return PublicInputs(schema_sha256="s", workload_sha256="w", workload=CHOICE, candidates=candidates or ("a",))


def release(**changes: object) -> ReleasePlan:
    made = {"n": 100, "rows_per_person": 2, "inputs": inputs(), "rho_units": 10**14, "rounds": 5} | changes
    return ReleasePlan(**made)  # type: ignore[arg-type]


def test_each_choice_changes_the_hash_and_equal_plans_share_it() -> None:
    changed = [
        release(n=101), release(rows_per_person=1), release(inputs=inputs("b")), release(rho_units=10**14 + 1),
        release(rounds=6), release(selection="permute-and-flip"), release(output=Output.AVERAGE),
    ]  # fmt: skip
    assert len({plan.sha256 for plan in [release(), *changed]}) == len(changed) + 1
    assert release().sha256 == release().sha256
    assert ReleasePlan.model_validate_json(release().canonical).sha256 == release().sha256


def test_the_same_epsilon_in_other_words_is_the_same_assessment() -> None:
    plans = [
        AssessmentPlan(n=100, rows_per_person=1, inputs=inputs(), epsilon=text) for text in ("0.05", "0.050", "5e-2")
    ]
    assert len({plan.sha256 for plan in plans}) == 1
    assert plans[0].exact_epsilon == Fraction(1, 20)


def test_a_schedule_stays_within_the_plan_and_carries_its_sensitivity() -> None:
    schedule = release().schedule()
    assert schedule.rho <= release().budget
    assert schedule.sensitivity == 2
    assert isinstance(schedule.share.selection, ExponentialMechanism)
    assert isinstance(release(selection="permute-and-flip").schedule().share.selection, PermuteAndFlip)


def test_the_replay_seed_is_public_and_differs_between_draws() -> None:
    assert release().replay_seed(0) == release().replay_seed(0) == release().schedule(0).replay_seed
    assert release().replay_seed(0) != release().replay_seed(1)


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(PlanError, match="once"):
        inputs("b", "a")
    with pytest.raises(PlanError, match="neither"):
        AssessmentPlan(n=9, rows_per_person=1, inputs=inputs(), epsilon="1", floor=False, start=False)
    for nonsense in ("0", "-1", "nan", "inf", "", "many"):
        with pytest.raises((PlanError, BudgetError)):
            AssessmentPlan(n=9, rows_per_person=1, inputs=inputs(), epsilon=nonsense)
    for changes in ({"rounds": 0}, {"rho_units": 0}, {"n": 0}, {"surprise": 1}):
        with pytest.raises(ValidationError):
            release(**changes)
    with pytest.raises(BudgetError):
        release(rho_units=3, rounds=100).schedule()


def test_a_workload_choice_is_all_or_a_sample() -> None:
    shape = tables.domain(2, 2, 2, 2)
    assert len(WorkloadChoice(k=3).build(shape).marginals) == 4
    assert len(WorkloadChoice(k=3, marginals=2, seed=1).build(shape).marginals) == 2


def test_the_fast_setting_takes_a_public_part_of_the_workload() -> None:
    full = WorkloadChoice(k=3).build(tables.domain(*[2] * 9))
    plan = AssessmentPlan(n=9, rows_per_person=1, inputs=inputs(), epsilon="1")
    assert len(full.marginals) == 84
    assert len(plan.workload(full).marginals) == 64
    assert set(plan.workload(full).marginals) <= set(full.marginals)
