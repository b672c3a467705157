"""Plans of what is asked about private households: errors, a floor, a choice; see `pmwpub.plans`."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from pmwpub.errors import BudgetError, PlanError
from pmwpub.plan_inputs import PublicInputs, Reading
from pmwpub.plans.household_plans import PlanOfHouseholds
from pmwpub.plans.question_plans import FrozenPlan
from pmwpub.privacy.budget import MAX_EPSILON, as_fraction, shown
from pmwpub.tabular.households.household_schema import HouseholdRule

Kind = Literal["floor", "start"]


def _one_text(text: str) -> str:
    epsilon = as_fraction(text)
    if epsilon <= 0:
        raise PlanError("The epsilon of what is asked about households must be positive. Nothing was charged.")
    if epsilon > MAX_EPSILON:
        raise BudgetError(f"Epsilon must be positive and at most {MAX_EPSILON:,}; {shown(epsilon)} came.")
    return str(epsilon)


PureEpsilon = Annotated[str, AfterValidator(_one_text)]
"""Positive, at most a million; kept as a reduced fraction, such as 1/20."""


class HouseholdQuestion(FrozenPlan):
    """What questions about households have in common.

    n        households, public
    largest  H: the most persons with whom a household counts
    epsilon  pure, of all that is asked together
    """

    n: int = Field(ge=1)
    largest: int = Field(ge=1)
    epsilon: PureEpsilon
    private_read_as: Reading = None

    @property
    def exact_epsilon(self) -> Fraction:
        return as_fraction(self.epsilon)


class OfPublicHouseholds(HouseholdQuestion):
    """A question about public tables of households.

    household  how rows make households, all of it
    inputs     the persons' schema and workload, and the public tables
    """

    household: HouseholdRule
    inputs: PublicInputs

    @model_validator(mode="after")
    def _of_one_rule(self) -> Self:
        if self.largest != self.household.largest:
            raise PlanError("The plan and its household rule name different largest households. Nothing was charged.")
        if self.inputs.workload.prefixes:
            raise PlanError("What is asked about households takes no prefixes. Nothing was charged.")
        return self


class HouseholdAssessmentPlan(OfPublicHouseholds):
    """The noisy error of one public table's households: of their best mixture (floor), and as they are (start)."""

    kind: Literal["household-assessment"] = "household-assessment"
    floor: bool = True
    start: bool = True

    @model_validator(mode="after")
    def _something_of_one_table(self) -> Self:
        if not (self.floor or self.start):
            raise PlanError("An assessment buys the floor, the start, or both; neither was asked for.")
        if len(self.inputs.candidates) != 1:
            raise PlanError("An assessment of households takes one public table, no pool. Nothing was charged.")
        return self


class HouseholdBestPlan(OfPublicHouseholds):
    """One choice among public tables of households: that of the lowest error, by the exponential mechanism.

    by  whether the error is that of the best mixture, or of the households as they are
    """

    kind: Literal["household-best"] = "household-best"
    by: Kind = "floor"

    @model_validator(mode="after")
    def _among_several(self) -> Self:
        if len(self.inputs.candidates) < 2:
            raise PlanError("A choice needs at least two different candidates. Nothing was charged.")
        return self


class HouseholdErrorPlan(HouseholdQuestion):
    """The noisy error of one finished release of households.

    release, release_repeat  the plan whose stored weights are measured, and which of its draws
    """

    kind: Literal["household-error"] = "household-error"
    release: str = Field(pattern="^[0-9a-f]{64}$")
    release_repeat: int = Field(default=0, ge=0)


OF_HOUSEHOLDS = (PlanOfHouseholds, HouseholdQuestion)
"""The plans that protect whole households; each names H as `largest`."""
