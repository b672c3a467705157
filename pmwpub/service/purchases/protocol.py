"""What every purchase is: a plan, its charges, its work, and the bytes that are stored of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from pmwpub.ledger import Booking, Charge
from pmwpub.plans import (
    AcceptancePlan,
    AnyReleasePlan,
    AssessmentPlan,
    BestPlan,
    ErrorPlan,
    HouseholdAssessmentPlan,
    HouseholdBestPlan,
    HouseholdErrorPlan,
    HouseholdPlan,
    HouseholdRoundPlan,
    MisfitPlan,
    WeightTotalPlan,
)
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable

Plan = (
    AcceptancePlan
    | AssessmentPlan
    | BestPlan
    | ErrorPlan
    | HouseholdAssessmentPlan
    | HouseholdBestPlan
    | HouseholdErrorPlan
    | HouseholdPlan
    | HouseholdRoundPlan
    | MisfitPlan
    | WeightTotalPlan
    | AnyReleasePlan
)

WithoutPublicTables = AcceptancePlan | ErrorPlan | HouseholdErrorPlan | MisfitPlan | WeightTotalPlan
"""The plans that name no public table."""

PlanOnCandidates = (
    AssessmentPlan
    | BestPlan
    | HouseholdAssessmentPlan
    | HouseholdBestPlan
    | HouseholdPlan
    | HouseholdRoundPlan
    | AnyReleasePlan
)
"""The others."""


@dataclass(frozen=True)
class Prepared:
    """A purchase that fits the population and the private table, as it goes to the ledger.

    work    makes up what the task is handed; called only once the charge is committed
    encode  the bytes that are stored of what the task returned
    """

    work: Callable[[], object] = field(repr=False)
    encode: Callable[[Booking, object], bytes] = field(repr=False)


class Purchase(Protocol):
    """Something that `buy` buys. What was bought is read back by the functions beside each kind of plan."""

    @property
    def plan(self) -> Plan:
        """What is hashed and frozen before anything is spent."""
        ...

    @property
    def task(self) -> str:
        """The engine's name for the work."""
        ...

    @property
    def public_tables(self) -> frozenset[str]:
        """SHA-256 of the candidates that the plan runs on."""
        ...

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """What each mechanism's own accounting says; a function of the plan and of public names alone."""
        ...

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase once plan, private table and population are seen to belong together.

        repeat  which draw of the plan it is

        What stands in the store and may have guided the plan is read here, before the charge.
        Raises PlanError, SchemaError or NoResult where they do not, before anything is charged.
        """
        ...


class OnCandidates:
    """What is alike of all purchases whose plan names public tables; a base of theirs.

    task  the kind of the plan, unless a class names another
    """

    plan: PlanOnCandidates

    @property
    def task(self) -> str:
        """A task has the name of the kind of plan that it is for."""
        return self.plan.kind

    @property
    def public_tables(self) -> frozenset[str]:
        """Every table of the plan's candidate or pools: the steward's tick is about each."""
        return frozenset(self.plan.inputs.candidates)
