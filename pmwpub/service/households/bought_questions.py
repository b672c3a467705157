"""What a question about households buys before it is drawn, and everything that was bought, with what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from pmwpub.ledger import PlanKey
from pmwpub.mechanisms.households.household_errors import household_bar
from pmwpub.mechanisms.noisy_error.choose_best import shortfall
from pmwpub.plans import HouseholdAssessmentPlan, HouseholdBestPlan, HouseholdErrorPlan
from pmwpub.privacy.lattice_noise import LatticeLaplace
from pmwpub.service.bought.stored_releases import outcomes
from pmwpub.service.core import Outcome, Service
from pmwpub.service.households.household_questions import (
    HouseholdError,
    read_household_assessment,
    read_household_choice,
    read_household_error,
    shares_of_households,
)
from pmwpub.service.inputs.study import Study
from pmwpub.service.reading_back.stored_results import StoredChoice


@dataclass(frozen=True)
class AskedOfTables:
    """A question about public tables of households that was bought; without a result nothing stands in it.

    offered  the public tables, as people read them, joined
    errors   the floor and the start, by name
    chosen   the name of the best table
    remarks  what had been seen before the plan was sent, which epsilon does not cover
    """

    plan: HouseholdAssessmentPlan | HouseholdBestPlan
    outcome: Outcome
    offered: str
    errors: Mapping[str, HouseholdError] = field(default_factory=dict)
    chosen: str = ""
    remarks: tuple[str, ...] = ()


def bars_of_households(plan: HouseholdAssessmentPlan | HouseholdErrorPlan) -> dict[str, Fraction]:
    """The 95 % half-width of each number that a plan buys, as a share of the households. Public."""
    shares, n, largest = shares_of_households(plan), plan.n, plan.largest
    return {one.purpose: household_bar(LatticeLaplace(one.epsilon, largest), n, one.purpose) for one in shares}


def household_shortfall(plan: HouseholdBestPlan) -> float:
    """How far the chosen table's error may lie above the lowest, with probability 95 %: a share of households. Public.

    The score moves by at most H of n H persons.
    """
    n, largest = plan.n, plan.largest
    return shortfall(plan.exact_epsilon, len(plan.inputs.candidates), n * largest, largest)


def asked_of_tables(service: Service, current: Study) -> list[AskedOfTables]:
    """Every assessment and every choice of households that was bought, in the order of their bookings."""
    name = current.population.name
    assessed = [_assessed(current, one) for one in outcomes(service, name, "household-assessment")]
    chosen = [_chosen(current, one) for one in outcomes(service, name, "household-best")]
    return sorted([*assessed, *chosen], key=lambda one: one.outcome.booking.id)


def _assessed(current: Study, outcome: Outcome) -> AskedOfTables:
    plan, parts = read_household_assessment(outcome)
    remarks = tuple(dict.fromkeys(remark for part in parts.values() for remark in part.remarks))
    return AskedOfTables(plan, outcome, current.known_names(plan.inputs.candidates), parts, remarks=remarks)


def _chosen(current: Study, outcome: Outcome) -> AskedOfTables:
    plan, best = read_household_choice(outcome)
    offered = ", ".join(sorted(current.known_names((one,)) for one in plan.inputs.candidates))
    if best is None or outcome.result is None:
        return AskedOfTables(plan, outcome, offered)
    remarks = StoredChoice.model_validate_json(outcome.result).remarks
    return AskedOfTables(plan, outcome, offered, chosen=current.known_names((best,)), remarks=remarks)


def errors_of_households(
    service: Service, population: str, release: PlanKey
) -> list[tuple[HouseholdErrorPlan, Outcome, HouseholdError | None]]:
    """Every noisy error of one release of households that was bought, oldest first."""
    found = [(*read_household_error(one), one) for one in outcomes(service, population, "household-error")]
    return [
        (plan, outcome, error)
        for plan, error, outcome in found
        if (plan.release, plan.release_repeat) == (release.plan_sha256, release.repeat)
    ]
