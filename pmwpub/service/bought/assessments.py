"""Planning the noisy best-mixture error and the noisy start of candidates, and reading back what was bought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.ledger import Booking
from pmwpub.mechanisms.noisy_error.assessment import AssessmentShare, assessment_charges
from pmwpub.mechanisms.noisy_error.precision import epsilon_within
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.numerals import as_fraction
from pmwpub.plans import AssessmentPlan, Part, Scope
from pmwpub.plans.weighing import counted_in, mass_of, reach_of
from pmwpub.service.bought.stored_releases import outcomes
from pmwpub.service.core import Outcome, Service
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.reading_back.stored_results import StoredAssessment, plan_and_result


@dataclass(frozen=True)
class Assessed:
    """One candidate's stored assessment; `floor` and `start` are None where not bought or not there.

    remarks  what a reader must know beyond epsilon: what had been seen before the plan was sent
    """

    candidates: tuple[str, ...]
    name: str
    plan: AssessmentPlan
    outcome: Outcome
    floor: NoisyInterval | None = None
    start: NoisyInterval | None = None
    remarks: tuple[str, ...] = ()


def assessment_plan(
    current: Study,
    candidates: Sequence[str],
    *,
    epsilon: str,
    floor: bool = True,
    start: bool = True,
    setting: Scope = "fast",
    part: Part = (),
) -> AssessmentPlan:
    """The plan of one candidate, or of a pool of several; `part` as `choosing.floor_part` has it."""
    return AssessmentPlan(
        n=current.population.n,
        rows_per_person=current.population.rows_per_person,
        kept_ids=current.kept_ids,
        weights=current.weights,
        inputs=current.inputs(candidates),
        epsilon=epsilon,
        floor=floor,
        start=start,
        setting=setting,
        part=part,
    )


def epsilon_for(current: Study, precision: str, *, floor: bool = True, start: bool = True) -> Fraction:
    """The smallest epsilon of three digits at which a candidate's 95 % error bar is at most a wanted one.

    precision  half of the bar, as a share of the private rows, as somebody typed it

    Raises BudgetError as `precision.epsilon_within` does, and for what is no number.
    """
    counted = current.counted
    return epsilon_within(
        as_fraction(precision), mass_of(counted), reach_of(counted), with_floor=floor, with_start=start
    )


def assessments(service: Service, current: Study) -> list[Assessed]:
    """Every assessment that was bought, oldest first, with what became of it."""
    found = outcomes(service, current.population.name, "assessment")
    return [_assessed(current, outcome) for outcome in found]


def assessed(service: Service, current: Study, booking: Booking) -> Assessed:
    """One assessment, read back by its booking."""
    return _assessed(current, service.outcome(booking))


def _assessed(current: Study, outcome: Outcome) -> Assessed:
    plan, stored = read_assessment(outcome)
    name = current.known_names(plan.inputs.candidates)
    floor, start = (None if one is None else one.interval for one in (stored.floor, stored.start))
    return Assessed(plan.inputs.candidates, name, plan, outcome, floor, start, stored.remarks)


def read_assessment(outcome: Outcome) -> tuple[AssessmentPlan, StoredAssessment]:
    """What is stored of an assessment, empty where nothing is; ValueError for what is none."""
    plan, stored = plan_and_result(outcome, AssessmentPlan, StoredAssessment)
    if stored is None:
        return plan, StoredAssessment()
    if (stored.floor is not None, stored.start is not None) != (plan.floor, plan.start):
        raise ValueError("An assessment has the parts that were planned.")
    return plan, stored


def shares_of(plan: AssessmentPlan) -> list[AssessmentShare]:
    """The mechanisms that a plan buys, each with its share of epsilon."""
    return assessment_charges(
        plan.exact_epsilon,
        mass_of(plan),
        reach_of(plan),
        with_floor=plan.floor,
        with_start=plan.start,
        counted_in=counted_in(plan),
    )
